import { selectionKey, targetRefKey } from '@static-ip/provider';
import type {
  CallOptions,
  Clock,
  Listing,
  Resolution,
  Selection,
  StaticIpProvider,
  TargetRef,
} from '@static-ip/provider';
import type { Observed } from '../../core/facts.ts';

/**
 * More than this many targets are not read ahead. The clouds answer for 200 in one call, and as many as there are workers
 * ask at the same time.
 */
const READ_AHEAD = 128;

export interface CloudReadsOptions {
  /** Its reads are shared between callers: see `coalesced`. */
  readonly provider: Pick<StaticIpProvider, 'listAddresses' | 'resolveTargets'>;
  readonly clock: Clock;
  /** Targets that will be asked for next, so that one call answers for many; only those read before `staleAt`. */
  readonly upcoming: (isStale: (ref: TargetRef) => boolean) => readonly TargetRef[];
  /** Called with each new listing. */
  readonly onListing: (selection: Selection, listing: Listing) => void;
}

/** The last answer of the cloud to each question, and the way to a newer one. */
export interface CloudReads {
  listing(selection: Selection): Observed<Listing> | undefined;
  resolution(ref: TargetRef): Observed<Resolution> | undefined;
  /** Makes sure that the listing did not begin before `notBefore` (monotonic ms). @throws StaticIpError */
  readListing(selection: Selection, notBefore: number, signal: AbortSignal): Promise<void>;
  /** The same for where a target is and what it holds. @throws StaticIpError */
  readTarget(ref: TargetRef, notBefore: number, options: CallOptions): Promise<void>;
  /** Forgets the target and what its claim alone asked for. */
  forget(ref: TargetRef): void;
  /** Forgets listings that began before `at`: nobody asks for them any more. */
  prune(at: number): void;
}

/** Makes the reads; nothing is known at first. */
export function createCloudReads({ provider, clock, upcoming, onListing }: CloudReadsOptions): CloudReads {
  const listings = new Map<string, Observed<Listing>>();
  const resolutions = new Map<string, Observed<Resolution>>();
  let isReadingAhead = false;

  /** Calls that wait for the same read are one call: only the first of them reads ahead. */
  const withUpcoming = (ref: TargetRef, notBefore: number): readonly TargetRef[] => {
    if (isReadingAhead) return [ref];
    const isStale = (other: TargetRef): boolean =>
      (resolutions.get(targetRefKey(other))?.beganAt ?? -Infinity) < notBefore;
    const refs = [ref, ...upcoming(isStale).slice(0, READ_AHEAD)];
    return [...new Map(refs.map((one) => [targetRefKey(one), one])).values()];
  };

  const underWay = new Map<string, { readonly beganAt: number; readonly done: Promise<void> }>();

  const read = async (selection: Selection, beganAt: number, signal: AbortSignal): Promise<void> => {
    const value = await provider.listAddresses(selection, { signal });
    const key = selectionKey(selection);
    const known = listings.get(key);
    if (known !== undefined && known.beganAt >= beganAt) return;
    listings.set(key, { value, beganAt });
    // One read answers many callers, and each dates it by its own question: only the first of them brings news.
    if (known?.value !== value) onListing(selection, value);
  };

  return {
    listing: (selection) => listings.get(selectionKey(selection)),
    resolution: (ref) => resolutions.get(targetRefKey(ref)),
    async readListing(selection, notBefore, signal) {
      const key = selectionKey(selection);
      const isKnown = (): boolean => (listings.get(key)?.beganAt ?? -Infinity) >= notBefore;
      if (isKnown()) return;
      const running = underWay.get(key);
      if (running !== undefined && running.beganAt >= notBefore) {
        // Young enough for this caller too. Should it fail, or its caller leave, this one asks for itself.
        await raceAbort(running.done, signal);
        if (isKnown()) return;
      }
      const beganAt = clock.monotonic();
      const reading = read(selection, beganAt, signal);
      const mine = { beganAt, done: reading.catch(() => undefined) };
      underWay.set(key, mine);
      try {
        await reading;
      } finally {
        if (underWay.get(key) === mine) underWay.delete(key);
      }
    },
    async readTarget(ref, notBefore, options) {
      if ((resolutions.get(targetRefKey(ref))?.beganAt ?? -Infinity) >= notBefore) return;
      const beganAt = clock.monotonic();
      const refs = withUpcoming(ref, notBefore);
      const isFirst = !isReadingAhead;
      isReadingAhead = true;
      try {
        for (const resolution of await provider.resolveTargets(refs, options)) {
          const key = targetRefKey(resolution.ref);
          if ((resolutions.get(key)?.beganAt ?? -Infinity) < beganAt) {
            resolutions.set(key, { value: resolution, beganAt });
          }
        }
      } finally {
        if (isFirst) isReadingAhead = false;
      }
    },
    forget(ref) {
      resolutions.delete(targetRefKey(ref));
    },
    prune(at) {
      for (const [key, { beganAt }] of listings) if (beganAt < at) listings.delete(key);
    },
  };
}

/** Waits for the work, or for the signal. @throws the signal's reason */
async function raceAbort(work: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<void>();
  const onAbort = (): void => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
