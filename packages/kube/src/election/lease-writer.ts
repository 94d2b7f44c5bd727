import type { JsonObject, KubeClient, Patch } from '../client/kube-client.ts';
import type { Clock } from '../clock/clock.ts';
import { isKubeError } from '../errors.ts';
import { formatMicroTime } from '../timing/micro-time.ts';
import { leases } from './lease.ts';
import type { Lease } from './lease.ts';

export interface LeaseWriterOptions {
  readonly client: Pick<KubeClient, 'get' | 'create' | 'patch'>;
  readonly namespace: string;
  readonly name: string;
  readonly identity: string;
  readonly durationMs: number;
  readonly clock: Clock;
}

/** Reads and writes the Lease. Each write names the version it replaces, so that of two candidates one gets a conflict. */
export interface LeaseWriter {
  /** Undefined: there is none yet. */
  read(signal: AbortSignal): Promise<Lease | undefined>;
  /** Takes a lease that is free, or none yet. @throws KubeError `conflict` or `alreadyExists`: somebody was faster. */
  acquire(before: Lease | undefined, signal: AbortSignal): Promise<Lease>;
  renew(before: Lease, signal: AbortSignal): Promise<Lease>;
  /** Leaves the lease without a holder. */
  release(before: Lease, signal: AbortSignal): Promise<void>;
}

/** Makes a writer of one candidate. */
export function createLeaseWriter({
  client,
  namespace,
  name,
  identity,
  durationMs,
  clock,
}: LeaseWriterOptions): LeaseWriter {
  const ref = { namespace, name };
  const now = (): string => formatMicroTime(clock.now());
  const leaseDurationSeconds = Math.round(durationMs / 1_000);

  return {
    read: async (signal) => {
      try {
        return await client.get(leases, ref, signal);
      } catch (error) {
        if (isKubeError(error, 'notFound')) return undefined;
        throw error;
      }
    },
    acquire: async (before, signal) => {
      const times = { acquireTime: now(), renewTime: now() };
      const spec = { holderIdentity: identity, leaseDurationSeconds, ...times };
      if (before === undefined) {
        return client.create(leases, { metadata: ref, spec: { ...spec, leaseTransitions: 0 } }, signal);
      }
      const leaseTransitions = before.holder === identity ? before.transitions : before.transitions + 1;
      return client.patch(leases, ref, patchOf(before, { ...spec, leaseTransitions }), signal);
    },
    renew: (before, signal) => {
      const spec = { holderIdentity: identity, leaseDurationSeconds, renewTime: now() };
      return client.patch(leases, ref, patchOf(before, spec), signal);
    },
    release: async (before, signal) => {
      await client.patch(leases, ref, patchOf(before, { holderIdentity: null, renewTime: now() }), signal);
    },
  };
}

function patchOf({ metadata }: Lease, spec: JsonObject): Patch {
  const { uid, resourceVersion } = metadata;
  // uid too: a Lease that was deleted and made anew is another one.
  return { type: 'merge', urgent: true, body: { metadata: { uid, resourceVersion }, spec } };
}
