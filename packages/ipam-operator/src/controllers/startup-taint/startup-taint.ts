import { again, apiVersionOf, createWorkQueue, runController, settled } from '@static-ip/kube';
import type { EventRecorder, Outcome } from '@static-ip/kube';
import type { ControllerDeps } from '../../app/compose.ts';
import { TAINT } from '../../api/names.ts';
import { NODES } from '../../api/node.ts';
import type { Node } from '../../api/node.ts';
import { REASONS } from '../../api/reasons.ts';
import type { ClaimSource } from '../claims/claim-source.ts';
import type { SharedInformer } from '../flow.ts';
import { orGone } from '../or-gone.ts';
import { createOverlay } from '../overlay.ts';
import { instanceOf, judgeTaint } from './judge-taint.ts';
import type { TaintRules, TaintVerdict } from './judge-taint.ts';
import { createOutcomeTelemetry } from './outcome-telemetry.ts';
import { removeTaintPatch } from './remove-taint-patch.ts';
import { createStandings } from './standings.ts';
import { createTaintedNodes } from './tainted-nodes.ts';

export interface StartupTaintDeps extends Pick<ControllerDeps, 'clock' | 'random' | 'logger'> {
  readonly kube: Pick<ControllerDeps['kube'], 'patch'>;
  readonly metrics: Pick<ControllerDeps['metrics'], 'reconciled' | 'watchQueue'>;
  readonly nodes: SharedInformer<Node>;
  readonly events: Pick<EventRecorder, 'record'>;
  readonly rules: TaintRules;
}

/** The controller of the start-up taint. It serves both flows, and learns from both how their claims stand. */
export interface StartupTaint {
  /** The source, of whose verdicts it hears once they are reported. */
  listenTo(source: ClaimSource): ClaimSource;
  claimGone(claimKey: string): void;
  /** Runs until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

/** Nodes whose taint is removed at once: a write each. */
const WORKERS = 8;

/**
 * Makes the controller that takes the start-up taint off nodes that have their address. It never puts the taint on: who wants
 * it registers nodes with it.
 */
export function createStartupTaint(deps: StartupTaintDeps): StartupTaint {
  const { clock, random, rules, metrics } = deps;
  const log = deps.logger.child({ controller: 'startup-taint' });
  const nodes = createOverlay(deps.nodes.store);
  const standings = createStandings();
  const tainted = createTaintedNodes(clock);
  const queue = createWorkQueue<string>({ clock, random, backoff: { baseMs: 500, maxMs: 60_000 } });

  const wake = (instances: readonly string[]): void => {
    for (const instance of instances) for (const name of tainted.on(instance)) queue.add(name);
  };

  async function reconcile(name: string, { signal }: { readonly signal: AbortSignal }): Promise<Outcome> {
    const node = nodes.get(name);
    if (node === undefined) return settled;
    const facts = {
      rules,
      standings: standings.of(instanceOf(node) ?? ''),
      now: clock.now(),
      seenAt: tainted.seenAt(name),
    };
    const verdict = judgeTaint(node, facts);
    if (verdict.do === 'keep' && verdict.againMs !== undefined) return again(verdict.againMs);
    if (verdict.do === 'remove') await remove(node, verdict, signal);
    return settled;
  }

  async function remove(node: Node, { reason, message }: Removal, signal: AbortSignal): Promise<void> {
    const patch = removeTaintPatch(node, TAINT.addressPending);
    if (patch === undefined) return;
    const { name, uid } = node.metadata;
    log.info('Removing the start-up taint', { node: name, reason, detail: message });
    const patched = await orGone(deps.kube.patch(NODES, { name }, patch, signal));
    if (patched === undefined) return;
    nodes.wrote(patched);
    const type = REASONS[reason];
    const regarding = { apiVersion: apiVersionOf(NODES), kind: NODES.kind, name, uid };
    deps.events.record({ regarding, type, reason, action: 'RemoveStartupTaint', note: message });
  }

  async function watchNodes(signal: AbortSignal): Promise<void> {
    try {
      await deps.nodes.whenSynced(signal);
    } catch {
      return; // The signal aborted before the first list was complete.
    }
    deps.nodes.subscribe((name, _previous, current) => {
      if (tainted.put(name, current)) queue.add(name);
    });
  }

  return {
    listenTo: (source) => ({
      ...source,
      async report(claim, verdict, signal) {
        await source.report(claim, verdict, signal);
        wake(standings.put(claim, verdict));
      },
    }),
    claimGone: (claimKey) => wake(standings.forget(claimKey)),
    async run(signal) {
      metrics.watchQueue('startup-taint', () => queue.depth());
      const hooks = { onOutcome: createOutcomeTelemetry(log, metrics) };
      const controller = { name: 'startup-taint', queue, workers: WORKERS, clock, reconcile, hooks };
      await Promise.all([deps.nodes.run(signal), watchNodes(signal), runController(controller, signal)]);
    },
  };
}

type Removal = Extract<TaintVerdict, { do: 'remove' }>;
