/** One condition of a Describe call: filters are ANDed, the values of one are ORed, globs are active in values. */
export interface Ec2Filter {
  readonly name: string;
  readonly values: readonly string[];
}

interface Ec2Tag {
  readonly Key?: string | undefined;
  readonly Value?: string | undefined;
}

/** The fields we read of an address. Some emulators answer `""` where EC2 leaves a field out. */
export interface Ec2Address {
  readonly AllocationId?: string | undefined;
  readonly AssociationId?: string | undefined;
  readonly CarrierIp?: string | undefined;
  readonly CustomerOwnedIp?: string | undefined;
  readonly Domain?: string | undefined;
  readonly InstanceId?: string | undefined;
  readonly NetworkBorderGroup?: string | undefined;
  readonly NetworkInterfaceId?: string | undefined;
  readonly PrivateIpAddress?: string | undefined;
  readonly PublicIp?: string | undefined;
  readonly PublicIpv4Pool?: string | undefined;
  readonly ServiceManaged?: string | undefined;
  readonly Tags?: readonly Ec2Tag[] | undefined;
}

/** A public address on an interface: without an allocation id it is one that Amazon gave by itself. */
export interface Ec2Association {
  readonly AllocationId?: string | undefined;
  readonly AssociationId?: string | undefined;
  readonly CarrierIp?: string | undefined;
  readonly CustomerOwnedIp?: string | undefined;
  readonly PublicIp?: string | undefined;
}

interface Ec2PrivateIp {
  readonly Association?: Ec2Association | undefined;
  readonly Primary?: boolean | undefined;
  readonly PrivateIpAddress?: string | undefined;
}

/** The fields we read of a network interface. */
export interface Ec2Interface {
  /** Of the primary private address. */
  readonly Association?: Ec2Association | undefined;
  readonly Attachment?:
    | {
        readonly DeviceIndex?: number | undefined;
        readonly InstanceId?: string | undefined;
        readonly NetworkCardIndex?: number | undefined;
      }
    | undefined;
  readonly AvailabilityZone?: string | undefined;
  readonly Ipv4Prefixes?: readonly { readonly Ipv4Prefix?: string | undefined }[] | undefined;
  readonly NetworkInterfaceId?: string | undefined;
  readonly PrivateIpAddress?: string | undefined;
  readonly PrivateIpAddresses?: readonly Ec2PrivateIp[] | undefined;
  readonly SubnetId?: string | undefined;
  readonly VpcId?: string | undefined;
}

/** The fields we read of a route. What it leads to is in one of the fields after the destination. */
export interface Ec2Route {
  readonly DestinationCidrBlock?: string | undefined;
  readonly DestinationPrefixListId?: string | undefined;
  /** `blackhole`: what it leads to is gone. */
  readonly State?: string | undefined;
  readonly CarrierGatewayId?: string | undefined;
  /** Of an internet gateway, a virtual private gateway, a gateway endpoint; or `local`. */
  readonly GatewayId?: string | undefined;
  readonly InstanceId?: string | undefined;
  readonly LocalGatewayId?: string | undefined;
  readonly NatGatewayId?: string | undefined;
  readonly NetworkInterfaceId?: string | undefined;
  readonly TransitGatewayId?: string | undefined;
  readonly VpcPeeringConnectionId?: string | undefined;
}

/** The fields we read of a route table. */
export interface Ec2RouteTable {
  readonly Associations?:
    readonly { readonly Main?: boolean | undefined; readonly SubnetId?: string | undefined }[] | undefined;
  readonly RouteTableId?: string | undefined;
  readonly Routes?: readonly Ec2Route[] | undefined;
  readonly VpcId?: string | undefined;
}

export interface Ec2Zone {
  readonly NetworkBorderGroup?: string | undefined;
  readonly ZoneName?: string | undefined;
}

/** One answer of a paged call. */
interface Ec2Page<Item> {
  readonly items: readonly Item[];
  readonly nextToken?: string | undefined;
}

export interface AssociateInput {
  readonly allocationId: string;
  readonly networkInterfaceId: string;
  readonly privateIpAddress: string;
}

export interface AllocateInput {
  readonly tags: Readonly<Record<string, string>>;
  readonly publicIpv4Pool?: string | undefined;
  readonly networkBorderGroup?: string | undefined;
}

interface ReleaseInput {
  readonly allocationId: string;
  readonly networkBorderGroup?: string | undefined;
}

/**
 * The calls of EC2 that are used, and of Service Quotas those about EC2's quotas, one method for one request. Every failure is a StaticIpError, an abort apart.
 * https://docs.aws.amazon.com/AWSEC2/latest/APIReference/
 */
export interface Ec2Calls {
  /** Not paged: EC2 answers with everything. */
  describeAddresses(filters: readonly Ec2Filter[], signal: AbortSignal): Promise<readonly Ec2Address[]>;
  describeNetworkInterfaces(
    query: { readonly filters: readonly Ec2Filter[]; readonly nextToken?: string | undefined },
    signal: AbortSignal,
  ): Promise<Ec2Page<Ec2Interface>>;
  describeRouteTables(
    query: { readonly filters: readonly Ec2Filter[]; readonly nextToken?: string | undefined },
    signal: AbortSignal,
  ): Promise<Ec2Page<Ec2RouteTable>>;
  describeAvailabilityZones(signal: AbortSignal): Promise<readonly Ec2Zone[]>;
  /** Always with AllowReassociation=false. Answers the association id. */
  associateAddress(input: AssociateInput, signal: AbortSignal): Promise<string>;
  disassociateAddress(associationId: string, signal: AbortSignal): Promise<void>;
  /** Tags are written in the same, atomic request. */
  allocateAddress(input: AllocateInput, signal: AbortSignal): Promise<Ec2Address>;
  releaseAddress(input: ReleaseInput, signal: AbortSignal): Promise<void>;
  /** The first value of an attribute of the account, such as `vpc-max-elastic-ips`. */
  describeAccountAttribute(name: string, signal: AbortSignal): Promise<string | undefined>;
  /** The value in force of a quota. @throws StaticIpError `notFound` when none was ever set for this account */
  getServiceQuota(quotaCode: string, signal: AbortSignal): Promise<number>;
  /** The value of a quota for accounts where none was ever set. */
  getAwsDefaultServiceQuota(quotaCode: string, signal: AbortSignal): Promise<number>;
  /** Adds or overwrites tags of one resource. */
  createTags(
    input: { readonly resourceId: string; readonly tags: Readonly<Record<string, string>> },
    signal: AbortSignal,
  ): Promise<void>;
}
