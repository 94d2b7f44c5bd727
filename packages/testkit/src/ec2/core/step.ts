import { checkCredentials, checkPermission } from './access.ts';
import type { Action, ActionContext, ActionOutcome, ReadModes } from './action.ts';
import { ACTIONS } from './actions.ts';
import { drawsOf, take } from './buckets.ts';
import type { Bucket } from './buckets.ts';
import { applyDue } from './due.ts';
import { Ec2Error } from './ec2-error.ts';
import { flagOf, parseQuery, rejectUnknown } from './query.ts';
import type { QueryNode, QueryParams } from './query.ts';
import { createIdSource } from './seeded-ids.ts';
import type { IdSource } from './seeded-ids.ts';
import type { Ec2State } from './state.ts';
import { judge } from './violations.ts';
import type { Violation } from './violations.ts';
import { remember, worldAsOf } from './visibility.ts';
import type { WireObject } from './wire.ts';

/** One API call as it reaches EC2. */
export interface Ec2Call {
  readonly action: string;
  /** Without Action and Version. */
  readonly params: QueryParams;
  /** Milliseconds on the emulator's clock. */
  readonly now: number;
  /** The caller's access key id. */
  readonly principal: string;
  /** Ways in which a read is wrong on purpose; `staleMs` in place of the setting. */
  readonly modes?: Partial<ReadModes> & { readonly staleMs?: number };
  /** How far back, in milliseconds, later reads may still look; the setting if absent. */
  readonly keepMs?: number;
}

/** What a call answers. */
export type Ec2Answer =
  | { readonly kind: 'reply'; readonly requestId: string; readonly reply: WireObject }
  | { readonly kind: 'error'; readonly requestId: string; readonly error: Ec2Error };

/** The state after a call, its answer, and the rules it broke. */
export interface StepResult {
  readonly state: Ec2State;
  readonly answer: Ec2Answer;
  readonly violations: readonly Violation[];
}

/**
 * Answers one call: a pure function of the state and the call, so that the same calls at the same times always give the
 * same answers, whoever carries them.
 */
export function step(before: Ec2State, call: Ec2Call): StepResult {
  const ids = createIdSource(before.seed, before.serial);
  const current = advance(before, call.now, ids);
  const requestId = ids.requestId();
  const drawn = drawTokens(current, call);
  const query = parseQuery(call.params);
  const outcome = drawn.error ?? attempt(drawn.state, call, { ids, query });
  const failed = outcome instanceof Ec2Error;
  const after = failed ? drawn.state : settle(drawn.state, outcome, call);
  const violations = judge({ call, query, before: current, after: after.world, failed });
  const answer: Ec2Answer = failed
    ? { kind: 'error', requestId, error: outcome }
    : { kind: 'reply', requestId, reply: outcome.reply };
  return { state: { ...after, serial: ids.serial() }, answer, violations };
}

/** The state at `now`, when everything due has happened. */
export function advance(
  state: Ec2State,
  now: number,
  ids: IdSource = createIdSource(state.seed, state.serial),
): Ec2State {
  const { world, due } = applyDue(state.world, state.due, { now, ids });
  return world === state.world && due === state.due
    ? state
    : { ...state, world, due, serial: ids.serial(), history: historyWith(state, { world, now }) };
}

/** The history after the world changed: it keeps what the visibility setting, or `keepMs`, lets reads see. */
export function historyWith(
  state: Ec2State,
  change: { world: Ec2State['world']; now: number; keepMs?: number },
): Ec2State['history'] {
  const keepMs = Math.max(change.keepMs ?? 0, state.settings.visibility.staleMs);
  const started = state.history.length === 0 ? [{ at: Number.NEGATIVE_INFINITY, world: state.world }] : state.history;
  return remember(started, { at: change.now, world: change.world }, keepMs);
}

function drawTokens(state: Ec2State, call: Ec2Call): { state: Ec2State; error?: Ec2Error } {
  const settings = state.settings.buckets;
  if (!settings.enabled) return { state };
  const buckets: Record<string, Bucket> = { ...state.buckets };
  for (const draw of drawsOf(settings, call.action, call.params)) {
    const left = take(settings, buckets[draw.bucket], draw, call.now);
    if (left === undefined) return { state, error: throttled(state, call.action) };
    buckets[draw.bucket] = left;
  }
  return { state: { ...state, buckets } };
}

/** The error of a call beyond the account's rate. */
export function throttled(state: Ec2State, action: string): Ec2Error {
  const message = `Request limit exceeded. Account ${state.accountId} has been throttled on ec2:${action} because it exceeded its request rate limit.`;
  return new Ec2Error('RequestLimitExceeded', message, 503);
}

function attempt(
  state: Ec2State,
  call: Ec2Call,
  { ids, query }: { ids: IdSource; query: QueryNode },
): ActionOutcome | Ec2Error {
  try {
    checkCredentials(state, call.principal);
    const action = ACTIONS.get(call.action);
    if (action === undefined)
      throw new Ec2Error('InvalidAction', `The action ${call.action} is not valid for this web service.`);
    rejectUnknown(call.params, allowedParams(action));
    checkPermission(state, call.principal, call.action);
    const outcome = action.run(contextOf(state, call, { ids, query }));
    if (flagOf(query, 'DryRun') !== true) return outcome;
    throw new Ec2Error('DryRunOperation', 'Request would have succeeded, but DryRun flag is set.', 412);
  } catch (error) {
    if (error instanceof Ec2Error) return error;
    throw error;
  }
}

function contextOf(state: Ec2State, call: Ec2Call, { ids, query }: { ids: IdSource; query: QueryNode }): ActionContext {
  const { staleMs = state.settings.visibility.staleMs, ignoreFilters = false, emptyPage = false } = call.modes ?? {};
  const { now, principal } = call;
  return {
    state,
    world: state.world,
    view: worldAsOf(state, now, staleMs),
    query,
    now,
    principal,
    modes: { ignoreFilters, emptyPage },
    ids,
  };
}

const allowedByAction = new WeakMap<Action, ReadonlySet<string>>();

function allowedParams(action: Action): ReadonlySet<string> {
  const known = allowedByAction.get(action) ?? new Set([...action.params, 'DryRun']);
  allowedByAction.set(action, known);
  return known;
}

function settle(state: Ec2State, outcome: ActionOutcome, call: Ec2Call): Ec2State {
  const due = outcome.due === undefined || outcome.due.length === 0 ? state.due : [...state.due, ...outcome.due];
  if (outcome.world === undefined || outcome.world === state.world) return { ...state, due };
  const history = historyWith(state, {
    world: outcome.world,
    now: call.now,
    ...(call.keepMs === undefined ? {} : { keepMs: call.keepMs }),
  });
  const remaps = state.remaps + (call.action === 'AssociateAddress' ? 1 : 0);
  return { ...state, world: outcome.world, due, history, remaps };
}
