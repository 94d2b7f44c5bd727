import { objectKey } from '@static-ip/kube';
import type { ControllerDeps } from '../../app/compose.ts';
import { addressOutcome } from './drained-object.ts';
import type { DrainedObject } from './drained-object.ts';
import { endClaims } from './end-claims.ts';
import type { EndedClaims } from './end-claims.ts';
import { stripAll } from './strip-all.ts';
import { readDrainWorld, stripTasks } from './strip-tasks.ts';
import type { DrainWorld } from './strip-tasks.ts';

export interface DrainRequest {
  /** `keep`: addresses stay where they are. `release`: they go back as if every Eip were deleted. */
  readonly addresses: 'keep' | 'release';
  /** Monotonic ms at which it is over. */
  readonly untilMs: number;
}

/**
 * Takes all that is ours off the cluster's objects, so that they live and die without the operator. Nothing else may act
 * meanwhile: it runs under the lease. It can be repeated at any time. Returns one line for each object that had something
 * of ours. @throws KubeError when the cluster cannot be read or refuses.
 */
export async function drain(
  deps: ControllerDeps,
  { addresses, untilMs }: DrainRequest,
  signal: AbortSignal,
): Promise<readonly DrainedObject[]> {
  const isReleasing = addresses === 'release';
  const before = await readDrainWorld(deps.kube, deps.options.namespace, signal);
  const hasEips = before.eips.size > 0;
  const ended = isReleasing && hasEips ? await endClaims(deps, untilMs, signal) : NOTHING_ENDED;
  const spared = new Set(ended.left.keys());
  const rules = { spared, takesAnnotations: isReleasing };
  const unstripped = await stripAll(deps, { ...rules, untilMs }, signal);
  const left = new Map([
    ...unstripped.map(({ kind, name, reason }) => [`${kind} ${name}`, reason] as const),
    ...[...ended.left].map(([name, reason]) => [`Eip ${name}`, reason] as const),
  ]);
  return drainedObjects(before, { addresses, released: ended.released }).map((one) => {
    const reason = left.get(`${one.kind} ${one.name}`);
    return reason === undefined ? one : { ...one, isDone: false, message: reason };
  });
}

const NOTHING_ENDED: EndedClaims = { left: new Map(), released: new Set() };

/** Each object that has something of ours, as if all went well. */
function drainedObjects(world: DrainWorld, outcome: Parameters<typeof addressOutcome>[1]): readonly DrainedObject[] {
  const rules = { spared: new Set<string>(), takesAnnotations: outcome.addresses === 'release' };
  const marked = new Map(stripTasks(world, rules).map(({ kind, name }) => [`${kind} ${name}`, { kind, name }]));
  for (const { metadata, status } of world.eips.list()) {
    const name = objectKey(metadata);
    if (status.allocationId !== undefined) marked.set(`Eip ${name}`, { kind: 'Eip', name });
  }
  return [...marked.values()].map(({ kind, name }) => {
    const eip = kind === 'Eip' ? world.eips.get(name) : undefined;
    if (eip === undefined) return { kind, name, isDone: true, message: 'Nothing of ours is left on it' };
    return { kind, name, address: eip.status.publicIpAddress, isDone: true, message: addressOutcome(eip, outcome) };
  });
}
