import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { connectEmulator } from './control/emulator-client.ts';
import { createEmulator } from './emulator.ts';
import type { Emulator } from './emulator.ts';
import { startEmulatorProcess } from './start-emulator-process.ts';
import { itemsAt, sendQuery, TEST_KEY, valueAt } from './query-client.ts';

let emulator: Emulator;
let endpoint: string;

beforeEach(async () => {
  emulator = createEmulator();
  endpoint = await emulator.listen();
});

afterEach(() => emulator.close());

/** The interface of the only address, and how many tags it has. */
async function firstShown(): Promise<unknown[]> {
  const { body } = await sendQuery(endpoint, 'DescribeAddresses');
  const [item] = itemsAt(body, 'DescribeAddressesResponse', 'addressesSet');
  return [valueAt(item, 'networkInterfaceId'), itemsAt(item, 'tagSet').length];
}

/** Status and body of a Service Quotas call. */
async function quota(operation: string, input: Record<string, string>): Promise<unknown[]> {
  const headers = {
    'x-amz-target': `ServiceQuotasV20190624.${operation}`,
    'content-type': 'application/x-amz-json-1.1',
  };
  const response = await fetch(endpoint, { method: 'POST', headers, body: JSON.stringify(input) });
  return [response.status, await response.json()];
}

describe('the EC2 endpoint', () => {
  it('answers in the Query protocol, special characters escaped', async () => {
    const tags = { 'a&b': '<x> "y" \'z\' ü🚀' };
    const { allocationId } = emulator.addAddress({ tags });
    const response = await fetch(endpoint, { method: 'POST', body: 'Action=DescribeAddresses&Version=2016-11-15' });
    expect(response.headers.get('content-type')).toBe('text/xml;charset=UTF-8');
    expect(await response.text()).toMatch(
      /^<\?xml version="1.0" encoding="UTF-8"\?>\n<DescribeAddressesResponse xmlns="http:\/\/ec2.amazonaws.com\/doc\/2016-11-15\/"><requestId>[0-9a-f-]{36}<\/requestId><addressesSet><item>/,
    );
    const [item] = itemsAt(
      (await sendQuery(endpoint, 'DescribeAddresses')).body,
      'DescribeAddressesResponse',
      'addressesSet',
    );
    expect(valueAt(item, 'allocationId')).toBe(allocationId);
    expect(itemsAt(item, 'tagSet')).toEqual([{ key: 'a&b', value: tags['a&b'] }]);
  });

  it('shows a change at once, however often the address was read before', async () => {
    const [target] = emulator.addInstance({}).interfaces;
    const { allocationId } = emulator.addAddress({});
    expect(await firstShown()).toEqual([undefined, 0]);
    emulator.associate({ allocationId, interfaceId: target?.id ?? '' });
    expect(await firstShown()).toEqual([target?.id, 0]);
    emulator.changeAddress({ allocationId, tags: { a: 'b' } });
    expect(await firstShown()).toEqual([target?.id, 1]);
  });

  it('answers an error with code, message, request id and status', async () => {
    const response = await fetch(endpoint, {
      method: 'POST',
      body: 'Action=ReleaseAddress&AllocationId=eipalloc-0404',
    });
    expect(response.status).toBe(400);
    expect(await response.text()).toMatch(
      /^<\?xml version="1.0" encoding="UTF-8"\?>\n<Response><Errors><Error><Code>InvalidAllocationID.NotFound<\/Code><Message>The allocation ID 'eipalloc-0404' does not exist<\/Message><\/Error><\/Errors><RequestID>[0-9a-f-]{36}<\/RequestID><\/Response>$/,
    );
  });

  it.each([
    ['DescribeVpcs', {}, 400, 'InvalidAction'],
    ['DescribeAddresses', { Nonsense: '1' }, 400, 'UnknownParameter'],
    ['AllocateAddress', { DryRun: 'true' }, 412, 'DryRunOperation'],
  ])('answers %s with %j by %d %s', async (action, params, status, code) => {
    expect(await sendQuery(endpoint, action, params)).toMatchObject({ status, code });
  });

  it('B43 B57: sends 503 when throttled, 401 to an invalid key and 403 to one that may not', async () => {
    emulator.injectFault({ kind: 'throttle', action: 'AllocateAddress' });
    expect(await sendQuery(endpoint, 'AllocateAddress')).toMatchObject({ status: 503, code: 'RequestLimitExceeded' });
    emulator.configure({ credentials: { [TEST_KEY]: { deniedActions: ['DescribeTags'] } } });
    expect(await sendQuery(endpoint, 'DescribeTags')).toMatchObject({ status: 403, code: 'UnauthorizedOperation' });
    emulator.configure({ credentials: { [TEST_KEY]: { status: 'invalid' } } });
    expect(await sendQuery(endpoint, 'DescribeAddresses')).toMatchObject({ status: 401, code: 'AuthFailure' });
    expect(emulator.journal().map(({ principal }) => principal)).toEqual([TEST_KEY, TEST_KEY, TEST_KEY]);
  });

  it('B22: resets the connection after the effect', async () => {
    emulator.injectFault({ kind: 'reset-after-effect', action: 'AllocateAddress' });
    await expect(sendQuery(endpoint, 'AllocateAddress')).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } });
    expect(emulator.snapshot().addresses).toHaveLength(1);
  });

  it('B44: notices a caller who hangs up', async () => {
    const id = emulator.injectFault({ kind: 'pause', action: 'AllocateAddress', point: 'before-effect' });
    const caller = new AbortController();
    const call = fetch(endpoint, { method: 'POST', body: 'Action=AllocateAddress', signal: caller.signal });
    await emulator.pauseReached({ id });
    caller.abort();
    await expect(call).rejects.toThrow('aborted');
    while (emulator.journal()[0]?.code === 'InFlight') await new Promise((resolve) => setImmediate(resolve));
    expect(emulator.journal()).toMatchObject([{ code: 'ConnectionReset', effectAt: undefined }]);
    expect(emulator.snapshot().addresses).toEqual([]);
  });

  it('answers Service Quotas about elastic IPs, and nothing without an applied value but the default', async () => {
    const elasticIps = { ServiceCode: 'ec2', QuotaCode: 'L-0263D0A3' };
    emulator.configure({ addressQuota: 42 });
    expect(await quota('GetServiceQuota', elasticIps)).toMatchObject([
      200,
      { Quota: { QuotaCode: 'L-0263D0A3', Value: 42 } },
    ]);
    emulator.configure({ quotaIsApplied: false });
    expect(await quota('GetServiceQuota', elasticIps)).toMatchObject([400, { __type: 'NoSuchResourceException' }]);
    expect(await quota('GetAWSDefaultServiceQuota', elasticIps)).toMatchObject([200, { Quota: { Value: 5 } }]);
    expect(await quota('GetServiceQuota', { ServiceCode: 'vpc', QuotaCode: 'L-1' })).toMatchObject([
      400,
      { __type: 'NoSuchResourceException' },
    ]);
  });
});

