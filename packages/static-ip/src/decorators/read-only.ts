import { StaticIpError } from '../errors.ts';
import type { StaticIpProvider } from '../provider.ts';
import { aroundVerbs } from './around-verbs.ts';
import type { Verb } from './around-verbs.ts';

const READS: ReadonlySet<Verb> = new Set<Verb>(['listAddresses', 'resolveTargets', 'quota', 'internetRoutes']);

/**
 * The same provider without the power to change anything, for dry runs: what is not a read fails with `unsupported`,
 * before the cloud hears of it. Capabilities are still those of the cloud, since a plan is made from them.
 */
export function readOnly(provider: StaticIpProvider): StaticIpProvider {
  return aroundVerbs(provider, async ({ verb, run }) => {
    if (READS.has(verb)) return run();
    throw new StaticIpError('unsupported', 'nothing may be changed in a dry run', { fields: { verb } });
  });
}
