/* oxlint-disable no-restricted-imports -- the one file that talks to the AWS SDK for EC2 */
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import {
  AllocateAddressCommand,
  AssociateAddressCommand,
  DescribeAccountAttributesCommand,
  CreateTagsCommand,
  DescribeAddressesCommand,
  DescribeAvailabilityZonesCommand,
  DescribeNetworkInterfacesCommand,
  DescribeRouteTablesCommand,
  DisassociateAddressCommand,
  EC2Client,
  ReleaseAddressCommand,
} from '@aws-sdk/client-ec2';
import type {
  AllocateAddressCommandInput,
  AssociateAddressCommandInput,
  EC2ClientConfig,
  Filter,
} from '@aws-sdk/client-ec2';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { StaticIpError } from '../errors.ts';
import type { AllocateInput, AssociateInput, Ec2Calls, Ec2Filter } from './ec2-calls.ts';
import type { QuotaCalls } from './service-quotas-sdk.ts';
import { translated } from './translated.ts';

/** Where and as whom to call EC2. What is absent is left to the SDK's own chain: shared files, web identity, IMDS. */
export interface Ec2Connection {
  readonly region?: string | undefined;
  readonly endpoint?: string | undefined;
  /** Of Service Quotas. */
  readonly quotasEndpoint?: string | undefined;
  readonly credentials?:
    | { readonly accessKeyId: string; readonly secretAccessKey: string; readonly sessionToken?: string | undefined }
    | undefined;
  /** Requests in flight at a time, by the caller's word: so many connections are kept. */
  readonly maxInFlight: number;
}

const CONNECT_TIMEOUT_MS = 3_000;
/** Behind the deadlines of the calls, for the case that an abort does not get through. */
const REQUEST_TIMEOUT_MS = 15_000;
/** The most that EC2 gives at once; also keeps the call out of the smaller bucket of calls without filter and page. */
const PAGE_SIZE = 1_000;
const ROUTE_TABLES_PAGE_SIZE = 100;

/**
 * EC2 through the AWS SDK. One attempt for each call: the SDK would repeat an AllocateAddress whose reply was lost, and
 * its repetitions would bypass the rate limits.
 * @throws StaticIpError `invalid` when no region is configured anywhere
 */
export async function connectEc2(connection: Ec2Connection): Promise<Ec2Calls> {
  const client = new EC2Client(clientConfig(connection));
  await assertRegion(client);
  return {
    describeAddresses: (filters, signal) =>
      translated({ action: 'DescribeAddresses', signal, ids: {} }, async (options) => {
        const { Addresses } = await client.send(
          new DescribeAddressesCommand({ Filters: sdkFilters(filters) }),
          options,
        );
        return Addresses ?? [];
      }),
    describeNetworkInterfaces: ({ filters, nextToken }, signal) =>
      translated({ action: 'DescribeNetworkInterfaces', signal, ids: {} }, async (options) => {
        const input = { Filters: sdkFilters(filters), MaxResults: PAGE_SIZE, NextToken: nextToken };
        const page = await client.send(new DescribeNetworkInterfacesCommand(input), options);
        return { items: page.NetworkInterfaces ?? [], nextToken: page.NextToken };
      }),
    describeRouteTables: ({ filters, nextToken }, signal) =>
      translated({ action: 'DescribeRouteTables', signal, ids: {} }, async (options) => {
        const input = { Filters: sdkFilters(filters), MaxResults: ROUTE_TABLES_PAGE_SIZE, NextToken: nextToken };
        const page = await client.send(new DescribeRouteTablesCommand(input), options);
        return { items: page.RouteTables ?? [], nextToken: page.NextToken };
      }),
    describeAvailabilityZones: (signal) =>
      translated({ action: 'DescribeAvailabilityZones', signal, ids: {} }, async (options) => {
        const { AvailabilityZones } = await client.send(new DescribeAvailabilityZonesCommand({}), options);
        return AvailabilityZones ?? [];
      }),
    associateAddress: (input, signal) =>
      translated({ action: 'AssociateAddress', signal, ids: { ...input } }, async (options) => {
        const answer = await client.send(new AssociateAddressCommand(associateInput(input)), options);
        return present(answer.AssociationId, 'AssociationId');
      }),
    disassociateAddress: (associationId, signal) =>
      translated({ action: 'DisassociateAddress', signal, ids: { associationId } }, async (options) => {
        await client.send(new DisassociateAddressCommand({ AssociationId: associationId }), options);
      }),
    allocateAddress: (input, signal) =>
      translated({ action: 'AllocateAddress', signal, ids: {} }, async (options) => {
        const answer = await client.send(new AllocateAddressCommand(allocateInput(input)), options);
        return { ...answer, AllocationId: present(answer.AllocationId, 'AllocationId') };
      }),
    releaseAddress: ({ allocationId, networkBorderGroup }, signal) =>
      translated({ action: 'ReleaseAddress', signal, ids: { allocationId } }, async (options) => {
        const input = { AllocationId: allocationId, NetworkBorderGroup: networkBorderGroup };
        await client.send(new ReleaseAddressCommand(input), options);
      }),
    describeAccountAttribute: (name, signal) =>
      translated({ action: 'DescribeAccountAttributes', signal, ids: {} }, async (options) => {
        // The SDK's list of names is older than the API's, which has this one.
        const command = new DescribeAccountAttributesCommand({});
        const { AccountAttributes } = await client.send(command, options);
        const found = AccountAttributes?.find(({ AttributeName }) => AttributeName === name);
        return found?.AttributeValues?.[0]?.AttributeValue;
      }),
    ...createQuotaCalls(async () => {
      const { connectServiceQuotas } = await import('./service-quotas-sdk.ts');
      const { region, credentials, requestHandler } = client.config;
      return connectServiceQuotas({ endpoint: connection.quotasEndpoint, region, credentials, requestHandler });
    }),
    createTags: ({ resourceId, tags }, signal) =>
      translated({ action: 'CreateTags', signal, ids: { resourceId } }, async (options) => {
        const input = { Resources: [resourceId], Tags: sdkTags(tags) };
        await client.send(new CreateTagsCommand(input), options);
      }),
  };
}

