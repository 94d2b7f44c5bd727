import type { EipSelector } from '../../api/eip-selector.ts';
import type { Node } from '../../api/node.ts';
import type { Pod } from '../../api/pod.ts';
import { byAge, graceEndsAt, hasLabels, nobody } from './choice.ts';
import type { Choice } from './choice.ts';
import { podTarget, whyNotPod } from './pod-target.ts';

/** What the choice of a pod rests on. */
export interface PodWorld {
  /** The pods of the Eip's namespace. */
  readonly pods: readonly Pod[];
  readonly nodeOf: (name: string) => Node | undefined;
  /** The pod that has the address now, by the Eip's status: it keeps it as long as it can. */
  readonly holder?: string | undefined;
  /** Pods that have the address of another Eip: a pod has room for one. */
  readonly occupied: ReadonlySet<string>;
  /** Wall time, ms. */
  readonly now: number;
  /** How long the holder may be unready before another pod takes over, ms. */
  readonly unreadyGraceMs: number;
}

type PodSelector = Extract<EipSelector, { kind: 'pod' | 'podLabels' }>;

/** Chooses the pod for an Eip. Pure. */
export function choosePod(selector: PodSelector, world: PodWorld): Choice {
  if (selector.kind === 'podLabels') return chooseByLabels(selector.labels, world);
  const pod = world.pods.find(({ metadata }) => metadata.name === selector.podName);
  return pod === undefined ? nobody('TargetMissing', `There is no pod ${selector.podName}`) : podTarget(pod, world);
}

/** The holder while it can serve, else the oldest that is ready. No fail-back. */
function chooseByLabels(labels: Readonly<Record<string, string>>, world: PodWorld): Choice {
  const matching = world.pods.filter((pod) => hasLabels(pod.metadata.labels, labels)).toSorted(byAge);
  const usable = matching.filter((pod) => whyNotPod(pod) === undefined);
  const holder = usable.find(({ metadata }) => metadata.name === world.holder);
  const graceEnd = holder && graceEndsAt(readinessOf(holder), world.unreadyGraceMs);
  if (holder !== undefined && (graceEnd === undefined || world.now < graceEnd)) {
    return podTarget(holder, world, graceEnd);
  }
  const free = usable.filter(({ metadata }) => metadata.name !== world.holder && !world.occupied.has(metadata.name));
  // Nobody better: an address on an unready pod is better than on none, and readiness may wait for the address.
  const next = free.find((pod) => readinessOf(pod)?.status === 'True') ?? holder ?? free[0];
  if (next !== undefined) return podTarget(next, world);
  const [first] = matching;
  if (first === undefined) return nobody('TargetMissing', 'No pod has the labels');
  return usable.length === 0
    ? podTarget(first, world)
    : nobody('TargetMissing', `Each of ${usable.length} pods with the labels has the address of another Eip`);
}

function readinessOf({ conditions }: Pod): Pod['conditions'][number] | undefined {
  return conditions.find(({ type }) => type === 'Ready');
}
