import type { PersistentMap } from './persistent-map.ts';

/** Who made an association or an address when it was not an EC2 API call but a test, in the role of somebody else. */
export const OUTSIDE = 'outside';

export type Tags = Readonly<Record<string, string>>;

/** An availability, local or wavelength zone. */
export interface Zone {
  readonly name: string;
  readonly zoneId: string;
  readonly type: 'availability-zone' | 'local-zone' | 'wavelength-zone';
  readonly groupName: string;
  /** Only an address of the same group can be associated with an interface of this zone. */
  readonly borderGroup: string;
}

export interface Vpc {
  readonly id: string;
  readonly cidr: string;
  /** In the default VPC a release also disassociates; elsewhere it is refused while in use. */
  readonly isDefault: boolean;
  readonly internetGatewayId: string | undefined;
}

export interface Subnet {
  readonly id: string;
  readonly vpcId: string;
  readonly zone: string;
  readonly cidr: string;
  /** The offset in the block of the next private IP given out. */
  readonly nextHost: number;
  readonly tags: Tags;
}

export interface Route {
  /** An IPv4 block, or a prefix list `pl-…`. */
  readonly destination: string;
  /** `igw-…`, `nat-…`, `tgw-…`, `eni-…`, `pcx-…`, `vpce-…`, `vgw-…` or `local`. */
  readonly gatewayId: string;
  /** What it leads to is gone. */
  readonly isBlackhole?: boolean;
}

export interface RouteTable {
  readonly id: string;
  readonly vpcId: string;
  readonly main: boolean;
  readonly subnetIds: readonly string[];
  readonly routes: readonly Route[];
  readonly tags: Tags;
}

export type InstanceState = 'pending' | 'running' | 'shutting-down' | 'terminated' | 'stopping' | 'stopped';

export interface Instance {
  readonly id: string;
  readonly reservationId: string;
  readonly state: InstanceState;
  readonly vpcId: string;
  readonly subnetId: string;
  readonly zone: string;
  readonly interfaceIds: readonly string[];
  /** Whether the primary interface asks for a public address of Amazon's pool whenever it has no other. */
  readonly autoPublicIp: boolean;
  readonly tags: Tags;
  readonly order: number;
  readonly createdAt: number;
}

interface Attachment {
  readonly id: string;
  readonly instanceId: string;
  readonly deviceIndex: number;
  readonly networkCard: number;
  readonly deleteOnTermination: boolean;
}

export interface NetworkInterface {
  readonly id: string;
  readonly vpcId: string;
  readonly subnetId: string;
  readonly zone: string;
  readonly mac: string;
  readonly interfaceType: string;
  readonly description: string;
  /** Owned by an AWS service (NAT gateway, load balancer): addresses of others cannot be associated with it. */
  readonly requesterManaged: boolean;
  /** The primary private address first. */
  readonly privateIps: readonly string[];
  /** /28 blocks of prefix delegation; their addresses are not in `privateIps`. */
  readonly prefixes: readonly string[];
  /** A public address of Amazon's pool on the primary private address. */
  readonly autoPublicIp: string | undefined;
  readonly attachment: Attachment | undefined;
  readonly tags: Tags;
  readonly order: number;
  readonly createdAt: number;
}

export interface Association {
  readonly id: string;
  readonly interfaceId: string;
  readonly privateIp: string;
  /** The access key id that made it, or OUTSIDE. */
  readonly by: string;
}

export interface Address {
  readonly allocationId: string;
  readonly publicIp: string;
  readonly borderGroup: string;
  /** `amazon`, or the id of a pool the user brought: those do not count against the quota. */
  readonly pool: string;
  readonly carrierIp: string | undefined;
  /** The AWS service that owns it, such as `nlb` or `rnat`: it can be used by nobody else. */
  readonly serviceManaged: string | undefined;
  /** Shown with this interface though without an association id, like the address of a NAT gateway. */
  readonly heldByInterfaceId: string | undefined;
  /** Has a reverse DNS record: cannot be released. */
  readonly locked: boolean;
  readonly tags: Tags;
  /** The access key id that allocated it, or OUTSIDE. */
  readonly createdBy: string;
  /** true: belongs to somebody else whoever associated it; false: fair game for every caller; undefined: see the rules. */
  readonly foreign: boolean | undefined;
  readonly association: Association | undefined;
  readonly order: number;
  readonly createdAt: number;
}

/** Everything EC2 holds in one account and region. Never changed in place, so that old versions stay readable. */
export interface World {
  readonly zones: readonly Zone[];
  readonly vpcs: PersistentMap<Vpc>;
  readonly subnets: PersistentMap<Subnet>;
  readonly routeTables: PersistentMap<RouteTable>;
  readonly instances: PersistentMap<Instance>;
  readonly interfaces: PersistentMap<NetworkInterface>;
  readonly addresses: PersistentMap<Address>;
  /** `interface id/private IP` → allocation id of the address associated with it. */
  readonly holders: PersistentMap<string>;
  /** Association id → allocation id. */
  readonly associations: PersistentMap<string>;
  /** Public IP → allocation id. */
  readonly publicIps: PersistentMap<string>;
}

/** The key of `World.holders`. */
export function targetKey(interfaceId: string, privateIp: string): string {
  return `${interfaceId}/${privateIp}`;
}