describe('the controls over HTTP', () => {
  it('do what they do in the process', async () => {
    const remote = connectEmulator(endpoint);
    const { interfaces } = await remote.addInstance({ interfaces: [{ secondaryIps: ['10.7.0.1'] }] });
    const { allocationId } = await remote.addAddress({ tags: { pool: 'x' } });
    await remote.associate({ allocationId, interfaceId: interfaces[0]?.id ?? '', privateIp: '10.7.0.1' });
    const id = await remote.injectFault({ kind: 'pause', action: 'AllocateAddress', point: 'after-effect' });
    const call = sendQuery(endpoint, 'AllocateAddress');
    expect(await remote.pauseReached({ id })).toMatchObject({ action: 'AllocateAddress' });
    await remote.releasePause({ id });
    expect((await call).status).toBe(200);
    expect(await remote.counts()).toEqual({ AllocateAddress: { OK: 1 } });
    expect((await remote.violations()).map(({ rule }) => rule)).toEqual(['allocated-without-owner-tag']);
    const { addresses } = await remote.snapshot();
    expect(addresses.find((address) => address.allocationId === allocationId)?.association?.privateIp).toBe('10.7.0.1');
    await remote.reset();
    expect((await remote.snapshot()).addresses).toEqual([]);
  });

  it('are complete in the client', () => {
    const controls = Object.keys(emulator).filter((name) => !['call', 'listen', 'endpoint', 'close'].includes(name));
    expect(new Set(Object.keys(connectEmulator(endpoint)))).toEqual(new Set(controls));
  });

  it('say what is wrong', async () => {
    const remote = connectEmulator(endpoint);
    await expect(remote.associate({ allocationId: 'eipalloc-0404', interfaceId: 'eni-0404' })).rejects.toThrow(
      'interface eni-0404 is unknown',
    );
    const response = await fetch(`${endpoint}/_control/nonsense`, { method: 'POST' });
    expect([response.status, await response.json()]).toEqual([
      400,
      { error: expect.stringContaining("there is no control 'nonsense'") },
    ]);
  });
});

describe('a process of its own', () => {
  it('says where it listens, takes options and controls, and ends when told to', async () => {
    const started = await startEmulatorProcess(['--address-quota', '7', '--no-buckets']);
    expect(await started.controls.configure({})).toMatchObject({ addressQuota: 7, buckets: { enabled: false } });
    expect(await sendQuery(started.endpoint, 'DescribeAddresses')).toMatchObject({ status: 200 });
    await started.close();
    await expect(sendQuery(started.endpoint, 'DescribeAddresses')).rejects.toThrow('fetch failed');
  });

  it('that cannot start is reported', async () => {
    await expect(startEmulatorProcess(['--version'])).rejects.toThrow('ended with 1 before it listened');
  });
});
