import { explainSkipped, selectCandidates } from '@static-ip/provider';
import type { Attachment, Candidate, CandidateChoice, Listing, Target } from '@static-ip/provider';
import { describeSelection, queueName } from './claim.ts';
import type { OwnWish } from './claim.ts';
import { errorVerdict } from './error-verdict.ts';
import { notOlderThan, placementOf } from './facts.ts';
import type { Facts, Observed } from './facts.ts';
import { isAt } from './listing-index.ts';
import { lostStatus, recordAddress } from './own-status.ts';
import { KEEP, rest } from './plan.ts';
import type { Plan, Verdict } from './plan.ts';
import { recordedAttachment } from './recorded-attachment.ts';

/** A swap must rest on a read of the target of this age, ms, that is not older than the listing. */
const CHANGE_MAX_AGE_MS = 2_000;

/** Plans for a claim that takes an address of a pool, and has none of it. */
export function planAdoption(facts: Facts, wish: OwnWish, listing: Observed<Listing>): Plan {
  const old = recordedAttachment(facts);
  return old === undefined ? planFirst(facts, wish, listing) : planNext(facts, wish, { listing, old });
}

/** The first one that is free is written down, and attached after that. */
function planFirst(facts: Facts, wish: OwnWish, listing: Observed<Listing>): Plan {
  const { resolution } = facts;
  const target = resolution !== undefined && 'target' in resolution.value ? resolution.value.target : undefined;
  const choice = choose(facts, listing.value, target);
  const [first] = freeAddresses(facts, choice);
  if (first !== undefined) return recordAddress(first.address);
  if (listing.beganAt < facts.hopefulSince) return { kind: 'read', need: { listing: facts.now } };
  return rest({ ...waiting(wish, choice, target), status: lostStatus(facts) });
}

interface Replacement {
  readonly listing: Observed<Listing>;
  /** What the status names: of the selection no more. */
  readonly old: Attachment;
}

/** The tags have changed, here or there: the old address goes when there is another one, not before. */
function planNext(facts: Facts, wish: OwnWish, replacement: Replacement): Plan {
  const { claim, resolution } = facts;
  const { listing, old } = replacement;
  const takeOff: Plan = { kind: 'step', step: { do: 'detach', attachment: old }, onFailure: KEEP };
  if (claim.target === undefined) return takeOff;
  const youngest = Math.max(notOlderThan(facts, CHANGE_MAX_AGE_MS), listing.beganAt);
  if (resolution === undefined || resolution.beganAt < youngest) return { kind: 'read', need: { target: youngest } };
  const { value, beganAt } = resolution;
  if ('error' in value) {
    return value.error.code === 'notFound' ? takeOff : { kind: 'rest', verdict: errorVerdict(value.error) };
  }
  const { holding, target } = placementOf(facts, { value: value.target, beganAt });
  if (holding?.addressId === old.addressId) return planSwap(facts, wish, { listing, old: holding, target });
  return isAt(old, target) ? planFirst(facts, wish, listing) : takeOff;
}

interface Swap extends Replacement {
  readonly target: Target;
}

function planSwap(facts: Facts, wish: OwnWish, { listing, old, target }: Swap): Plan {
  const choice = choose(facts, listing.value, target);
  const candidates = freeAddresses(facts, choice);
  if (candidates.length === 0) {
    if (listing.beganAt < facts.hopefulSince) return { kind: 'read', need: { listing: facts.now } };
    const verdict = waiting(wish, choice, target);
    return rest({ ...verdict, message: `${verdict.message}; keeping ${old.ip}` });
  }
  if (!facts.rules.atomicSwap) return { kind: 'step', step: { do: 'detach', attachment: old }, onFailure: KEEP };
  return { kind: 'step', step: { do: 'attach', candidates, target, expected: old }, onFailure: KEEP };
}

function choose(facts: Facts, listing: Listing, target: Target | undefined): CandidateChoice {
  const { taken, takenPlaces, reservedIp, claim } = facts;
  const preferIp = reservedIp ?? claim.assignedIp;
  return selectCandidates(listing, { location: target?.location, preferIp, taken, takenPlaces });
}

/** Those that are left for this claim after the older ones that wait. */
function freeAddresses({ ahead }: Facts, { candidates }: CandidateChoice): readonly AddressCandidate[] {
  const free = candidates.filter((candidate) => candidate.kind === 'address');
  return free.length <= ahead ? [] : free;
}

type AddressCandidate = Extract<Candidate, { kind: 'address' }>;

function waiting({ selection }: OwnWish, choice: CandidateChoice, target: Target | undefined): Verdict {
  const words = describeSelection(selection);
  const base = { status: KEEP, recheck: { kind: 'resync' }, queue: queueName(selection, target?.location) } as const;
  if (choice.matched === 0) return { ...base, reason: 'NoAddressMatches', message: `No address has ${words}` };
  const message = `Waiting for an address with ${words}: ${explainSkipped(choice)}`;
  const { skipped } = choice;
  const isElsewhere = skipped.otherLocation > 0 && skipped.attached + skipped.taken === 0;
  return { ...base, reason: isElsewhere ? 'LocationMismatch' : 'PoolExhausted', message };
}
