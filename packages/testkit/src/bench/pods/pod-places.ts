import { node } from '../../cluster/builders.ts';
import type { BenchWorld } from '../bench-world.ts';
import { concurrently } from '../concurrently.ts';

/** A pod to be, and where: its private address is a secondary one of an interface of its node's instance. */
export interface BenchPod {
  readonly name: string;
  readonly node: string;
  readonly privateIp: string;
  readonly interfaceId: string;
}

/** Where pods start, and where each comes back: on another node, under another address. */
interface Places {
  readonly first: readonly BenchPod[];
  readonly later: readonly BenchPod[];
}

/** A large instance: 30 addresses an interface, of which the first is the interface's own. */
const PODS_PER_INTERFACE = 29;
const IN_FLIGHT = 16;

/** Adds ready nodes, and instances with room for `n` pods, on an interface for those that start and one for those that come back. */
export async function addPodPlaces({ cluster, emulator }: BenchWorld, n: number): Promise<Places> {
  const nodes = Array.from({ length: Math.ceil(n / PODS_PER_INTERFACE) }, (_, index) => index);
  const interfaces = new Map<string, string>();
  await concurrently(nodes, IN_FLIGHT, async (index) => {
    // Whoever starts on the node before comes back here.
    const later = podsOf((index + nodes.length - 1) % nodes.length, n);
    const wanted = [{}, { secondaryIps: podsOf(index, n).map(firstIp) }, { secondaryIps: later.map(laterIp) }];
    const instance = await emulator.controls.addInstance({ tags: { Name: nodeName(index) }, interfaces: wanted });
    for (const { id, privateIps } of instance.interfaces) for (const ip of privateIps) interfaces.set(ip, id);
    const internalIp = instance.interfaces[0]?.privateIps[0] ?? '';
    const object = node({ name: nodeName(index), instanceId: instance.id, zone: instance.zone, internalIp });
    await cluster.api.createWithStatus(object);
  });
  const place = (index: number, at: number, privateIp: string): BenchPod => {
    const interfaceId = interfaces.get(privateIp) ?? '';
    return { name: podName(index), node: nodeName(at % nodes.length), privateIp, interfaceId };
  };
  const indexes = Array.from({ length: n }, (_, index) => index);
  return {
    first: indexes.map((index) => place(index, nodeOf(index), firstIp(index))),
    later: indexes.map((index) => place(index, nodeOf(index) + 1, laterIp(index))),
  };
}

function nodeOf(pod: number): number {
  return Math.floor(pod / PODS_PER_INTERFACE);
}

/** The pods that start on a node. */
function podsOf(nodeIndex: number, n: number): readonly number[] {
  const first = nodeIndex * PODS_PER_INTERFACE;
  return Array.from({ length: Math.min(PODS_PER_INTERFACE, n - first) }, (_, index) => first + index);
}

function podName(index: number): string {
  return `bench-${String(index + 1).padStart(5, '0')}`;
}

function nodeName(index: number): string {
  return `bench-node-${String(index + 1).padStart(3, '0')}`;
}

/** Interfaces take addresses from the start of the subnet 10.0.0.0/16; pods are far above. */
function firstIp(pod: number): string {
  return ipIn(128, pod);
}

function laterIp(pod: number): string {
  return ipIn(192, pod);
}

function ipIn(third: number, index: number): string {
  return `10.0.${third + Math.floor(index / 256)}.${index % 256}`;
}
