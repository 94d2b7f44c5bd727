import { formatTime } from './format-time.ts';
import type { Clock, JsonObject, Resource } from '@static-ip/kube';
import { EGRESS_VERIFIED } from '../api/names.ts';
import { AGENT_PODS } from '../no-masquerade/agent-pod.ts';
import type { AgentPod } from '../no-masquerade/agent-pod.ts';
import { isRaw, textOf } from '../no-masquerade/shape.ts';
import type { EgressVerdict } from './egress-verdict.ts';

/** The verdict that is written on a pod. */
export interface WrittenVerdict {
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string | undefined;
}

/** A pod of this node with the verdict that is on it. */
export interface VerdictPod extends AgentPod {
  readonly verdict: WrittenVerdict | undefined;
}

/** Core `pods`, v1, with the one condition that is ours. */
export const VERDICT_PODS: Resource<VerdictPod> = {
  ...AGENT_PODS,
  parse: (raw) => ({ ...AGENT_PODS.parse(raw), verdict: verdictOn(raw) }),
};

function verdictOn(raw: unknown): WrittenVerdict | undefined {
  const status = isRaw(raw) ? raw['status'] : undefined;
  const conditions = isRaw(status) && Array.isArray(status['conditions']) ? status['conditions'].filter(isRaw) : [];
  const ours = conditions.find((condition) => condition['type'] === EGRESS_VERIFIED);
  if (ours === undefined) return undefined;
  const [state = '', reason = '', message = ''] = ['status', 'reason', 'message'].map((key) => textOf(ours, key));
  return { status: state, reason, message, lastTransitionTime: textOf(ours, 'lastTransitionTime') };
}

/** Body of the strategic merge patch of `pods/status` that writes a verdict, or takes it away; undefined: it is as wanted. */
export function verdictPatch(
  { verdict: written }: Pick<VerdictPod, 'verdict'>,
  wanted: EgressVerdict | undefined,
  clock: Pick<Clock, 'now'>,
): JsonObject | undefined {
  if (wanted === undefined) {
    return written && { status: { conditions: [{ $patch: 'delete', type: EGRESS_VERIFIED }] } };
  }
  const { status, reason, message } = wanted;
  if (written?.status === status && written.reason === reason && written.message === message) return undefined;
  const isMove = written?.status !== status;
  const lastTransitionTime = isMove ? formatTime(clock.now()) : (written.lastTransitionTime ?? formatTime(clock.now()));
  return { status: { conditions: [{ type: EGRESS_VERIFIED, status, reason, message, lastTransitionTime }] } };
}
