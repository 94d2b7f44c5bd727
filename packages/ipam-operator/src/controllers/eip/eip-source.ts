import { apiVersionOf } from '@static-ip/kube';
import type { EventRecorder, KubeObject, Regarding, Resource } from '@static-ip/kube';
import type { Clock, Target } from '@static-ip/provider';
import { EIPS } from '../../api/eip.ts';
import type { Eip } from '../../api/eip.ts';
import { FINALIZER } from '../../api/names.ts';
import { PODS } from '../../api/pod.ts';
import type { Pod } from '../../api/pod.ts';
import type { Claim } from '../../core/claim.ts';
import type { Verdict } from '../../core/plan.ts';
import { wayOutWarning } from '../../core/way-out.ts';
import type { WayOut } from '../../core/way-out.ts';
import { createAnnouncements } from '../claims/announcements.ts';
import type { Announcement } from '../claims/announcements.ts';
import type { ClaimSource } from '../claims/claim-source.ts';
import { EIP_SOURCE, eipClaim } from './eip-claim.ts';
import type { Cluster } from './eip-claim.ts';
import { placeChange, statusChange } from './eip-status.ts';
import { chooseTarget } from './eip-world.ts';
import type { EipStores } from './eip-world.ts';
import type { EipWriter } from './eip-writer.ts';
import { createOverlay } from '../overlay.ts';
import { shownRoute } from './internet-route.ts';

export interface EipSourceOptions {
  readonly stores: EipStores;
  readonly writer: EipWriter;
  readonly events: Pick<EventRecorder, 'record'>;
  readonly clock: Clock;
  /** Known once the flow watches. */
  readonly cluster: () => Cluster;
  readonly unreadyGraceMs: number;
  /** uids of the Eips that had our finalizer when this process first looked. */
  readonly inherited: ReadonlySet<string>;
  readonly onAssigned: (afterMs: number) => void;
  /** All claims end, and the Eips stay. */
  readonly isDraining?: boolean | undefined;
  /** The way to the internet of an interface, as far as it is known. */
  readonly wayOut: (interfaceId: string | undefined) => WayOut;
}

/** The Eip flow's side of the claim engine. */
export interface EipSource extends ClaimSource {
  /** The Eip of this claim is gone. */
  forget(key: string): void;
  /** Whether nothing of the claim is left: as `claimOf` tells, without making the claim. */
  isOver(key: string): boolean;
}

