import { isStaticIpError } from '../errors.ts';
import type { Clock, RateLimit } from '../ports.ts';
import type { StaticIpProvider } from '../provider.ts';
import { createTokenBucket } from '../token-bucket.ts';
import { aroundVerbs } from './around-verbs.ts';
import type { Verb } from './around-verbs.ts';

/**
 * The same provider with a token bucket for each method that has a rate: for clouds that limit by our verbs, or as a
 * ceiling over any. A bucket slows down when the provider says `throttled`.
 */
export function rateLimited(
  provider: StaticIpProvider,
  { clock, rates }: { readonly clock: Clock; readonly rates: Readonly<Partial<Record<Verb, RateLimit>>> },
): StaticIpProvider {
  const buckets = new Map(Object.entries(rates).map(([verb, rate]) => [verb, createTokenBucket(clock, rate)]));
  return aroundVerbs(provider, async ({ verb, signal, run }) => {
    const bucket = buckets.get(verb);
    await bucket?.take(signal);
    try {
      return await run();
    } catch (error) {
      if (isStaticIpError(error) && error.code === 'throttled') bucket?.refused();
      throw error;
    }
  });
}
