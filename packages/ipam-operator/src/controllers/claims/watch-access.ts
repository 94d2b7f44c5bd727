import { isStaticIpError } from '@static-ip/provider';
import type { StaticIpProvider } from '@static-ip/provider';
import type { CheckResult } from '@static-ip/shell';

export interface WatchedAccess {
  readonly provider: StaticIpProvider;
  /** Not ready while the cloud refuses the last call of some kind. */
  readonly check: () => CheckResult;
}

/** Remembers, per operation, whether the cloud refused it the last time: bad credentials are not an empty cloud. */
export function watchAccess(provider: StaticIpProvider): WatchedAccess {
  const denied = new Map<string, string>();
  const watched = async <T>(operation: string, call: Promise<T>): Promise<T> => {
    try {
      const result = await call;
      denied.delete(operation);
      return result;
    } catch (error) {
      if (isStaticIpError(error) && error.code === 'denied') denied.set(operation, error.fields['action'] ?? operation);
      throw error;
    }
  };
  return {
    provider: {
      ...provider,
      listAddresses: (selection, options) => watched('listAddresses', provider.listAddresses(selection, options)),
      resolveTargets: (refs, options) => watched('resolveTargets', provider.resolveTargets(refs, options)),
      attach: (request, options) => watched('attach', provider.attach(request, options)),
      detach: (attachment, options) => watched('detach', provider.detach(attachment, options)),
    },
    check: () =>
      denied.size === 0 ? { ok: true } : { ok: false, reason: `the cloud refuses ${[...denied.values()].join(', ')}` },
  };
}
