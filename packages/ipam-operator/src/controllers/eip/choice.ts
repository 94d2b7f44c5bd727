import type { TargetRef } from '@static-ip/provider';
import type { Refusal } from '../../core/claim.ts';

/** The pod or node that an Eip's address goes to. */
export interface Chosen {
  /** Name of the pod or node: `status.resourceId`. */
  readonly resourceId: string;
  readonly target: TargetRef;
  /** It is kept for a grace time only: choose again then, wall time in ms. */
  readonly reviewAt?: number | undefined;
}

/** Either somebody to give the address to, or why there is nobody. */
export type Choice = Chosen | { readonly nobody: Refusal };

/** Says why there is nobody. */
export function nobody(reason: Refusal['reason'], message: string): Choice {
  return { nobody: { reason, message } };
}

/** True when an object has all of the labels. */
export function hasLabels(labels: Readonly<Record<string, string>>, wanted: Readonly<Record<string, string>>): boolean {
  return Object.entries(wanted).every(([key, value]) => labels[key] === value);
}

interface Aged {
  readonly metadata: { readonly name: string; readonly creationTimestamp?: string | undefined };
}

/** Sorts by age, then by name: every run agrees. */
export function byAge(a: Aged, b: Aged): number {
  const [ageA, ageB] = [a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? ''];
  if (ageA !== ageB) return ageA < ageB ? -1 : 1;
  if (a.metadata.name === b.metadata.name) return 0;
  return a.metadata.name < b.metadata.name ? -1 : 1;
}

/** What a condition Ready says of a pod or node, and since when (RFC 3339). */
interface Readiness {
  readonly status: 'True' | 'False' | 'Unknown';
  readonly lastTransitionTime?: string | undefined;
}

/** When what has not been ready since then has been so for too long, wall time in ms; undefined while it is ready. */
export function graceEndsAt(ready: Readiness | undefined, graceMs: number): number | undefined {
  if (ready?.status === 'True') return undefined;
  const since = Date.parse(ready?.lastTransitionTime ?? '');
  // Nobody says since when: it has been so for long enough.
  return Number.isNaN(since) ? -Infinity : since + graceMs;
}
