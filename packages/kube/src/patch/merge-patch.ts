import { isDeepStrictEqual } from 'node:util';
import type { Json, JsonObject } from '../client/kube-client.ts';
import { isRawObject } from '../json/shape.ts';

/**
 * The part of a JSON merge patch (RFC 7386) that would change `current`: unset when nothing would.
 * So a caller compares first, and writes nothing when all is as wanted. `current` is JSON as the server holds it.
 */
export function mergePatchIfChanged(current: unknown, patch: JsonObject): JsonObject | undefined {
  const changes = Object.entries(patch).flatMap(([key, wanted]): [string, Json][] => {
    const change = changeOf(isRawObject(current) && Object.hasOwn(current, key) ? current[key] : undefined, wanted);
    return change === undefined ? [] : [[key, change]];
  });
  return changes.length === 0 ? undefined : Object.fromEntries(changes);
}

/** What to send for one member; undefined: nothing. A null that is there counts as absent, as it does for the server. */
function changeOf(current: unknown, wanted: Json | undefined): Json | undefined {
  const isAbsent = current === undefined || current === null;
  if (wanted === undefined) return undefined;
  if (wanted === null) return isAbsent ? undefined : null;
  if (!isJsonObject(wanted)) return isDeepStrictEqual(current, wanted) ? undefined : wanted;
  if (isRawObject(current)) return mergePatchIfChanged(current, wanted);
  return isAbsent && onlyRemoves(wanted) ? undefined : wanted;
}

/** Whether an object holds nulls and nothing else (but at least one): against nothing, it removes nothing. */
function onlyRemoves(patch: JsonObject): boolean {
  const members = Object.values(patch).filter((member) => member !== undefined);
  return (
    members.length > 0 && members.every((member) => member === null || (isJsonObject(member) && onlyRemoves(member)))
  );
}

function isJsonObject(value: Json): value is JsonObject {
  return isRawObject(value);
}
