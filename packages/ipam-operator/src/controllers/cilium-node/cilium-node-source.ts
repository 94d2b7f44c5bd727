import type { ChangeHandler, EventRecorder, KubeClient, ReadonlyStore } from '@static-ip/kube';
import type { Clock } from '@static-ip/provider';
import type { CiliumNode } from '../../api/cilium-node.ts';
import type { Node } from '../../api/node.ts';
import type { Claim } from '../../core/claim.ts';
import type { Verdict } from '../../core/plan.ts';
import type { WayOut } from '../../core/way-out.ts';
import { createAnnouncements } from '../claims/announcements.ts';
import type { ClaimSource } from '../claims/claim-source.ts';
import { CILIUM_NODE_SOURCE, ciliumNodeClaim } from './cilium-node-claim.ts';
import type { CiliumNodeRules } from './cilium-node-claim.ts';
import { createDepartures } from './departures.ts';
import { createRouteWarnings } from './route-warnings.ts';
import { recordOn } from './record-events.ts';
import { writeAssignedIp } from './write-status.ts';

export interface CiliumNodeSourceOptions {
  readonly ciliumNodes: ReadonlyStore<CiliumNode>;
  readonly nodes: ReadonlyStore<Node>;
  readonly client: Pick<KubeClient, 'patch'>;
  readonly events: Pick<EventRecorder, 'record'>;
  readonly clock: Clock;
  readonly rules: CiliumNodeRules;
  /** The claim of this key is not what it was. */
  readonly onChange: (key: string) => void;
  /** A status was written with a new address; `afterMs` since the object was created. */
  readonly onAssigned: (afterMs: number) => void;
  /** The way to the internet of an interface, as far as it is known. */
  readonly wayOut: (interfaceId: string | undefined) => WayOut;
}

/** The node flow's side of the claim engine, fed by the changes of two stores. */
export interface CiliumNodeSource extends ClaimSource {
  readonly ciliumNodeChanged: ChangeHandler<CiliumNode>;
  readonly nodeChanged: ChangeHandler<Node>;
}

/** Makes the source; it reads nothing but the stores. */
export function createCiliumNodeSource(options: CiliumNodeSourceOptions): CiliumNodeSource {
  const { ciliumNodes, nodes, client, events, clock, rules } = options;
  const departures = createDepartures(rules.removedTagsGraceMs);
  const announcements = createAnnouncements();
  const routeWarnings = createRouteWarnings(options.wayOut);

  const claimOf = (key: string): Claim | undefined => {
    const name = nameOf(key);
    const ciliumNode = ciliumNodes.get(name);
    return ciliumNode === undefined ? departures.claimOf(name) : ciliumNodeClaim(ciliumNode, nodes.get(name), rules);
  };

  const depart = (name: string, verdict: Verdict): void => {
    if (verdict.status.kind !== 'clear') return;
    departures.settled(name);
    options.onChange(keyOf(name));
  };

  return {
    name: CILIUM_NODE_SOURCE,
    claimOf,
    keys: () => [...ciliumNodes.keys(), ...departures.names()].map(keyOf),
    async report(claim, verdict, signal) {
      const name = nameOf(claim.key);
      const current = ciliumNodes.get(name);
      if (current === undefined) return depart(name, verdict);
      // Another object under the same name is another claim.
      if (current.metadata.uid !== claim.uid) return;
      const isWritten = await writeAssignedIp(client, { current, change: verdict.status }, signal);
      if (isWritten && verdict.status.kind === 'set') options.onAssigned(clock.now() - claim.createdAt);
      const news = [...announcements.of(claim, verdict, clock.monotonic()), ...routeWarnings.of(claim, verdict)];
      for (const announcement of news) {
        recordOn(events, { ciliumNode: current, node: nodes.get(name) }, announcement);
      }
    },
    ciliumNodeChanged(name, previous, current) {
      if (current !== undefined) departures.ciliumNodeSeen(name);
      else if (previous !== undefined) {
        announcements.forget(keyOf(name));
        routeWarnings.forget(keyOf(name));
        const node = nodes.get(name) ?? departures.nodeOf(name);
        departures.ciliumNodeGone(name, ciliumNodeClaim(previous, node, rules));
      }
      options.onChange(keyOf(name));
    },
    nodeChanged(name, previous, current) {
      if (current === undefined) departures.nodeGone(name, previous);
      else departures.nodeSeen(name);
      options.onChange(keyOf(name));
    },
  };
}

function keyOf(name: string): string {
  return `${CILIUM_NODE_SOURCE}/${name}`;
}

function nameOf(key: string): string {
  return key.slice(CILIUM_NODE_SOURCE.length + 1);
}
