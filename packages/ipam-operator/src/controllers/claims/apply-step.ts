import { RETAINED_MARK, StaticIpError, toStaticIpError } from '@static-ip/provider';
import type { Candidate, Clock, StaticIpProvider, Target } from '@static-ip/provider';
import type { Claim } from '../../core/claim.ts';
import type { Step } from '../../core/plan.ts';
import type { Holds } from './holds.ts';

/** How a step ended. */
export type StepResult =
  /** Something was done or may have been done: read the world and plan again. */
  | { readonly kind: 'acted' }
  /** The provider works on it: the same step again after this time. */
  | { readonly kind: 'again'; readonly afterMs: number }
  | { readonly kind: 'failed'; readonly error: StaticIpError };

export interface ApplyDeps {
  readonly provider: Pick<StaticIpProvider, 'attach' | 'detach' | 'allocate' | 'release' | 'mark'>;
  readonly holds: Holds;
  readonly clock: Clock;
  /** How long an address may stay hidden from reads after it was made, ms. */
  readonly visibilityWindowMs: number;
  readonly signal: AbortSignal;
}

/**
 * So many candidates are tried before the world is read again. More would not be lost races but a target that cannot be
 * what it was read to be, and each try draws on the rate that the whole account shares.
 */
const MAX_TRIES = 3;

const ACTED: StepResult = { kind: 'acted' };

/** Performs one step of a plan. @throws only when aborted. */
export function applyStep(claim: Claim, step: Step, deps: ApplyDeps): Promise<StepResult> {
  switch (step.do) {
    case 'attach':
      return attachFirst(claim, step, deps);
    case 'detach':
      return detach(claim, step, deps);
    case 'allocate':
      return allocate(claim, step, deps);
    case 'release':
      return releaseAddress(step, deps);
    case 'retain':
      return retain(step, deps);
  }
}

/** A lost race for one candidate costs nothing but the next candidate; any other failure ends the step. */
async function attachFirst(claim: Claim, step: Extract<Step, { do: 'attach' }>, deps: ApplyDeps): Promise<StepResult> {
  let lost: StepResult = ACTED;
  let tries = 0;
  for (const candidate of step.candidates) {
    if (tries === MAX_TRIES) break;
    if (!deps.holds.reserve(claim.key, candidate)) continue;
    tries += 1;
    const result = await attach(claim, { ...step, candidate }, deps);
    if (result.kind !== 'failed' || !isLostRace(result.error)) return result;
    const isTaken = candidate.kind === 'address' && result.error.code === 'conflict';
    if (isTaken) deps.holds.lost(candidate.address.id, deps.clock.monotonic());
    lost = result;
  }
  return lost;
}

/** The address is taken, or gone: both say that the listing was old. */
function isLostRace({ code }: StaticIpError): boolean {
  return code === 'conflict' || code === 'notFound';
}

interface Try extends Extract<Step, { do: 'attach' }> {
  readonly candidate: Candidate;
}

async function attach(
  claim: Claim,
  { candidate, target, expected }: Try,
  { provider, holds, clock, signal }: ApplyDeps,
): Promise<StepResult> {
  try {
    const outcome = await provider.attach({ candidate, target, expected }, { signal });
    if (outcome.state === 'again') return { kind: 'again', afterMs: outcome.afterMs };
    const { attachment } = outcome;
    holds.attached(claim.key, { attachment, targetId: target.id, madeAt: clock.monotonic() });
    if (expected !== undefined) holds.detached(claim.key, expected.id, clock.monotonic());
    return ACTED;
  } catch (error) {
    const failure = toStaticIpError(error);
    const isUnknown = signal.aborted || failure.code === 'unknown';
    keepOrDrop(claim.key, { candidate, target, isUnknown, failure }, { holds, clock });
    signal.throwIfAborted();
    return { kind: 'failed', error: failure };
  }
}

interface Failed {
  readonly candidate: Candidate;
  readonly target: Target;
  readonly isUnknown: boolean;
  readonly failure: StaticIpError;
}

/** The address may be on the target by now, by this try or by an earlier one: it stays reserved until a read tells. */
function keepOrDrop(
  claimKey: string,
  { candidate, target, isUnknown, failure }: Failed,
  { holds, clock }: Pick<ApplyDeps, 'holds' | 'clock'>,
): void {
  const address = candidate.kind === 'address' ? candidate.address : undefined;
  const isTriedBefore = address !== undefined && holds.attempt(claimKey)?.addressId === address.id;
  if (!isUnknown && !isTriedBefore) return holds.giveUp(claimKey);
  // Refused because the address is not free: perhaps by the earlier try. A read from now on tells.
  const isToBeRead = isUnknown || isLostRace(failure);
  if (address === undefined || !isToBeRead) return undefined;
  const { id: targetId, interfaceId, privateIp } = target;
  const place = { interfaceId, privateIp };
  holds.attempted(claimKey, { addressId: address.id, ip: address.ip, targetId, place, failedAt: clock.monotonic() });
}

async function detach(
  claim: Claim,
  { attachment }: Extract<Step, { do: 'detach' }>,
  { provider, holds, clock, signal }: ApplyDeps,
): Promise<StepResult> {
  try {
    const outcome = await provider.detach(attachment, { signal });
    if (outcome.state === 'again') return { kind: 'again', afterMs: outcome.afterMs };
    holds.detached(claim.key, attachment.id, clock.monotonic());
    holds.dropTry(claim.key);
    return ACTED;
  } catch (error) {
    signal.throwIfAborted();
    return { kind: 'failed', error: toStaticIpError(error) };
  }
}

async function allocate(
  claim: Claim,
  { request }: Extract<Step, { do: 'allocate' }>,
  { provider, holds, clock, signal, visibilityWindowMs }: ApplyDeps,
): Promise<StepResult> {
  if (provider.allocate === undefined) return unsupported('allocate');
  // From here on an address may exist: should the answer be lost, looking comes before making another one.
  holds.doubt(claim.key, clock.monotonic() + visibilityWindowMs);
  try {
    const address = await provider.allocate(request, { signal });
    holds.allocated(claim.key, { address, at: clock.monotonic() });
    return ACTED;
  } catch (error) {
    const failure = toStaticIpError(error);
    if (failure.code !== 'unknown' && failure.code !== 'internal' && !signal.aborted) holds.doubt(claim.key, -Infinity);
    signal.throwIfAborted();
    return { kind: 'failed', error: failure };
  }
}

async function releaseAddress(
  { address }: Extract<Step, { do: 'release' }>,
  { provider, holds, clock, signal }: ApplyDeps,
): Promise<StepResult> {
  if (provider.release === undefined) return unsupported('release');
  try {
    await provider.release(address, { signal });
    holds.addressReleased(address.id, clock.monotonic());
    return ACTED;
  } catch (error) {
    signal.throwIfAborted();
    return { kind: 'failed', error: toStaticIpError(error) };
  }
}

async function retain(
  { address }: Extract<Step, { do: 'retain' }>,
  { provider, holds, clock, signal }: ApplyDeps,
): Promise<StepResult> {
  if (provider.mark === undefined) return unsupported('mark');
  try {
    await provider.mark(address, RETAINED_MARK, { signal });
    holds.addressRetained(address.id, clock.monotonic());
    return ACTED;
  } catch (error) {
    signal.throwIfAborted();
    return { kind: 'failed', error: toStaticIpError(error) };
  }
}

function unsupported(what: string): StepResult {
  return { kind: 'failed', error: new StaticIpError('unsupported', `this provider cannot ${what} addresses`) };
}
