import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import nock from 'nock';
import { connectEc2 } from './ec2-sdk.ts';
import type { Ec2Calls } from './ec2-calls.ts';

const ENDPOINT = 'http://ec2.test:8000';
const QUOTAS = 'http://quotas.test:8000';
const signal = new AbortController().signal;

function connect(): Promise<Ec2Calls> {
  const credentials = { accessKeyId: 'key', secretAccessKey: 'secret' };
  return connectEc2({ region: 'eu-west-1', endpoint: ENDPOINT, quotasEndpoint: QUOTAS, credentials, maxInFlight: 4 });
}

function errorXml(code: string): string {
  return `<Response><Errors><Error><Code>${code}</Code><Message>said so</Message></Error></Errors><RequestID>r-1</RequestID></Response>`;
}

function page(id: string, token: string): string {
  return `<R><networkInterfaceSet><item><networkInterfaceId>${id}</networkInterfaceId></item></networkInterfaceSet>${token}</R>`;
}

beforeEach(() => nock.disableNetConnect());
afterEach(() => {
  const pending = nock.pendingMocks();
  nock.cleanAll();
  nock.enableNetConnect();
  expect(pending).toEqual([]);
});

describe('a call to EC2 on the wire', () => {
  it('B08, B16, B19: associates by interface and private address, and never takes an address from elsewhere', async () => {
    let body: Record<string, string> = {};
    nock(ENDPOINT)
      .post('/', (sent: Record<string, string>) => {
        body = sent;
        return true;
      })
      .matchHeader('authorization', /Credential=key\/\d{8}\/eu-west-1\/ec2\/aws4_request/)
      .reply(200, '<AssociateAddressResponse><associationId>eipassoc-1</associationId></AssociateAddressResponse>');
    const calls = await connect();
    const target = { allocationId: 'eipalloc-1', networkInterfaceId: 'eni-1', privateIpAddress: '10.0.0.9' };
    expect(await calls.associateAddress(target, signal)).toBe('eipassoc-1');
    expect(body).toMatchObject({
      Action: 'AssociateAddress',
      AllocationId: 'eipalloc-1',
      NetworkInterfaceId: 'eni-1',
      PrivateIpAddress: '10.0.0.9',
      AllowReassociation: 'false',
    });
    expect(body).not.toHaveProperty('InstanceId');
  });

  it.each([
    ['RequestLimitExceeded', 503, 'throttled'],
    ['InternalError', 500, 'unknown'],
    ['UnauthorizedOperation', 403, 'denied'],
    ['AddressLimitExceeded', 400, 'quota'],
  ])('B43: is sent once, also when EC2 answers %s', async (awsCode, status, code) => {
    // One reply only: a second request would find nobody, and fail differently.
    nock(ENDPOINT).post('/').reply(status, errorXml(awsCode));
    const calls = await connect();
    await expect(calls.allocateAddress({ tags: {} }, signal)).rejects.toMatchObject({
      code,
      fields: { action: 'AllocateAddress', awsCode },
    });
  });

  it('carries the marks of an address in the call that makes it', async () => {
    let body: Record<string, string> = {};
    nock(ENDPOINT)
      .post('/', (sent: Record<string, string>) => {
        body = sent;
        return true;
      })
      .reply(
        200,
        '<AllocateAddressResponse><publicIp>203.0.113.7</publicIp><allocationId>eipalloc-7</allocationId><domain>vpc</domain></AllocateAddressResponse>',
      );
    const calls = await connect();
    await calls.allocateAddress({ tags: { 'eip.materialize.cloud/eip_uid': 'u1', Name: 'n' } }, signal);
    expect(body).toMatchObject({
      'TagSpecification.1.ResourceType': 'elastic-ip',
      'TagSpecification.1.Tag.1.Key': 'eip.materialize.cloud/eip_uid',
      'TagSpecification.1.Tag.1.Value': 'u1',
      'TagSpecification.1.Tag.2.Key': 'Name',
    });
  });

  it('reads all pages of the interfaces', async () => {
    nock(ENDPOINT)
      .post('/', ({ NextToken }: Record<string, string>) => NextToken === undefined)
      .reply(200, page('eni-1', '<nextToken>more</nextToken>'));
    nock(ENDPOINT)
      .post('/', ({ NextToken }: Record<string, string>) => NextToken === 'more')
      .reply(200, page('eni-2', ''));
    const calls = await connect();
    const first = await calls.describeNetworkInterfaces({ filters: [] }, signal);
    const second = await calls.describeNetworkInterfaces({ filters: [], nextToken: first.nextToken }, signal);
    expect([...first.items, ...second.items].map((one) => one.NetworkInterfaceId)).toEqual(['eni-1', 'eni-2']);
  });
});

describe('a call to Service Quotas on the wire', () => {
  it('asks for a quota of EC2 with the region and the keys of EC2, and is sent once', async () => {
    const asked: unknown[] = [];
    nock(QUOTAS, { reqheaders: { 'x-amz-target': 'ServiceQuotasV20190624.GetServiceQuota' } })
      .post('/', (body: unknown) => asked.push(body) > 0)
      .matchHeader('authorization', /Credential=key\/\d{8}\/eu-west-1\/servicequotas\/aws4_request/)
      .reply(400, { __type: 'NoSuchResourceException', Message: 'none' });
    nock(QUOTAS, { reqheaders: { 'x-amz-target': 'ServiceQuotasV20190624.GetAWSDefaultServiceQuota' } })
      .post('/')
      .reply(200, { Quota: { Value: 5 } });
    const calls = await connect();
    await expect(calls.getServiceQuota('L-0263D0A3', signal)).rejects.toMatchObject({ code: 'notFound' });
    expect(await calls.getAwsDefaultServiceQuota('L-0263D0A3', signal)).toBe(5);
    expect(asked).toEqual([{ ServiceCode: 'ec2', QuotaCode: 'L-0263D0A3' }]);
  });

  it.each([
    ['TooManyRequestsException', 400, 'throttled'],
    ['AccessDeniedException', 400, 'denied'],
    ['ServiceException', 500, 'unavailable'],
  ])('is sent once, also when the answer is %s', async (awsCode, status, code) => {
    nock(QUOTAS).post('/').reply(status, { __type: awsCode, Message: 'said so' });
    const calls = await connect();
    await expect(calls.getServiceQuota('L-1', signal)).rejects.toMatchObject({ code, fields: { awsCode } });
  });
});
