import type { Selection } from '../address.ts';
import { assertNever } from '../assert-never.ts';
import { StaticIpError } from '../errors.ts';
import type { Clock } from '../ports.ts';
import type { CallOptions, Listing, StaticIpProvider } from '../provider.ts';
import { assertSelective, isSelected, selectionKey } from '../selection.ts';
import { targetRefKey } from '../target.ts';
import type { Resolution, TargetRef } from '../target.ts';
import { aroundVerbs } from './around-verbs.ts';
import { createPacing } from './pacing.ts';
import { createSharedRead } from './shared-read.ts';
import type { SharedRead } from './shared-read.ts';

/** How reads are shared. */
export interface CoalescedOptions {
  readonly clock: Clock;
  /** Pauses in ms between the starts of equal reads in a series: see `createPacing`. The last one repeats. */
  readonly spacing?: { readonly listMs?: readonly number[]; readonly resolveMs?: readonly number[] } | undefined;
  /** Targets, ids or tag values in one read; EC2 takes 200 values in a filter. */
  readonly maxBatch?: number | undefined;
}

/** Twice at once, so that a confirming read after an attach need not wait; then up to one read in 2 s. */
const LIST_SPACING_MS = [0, 250, 500, 1_000, 2_000];
/** Targets come one by one when nodes join: the first few are served at once, a flood in ever larger batches. */
const RESOLVE_SPACING_MS = [0, 20, 50, 100, 200, 400, 800, 1_600];
const MAX_BATCH = 200;
/** A hanging read of some targets must not hold up the others. Listings have one in flight each. */
const RESOLVES_IN_FLIGHT = 4;

/**
 * The same provider with reads shared among callers: their number follows time, not the number of callers. Each answer
 * comes from a read that began after its caller asked. Listings by equal tags are one read; listings by ids, and by
 * values of one tag key, merge into batches, and so do all targets.
 */
export function coalesced(provider: StaticIpProvider, options: CoalescedOptions): StaticIpProvider {
  return Object.assign(
    aroundVerbs(provider, (call) => call.run()),
    { listAddresses: sharedListings(provider, options), resolveTargets: sharedResolutions(provider, options) },
  );
}

function sharedListings(
  provider: StaticIpProvider,
  { clock, spacing, maxBatch = MAX_BATCH }: CoalescedOptions,
): StaticIpProvider['listAddresses'] {
  const reads = new Map<string, SharedRead<null, Listing>>();

  const sharedReadOf = (group: Group): SharedRead<null, Listing> => {
    const known = reads.get(group.key);
    if (known !== undefined) return known;
    for (const [key, read] of reads) if (read.isIdle()) reads.delete(key);
    const created = createSharedRead<null, Listing>({
      clock,
      pacing: createPacing(clock, spacing?.listMs ?? LIST_SPACING_MS),
      maxItems: maxBatch,
      maxInFlight: 1,
      read: (items, signal) => provider.listAddresses(group.selectionOf([...items.keys()].toSorted()), { signal }),
    });
    reads.set(group.key, created);
    return created;
  };

  return async (selection: Selection, { signal, urgent }: CallOptions) => {
    assertSelective(selection);
    const group = groupOf(selection);
    const items = new Map(group.items.map((item) => [item, null]));
    const listing = await sharedReadOf(group).join(items, { signal, urgent });
    // One answer for all: thousands of callers may have asked for the same, and none may change it.
    if (selection.by === 'tags') return listing;
    return {
      addresses: listing.addresses.filter((address) => isSelected(selection, address)),
      pools: listing.pools.filter((pool) => isSelected(selection, pool)),
    };
  };
}

/** Selections that one read can serve together: equal keys, and the items of all callers in one selection. */
interface Group {
  readonly key: string;
  readonly items: readonly string[];
  readonly selectionOf: (items: readonly string[]) => Selection;
}

function groupOf(selection: Selection): Group {
  switch (selection.by) {
    case 'tags':
      return { key: selectionKey(selection), items: [], selectionOf: () => selection };
    case 'ids':
      return { key: 'ids', items: selection.ids, selectionOf: (ids) => ({ by: 'ids', ids }) };
    case 'tagValues':
      return {
        key: `tagValues/${selection.key}`,
        items: selection.values,
        selectionOf: (values) => ({ by: 'tagValues', key: selection.key, values }),
      };
    default:
      return assertNever(selection);
  }
}

function sharedResolutions(
  provider: StaticIpProvider,
  { clock, spacing, maxBatch = MAX_BATCH }: CoalescedOptions,
): StaticIpProvider['resolveTargets'] {
  const shared = createSharedRead<TargetRef, ReadonlyMap<string, Resolution>>({
    clock,
    pacing: createPacing(clock, spacing?.resolveMs ?? RESOLVE_SPACING_MS),
    maxItems: maxBatch,
    maxInFlight: RESOLVES_IN_FLIGHT,
    read: async (refs, signal) => {
      const resolutions = await provider.resolveTargets([...refs.values()], { signal });
      return new Map(resolutions.map((resolution) => [targetRefKey(resolution.ref), resolution]));
    },
  });

  return async (refs, { signal, urgent }) => {
    if (refs.length === 0) return [];
    const items = new Map(refs.map((ref) => [targetRefKey(ref), ref]));
    const byKey = await shared.join(items, { signal, urgent });
    return refs.map((ref) => byKey.get(targetRefKey(ref)) ?? unanswered(ref));
  };
}

function unanswered(ref: TargetRef): Resolution {
  const error = new StaticIpError('internal', 'the provider left a target out of its answer', {
    fields: { target: targetRefKey(ref) },
  });
  return { ref, error };
}
