import { toStaticIpError } from '@static-ip/provider';
import type { Quota, StaticIpProvider } from '@static-ip/provider';
import type { ControllerDeps } from '../../app/compose.ts';
import { createQuotaTelemetry } from './quota-telemetry.ts';

export interface QuotaDeps extends Pick<ControllerDeps, 'clock' | 'random' | 'logger'> {
  readonly options: Pick<ControllerDeps['options'], 'quotaIntervalMs'>;
  readonly metrics: Pick<ControllerDeps['metrics'], 'watchQuota'>;
  readonly provider: Pick<StaticIpProvider, 'quota'>;
}

/** How many addresses the account has and may have, as of the last look. */
export interface QuotaWatch {
  readonly last: () => Quota | undefined;
  /** Looks until the signal aborts, at most once an interval. Never rejects. */
  run(signal: AbortSignal): Promise<void>;
}

/**
 * Makes the watch of the quota. It reads everything the account has, so it is slow on purpose; the first look is an interval
 * after the start. One that fails changes nothing: the last answer stands.
 */
export function createQuotaWatch({ provider, clock, random, options, logger, metrics }: QuotaDeps): QuotaWatch {
  const telemetry = createQuotaTelemetry(logger.child({ controller: 'quota' }));
  let last: Quota | undefined;
  metrics.watchQuota(() => last);

  async function look(signal: AbortSignal): Promise<void> {
    try {
      last = await provider.quota?.({ signal });
      if (last !== undefined) telemetry.onQuota(last);
    } catch (error) {
      if (!signal.aborted) telemetry.onFailure(toStaticIpError(error));
    }
  }

  return {
    last: () => last,
    async run(signal) {
      while (!signal.aborted) {
        // An abort ends the loop; the sleep has no other way to fail.
        await clock.sleep(options.quotaIntervalMs * (1 + random() / 4), signal).catch(() => undefined);
        if (!signal.aborted) await look(signal);
      }
    },
  };
}
