import { createMatcher, parseCidr } from './cidr.ts';
import type { Cidr } from './cidr.ts';

/** A network interface as CiliumNode `status.eni.enis` shows it. */
export interface Eni {
  /** Lower case. */
  readonly mac: string;
  /** 0 is the primary interface, for which Cilium leaves the number out. */
  readonly deviceIndex: number;
  /** Secondary private addresses and delegated prefixes: what pods get. */
  readonly networks: readonly Cidr[];
  readonly subnet: Cidr | undefined;
}

/** The interface that an address was given to, if any. */
export function eniOf(ip: string, enis: readonly Eni[]): Eni | undefined {
  return enis.find(({ networks }) => createMatcher(networks)(ip));
}

/** Reads `status.eni.enis` of a CiliumNode; what has not the shape of an interface is left out. */
export function readEnis(ciliumNode: unknown): readonly Eni[] {
  const enis = member(member(member(ciliumNode, 'status'), 'eni'), 'enis');
  if (typeof enis !== 'object' || enis === null) return [];
  return Object.values(enis).flatMap((one: unknown) => {
    const mac = member(one, 'mac');
    if (typeof mac !== 'string' || mac === '') return [];
    const number = member(one, 'number') ?? 0;
    if (typeof number !== 'number' || !Number.isInteger(number)) return [];
    const networks = [...texts(member(one, 'addresses')), ...texts(member(one, 'prefixes'))].flatMap(
      (text) => parseCidr(text) ?? [],
    );
    const cidr = member(member(one, 'subnet'), 'cidr');
    const subnet = typeof cidr === 'string' ? parseCidr(cidr) : undefined;
    return [{ mac: mac.toLowerCase(), deviceIndex: number, networks, subnet }];
  });
}

function member(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.getOwnPropertyDescriptor(value, key)?.value;
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}
