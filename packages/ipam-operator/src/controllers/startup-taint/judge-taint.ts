import { TAINT } from '../../api/names.ts';
import type { Node } from '../../api/node.ts';
import { parseProviderId } from '../../core/provider-id.ts';
import type { Standing } from './standings.ts';

/** When the taint goes. */
export interface TaintRules {
  /** `confirmed`: a read of the cloud has shown the address; `node-status`: and the Node's status names it, too. */
  readonly mode: 'confirmed' | 'node-status';
  /** So long after the Node's creation it goes without an address; undefined: never. */
  readonly giveUpMs: number | undefined;
}

export interface TaintFacts {
  readonly rules: TaintRules;
  /** What the claims about the node's instance have come to. */
  readonly standings: readonly Standing[];
  /** Wall time, ms. */
  readonly now: number;
  /** When this process first saw the taint on this node, the same. */
  readonly seenAt: number;
}

/** What to do about a node's start-up taint. */
export type TaintVerdict =
  /** There is none. */
  | { readonly do: 'nothing' }
  /** Look again when something changes, or after so long. */
  | { readonly do: 'keep'; readonly againMs?: number }
  | { readonly do: 'remove'; readonly reason: 'StartupTaintRemoved' | 'StartupTaintGivenUp'; readonly message: string };

/**
 * A process that has just begun has not looked at the cloud yet: before it gives up on a node it takes so long, ms. So a
 * restart may lengthen the time, and never shortens it.
 */
const FIRST_LOOK_MS = 30_000;

/** Decides about one node. Pure. */
export function judgeTaint(node: Node, facts: TaintFacts): TaintVerdict {
  if (!hasStartupTaint(node)) return { do: 'nothing' };
  const ip = servedWith(node, facts);
  if (ip !== undefined) {
    return { do: 'remove', reason: 'StartupTaintRemoved', message: `${ip} is on the node, confirmed: pods may come` };
  }
  const dueAt = givesUpAt(node, facts);
  if (dueAt === undefined) return { do: 'keep' };
  if (facts.now < dueAt) return { do: 'keep', againMs: dueAt - facts.now };
  const why = whatIsMissing(node, facts);
  return {
    do: 'remove',
    reason: 'StartupTaintGivenUp',
    message: `Pods may come, with no static address to go by: ${why}`,
  };
}

/** Whether the node carries the taint, with whichever effect. */
export function hasStartupTaint({ taints = [] }: Node): boolean {
  return taints.some(({ key }) => key === TAINT.addressPending);
}

/** The node's instance, where its provider id says it. */
export function instanceOf({ providerId }: Node): string | undefined {
  const identity = parseProviderId(providerId);
  return identity.kind === 'instance' ? identity.instanceId : undefined;
}

/** The address for which the node may begin. */
function servedWith(node: Node, { rules, standings }: TaintFacts): string | undefined {
  if (instanceOf(node) === undefined) return undefined;
  return confirmedOf(standings).find((ip) => rules.mode === 'confirmed' || node.externalIps?.includes(ip));
}

/** Wall time, ms; undefined: never. */
function givesUpAt({ metadata }: Node, { rules, seenAt }: TaintFacts): number | undefined {
  if (rules.giveUpMs === undefined) return undefined;
  const createdAt = Date.parse(metadata.creationTimestamp ?? '') || seenAt;
  return Math.max(createdAt + rules.giveUpMs, seenAt + Math.min(rules.giveUpMs, FIRST_LOOK_MS));
}

function whatIsMissing(node: Node, { standings }: TaintFacts): string {
  if (instanceOf(node) === undefined) return 'spec.providerID of the Node does not say which instance it is';
  const [first] = standings;
  if (first === undefined) {
    return 'nothing asks for an address for this node: its CiliumNode has no static-ip-tags, and no Eip has chosen it';
  }
  const [ip] = confirmedOf(standings);
  if (ip === undefined) return `${first.claimKey}: ${first.reason}: ${first.message}`;
  return `${ip} is on the instance, but status.addresses of the Node does not name it as ExternalIP`;
}

function confirmedOf(standings: readonly Standing[]): readonly string[] {
  return standings.flatMap(({ confirmedIp }) => confirmedIp ?? []);
}
