import { objectKey } from '@static-ip/kube';
import type { ControllerDeps } from '../../app/compose.ts';
import { TAINT } from '../../api/names.ts';
import { addressOutcome } from './drained-object.ts';
import type { AddressOutcome, DrainedObject } from './drained-object.ts';
import { endClaims } from './end-claims.ts';
import type { EndedClaims } from './end-claims.ts';
import { stripAll } from './strip-all.ts';
import { readDrainWorld, stripTasks } from './strip-tasks.ts';
import type { DrainWorld } from './strip-tasks.ts';
import { unannotate } from './unannotate.ts';

export interface DrainRequest {
  /** `keep`: addresses stay where they are. `release`: they go back as if every Eip were deleted. */
  readonly addresses: 'keep' | 'release';
  /** Monotonic ms at which it is over. */
  readonly untilMs: number;
}

/** The finalizers alone take seconds: they get so long in any case, ms. */
const STRIP_MS = 20_000;

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
  tellOfTaints(before, deps);
  const hasEips = before.eips.size > 0;
  const ended = isReleasing && hasEips ? await endClaims(deps, { eips: before.eips, untilMs }, signal) : NOTHING_ENDED;
  const spared = new Set(ended.left.keys());
  // What has ended is let go, however long the others took.
  const stripUntilMs = Math.max(untilMs, deps.clock.monotonic() + STRIP_MS);
  const unstripped = await stripAll(deps, { spared, untilMs: stripUntilMs }, signal);
  if (isReleasing) await unannotate(deps, spared, signal);
  const left = new Map([
    ...unstripped.map(({ kind, name, reason }) => [`${kind} ${name}`, reason] as const),
    ...[...ended.left].map(([name, reason]) => [`Eip ${name}`, reason] as const),
  ]);
  return drainedObjects(before, { addresses, ...ended }).map((one) => {
    const reason = left.get(`${one.kind} ${one.name}`);
    return reason === undefined ? one : { ...one, isDone: false, message: reason };
  });
}

/** Those who register their nodes with it must stop to do so first: the drain could not keep up with new nodes. */
function tellOfTaints({ nodes }: DrainWorld, { logger }: Pick<ControllerDeps, 'logger'>): void {
  const tainted = nodes.list().filter(({ taints = [] }) => taints.some(({ key }) => key === TAINT.addressPending));
  if (tainted.length === 0) return;
  const names = tainted.map(({ metadata }) => metadata.name).join(',');
  logger.warn('Nodes have the start-up taint, which nobody takes off from now on', {
    taint: TAINT.addressPending,
    nodes: names,
  });
}

const NOTHING_ENDED: EndedClaims = { left: new Map(), takenOff: new Set(), released: new Set() };

/** Each object that has something of ours, as if all went well. */
function drainedObjects(world: DrainWorld, outcome: AddressOutcome): readonly DrainedObject[] {
  const marked = new Map(stripTasks(world, new Set()).map(({ kind, name }) => [`${kind} ${name}`, { kind, name }]));
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
