import type { EventRecorder, ReadonlyStore, Regarding } from '@static-ip/kube';
import { apiVersionOf } from '@static-ip/kube';
import type { Clock } from '@static-ip/provider';
import { EIPS } from '../../api/eip.ts';
import type { Eip } from '../../api/eip.ts';
import { FINALIZER } from '../../api/names.ts';
import { PODS } from '../../api/pod.ts';
import type { Pod } from '../../api/pod.ts';
import type { Claim } from '../../core/claim.ts';
import type { Step, Verdict } from '../../core/plan.ts';
import { createAnnouncements } from '../claims/announcements.ts';
import type { ClaimSource } from '../claims/claim-source.ts';
import { EIP_SOURCE, eipClaim } from './eip-claim.ts';
import type { Cluster } from './eip-claim.ts';
import { statusChange } from './eip-status.ts';
import { chooseTarget } from './eip-world.ts';
import type { EipStores } from './eip-world.ts';
import type { EipWriter } from './eip-writer.ts';
import type { Holders } from './holders.ts';
import { createOverlay } from './overlay.ts';

export interface EipSourceOptions {
  readonly stores: EipStores;
  readonly writer: EipWriter;
  readonly holders: Holders;
  readonly events: Pick<EventRecorder, 'record'>;
  readonly clock: Clock;
  /** Known once the flow watches. */
  readonly cluster: () => Cluster;
  readonly unreadyGraceMs: number;
  /** uids of the Eips that had our finalizer when this process first looked. */
  readonly inherited: ReadonlySet<string>;
  readonly onAssigned: (afterMs: number) => void;
}

/** The Eip flow's side of the claim engine. */
export function createEipSource(options: EipSourceOptions): ClaimSource {
  const { writer, holders, events, clock, cluster } = options;
  const announcements = createAnnouncements();
  // What was just written counts until the watch has shown something newer.
  const eips = createOverlay(options.stores.eips);
  const stores = { ...options.stores, eips };

  const find = (key: string): Eip | undefined => eips.get(key.slice(EIP_SOURCE.length + 1));
  const choiceFor = (eip: Eip): ReturnType<typeof chooseTarget> =>
    chooseTarget(eip, stores, { now: clock.now(), unreadyGraceMs: options.unreadyGraceMs });
  const resourceIdOf = (eip: Eip): string | undefined => {
    const choice = choiceFor(eip);
    return 'nobody' in choice ? undefined : choice.resourceId;
  };

  async function writeStatus(eip: Eip, change: ReturnType<typeof statusChange>, signal: AbortSignal): Promise<Eip> {
    if (change === undefined) return eip;
    const written = await writer.status(eip, change, signal);
    if (written !== undefined) eips.wrote(written);
    return written ?? eip;
  }

  async function finish(eip: Eip, signal: AbortSignal): Promise<void> {
    await holders.letGo(eip, signal);
    await writer.removeFinalizer({ resource: EIPS, object: eip, finalizer: FINALIZER.eip }, signal);
  }

  return {
    name: EIP_SOURCE,
    keys: () => eips.keys().map((key) => `${EIP_SOURCE}/${key}`),
    claimOf(key) {
      const eip = find(key);
      if (eip === undefined) return undefined;
      // Without our finalizer a deleted object has nothing of ours.
      const isDone = eip.metadata.deletionTimestamp !== undefined && !eip.metadata.finalizers.includes(FINALIZER.eip);
      if (isDone) return undefined;
      return eipClaim(eip, {
        cluster: cluster(),
        choice: choiceFor(eip),
        isInherited: options.inherited.has(eip.metadata.uid),
      });
    },
    async prepare(claim, step, signal) {
      const eip = find(claim.key);
      if (eip === undefined || eip.metadata.uid !== claim.uid) return false;
      const marked = await writer.addFinalizer({ resource: EIPS, object: eip, finalizer: FINALIZER.eip }, signal);
      if (marked !== undefined) {
        eips.wrote(marked);
        return true;
      }
      return step.do === 'attach' && (await prepareAttach(eip, step, signal));
    },
    async report(claim, verdict, signal) {
      const eip = find(claim.key);
      // Another object under the same name is another claim.
      if (eip === undefined || eip.metadata.uid !== claim.uid) return;
      if (verdict.ended === true) return finish(eip, signal);
      // An error proves nothing: only a read that shows the address elsewhere takes it off the pod's word.
      if (verdict.status.kind === 'own' || verdict.status.kind === 'clear') await holders.letGo(eip, signal);
      const context = { resourceId: resourceIdOf(eip), now: new Date(clock.now()).toISOString() };
      const wasReady = eip.status.associationId !== undefined;
      const written = await writeStatus(eip, statusChange(eip, verdict, context), signal);
      if (verdict.status.kind === 'set') {
        if (!wasReady) options.onAssigned(clock.now() - claim.createdAt);
        await holders.take(written, signal);
      }
      announce(written, claim, verdict);
    },
  };

  /** The place is written down before the call: after a crash it tells that what is there is ours. */
  async function prepareAttach(
    eip: Eip,
    { target }: Extract<Step, { do: 'attach' }>,
    signal: AbortSignal,
  ): Promise<boolean> {
    const resourceId = resourceIdOf(eip);
    const place = { resourceId, eni: target.interfaceId, privateIpAddress: target.privateIp };
    const isWritten =
      eip.status.resourceId === resourceId &&
      eip.status.eni === place.eni &&
      eip.status.privateIpAddress === place.privateIpAddress;
    if (await holders.prepare(eip, resourceId, signal)) return true;
    if (isWritten) return false;
    await writeStatus(eip, { ...place, associationId: null }, signal);
    return true;
  }

  function announce(eip: Eip, claim: Claim, verdict: Verdict): void {
    const { namespace, name, uid } = eip.metadata;
    const regarding = { apiVersion: apiVersionOf(EIPS), kind: EIPS.kind, namespace, name, uid };
    const pod = podOf(eip, options.stores.pods);
    for (const { type, reason, message } of announcements.of(claim, verdict, clock.monotonic())) {
      const about = { type, reason, action: 'AssignStaticAddress', note: message } as const;
      events.record({ ...about, regarding });
      if (pod !== undefined) events.record({ ...about, regarding: pod });
    }
  }
}

function podOf(
  { status, selector, metadata }: Eip,
  pods: ReadonlyStore<EipStores['pods'] extends ReadonlyStore<infer P> ? P : never>,
) {
  if (selector.kind === 'node' || status.resourceId === undefined) return undefined;
  const pod = pods.get(`${metadata.namespace ?? ''}/${status.resourceId}`);
  if (pod === undefined) return undefined;
  const { namespace, name, uid } = pod.metadata;
  return { apiVersion: apiVersionOf(PODS), kind: PODS.kind, namespace, name, uid };
}
