import type { Condition } from '../../api/condition.ts';
import type { Eip } from '../../api/eip.ts';
import { CONDITION } from '../../api/names.ts';
import type { Pod } from '../../api/pod.ts';
import type { EipWriter } from './eip-writer.ts';

interface EgressParts {
  readonly pod: Pod;
  /** The Eip whose confirmed address the pod has. */
  readonly holder: Eip;
  readonly writer: Pick<EipWriter, 'status'>;
}

/**
 * Copies to the Eip what the node agent found out about the pod's traffic: associated is not the same as used. Without an
 * agent on the pod's node there is no such condition on either. @throws KubeError
 */
export async function tendEgressVerified({ pod, holder, writer }: EgressParts, signal: AbortSignal): Promise<void> {
  const found = pod.conditions.find(({ type }) => type === CONDITION.podEgressVerified);
  const shown = holder.status.conditions.find(({ type }) => type === CONDITION.egressVerified);
  if (wordsOf(found) === wordsOf(shown)) return;
  const others = holder.status.conditions.filter(({ type }) => type !== CONDITION.egressVerified);
  const copied: readonly Condition[] =
    found === undefined
      ? []
      : [{ ...found, type: CONDITION.egressVerified, observedGeneration: holder.metadata.generation }];
  const conditions = [...others, ...copied].map((condition) => ({ ...condition }));
  await writer.status(holder, { conditions }, signal);
}

function wordsOf(condition: Condition | undefined): string {
  return JSON.stringify([condition?.status, condition?.reason, condition?.message]);
}
