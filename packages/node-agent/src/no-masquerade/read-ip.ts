import { formatCidr, parseCidr } from './cidr.ts';
import type { IpRule } from './ip-rule.ts';
import type { DefaultRoute, InterfaceAddress, KernelState, Link } from './kernel-state.ts';
import { isRaw, numberOf, parseObjects, textOf } from './shape.ts';
import type { Raw } from './shape.ts';
import { AgentError } from '../errors.ts';

const PROGRAM = 'ip';
/** All 32 bits: what a mark without a mask is compared with. */
const WHOLE_MARK = 0xffff_ffff;
const RULE_KEYS = new Set(['priority', 'src', 'srclen', 'dst', 'dstlen', 'fwmark', 'fwmask', 'table', 'protocol']);

/** A rule. Without `-details` ip would not tell one of the kernel's protocol from one of none. */
function parseRule(raw: Raw): IpRule {
  const mark = numberOf(raw, 'fwmark');
  // A rule may do something else than lead to a table.
  const table = numberOf(raw, 'table');
  const from = networkOf(raw, 'src');
  const to = networkOf(raw, 'dst');
  return {
    priority: required(raw, 'priority'),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(mark === undefined ? {} : { mark: { value: mark, mask: numberOf(raw, 'fwmask') ?? WHOLE_MARK } }),
    table: table ?? 0,
    protocol: required(raw, 'protocol'),
    ...(table === undefined || Object.keys(raw).some((key) => !RULE_KEYS.has(key)) ? { more: true } : {}),
  };
}

function required(raw: Raw, member: 'priority' | 'protocol'): number {
  const value = numberOf(raw, member);
  if (value !== undefined) return value;
  throw new AgentError('protocol', 'reading the output of ip: a member is not a number', { fields: { member } });
}

function networkOf(raw: Raw, key: 'src' | 'dst'): string | undefined {
  const address = textOf(raw, key);
  if (address === undefined || address === 'all') return undefined;
  const cidr = parseCidr(`${address}/${numberOf(raw, `${key}len`) ?? 32}`);
  return cidr === undefined ? address : formatCidr(cidr);
}

/** What is read in one run of `ip -4 -json -N -details -batch`, in this order. */
export const IP_QUERIES = ['rule show', 'link show', 'address show scope global', 'route show table all exact default'];

/**
 * Reads the output of `IP_QUERIES`: a line of JSON for each.
 * @throws AgentError `protocol` when it is something else.
 */
export function parseIp(lines: string): Pick<KernelState, 'rules' | 'links' | 'addresses' | 'defaultRoutes'> {
  const answers = lines.trim().split('\n');
  if (answers.length !== IP_QUERIES.length) {
    throw new AgentError('protocol', 'reading the output of ip: not a line for each query', {
      fields: { program: PROGRAM },
    });
  }
  const [rules = [], links = [], addresses = [], routes = []] = answers.map((line) => parseObjects(line, PROGRAM));
  const indexes = new Map(links.map((raw) => [textOf(raw, 'ifname'), numberOf(raw, 'ifindex')]));
  return {
    rules: rules.map(parseRule),
    links: links.flatMap(parseLink),
    addresses: addresses.flatMap(parseAddresses),
    defaultRoutes: routes.flatMap((raw) => parseRoute(raw, indexes)),
  };
}

function parseLink(raw: Raw): readonly Link[] {
  const index = numberOf(raw, 'ifindex');
  const mac = textOf(raw, 'address');
  return index === undefined || mac === undefined ? [] : [{ index, mac: mac.toLowerCase() }];
}

function parseAddresses(raw: Raw): readonly InterfaceAddress[] {
  const interfaceIndex = numberOf(raw, 'ifindex');
  const infos = raw['addr_info'];
  if (interfaceIndex === undefined || !Array.isArray(infos)) return [];
  return infos.filter(isRaw).flatMap((info) => {
    const address = textOf(info, 'local');
    return address === undefined ? [] : [{ interfaceIndex, address }];
  });
}

/** A route without an interface (blackhole, or several ways at once) leads nowhere we could compare. */
function parseRoute(raw: Raw, indexes: ReadonlyMap<string | undefined, number | undefined>): readonly DefaultRoute[] {
  const interfaceIndex = indexes.get(textOf(raw, 'dev'));
  if (interfaceIndex === undefined) return [];
  return [{ table: numberOf(raw, 'table') ?? 254, interfaceIndex, metric: numberOf(raw, 'metric') ?? 0 }];
}
