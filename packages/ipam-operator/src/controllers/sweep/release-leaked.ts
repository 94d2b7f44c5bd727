import { toStaticIpError } from '@static-ip/provider';
import type { Address, StaticIpError, StaticIpProvider } from '@static-ip/provider';

export interface ReleaseDeps {
  readonly provider: Pick<StaticIpProvider, 'release'>;
  /** Called before each call: what is not written down does not happen. */
  readonly onRelease: (address: Address) => void;
  readonly onFailure: (address: Address, error: StaticIpError) => void;
}

/**
 * Gives the addresses back, one after the other. The cloud refuses one that was attached since; the provider sends
 * nothing without the lease. @throws only when aborted.
 */
export async function releaseLeaked(
  addresses: readonly Address[],
  { provider, onRelease, onFailure }: ReleaseDeps,
  signal: AbortSignal,
): Promise<void> {
  for (const address of addresses) {
    signal.throwIfAborted();
    onRelease(address);
    try {
      await provider.release?.(address, { signal });
    } catch (error) {
      signal.throwIfAborted();
      onFailure(address, toStaticIpError(error));
    }
  }
}
