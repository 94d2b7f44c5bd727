import { judgeAllocation, judgeRelease } from './violations-ownership.ts';
import { judgeAssociation, judgeDisassociation } from './violations-binding.ts';
import type { World } from './model.ts';
import { textOf } from './query.ts';
import type { QueryNode } from './query.ts';
import type { Ec2State } from './state.ts';
import type { Ec2Call } from './step.ts';

/** The rules a client of a shared account must keep. */
export type Rule =
  | 'reassociation-allowed'
  | 'no-interface-id'
  | 'no-private-ip'
  | 'instance-id-form'
  | 'public-ip-form'
  | 'displaced-foreign'
  | 'stolen'
  | 'touched-service-managed'
  | 'malformed-association-id'
  | 'disassociated-foreign'
  | 'released-foreign'
  | 'released-untagged'
  | 'allocated-without-owner-tag'
  | 'allocated-twice'
  | 'two-targets-one-address'
  | 'two-addresses-one-target';

/** A broken rule. */
export interface Violation {
  readonly at: number;
  readonly action: string;
  readonly principal: string;
  readonly params: Readonly<Record<string, string>>;
  readonly rule: Rule;
  readonly explanation: string;
}

/** What the rules look at: the call, and the world before and after it. */
export interface Deed {
  readonly call: Ec2Call;
  readonly query: QueryNode;
  readonly before: Ec2State;
  readonly after: World;
  /** Whether it was answered with an error, so that `after` equals the world before. */
  readonly failed: boolean;
}

/** A rule and why it is broken. */
export type Finding = readonly [rule: Rule, explanation: string];

const JUDGES: Readonly<Record<string, (deed: Deed) => readonly Finding[]>> = {
  AllocateAddress: judgeAllocation,
  AssociateAddress: judgeAssociation,
  DisassociateAddress: judgeDisassociation,
  ReleaseAddress: judgeRelease,
};

/** The rules a call broke, whether or not EC2 accepted it; a dry run breaks none. */
export function judge(deed: Deed): Violation[] {
  if (textOf(deed.query, 'DryRun') === 'true') return [];
  const findings = JUDGES[deed.call.action]?.(deed) ?? [];
  return findings.map(([rule, explanation]) => violationOf(deed.call, rule, explanation));
}

/** A violation by a call. */
export function violationOf(call: Ec2Call, rule: Rule, explanation: string): Violation {
  return { at: call.now, action: call.action, principal: call.principal, params: call.params, rule, explanation };
}
