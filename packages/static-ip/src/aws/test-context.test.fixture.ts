import { setTimeout as wait } from 'node:timers/promises';
import type { Clock, CloudCall, Fence, ProviderContext } from '../ports.ts';
import { EC2_RATES } from './rates.ts';

/** The real clock: what a provider that talks over real sockets needs. */
export const realClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  monotonic: () => performance.now(),
  sleep: async (ms, signal) => {
    signal.throwIfAborted();
    await wait(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
  },
};

/** A context for a provider at an endpoint, with a fence that can be lost, the calls it made, and no rate worth a wait. */
export function contextFor(endpoint: string, over: Partial<ProviderContext> = {}) {
  const right = new AbortController();
  const calls: CloudCall[] = [];
  const fence: Fence = {
    enter: () => {
      right.signal.throwIfAborted();
      return right.signal;
    },
  };
  const context: ProviderContext = {
    clock: realClock,
    random: () => 0.5,
    fence,
    env: {
      AWS_REGION: 'us-east-1',
      AWS_ENDPOINT_URL: endpoint,
      AWS_ACCESS_KEY_ID: 'AKIDTEST',
      AWS_SECRET_ACCESS_KEY: 'secret',
    },
    rates: Object.fromEntries(Object.keys(EC2_RATES).map((action) => [action, { perSecond: 1e5, burst: 1e5 }])),
    onCall: (call) => calls.push(call),
    ...over,
  };
  return { context, calls, loseFence: (reason: Error) => right.abort(reason) };
}
