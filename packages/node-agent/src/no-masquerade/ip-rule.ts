import {
  EGRESS_PRIORITY,
  LINK_LOCAL,
  LINK_LOCAL_PRIORITY,
  MAIN_TABLE,
  REPLY_MARK,
  REPLY_PRIORITY,
  RULE_PROTOCOL,
  UNSPECIFIED_PROTOCOL,
} from './names.ts';

/** An IPv4 routing policy rule, with every attribute that tells two rules apart. Networks are `a.b.c.d/n`. */
export interface IpRule {
  readonly priority: number;
  /** Unset: from anywhere. */
  readonly from?: string | undefined;
  /** Unset: to anywhere. */
  readonly to?: string | undefined;
  readonly mark?: { readonly value: number; readonly mask: number } | undefined;
  readonly table: number;
  /** Routing protocol number: who made the rule. */
  readonly protocol: number;
  /** It has attributes beyond these (an interface, ports, a negation…): it can be neither ours nor deleted exactly. */
  readonly more?: boolean | undefined;
}

/** The rule as `ip -batch` takes it after `rule add` or `rule del`: every attribute, numbers only. */
export function formatRule(rule: IpRule): string {
  const { priority, from = 'all', to, mark, table, protocol } = rule;
  return [
    `priority ${priority} from ${from}`,
    ...(to === undefined ? [] : [`to ${to}`]),
    ...(mark === undefined ? [] : [`fwmark ${hex(mark.value)}/${hex(mark.mask)}`]),
    `table ${table} protocol ${protocol}`,
  ].join(' ');
}

/** A key that is equal for equal rules only. */
export function ruleKey(rule: IpRule): string {
  return rule.more === true ? `${formatRule(rule)} and more` : formatRule(rule);
}

/** Whether a rule is one of this job's, of this or an earlier run: it has our number, and just what we give our rules. */
export function isOurs(rule: IpRule): boolean {
  const { protocol, from, more } = rule;
  return protocol === RULE_PROTOCOL && more !== true && from?.endsWith('/32') === true && isLikeOurs(rule);
}

function isLikeOurs({ priority, to, mark, table }: IpRule): boolean {
  switch (priority) {
    case LINK_LOCAL_PRIORITY:
      return to === LINK_LOCAL && table === MAIN_TABLE && mark === undefined;
    case EGRESS_PRIORITY:
      return to === undefined && mark === undefined;
    default:
      return priority === REPLY_PRIORITY && to === undefined && isSameMark(REPLIES, mark);
  }
}

const REPLIES = { value: REPLY_MARK, mask: REPLY_MARK };

/**
 * Tells whether asking the kernel to delete a rule takes that one of `rules` (which are in the kernel's order). It takes the
 * first one that has what was asked for, whatever else it has: without a destination it may be one with a destination, and
 * without a protocol (0 is none) it may be anybody's (`rule_find` in net/core/fib_rules.c of Linux).
 */
export function createDeletableTest(rules: readonly IpRule[]): (rule: IpRule) => boolean {
  const byPriority = Map.groupBy(rules, ({ priority }) => priority);
  const bySource = Map.groupBy(rules, ({ priority, from }) => `${priority} ${from}`);
  return (rule) => {
    const { priority, from } = rule;
    const candidates = from === undefined ? byPriority.get(priority) : bySource.get(`${priority} ${from}`);
    const first = candidates?.find((other) => isTakenFor(rule, other));
    return first !== undefined && ruleKey(first) === ruleKey(rule);
  };
}

function isTakenFor(asked: IpRule, rule: IpRule): boolean {
  const same = asked.priority === rule.priority && asked.table === rule.table;
  const from = asked.from === undefined || asked.from === rule.from;
  const to = asked.to === undefined || asked.to === rule.to;
  const protocol = asked.protocol === UNSPECIFIED_PROTOCOL || asked.protocol === rule.protocol;
  return same && from && to && protocol && (asked.mark === undefined || isSameMark(asked.mark, rule.mark));
}

function isSameMark(a: NonNullable<IpRule['mark']>, b: IpRule['mark']): boolean {
  return a.value === b?.value && a.mask === b.mask;
}

function hex(value: number): string {
  return `0x${value.toString(16)}`;
}
