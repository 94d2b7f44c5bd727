import type { ListenAddress } from '../telemetry/servers.ts';
import type { ServiceAddresses } from '../telemetry/service-servers.ts';
import type { Attempt } from './option-set.ts';
import { listenAddress } from './parse-values.ts';

/** The two addresses as the user spells them. */
export interface GivenAddresses {
  readonly metricsBindAddress: string;
  readonly healthBindAddress: string;
}

/** Reads both addresses. A port that is none, and one address for both, are told as mistakes. */
export function serviceAddresses(given: GivenAddresses, attempt: Attempt<GivenAddresses>): ServiceAddresses {
  return {
    metricsBindAddress: attempt('metricsBindAddress', () => listenAddress(given.metricsBindAddress), undefined),
    healthBindAddress: attempt('healthBindAddress', () => healthAddress(given), undefined),
  };
}

function healthAddress({ healthBindAddress, metricsBindAddress }: GivenAddresses): ListenAddress | undefined {
  const address = listenAddress(healthBindAddress);
  const isSame = healthBindAddress === metricsBindAddress && address !== undefined && address.port !== 0;
  if (isSame) throw new RangeError('the same address is given for the metrics');
  return address;
}
