import { isStaticIpError, StaticIpError } from '@static-ip/provider';
import type { Quota, StaticIpProvider } from '@static-ip/provider';

/** The same provider, whose refusals for the quota say how much of it is used, where that is known. */
export function nameQuota(provider: StaticIpProvider, last: () => Quota | undefined): StaticIpProvider {
  const allocate = provider.allocate?.bind(provider);
  if (allocate === undefined) return provider;
  return {
    ...provider,
    allocate: async (request, options) => {
      try {
        return await allocate(request, options);
      } catch (error) {
        throw named(error, last());
      }
    },
  };
}

function named(error: unknown, quota: Quota | undefined): unknown {
  if (!isStaticIpError(error) || error.code !== 'quota' || quota?.limit === undefined) return error;
  const fields = { ...error.fields, used: `${quota.used} of ${quota.limit}` };
  return new StaticIpError('quota', error.message, { cause: error, fields });
}
