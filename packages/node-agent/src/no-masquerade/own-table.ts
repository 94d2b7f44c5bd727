import { createHash } from 'node:crypto';
import { sortAddresses } from './cidr.ts';
import type { Cidr } from './cidr.ts';
import type { OwnTable } from './kernel-state.ts';
import {
  INSIDE_SET,
  KEEP_SOURCE_CHAIN,
  KEEP_SOURCE_PRIORITY,
  KUBE_MASQUERADE_MARK,
  MARK_REPLIES_CHAIN,
  MARK_REPLIES_PRIORITY,
  PODS_SET,
  REPLY_MARK,
  TABLE,
} from './names.ts';

/** An object of nft's JSON (https://manpages.debian.org/libnftables-json.5): `{"table": {…}}` or a command around one. */
export type NftObject = Readonly<Record<string, unknown>>;

/** What our table should be. */
export interface DesiredTable {
  /** Pods that keep their source address. */
  readonly pods: readonly string[];
  /** Destinations that are not our business. Sorted, without overlaps. */
  readonly inside: readonly Cidr[];
  /** Whether replies of pods to connections from outside are marked. */
  readonly markReplies: boolean;
}

const META_MARK = { meta: { key: 'mark' } };

const equals = (left: NftObject, right: unknown): NftObject => ({ match: { op: '==', left, right } });
const differs = (left: NftObject, right: unknown): NftObject => ({ match: { op: '!=', left, right } });
const header = (field: 'saddr' | 'daddr'): NftObject => ({ payload: { protocol: 'ip', field } });

/**
 * `meta mark & 0x4000 == 0 ip saddr @pods ip daddr != @inside snat to ip saddr`. All nat chains of a hook are asked in the
 * order of their priority until one has bound the connection. This one binds it to its own address, so that a masquerade
 * behind it is never asked; `accept` would only end this chain.
 */
const KEEP_SOURCE: readonly NftObject[] = [
  equals({ '&': [META_MARK, KUBE_MASQUERADE_MARK] }, 0),
  equals(header('saddr'), `@${PODS_SET}`),
  differs(header('daddr'), `@${INSIDE_SET}`),
  { snat: { addr: header('saddr') } },
];

/**
 * `iifname "lxc*" ct direction reply ct status & dnat != dnat meta mark set meta mark | 0x2000`: conntrack knows which
 * packets of a pod are replies, and which of those belong to a node port and must go back the way they came.
 */
const MARK_REPLIES: readonly NftObject[] = [
  equals({ meta: { key: 'iifname' } }, 'lxc*'),
  equals({ ct: { key: 'direction' } }, 'reply'),
  differs({ '&': [{ ct: { key: 'status' } }, 'dnat'] }, 'dnat'),
  { mangle: { key: META_MARK, value: { '|': [META_MARK, REPLY_MARK] } } },
];

/**
 * A rule with a comment that says what it does: versions of nft print the same expression in different ways, but a comment
 * always as it was.
 */
function rule(chain: string, expr: readonly NftObject[]): NftObject {
  const comment = createHash('sha256').update(JSON.stringify(expr)).digest('hex').slice(0, 16);
  return { rule: { family: 'ip', table: TABLE, chain, expr, comment } };
}

/** The table's parts in the order in which nft lists them, without handles and the pods' addresses. */
function parts({ inside, markReplies }: DesiredTable): readonly NftObject[] {
  const at = { family: 'ip', table: TABLE };
  const elem = inside.map(({ address, bits }) => (bits === 32 ? address : { prefix: { addr: address, len: bits } }));
  const chain = (name: string, hook: NftObject): NftObject => ({ chain: { ...at, name, ...hook, policy: 'accept' } });
  const keepHook = { type: 'nat', hook: 'postrouting', prio: KEEP_SOURCE_PRIORITY };
  const markHook = { type: 'filter', hook: 'prerouting', prio: MARK_REPLIES_PRIORITY };
  return [
    { set: { ...at, name: PODS_SET, type: 'ipv4_addr' } },
    { set: { ...at, name: INSIDE_SET, type: 'ipv4_addr', flags: ['interval'], elem } },
    chain(KEEP_SOURCE_CHAIN, keepHook),
    ...(markReplies ? [chain(MARK_REPLIES_CHAIN, markHook)] : []),
    rule(KEEP_SOURCE_CHAIN, KEEP_SOURCE),
    ...(markReplies ? [rule(MARK_REPLIES_CHAIN, MARK_REPLIES)] : []),
  ];
}

const table: NftObject = { table: { family: 'ip', name: TABLE } };

/** The shape that the table will have. */
export function desiredShape(desired: DesiredTable): string {
  return shapeOf([table, ...parts(desired)]);
}

/**
 * The objects of a listing of our table, as one text that is equal for equal tables. A rule that is not ours has no comment
 * of ours.
 */
export function shapeOf(objects: readonly NftObject[]): string {
  const lines = objects.flatMap((one) =>
    Object.entries(one).map(([kind, value]) => `${kind} ${JSON.stringify(value, TELLING)}`),
  );
  return lines.join('\n');
}

/** What tells two tables apart, and is printed alike by every version of nft; the last four are of a set's elements. */
const TELLING = [
  'name',
  'chain',
  'type',
  'hook',
  'prio',
  'policy',
  'elem',
  'comment',
  'prefix',
  'addr',
  'len',
  'range',
];

/** Commands that make the table anew, in one transaction: there is no moment without it. */
export function replaceTable(desired: DesiredTable): readonly NftObject[] {
  return [
    { add: table },
    { delete: table },
    { add: table },
    ...parts(desired).map((part) => ({ add: part })),
    ...elements('add', desired.pods),
  ];
}

/** Commands that change only the pods' set, from what is there; none when it is right. */
export function changePods(desired: DesiredTable, found: OwnTable): readonly NftObject[] {
  const wanted = new Set(desired.pods);
  return [
    ...elements('delete', sortAddresses([...found.pods].filter((ip) => !wanted.has(ip)))),
    ...elements(
      'add',
      desired.pods.filter((ip) => !found.pods.has(ip)),
    ),
  ];
}

/** The command that removes the table. */
export function deleteTable(): readonly NftObject[] {
  return [{ delete: table }];
}

function elements(verb: 'add' | 'delete', elem: readonly string[]): readonly NftObject[] {
  return elem.length === 0 ? [] : [{ [verb]: { element: { family: 'ip', table: TABLE, name: PODS_SET, elem } } }];
}