function clientConfig({ region, endpoint, credentials, maxInFlight }: Ec2Connection): EC2ClientConfig {
  const agent = { keepAlive: true, maxSockets: maxInFlight };
  return {
    ...(region !== undefined && { region }),
    ...(endpoint !== undefined && { endpoint }),
    ...(credentials !== undefined && { credentials: withoutEmptyToken(credentials) }),
    maxAttempts: 1,
    requestHandler: new NodeHttpHandler({
      connectionTimeout: CONNECT_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      throwOnRequestTimeout: true,
      httpAgent: new HttpAgent(agent),
      httpsAgent: new HttpsAgent(agent),
    }),
  };
}

function withoutEmptyToken({ sessionToken, ...keys }: NonNullable<Ec2Connection['credentials']>) {
  return sessionToken === undefined ? keys : { ...keys, sessionToken };
}

/** The calls of a client that is loaded with the first of them: most operators never ask. One that fails to load is tried again. */
function createQuotaCalls(connect: () => Promise<QuotaCalls>): QuotaCalls {
  let connected: Promise<QuotaCalls> | undefined;
  const calls = (): Promise<QuotaCalls> =>
    (connected ??= connect().catch((error: unknown) => {
      connected = undefined;
      throw error;
    }));
  return {
    getServiceQuota: async (code, signal) => (await calls()).getServiceQuota(code, signal),
    getAwsDefaultServiceQuota: async (code, signal) => (await calls()).getAwsDefaultServiceQuota(code, signal),
  };
}

/** The SDK would say so at the first call only. */
async function assertRegion(client: EC2Client): Promise<void> {
  try {
    await client.config.region();
  } catch (cause) {
    const message =
      'no valid AWS region: set AWS_REGION, or region in the profile of the shared AWS configuration file';
    throw new StaticIpError('invalid', message, { cause });
  }
}

function sdkFilters(filters: readonly Ec2Filter[]): Filter[] {
  return filters.map(({ name, values }) => ({ Name: name, Values: [...values] }));
}

function associateInput({
  allocationId,
  networkInterfaceId,
  privateIpAddress,
}: AssociateInput): AssociateAddressCommandInput {
  return {
    AllocationId: allocationId,
    NetworkInterfaceId: networkInterfaceId,
    PrivateIpAddress: privateIpAddress,
    // Left out it means true, and takes the address from whoever has it.
    AllowReassociation: false,
  };
}

function allocateInput({ tags, publicIpv4Pool, networkBorderGroup }: AllocateInput): AllocateAddressCommandInput {
  const Tags = sdkTags(tags);
  return {
    Domain: 'vpc',
    PublicIpv4Pool: publicIpv4Pool,
    NetworkBorderGroup: networkBorderGroup,
    ...(Tags.length > 0 && { TagSpecifications: [{ ResourceType: 'elastic-ip', Tags }] }),
  };
}

function sdkTags(tags: Readonly<Record<string, string>>): { Key: string; Value: string }[] {
  return Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
}

/** Without its id the effect of a call that succeeded cannot be named: as good as no answer. */
function present(id: string | undefined, field: string): string {
  if (id !== undefined && id !== '') return id;
  throw Object.assign(new Error(`EC2 answered without ${field}`), { name: 'IncompleteAnswer' });
}
