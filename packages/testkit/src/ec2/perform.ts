import { unauthorized } from './core/access.ts';
import type { Cell } from './cell.ts';
import { Ec2Error } from './core/ec2-error.ts';
import type { EmulatorClock } from './emulator-clock.ts';
import type { ArmedFault, FaultEffect } from './faults.ts';
import type { Journal } from './journal.ts';
import type { Pauses } from './pauses.ts';
import { throttled } from './core/step.ts';
import type { Ec2Answer, Ec2Call } from './core/step.ts';

/** What reaches the caller: an answer, or a connection that is reset. */
export type Delivery = Ec2Answer | { readonly kind: 'reset' };

/** What a call passes through. */
export interface Pipeline {
  readonly cell: Cell;
  readonly clock: EmulatorClock;
  /** A number from 0 up to but not 1. */
  readonly random: () => number;
  readonly journal: Journal;
  readonly pauses: Pauses;
}

/** A call as a caller sends it. */
export type IncomingCall = Pick<Ec2Call, 'action' | 'params' | 'principal'>;

/** Carries one call through the faults that hit it, to its effect and back. Abort `signal` when the caller hangs up. */
export async function perform(pipeline: Pipeline, incoming: IncomingCall, signal: AbortSignal): Promise<Delivery> {
  const { cell, clock, journal } = pipeline;
  const call: Ec2Call = { ...incoming, now: clock.now() };
  const number = journal.open({ ...incoming, at: call.now });
  const faults = cell.arrive(call);
  let delivery: Delivery = { kind: 'reset' };
  try {
    delivery =
      faults.length === 0
        ? effect(pipeline, call, { faults, number })
        : await faulty(pipeline, call, { faults, number, signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    cell.depart(call);
    journal.close(number, { at: clock.now(), ...outcomeOf(delivery) });
  }
  return delivery;
}

interface Passage {
  readonly faults: readonly ArmedFault[];
  readonly number: number;
}

async function faulty(
  pipeline: Pipeline,
  call: Ec2Call,
  passage: Passage & { signal: AbortSignal },
): Promise<Delivery> {
  const halfDelayMs = delayOf(passage.faults, pipeline.random) / 2;
  if (halfDelayMs > 0) await pipeline.clock.sleep(halfDelayMs, passage.signal);
  const early = await obstruct(pipeline, call, { ...passage, point: 'before-effect' });
  if (early !== undefined) return early;
  const answer = effect(pipeline, call, passage);
  const late = await obstruct(pipeline, call, { ...passage, point: 'after-effect' });
  if (halfDelayMs > 0) await pipeline.clock.sleep(halfDelayMs, passage.signal);
  return late ?? answer;
}

function effect({ cell, clock, journal }: Pipeline, call: Ec2Call, { faults, number }: Passage): Ec2Answer {
  const now = clock.now();
  const refusal = faults.map(({ fault }) => refusalOf(fault, call, cell)).find((error) => error !== undefined);
  if (refusal !== undefined) {
    cell.refuse(call);
    return { kind: 'error', requestId: `refused-${number}`, error: refusal };
  }
  journal.effect(number, now);
  return cell.answer({ ...call, now, modes: modesOf(faults) });
}

function refusalOf(fault: FaultEffect, call: Ec2Call, cell: Cell): Ec2Error | undefined {
  if (fault.kind === 'error') return errorOf(fault);
  if (fault.kind === 'throttle') return throttled(cell.state(), call.action);
  return fault.kind === 'deny' ? unauthorized(call.principal, call.action) : undefined;
}

function errorOf({
  code,
  message,
  status,
}: {
  readonly code: string;
  readonly message?: string;
  readonly status?: number;
}): Ec2Error {
  return new Ec2Error(code, message ?? `${code} (injected)`, status ?? 400);
}

function modesOf(faults: readonly ArmedFault[]): NonNullable<Ec2Call['modes']> {
  const effects = faults.map(({ fault }) => fault);
  const stale = effects.find((fault) => fault.kind === 'stale');
  return {
    ignoreFilters: effects.some((fault) => fault.kind === 'ignore-filters'),
    emptyPage: effects.some((fault) => fault.kind === 'empty-page'),
    ...(stale === undefined ? {} : { staleMs: stale.ms }),
  };
}

/** Lets the faults of one point act; a delivery ends the call there. */
async function obstruct(
  pipeline: Pipeline,
  call: Ec2Call,
  { faults, signal, point }: Passage & { signal: AbortSignal; point: 'before-effect' | 'after-effect' },
): Promise<Delivery | undefined> {
  for (const { id, fault } of faults) {
    if (fault.kind === 'pause' && fault.point === point) await pipeline.pauses.hold(id, call, { point, signal });
    else if (fault.kind === `hang-${point}`) await hangUp(signal);
    else if (fault.kind === `reset-${point}`) return { kind: 'reset' };
    else if (fault.kind === 'error-after-effect' && point === 'after-effect')
      return { kind: 'error', requestId: id, error: errorOf(fault) };
    if (signal.aborted) return { kind: 'reset' };
  }
  return undefined;
}

function hangUp(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (signal.aborted) resolve();
  signal.addEventListener('abort', () => resolve(), { once: true });
  return promise;
}

function delayOf(faults: readonly ArmedFault[], random: () => number): number {
  return faults.reduce(
    (sum, { fault }) => (fault.kind === 'delay' ? sum + fault.ms + random() * (fault.jitterMs ?? 0) : sum),
    0,
  );
}

function outcomeOf(delivery: Delivery): { code: string; status: number | undefined } {
  if (delivery.kind === 'reply') return { code: 'OK', status: 200 };
  if (delivery.kind === 'error') return { code: delivery.error.code, status: delivery.error.status };
  return { code: 'ConnectionReset', status: undefined };
}
