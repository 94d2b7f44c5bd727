import { createInformer } from '@static-ip/kube';
import type { Informer } from '@static-ip/kube';
import type { Reason } from '../api/reasons.ts';
import { readCiliumSettings } from '../no-masquerade/cilium-config.ts';
import { createNodeKernel } from '../no-masquerade/node-kernel.ts';
import type { State, Surroundings } from '../no-masquerade/plan.ts';
import { runNoMasquerade } from '../no-masquerade/run-no-masquerade.ts';
import type { NoMasqueradeHooks } from '../no-masquerade/run-no-masquerade.ts';
import { watchKernel } from '../no-masquerade/watch-kernel.ts';
import { createVerdicts } from '../verdict/run-verdicts.ts';
import type { Verdicts } from '../verdict/run-verdicts.ts';
import { VERDICT_PODS } from '../verdict/verdict-pod.ts';
import type { VerdictPod } from '../verdict/verdict-pod.ts';
import type { AgentDeps } from './agent-deps.ts';
import { readCiliumConfig } from './connect.ts';
import { codeOf } from './error-code.ts';
import { informerHooks } from './informer-hooks.ts';
import { tellNode } from './tell-node.ts';

const JOB = 'no-masquerade';

/** The interfaces are in the CiliumNode, if there is one: the first pass waits for it so long. */
const CILIUM_NODE_WAIT_MS = 5_000;

/** Keeps the source addresses of this node's pods in the real kernel until the signal aborts; the rules stay. */
export async function noMasqueradeJob(deps: AgentDeps, signal: AbortSignal): Promise<void> {
  const { options, kube, clock, random, health } = deps;
  const { nodeName } = options;
  const pods: Informer<VerdictPod> = createInformer({
    client: kube,
    resource: VERDICT_PODS,
    fieldSelector: `spec.nodeName=${nodeName}`,
    clock,
    random,
    hooks: informerHooks(deps, 'pods'),
  });
  const removals = [
    health.addLive('pods', () =>
      pods.healthy() ? { ok: true } : { ok: false, reason: 'no sign of life of the watch' },
    ),
    health.addReady('pods', () =>
      pods.isSynced() ? { ok: true } : { ok: false, reason: 'the pods of this node have not been listed yet' },
    ),
  ];
  const verdicts = createVerdicts({
    pods: pods.store,
    patchStatus: (pod, body, stop) =>
      kube.patch(VERDICT_PODS, pod.metadata, { type: 'strategic', subresource: 'status', body }, stop),
    clock,
    random,
    onError: (err) => deps.logger.warn('Cannot write the verdict on a pod, trying again', { job: JOB, err }),
  });
  const work = runNoMasquerade(
    {
      nodeName,
      nodeWide: options.nodeWide,
      pods: {
        list: () => pods.store.list(),
        whenSynced: (stop) => pods.whenSynced(stop),
        subscribe: (onChange) => pods.subscribe(onChange),
      },
      kernel: createNodeKernel({ resetTcp: options.resetTcp }),
      watchKernel: (onChange, stop) => watchKernel({ clock, onChange }, stop),
      readSurroundings: (stop) => readSurroundings(deps, stop),
      clock,
      random,
      hooks: noMasqueradeHooks(deps, verdicts),
    },
    signal,
  );
  await Promise.all([pods.run(signal), work, verdicts.run(signal)]);
  for (const remove of removals) remove();
}

async function readSurroundings(deps: AgentDeps, signal: AbortSignal): Promise<Surroundings> {
  const { options, kube, ciliumNodes, clock } = deps;
  const config = (await readCiliumConfig(kube, options.ciliumNamespace, signal)) ?? {};
  const { masquerade, nativeRouting } = readCiliumSettings(config);
  if (!ciliumNodes.isSynced()) {
    const over = new AbortController();
    const either = AbortSignal.any([signal, over.signal]);
    await Promise.race([ciliumNodes.whenSynced(either), clock.sleep(CILIUM_NODE_WAIT_MS, either)]).finally(() =>
      over.abort(),
    );
  }
  const enis = ciliumNodes.store.get(options.nodeName)?.enis ?? [];
  return { masquerade, inside: [...options.vpcCidrs, ...nativeRouting], enis };
}

const REASON_OF: Readonly<Record<State, { readonly reason: Reason; readonly note: string }>> = {
  active: { reason: 'SourcesKept', note: 'pods that hold an address leave with it' },
  idle: { reason: 'NoAddressHolders', note: 'no pod of this node holds an address' },
  notNeeded: {
    reason: 'MasqueradeOff',
    note: 'nobody masquerades on this node and every pod leaves by its own interface: no rule is needed',
  },
  impossible: {
    reason: 'MasqueradeInBpf',
    note:
      'Cilium masquerades in BPF (enable-bpf-masquerade), which no rule of the host can prevent: pods leave with the ' +
      "node's address; set enable-bpf-masquerade to false, or exempt their destinations with the ip-masq-agent",
  },
};

function noMasqueradeHooks(deps: AgentDeps, verdicts: Pick<Verdicts, 'passed'>): NoMasqueradeHooks {
  const { metrics } = deps;
  const logger = deps.logger.child({ job: JOB });
  let lastAmbiguous = '';
  return {
    onPass: (plan, { durationMs }) => {
      const ambiguous = plan.ambiguous.map((rule) => JSON.stringify(rule)).join(' ');
      // A deletion by its words would take somebody else's rule that stands before it.
      if (ambiguous !== '' && ambiguous !== lastAmbiguous)
        logger.warn('Leaving old rules that cannot be told apart', { ambiguous });
      lastAmbiguous = ambiguous;
      const waiting = plan.waiting.length;
      metrics.passed({ kept: plan.pods.length - waiting, waiting }, durationMs);
      verdicts.passed(plan);
    },
    onState: ({ state }) => {
      const { reason, note } = REASON_OF[state];
      metrics.state(JOB, reason);
      logger[state === 'impossible' ? 'warn' : 'info']('State of the masquerading', { reason, note });
      tellNode(deps, { reason, action: 'KeepSources', note });
    },
    onError: (err, { nextInMs }) => {
      metrics.failed(JOB, codeOf(err));
      logger.warn('Cannot set the rules, trying again', { err, nextInMs });
    },
  };
}
