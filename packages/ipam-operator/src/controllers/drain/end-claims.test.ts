import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import type { KubeClient } from '@static-ip/kube';
import { createMemoryCloud } from '@static-ip/provider/memory';
import { createHealth, createLogger } from '@static-ip/shell';
import { createManualClock } from '@static-ip/testkit';
import { OPERATOR_OPTIONS } from '../../app/options/compile-options.ts';
import { createMetrics } from '../../telemetry/metrics.ts';
import { NO_TRACER } from '../../telemetry/tracer.ts';
import { eip, storeOf } from '../../testing/objects.ts';
import { endClaims } from './end-claims.ts';

const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });
const refused = (): never => {
  throw new Error('nobody calls this');
};

/** An API server that answers nothing but the uid of the cluster. */
const KUBE: KubeClient = {
  get: ({ parse }) => Promise.resolve(parse({ metadata: { name: 'kube-system', uid: 'u', resourceVersion: '1' } })),
  list: (_resource, _options, signal) => untilAborted(signal),
  watch: refused,
  create: refused,
  patch: refused,
  delete: refused,
  isServed: refused,
  close: refused,
};

describe('ending the claims of Eips', () => {
  it('is over in time though the Eips cannot be read, and leaves all of them', async () => {
    const clock = createManualClock({ startMs: 0 });
    const deps = {
      options: OPERATOR_OPTIONS.compile({
        list: OPERATOR_OPTIONS.of('drain'),
        mistakes: [],
        flags: {},
        environment: {},
      }),
      logger: createLogger({ level: 'error', format: 'json', clock, stream: new PassThrough() }),
      metrics: createMetrics({ version: '0', nodeVersion: '0', provider: 'memory' }),
      tracer: NO_TRACER,
      health: createHealth(),
      kube: KUBE,
      provider: createMemoryCloud({ clock }).provider(),
      clock,
      random: () => 0.5,
      identity: 'me',
    };
    const eips = storeOf(eip('web', { kind: 'pod', podName: 'web-0' }));
    const ending = endClaims(deps, { eips, untilMs: 5_000 }, new AbortController().signal);
    await clock.advance(5_000);
    expect([...(await ending).left]).toEqual([['default/web', expect.stringContaining('the time was over')]]);
  });
});
