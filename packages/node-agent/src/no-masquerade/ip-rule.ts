import { EGRESS_PRIORITY, LINK_LOCAL_PRIORITY, RULE_PROTOCOL } from './names.ts';

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

/** Whether a rule is one of this job's, of this or an earlier run. */
export function isOurs({ protocol, priority, more }: IpRule): boolean {
  const ourPriority = priority === EGRESS_PRIORITY || priority === LINK_LOCAL_PRIORITY;
  return protocol === RULE_PROTOCOL && ourPriority && more !== true;
}

function hex(value: number): string {
  return `0x${value.toString(16)}`;
}
