import type { JsonObject } from '@static-ip/kube';
import type { Condition } from '../../api/condition.ts';
import type { Eip } from '../../api/eip.ts';
import { CONDITION } from '../../api/names.ts';
import type { Reason } from '../../api/reasons.ts';
import type { Place } from '../../core/claim.ts';
import type { Verdict } from '../../core/plan.ts';
import type { WayOut } from '../../core/way-out.ts';
import { routeCondition, shownRoute } from './internet-route.ts';

/** The fields that say what an Eip has; null where it has nothing, as the predecessor writes it. */
type Fields = Readonly<Record<(typeof FIELDS)[number], string | null>>;

const FIELDS = ['allocationId', 'publicIpAddress', 'eni', 'privateIpAddress', 'resourceId', 'associationId'] as const;

const NOWHERE = { eni: null, privateIpAddress: null, resourceId: null, associationId: null } as const;

/** States between two others, too short to be told. */
const PASSING: ReadonlySet<Reason> = new Set(['CloudThrottled', 'Confirming', 'InProgress', 'Conflict']);

/**
 * The part of an Eip's status that a verdict changes; undefined when it changes nothing. `now` is RFC 3339 text: the time
 * of a condition moves only with its status.
 */
export function statusChange(eip: Eip, verdict: Verdict, context: StatusContext): JsonObject | undefined {
  const { resourceId, now } = context;
  const fields = changedFields(eip, fieldsOf(verdict, resourceId));
  const before = eip.status.conditions.find(({ type }) => type === CONDITION.ready);
  // Not to know is no news: what was true stays true until a read says otherwise.
  if (verdict.status.kind === 'keep' && (before?.status === 'True' || PASSING.has(verdict.reason))) return undefined;
  const ready = readyCondition(eip, verdict, now);
  const route = routeCondition(eip, verdict, context);
  const isSame = isEqual(before, ready) && isEqual(shownRoute(eip), route);
  if (Object.keys(fields).length === 0 && isSame) return undefined;
  const others = eip.status.conditions.filter(({ type }) => !REPLACED.has(type) && !isOver(type, verdict));
  return {
    ...fields,
    conditions: [...others, ready, ...(route === undefined ? [] : [route])].map((condition) => ({ ...condition })),
    observedGeneration: eip.metadata.generation,
  };
}

const REPLACED: ReadonlySet<string> = new Set([CONDITION.ready, CONDITION.internetRoute]);

/** On no target there is no traffic to speak of. */
function isOver(type: string, { status }: Verdict): boolean {
  return type === CONDITION.egressVerified && (status.kind === 'own' || status.kind === 'clear');
}

/** The part of the status that says where the address is about to be attached; undefined when it says so already. */
export function placeChange(eip: Eip, { resourceId, target }: NewPlace): JsonObject | undefined {
  const place = placeFields(target, resourceId);
  return Object.keys(changedFields(eip, place)).length === 0 ? undefined : { ...place, associationId: null };
}

export interface NewPlace {
  /** The pod or node that gets the address. */
  readonly resourceId: string | undefined;
  readonly target: Place;
}

export interface StatusContext {
  /** The pod or node that has the address, or gets it. */
  readonly resourceId: string | undefined;
  readonly now: string;
  /** From where the address is. */
  readonly way: WayOut;
}

function fieldsOf({ status }: Verdict, resourceId: string | undefined): Partial<Fields> {
  switch (status.kind) {
    case 'keep':
      return {};
    case 'clear':
      return { allocationId: null, publicIpAddress: null, ...NOWHERE };
    case 'own':
      return {
        allocationId: status.address.id,
        publicIpAddress: status.address.ip,
        ...NOWHERE,
        ...placeFields(status.place, resourceId),
      };
    case 'set': {
      const { addressId, ip, interfaceId = null, privateIp = null, id } = status.attachment;
      return {
        allocationId: addressId,
        publicIpAddress: ip,
        eni: interfaceId,
        privateIpAddress: privateIp,
        resourceId: resourceId ?? null,
        associationId: id,
      };
    }
  }
}

function placeFields(place: Place | undefined, resourceId: string | undefined): Partial<Fields> {
  if (place === undefined) return {};
  return { eni: place.interfaceId, privateIpAddress: place.privateIp, resourceId: resourceId ?? null };
}

function changedFields({ status }: Eip, wanted: Partial<Fields>): Partial<Fields> {
  const isChanged = (name: (typeof FIELDS)[number]): boolean =>
    name in wanted && (status[name] ?? null) !== wanted[name];
  return Object.fromEntries(FIELDS.filter(isChanged).map((name) => [name, wanted[name]]));
}

function readyCondition(eip: Eip, verdict: Verdict, now: string): Condition {
  const status = verdict.status.kind === 'set' ? 'True' : 'False';
  const before = eip.status.conditions.find(({ type }) => type === CONDITION.ready);
  return {
    type: CONDITION.ready,
    status,
    reason: verdict.reason,
    message: verdict.message,
    lastTransitionTime:
      before?.status === status && before.lastTransitionTime !== undefined ? before.lastTransitionTime : now,
    observedGeneration: eip.metadata.generation,
  };
}

function isEqual(a: Condition | undefined, b: Condition | undefined): boolean {
  return wordsOf(a) === wordsOf(b);
}

function wordsOf(one: Condition | undefined): string {
  return JSON.stringify([one?.status, one?.reason, one?.message, one?.observedGeneration]);
}
