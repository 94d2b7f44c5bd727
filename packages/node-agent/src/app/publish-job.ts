import { loadNetworkConfigDirectory } from '@static-ip/cni-config';
import { CILIUM_NODES } from '../api/cilium-node.ts';
import { runPublish } from '../publish/run-publish.ts';
import type { PublishDeps } from '../publish/run-publish.ts';
import { watchDirectory } from '../publish/watch-directory.ts';
import type { AgentDeps } from './agent-deps.ts';
import { readCiliumConfig } from './connect.ts';
import { publishHooks } from './publish-hooks.ts';

/** Publishes the tags of the real directory on the real CiliumNode until the signal aborts. */
export async function publishJob(deps: AgentDeps, signal: AbortSignal): Promise<void> {
  const { options, kube, ciliumNodes, clock, random, health } = deps;
  const { nodeName, cniConfDir: directory } = options;
  const remove = health.addReady('ciliumNode', () =>
    ciliumNodes.isSynced() ? { ok: true } : { ok: false, reason: 'the CiliumNode has not been looked up yet' },
  );
  const work: PublishDeps = {
    mode: options.publishTags,
    graceMs: options.removedTagsGraceMs,
    flag: options.flagTags,
    rereadMs: options.rereadIntervalMs,
    readDirectory: (stop) => loadNetworkConfigDirectory(directory, { signal: stop }),
    watchDirectory: (onChange, stop) => watchDirectory({ directory, clock, onChange }, stop),
    node: {
      get: () => ciliumNodes.store.get(nodeName),
      subscribe: (onChange) => ciliumNodes.subscribe(onChange),
    },
    patchNode: (body, stop) => kube.patch(CILIUM_NODES, { name: nodeName }, { type: 'merge', body }, stop),
    readCiliumConfig: (stop) => readCiliumConfig(kube, options.ciliumNamespace, stop),
    clock,
    random,
    hooks: publishHooks(deps),
  };
  await runPublish(work, signal);
  remove();
}
