import type { InformerHooks } from '@static-ip/kube';
import type { AgentDeps } from './agent-deps.ts';

/** Log and metrics of one watch. The same failure again and again is one line. */
export function informerHooks(
  { logger, metrics }: Pick<AgentDeps, 'logger' | 'metrics'>,
  resource: string,
): InformerHooks {
  let told = '';
  return {
    onError: (err, { phase }) => {
      metrics.watchFailed(resource, phase);
      const text = String(err);
      if (text !== told) logger.warn('Cannot follow objects, trying again', { resource, phase, err });
      told = text;
    },
    onRelist: () => {
      metrics.relisted(resource);
      told = '';
    },
  };
}
