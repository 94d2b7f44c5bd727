import type { Ec2Action } from './actions.ts';
import type { Ec2Calls } from './ec2-calls.ts';

/** One request on its way to EC2. */
interface Ec2Request<Answer> {
  readonly action: Ec2Action;
  readonly signal: AbortSignal;
  /** Sends it; to be called once. */
  readonly send: (signal: AbortSignal) => Promise<Answer>;
}

/** What a layer does around every request. */
export type Layer = <Answer>(request: Ec2Request<Answer>) => Promise<Answer>;

/** The same calls with the layers around each, the first one outermost. */
export function layered(calls: Ec2Calls, layers: readonly Layer[]): Ec2Calls {
  return layers.reduceRight(aroundCalls, calls);
}

function aroundCalls(calls: Ec2Calls, layer: Layer): Ec2Calls {
  return {
    describeAddresses: (filters, signal) =>
      layer({ action: 'DescribeAddresses', signal, send: (inner) => calls.describeAddresses(filters, inner) }),
    describeNetworkInterfaces: (query, signal) =>
      layer({
        action: 'DescribeNetworkInterfaces',
        signal,
        send: (inner) => calls.describeNetworkInterfaces(query, inner),
      }),
    describeRouteTables: (query, signal) =>
      layer({ action: 'DescribeRouteTables', signal, send: (inner) => calls.describeRouteTables(query, inner) }),
    describeAvailabilityZones: (signal) =>
      layer({ action: 'DescribeAvailabilityZones', signal, send: (inner) => calls.describeAvailabilityZones(inner) }),
    associateAddress: (input, signal) =>
      layer({ action: 'AssociateAddress', signal, send: (inner) => calls.associateAddress(input, inner) }),
    disassociateAddress: (id, signal) =>
      layer({ action: 'DisassociateAddress', signal, send: (inner) => calls.disassociateAddress(id, inner) }),
    allocateAddress: (input, signal) =>
      layer({ action: 'AllocateAddress', signal, send: (inner) => calls.allocateAddress(input, inner) }),
    releaseAddress: (input, signal) =>
      layer({ action: 'ReleaseAddress', signal, send: (inner) => calls.releaseAddress(input, inner) }),
    describeAccountAttribute: (name, signal) =>
      layer({
        action: 'DescribeAccountAttributes',
        signal,
        send: (inner) => calls.describeAccountAttribute(name, inner),
      }),
    getServiceQuota: (code, signal) =>
      layer({ action: 'GetServiceQuota', signal, send: (inner) => calls.getServiceQuota(code, inner) }),
    getAwsDefaultServiceQuota: (code, signal) =>
      layer({
        action: 'GetAWSDefaultServiceQuota',
        signal,
        send: (inner) => calls.getAwsDefaultServiceQuota(code, inner),
      }),
    createTags: (input, signal) =>
      layer({ action: 'CreateTags', signal, send: (inner) => calls.createTags(input, inner) }),
  };
}
