import type { TargetRef } from '@static-ip/provider';
import type { Refusal } from '../../core/claim.ts';

/** The pod or node that an Eip's address goes to. */
export interface Chosen {
  /** Name of the pod or node: `status.resourceId`. */
  readonly resourceId: string;
  readonly target: TargetRef;
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

/** Sorts by age, then by name: every run agrees. */
export function byAge(
  a: { readonly metadata: { readonly name: string; readonly creationTimestamp?: string } },
  b: { readonly metadata: { readonly name: string; readonly creationTimestamp?: string } },
): number {
  const [ageA, ageB] = [a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? ''];
  if (ageA !== ageB) return ageA < ageB ? -1 : 1;
  if (a.metadata.name === b.metadata.name) return 0;
  return a.metadata.name < b.metadata.name ? -1 : 1;
}
