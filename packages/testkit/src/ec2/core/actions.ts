import { describeAccountAttributes } from './account.ts';
import type { Action } from './action.ts';
import { allocateAddress, describeAddresses, releaseAddress } from './addresses.ts';
import { associateAddress, disassociateAddress } from './associations.ts';
import { describeInstances, startInstances, stopInstances, terminateInstances } from './instances.ts';
import { describeNetworkInterfaces } from './interfaces.ts';
import { describeRouteTables, describeSubnets } from './networks.ts';
import { createTags, deleteTags, describeTags } from './tags.ts';
import { describeAvailabilityZones } from './zones.ts';

/** Every EC2 action the emulator knows, by name. */
export const ACTIONS: ReadonlyMap<string, Action> = new Map(
  Object.entries({
    AllocateAddress: allocateAddress,
    AssociateAddress: associateAddress,
    CreateTags: createTags,
    DeleteTags: deleteTags,
    DescribeAccountAttributes: describeAccountAttributes,
    DescribeAddresses: describeAddresses,
    DescribeAvailabilityZones: describeAvailabilityZones,
    DescribeInstances: describeInstances,
    DescribeNetworkInterfaces: describeNetworkInterfaces,
    DescribeRouteTables: describeRouteTables,
    DescribeSubnets: describeSubnets,
    DescribeTags: describeTags,
    DisassociateAddress: disassociateAddress,
    ReleaseAddress: releaseAddress,
    StartInstances: startInstances,
    StopInstances: stopInstances,
    TerminateInstances: terminateInstances,
  }),
);
