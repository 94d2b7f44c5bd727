import { isStaticIpError, StaticIpError } from '../errors.ts';
import type { Clock, CloudCall, Fence, RateLimit } from '../ports.ts';
import { createSemaphore } from '../semaphore.ts';
import { createTokenBucket } from '../token-bucket.ts';
import { underSignals } from '../under-signals.ts';
import { AWS_QUOTA_ACTIONS, EC2_ACTIONS, isMutating } from './actions.ts';
import type { Ec2Action } from './actions.ts';
import type { Layer } from './around-calls.ts';

/** A page of interfaces takes EC2 a second or two; a reply that is later than this does not come. */
const READ_DEADLINE_MS = 5_000;
const MUTATING_DEADLINE_MS = 10_000;
const CONCURRENT_READS = 8;
const CONCURRENT_MUTATIONS = 16;
/** Of calls that are made once in a while. */
const CONCURRENT_RARITIES = 2;
const RARITIES: ReadonlySet<Ec2Action> = new Set<Ec2Action>([
  'CreateTags',
  'DescribeRouteTables',
  ...AWS_QUOTA_ACTIONS,
]);

/** How many requests can be in flight at a time: as many connections are needed, so that none waits for one. */
export const MAX_IN_FLIGHT = EC2_ACTIONS.map(concurrencyOf).reduce((sum, places) => sum + places);

/** Waits for the action's token bucket, and slows it when EC2 refuses for the rate. */
export function rateLimited(clock: Clock, rateOf: (action: Ec2Action) => RateLimit): Layer {
  const buckets = perAction((action) => createTokenBucket(clock, rateOf(action)));
  return async ({ action, signal, send }) => {
    const bucket = buckets[action];
    await bucket.take(signal);
    try {
      return await send(signal);
    } catch (error) {
      if (isStaticIpError(error) && error.code === 'throttled') bucket.refused();
      throw error;
    }
  };
}

/** Bounds the requests in flight per action, so that one action that hangs leaves the others room. */
export function concurrencyLimited(): Layer {
  const places = perAction((action) => createSemaphore(concurrencyOf(action)));
  return ({ action, signal, send }) => places[action].run(() => send(signal), signal);
}

/** Asks for the right to change the cloud after every wait of ours; the request ends when the right does. */
export function fenced(fence: Fence): Layer {
  return async ({ action, signal, send }) => {
    if (!isMutating(action)) return send(signal);
    return underSignals([signal, fence.enter()], send);
  };
}

/** Reports each request with EC2's own code, or ours where EC2 did not answer. */
export function instrumented(clock: Clock, onCall: (call: CloudCall) => void): Layer {
  return async ({ action, signal, send }) => {
    const startMs = clock.monotonic();
    const report = (code: string): void => onCall({ action, code, durationMs: clock.monotonic() - startMs });
    try {
      const answer = await send(signal);
      report('ok');
      return answer;
    } catch (error) {
      report(isStaticIpError(error) ? (error.fields['awsCode'] ?? error.code) : 'aborted');
      throw error;
    }
  };
}

/** A reason of our own: without one, an error with a stack would be made for each call that is answered in time. */
const ANSWERED = Symbol('answered');

/** Ends a request that gets no answer, even one that is stuck before it is sent, such as in fetching credentials. */
export function deadlined(clock: Clock): Layer {
  return async ({ action, signal, send }) => {
    const deadline = new AbortController();
    const answered = new AbortController();
    clock.sleep(isMutating(action) ? MUTATING_DEADLINE_MS : READ_DEADLINE_MS, answered.signal).then(
      () => deadline.abort(noAnswer(action)),
      () => {}, // answered in time
    );
    try {
      return await underSignals([signal, deadline.signal], (either) => orAbort(send(either), either));
    } finally {
      answered.abort(ANSWERED);
    }
  };
}

function noAnswer(action: Ec2Action): StaticIpError {
  const code = isMutating(action) ? 'unknown' : 'unavailable';
  return new StaticIpError(code, 'EC2 gave no answer in time', { fields: { action } });
}

async function orAbort<Answer>(answer: Promise<Answer>, signal: AbortSignal): Promise<Answer> {
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason);
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([answer, promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

function concurrencyOf(action: Ec2Action): number {
  if (RARITIES.has(action)) return CONCURRENT_RARITIES;
  return isMutating(action) ? CONCURRENT_MUTATIONS : CONCURRENT_READS;
}

function perAction<Value>(make: (action: Ec2Action) => Value): Readonly<Record<Ec2Action, Value>> {
  return {
    AllocateAddress: make('AllocateAddress'),
    AssociateAddress: make('AssociateAddress'),
    DescribeAccountAttributes: make('DescribeAccountAttributes'),
    CreateTags: make('CreateTags'),
    DescribeAddresses: make('DescribeAddresses'),
    DescribeAvailabilityZones: make('DescribeAvailabilityZones'),
    DescribeNetworkInterfaces: make('DescribeNetworkInterfaces'),
    DescribeRouteTables: make('DescribeRouteTables'),
    DisassociateAddress: make('DisassociateAddress'),
    GetAWSDefaultServiceQuota: make('GetAWSDefaultServiceQuota'),
    GetServiceQuota: make('GetServiceQuota'),
    ReleaseAddress: make('ReleaseAddress'),
  };
}
