import { BlockList, isIPv4 } from 'node:net';

/** An IPv4 network: its first address as text, and the prefix length. */
export interface Cidr {
  readonly address: string;
  readonly bits: number;
}

/**
 * Reads `a.b.c.d/n` (or a bare address, as /32). Host bits are cleared, as the kernel does.
 * @returns undefined when it is not an IPv4 network.
 */
export function parseCidr(text: string): Cidr | undefined {
  const [address = '', length = '32', ...rest] = text.trim().split('/');
  const bits = Number(length);
  const valid = isIPv4(address) && /^\d{1,2}$/.test(length) && bits <= 32 && rest.length === 0;
  return valid ? { address: toText(network(toNumber(address), bits)), bits } : undefined;
}

/** `a.b.c.d/n`. */
export function formatCidr({ address, bits }: Cidr): string {
  return `${address}/${bits}`;
}

/** The networks without those that lie within another, sorted by address: what an interval set accepts. */
export function joinCidrs(cidrs: readonly Cidr[]): readonly Cidr[] {
  const wideFirst = cidrs.toSorted((a, b) => a.bits - b.bits || toNumber(a.address) - toNumber(b.address));
  const kept: Cidr[] = [];
  for (const one of wideFirst) if (!kept.some((wide) => containsCidr(wide, one))) kept.push(one);
  return kept.toSorted((a, b) => toNumber(a.address) - toNumber(b.address));
}

function containsCidr(wide: Cidr, narrow: Cidr): boolean {
  return narrow.bits >= wide.bits && network(toNumber(narrow.address), wide.bits) === toNumber(wide.address);
}

/** Whether an address lies in one of the networks; made once, asked often. */
export function createMatcher(cidrs: readonly Cidr[]): (address: string) => boolean {
  const list = new BlockList();
  for (const { address, bits } of cidrs) list.addSubnet(address, bits);
  return (address) => list.check(address);
}

/** IPv4 addresses in numeric order, each once, so that what is made of them is the same each time. */
export function sortAddresses(addresses: Iterable<string>): readonly string[] {
  const numbered = [...new Set(addresses)].map((address) => ({ address, number: toNumber(address) }));
  return numbered.toSorted((a, b) => a.number - b.number).map(({ address }) => address);
}

function toNumber(address: string): number {
  let number = 0;
  for (const part of address.split('.')) number = number * 256 + Number(part);
  return number;
}

function toText(value: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.');
}

function network(value: number, bits: number): number {
  const size = 2 ** (32 - bits);
  return Math.floor(value / size) * size;
}
