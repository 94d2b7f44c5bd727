/** Addresses and names of the laboratory: one node with two interfaces of a cloud, its pods, and the world around. */

/** Whether the node's two interfaces are in one subnet of the VPC or in two. */
export type Subnets = 'same' | 'several';

export interface LabPod {
  readonly name: string;
  readonly ip: string;
  /** Device index of the interface that the pod's address belongs to. */
  readonly eni: 0 | 1;
  /** The public address that the cloud maps to it, if it holds one. */
  readonly publicIp: string | undefined;
}

export interface LabEni {
  readonly index: 0 | 1;
  /** As the kernel of the node first calls it. */
  readonly device: string;
  readonly mac: string;
  readonly ip: string;
  readonly gateway: string;
  readonly publicIp: string | undefined;
}

export const VPC = '10.0.0.0/16';
export const NODE_PUBLIC = '203.0.113.10';
export const OUTSIDE = '198.51.100.10';
export const VPC_HOST = '10.0.2.5';
export const IMDS = '169.254.169.254';
/** A service address that kube-proxy's rules translate. */
export const SERVICE = '172.20.0.1';
/** Where everybody answers with the source seen. */
export const PORT = 8080;
export const NODE_PORT = 30080;

/** The node's interfaces. Only the first has a public address: that is the node's. */
export function enisOf(subnets: Subnets): readonly [LabEni, LabEni] {
  const second = subnets === 'same' ? '10.0.0' : '10.0.1';
  return [
    { index: 0, device: 'ens5', mac: '02:00:00:00:00:05', ip: '10.0.0.10', gateway: '10.0.0.1', publicIp: NODE_PUBLIC },
    {
      index: 1,
      device: 'ens6',
      mac: '02:00:00:00:00:06',
      ip: `${second}.20`,
      gateway: `${second}.1`,
      publicIp: undefined,
    },
  ];
}

/** Two pods for each interface: `holderN` holds a public address, `plainN` does not. */
export function podsOf(subnets: Subnets): Readonly<Record<'holder0' | 'plain0' | 'holder1' | 'plain1', LabPod>> {
  const second = subnets === 'same' ? '10.0.0' : '10.0.1';
  return {
    holder0: { name: 'holder0', ip: '10.0.0.30', eni: 0, publicIp: '203.0.113.30' },
    plain0: { name: 'plain0', ip: '10.0.0.31', eni: 0, publicIp: undefined },
    holder1: { name: 'holder1', ip: `${second}.40`, eni: 1, publicIp: '203.0.113.40' },
    plain1: { name: 'plain1', ip: `${second}.41`, eni: 1, publicIp: undefined },
  };
}
