import { createInformer } from '@static-ip/kube';
import type { Informer, InformerHooks, KubeObject, Resource } from '@static-ip/kube';
import type { ControllerDeps } from '../app/compose.ts';
import type { SourceName } from '../app/options/options.ts';
import type { ClaimSource } from './claims/claim-source.ts';

/** One kind of object that asks for addresses: what it needs to be watched, and the claims it makes. */
export interface Flow {
  /** Its name in `--sources`. */
  readonly name: SourceName;
  /** The custom resource without which it has nothing to do. */
  readonly resource: Resource;
  readonly source: ClaimSource;
  /** Why it cannot run with these options, for people; undefined when it can. */
  readonly problem?: string | undefined;
  /** Makes the cluster serve the resource: done before it is looked for, and tried until it succeeds. */
  readonly install?: ((signal: AbortSignal) => Promise<void>) | undefined;
  /** Watches and tells changes until the signal aborts; `synced` is called once, when all objects are known. */
  watch(synced: () => void, signal: AbortSignal): Promise<void>;
}

/** An informer that several flows look at: it watches once, from the first of them on. */
export interface SharedInformer<T extends KubeObject> extends Omit<Informer<T>, 'run'> {
  /** Starts it unless it runs already; resolves when the signal has aborted. */
  run(signal: AbortSignal): Promise<void>;
}

/**
 * Makes an informer whose troubles are logged and counted, and whose silence fails the liveness check. What lives in
 * namespaces is watched in the one of the options, if they name one.
 */
export function informerOf<T extends KubeObject>(deps: ControllerDeps, resource: Resource<T>): Informer<T> {
  const { kube, clock, random, health, options } = deps;
  const namespace = resource.namespaced ? options.namespace : undefined;
  const hooks = hooksOf(deps, resource.plural);
  const informer = createInformer({ client: kube, resource, namespace, clock, random, hooks });
  return {
    ...informer,
    async run(signal) {
      const remove = health.addLive(resource.plural, () =>
        informer.healthy()
          ? { ok: true }
          : { ok: false, reason: `no sign of life from the watch of ${resource.plural}` },
      );
      await informer.run(signal);
      remove();
    },
  };
}

/** The same, to be started by whoever needs it first. */
export function sharedInformerOf<T extends KubeObject>(deps: ControllerDeps, resource: Resource<T>): SharedInformer<T> {
  const informer = informerOf(deps, resource);
  let running: Promise<void> | undefined;
  return { ...informer, run: (signal) => (running ??= informer.run(signal)) };
}

function hooksOf({ logger, metrics }: ControllerDeps, plural: string): InformerHooks {
  const log = logger.child({ controller: 'informer', resource: plural });
  return {
    onError: (err, { phase, key }) => {
      metrics.watchFailed(plural, phase);
      log.warn('Watching failed', { phase, key, err });
    },
    onRelist: ({ objects, durationMs }) => {
      metrics.relisted(plural);
      log.debug('Listed', { objects, durationMs });
    },
  };
}
