import assert from 'node:assert/strict';
import type { Attachment, Selection } from '../address.ts';
import { RETRY, isStaticIpError } from '../errors.ts';
import type { StaticIpError } from '../errors.ts';
import { isIpv4 } from '../ipv4.ts';
import { selectCandidates } from '../matching.ts';
import type { AttachRequest, CallOptions, Candidate, Listing } from '../provider.ts';
import type { Target, TargetRef } from '../target.ts';
import type { ContractWorld, InstanceRef, Tags } from './harness.ts';

/** The tags of the supply that most cases use. */
export const POOL: Tags = { pool: 'contract' };
/** A signal that never aborts. */
export const LIVE: CallOptions = { signal: new AbortController().signal };
/** More steps than any cloud needs for one change. */
const MAX_STEPS = 50;

export async function list(world: ContractWorld, tags: Tags = POOL): Promise<Listing> {
  return world.provider.listAddresses({ by: 'tags', tags }, LIVE);
}

/** How many addresses, or free places of pools, a selection finds. */
export async function countOf(world: ContractWorld, selection: Selection): Promise<number> {
  const { addresses, pools } = await world.provider.listAddresses(selection, LIVE);
  return addresses.length + pools.reduce((sum, { free }) => sum + free, 0);
}

/** Resolves one target that must be there. */
export async function resolve(world: ContractWorld, ref: TargetRef): Promise<Target> {
  const [resolution, ...others] = await world.provider.resolveTargets([ref], LIVE);
  assert.equal(others.length, 0, 'one answer for one ref');
  assert.ok(resolution !== undefined && 'target' in resolution, `the target ${JSON.stringify(ref)} resolves`);
  return resolution.target;
}

/** What a claim at the target would try, in order, by a read of now. */
export async function candidatesFor(world: ContractWorld, target: Target, tags = POOL): Promise<readonly Candidate[]> {
  const { candidates } = selectCandidates(await list(world, tags), { location: target.location, taken: new Set() });
  return candidates;
}

/** A request by reads of now, for the first candidate. */
export async function requestFor(world: ContractWorld, ref: TargetRef, tags = POOL): Promise<AttachRequest> {
  const target = await resolve(world, ref);
  const [candidate] = await candidatesFor(world, target, tags);
  assert.ok(candidate !== undefined, 'something is left to attach');
  return { candidate, target };
}

export interface Attached {
  readonly ip: string;
  readonly attachment: Attachment;
}

/** Takes steps with the same request until it is done. */
export async function attach(world: ContractWorld, request: AttachRequest): Promise<Attached> {
  for (let steps = 0; steps < MAX_STEPS; steps++) {
    const step = await world.provider.attach(request, LIVE);
    if (step.state === 'done') {
      assert.ok(isIpv4(step.ip), `${step.ip} is an IPv4 address`);
      assert.equal(step.attachment.ip, step.ip);
      return { ip: step.ip, attachment: step.attachment };
    }
    assert.ok(step.afterMs >= 0 && Number.isFinite(step.afterMs), 'again says when');
    await world.elapse(step.afterMs);
  }
  return assert.fail(`attach is not done after ${MAX_STEPS} steps`);
}

/** Reads, takes the first candidate and attaches it. */
export async function attachFirst(world: ContractWorld, ref: TargetRef, tags = POOL): Promise<Attached> {
  return attach(world, await requestFor(world, ref, tags));
}

/** Takes steps until the attachment is gone. */
export async function detach(world: ContractWorld, attachment: Attachment): Promise<void> {
  for (let steps = 0; steps < MAX_STEPS; steps++) {
    const step = await world.provider.detach(attachment, LIVE);
    if (step.state === 'done') return;
    assert.ok(step.afterMs >= 0 && Number.isFinite(step.afterMs), 'again says when');
    await world.elapse(step.afterMs);
  }
  assert.fail(`detach is not done after ${MAX_STEPS} steps`);
}

/** The error of a call that must fail: of the closed list, whatever happened. */
async function failure(call: Promise<unknown>): Promise<StaticIpError> {
  const outcome = await call.then(
    (value: unknown) => ({ value }),
    (error: unknown) => ({ error }),
  );
  assert.ok('error' in outcome, 'the call fails');
  const { error } = outcome;
  assert.ok(isStaticIpError(error), `a StaticIpError is thrown, not ${String(error)}`);
  assert.ok(error.code in RETRY, `${error.code} is a known code`);
  for (const value of Object.values(error.fields)) assert.equal(typeof value, 'string');
  return error;
}

/** Fails unless the call fails with one of the codes. */
export async function failsWith(call: Promise<unknown>, ...codes: readonly string[]): Promise<void> {
  const { code, message } = await failure(call);
  assert.ok(codes.includes(code), `the code is ${codes.join(' or ')}, not ${code}: ${message}`);
}

export async function addInstances(world: ContractWorld, count: number): Promise<readonly InstanceRef[]> {
  return Promise.all(Array.from({ length: count }, () => world.addInstance()));
}

/** An optional part of a world or provider that the case has said it needs. */
export function needed<Part>(part: Part | undefined): Part {
  assert.ok(part !== undefined, 'the world offers what its harness says');
  return part;
}
