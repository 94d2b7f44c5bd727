import { OWNER_TAG } from '@static-ip/provider';
import type { Address, StaticIpError } from '@static-ip/provider';
import type { Logger } from '@static-ip/shell';
import type { SweepPlan, SweptAddress } from '../../core/plan-sweep.ts';
import type { Metrics } from '../../telemetry/metrics.ts';

export interface SweepTelemetry {
  readonly onPlan: (plan: SweepPlan) => void;
  readonly onRelease: (address: Address) => void;
  readonly onFailure: (address: Address, error: StaticIpError) => void;
}

/** Turns what the sweep finds into logs and metrics: each leak is told once, not every few minutes. */
export function createSweepTelemetry(logger: Logger, metrics: Pick<Metrics, 'watchSweep'>): SweepTelemetry {
  let counts: ReadonlyMap<string, number> = new Map();
  let told: ReadonlySet<string> = new Set();
  metrics.watchSweep(() => counts);
  return {
    onPlan: ({ swept, leaked }) => {
      const before = counts;
      counts = countFates(swept);
      for (const address of leaked) if (!told.has(address.id)) logger.warn('Leaked address', fieldsOf(address));
      told = new Set(leaked.map(({ id }) => id));
      const unproven = counts.get('unproven') ?? 0;
      if (unproven > 0 && before.get('unproven') !== unproven) {
        logger.warn('No Eip was found in the cluster, but addresses of its: all are left alone', {
          addresses: unproven,
        });
      }
    },
    onRelease: (address) => logger.info('Releasing leaked address', fieldsOf(address)),
    onFailure: (address, err) =>
      logger.warn('Releasing a leaked address failed', { ...fieldsOf(address), code: err.code, err }),
  };
}

function fieldsOf({ id, ip, tags }: Address): Readonly<Record<string, string | undefined>> {
  return {
    addressId: id,
    ip,
    claimUid: tags[OWNER_TAG.claimUid],
    namespace: tags[OWNER_TAG.namespace],
    name: tags[OWNER_TAG.claimName],
  };
}

function countFates(swept: readonly SweptAddress[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { fate } of swept) counts.set(fate, (counts.get(fate) ?? 0) + 1);
  return counts;
}