/** Makes the source; it reads nothing but the stores. */
export function createEipSource(options: EipSourceOptions): EipSource {
  const { writer, events, clock, cluster, isDraining = false } = options;
  const announcements = createAnnouncements();
  // What was just written counts until the watch has shown something newer.
  const eips = createOverlay(options.stores.eips);
  const pods = createOverlay(options.stores.pods);
  const stores = { ...options.stores, eips, pods };

  const find = (key: string): Eip | undefined => eips.get(key.slice(EIP_SOURCE.length + 1));
  const choiceFor = (eip: Eip): ReturnType<typeof chooseTarget> =>
    chooseTarget(eip, stores, { now: clock.now(), unreadyGraceMs: options.unreadyGraceMs });
  async function writeStatus(eip: Eip, change: ReturnType<typeof statusChange>, signal: AbortSignal): Promise<Eip> {
    if (change === undefined) return eip;
    const written = await writer.status(eip, change, signal);
    if (written !== undefined) eips.wrote(written);
    return written ?? eip;
  }

  return {
    name: EIP_SOURCE,
    forget: (key) => announcements.forget(key),
    isOver(key) {
      const eip = find(key);
      return eip === undefined || hasEnded(eip);
    },
    keys: () => eips.keys().map((key) => `${EIP_SOURCE}/${key}`),
    claimOf(key) {
      const eip = find(key);
      if (eip === undefined) return undefined;
      if (hasEnded(eip)) return undefined;
      return eipClaim(eip, {
        cluster: cluster(),
        choice: choiceFor(eip),
        isInherited: options.inherited.has(eip.metadata.uid),
        isDrained: isDraining,
      });
    },
    async prepare(claim, step, signal) {
      const eip = find(claim.key);
      // It is gone, or another one: the claim is not what it was.
      if (eip === undefined || eip.metadata.uid !== claim.uid) return true;
      const marked = await writer.addFinalizer({ resource: EIPS, object: eip, finalizer: FINALIZER.eip }, signal);
      if (marked !== undefined) {
        eips.wrote(marked);
        return true;
      }
      return step.do === 'attach' && (await prepareAttach(eip, { claim, target: step.target }, signal));
    },
    async report(claim, verdict, signal) {
      const found = find(claim.key);
      // Another object under the same name is another claim.
      if (found === undefined || found.metadata.uid !== claim.uid) return;
      const way = wayOf(verdict);
      const context = { resourceId: claim.targetName, now: new Date(clock.now()).toISOString(), way };
      if (verdict.ended === true) {
        // One that stays must not name what it has no more.
        const last = isDraining ? await writeStatus(found, statusChange(found, verdict, context), signal) : found;
        return writer.removeFinalizer({ resource: EIPS, object: last, finalizer: FINALIZER.eip }, signal);
      }
      const eip = await keepFinalizers(found, { claim, verdict }, signal);
      const wasReady = eip.status.associationId !== undefined;
      const written = await writeStatus(eip, statusChange(eip, verdict, context), signal);
      if (verdict.status.kind === 'set' && !wasReady) options.onAssigned(clock.now() - claim.createdAt);
      announce(written, claim, verdict);
      warnOfRoute(eip, written, verdict);
    },
  };

  function hasEnded({ metadata, status }: Eip): boolean {
    // Without our finalizer a deleted object has nothing of ours.
    if (metadata.finalizers.includes(FINALIZER.eip)) return false;
    return metadata.deletionTimestamp !== undefined || (isDraining && status.allocationId === undefined);
  }

  /**
   * What has an address has the finalizer, too, and so has the pod that it is on, also after somebody took it off: without it
   * a deletion would leave the address behind.
   */
  async function keepFinalizers(eip: Eip, { claim, verdict }: Judged, signal: AbortSignal): Promise<Eip> {
    const { kind } = verdict.status;
    const pod = kind === 'set' && eip.selector.kind !== 'node' ? podNamed(eip, claim.targetName) : undefined;
    if (pod !== undefined && pod.metadata.deletionTimestamp === undefined) await markPod(pod, signal);
    const hasAddress = kind === 'set' || kind === 'own';
    if (!hasAddress || eip.metadata.deletionTimestamp !== undefined) return eip;
    const marked = await writer.addFinalizer({ resource: EIPS, object: eip, finalizer: FINALIZER.eip }, signal);
    if (marked !== undefined) eips.wrote(marked);
    return marked ?? eip;
  }

  async function markPod(pod: Pod, signal: AbortSignal): Promise<void> {
    const marked = await writer.addFinalizer({ resource: PODS, object: pod, finalizer: FINALIZER.pod }, signal);
    if (marked !== undefined) pods.wrote(marked);
  }

  /** The place is written down before the call: after a crash it tells that what is there is ours. */
  async function prepareAttach(eip: Eip, { claim, target }: Attach, signal: AbortSignal): Promise<boolean> {
    const pod = eip.selector.kind === 'node' ? undefined : podNamed(eip, claim.targetName);
    if (pod !== undefined) await markPod(pod, signal);
    const change = placeChange(eip, { resourceId: claim.targetName, target });
    await writeStatus(eip, change, signal);
    return change !== undefined;
  }

  function podNamed({ metadata }: Eip, name: string | undefined): Pod | undefined {
    return name === undefined ? undefined : pods.get(`${metadata.namespace ?? ''}/${name}`);
  }

  function announce(eip: Eip, claim: Claim, verdict: Verdict): void {
    for (const news of announcements.of(claim, verdict, clock.monotonic())) tell(eip, news);
  }

  function wayOf({ status }: Verdict): WayOut {
    return options.wayOut(status.kind === 'set' ? status.attachment.interfaceId : undefined);
  }

  /** Told when it comes into the status, which remembers it. */
  function warnOfRoute(before: Eip, written: Eip, verdict: Verdict): void {
    const message = verdict.status.kind === 'set' ? wayOutWarning(verdict.status.ip, wayOf(verdict)) : undefined;
    if (message === undefined || shownRoute(before)?.message === message) return;
    tell(written, { type: 'Warning', reason: 'NoInternetRoute', message });
  }

  /** Told on the pod too: that is where its users look. */
  function tell(eip: Eip, { type, reason, message }: Announcement): void {
    const pod = eip.selector.kind === 'node' ? undefined : podNamed(eip, eip.status.resourceId);
    const about = [regarding(EIPS, eip), ...(pod === undefined ? [] : [regarding(PODS, pod)])];
    for (const one of about) {
      events.record({ type, reason, action: 'AssignStaticAddress', note: message, regarding: one });
    }
  }
}

interface Judged {
  readonly claim: Claim;
  readonly verdict: Verdict;
}

interface Attach {
  readonly claim: Claim;
  readonly target: Target;
}

function regarding(resource: Pick<Resource, 'group' | 'version' | 'kind'>, { metadata }: KubeObject): Regarding {
  const { namespace, name, uid } = metadata;
  return { apiVersion: apiVersionOf(resource), kind: resource.kind, namespace, name, uid };
}
