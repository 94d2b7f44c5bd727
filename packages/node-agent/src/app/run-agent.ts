import { createEventRecorder, createInformer } from '@static-ip/kube';
import { CILIUM_NODES } from '../api/cilium-node.ts';
import { EVENT_SOURCE } from '../api/names.ts';
import type { AgentDeps } from './agent-deps.ts';
import { informerHooks } from './informer-hooks.ts';
import { noMasqueradeJob } from './no-masquerade-job.ts';
import type { JobName } from './options.ts';
import { publishJob } from './publish-job.ts';

/** All that the agent needs from outside: a simulation gives its own of each. */
export type AgentPorts = Omit<AgentDeps, 'events' | 'ciliumNodes'>;

const JOBS: Readonly<Record<JobName, (deps: AgentDeps, signal: AbortSignal) => Promise<void>>> = {
  publish: publishJob,
  'no-masquerade': noMasqueradeJob,
};

/** Runs the jobs of the options side by side until the signal aborts. Rules and tags stay as they are. */
export async function runAgent(ports: AgentPorts, signal: AbortSignal): Promise<void> {
  const { options, logger, kube, clock, random, health } = ports;
  const { nodeName } = options;
  const events = createEventRecorder({
    client: kube,
    component: EVENT_SOURCE,
    reportingInstance: nodeName,
    clock,
    maxPending: 100,
    hooks: { onError: (err) => logger.warn('Cannot write an Event', { err }) },
  });
  const ciliumNodes = createInformer({
    client: kube,
    resource: CILIUM_NODES,
    fieldSelector: `metadata.name=${nodeName}`,
    clock,
    random,
    hooks: informerHooks(ports, 'ciliumnodes'),
  });
  const deps: AgentDeps = { ...ports, events, ciliumNodes };
  const remove = health.addLive('ciliumNode', () =>
    ciliumNodes.healthy() || !ciliumNodes.isSynced()
      ? { ok: true }
      : { ok: false, reason: 'no sign of life of the watch' },
  );
  const jobs = options.jobs.map((name) => JOBS[name](deps, signal));
  await Promise.all([events.run(signal), ciliumNodes.run(signal), ...jobs]);
  remove();
}
