import type { JsonObject } from '../client/kube-client.ts';

/**
 * The part of a JSON merge patch (RFC 7386) that would change `current`: unset when nothing would.
 * So a caller compares first, and writes nothing when all is as wanted.
 */
export function mergePatchIfChanged(current: unknown, patch: JsonObject): JsonObject | undefined {
  throw new Error(`not implemented ${String(current)} ${Object.keys(patch).length}`);
}
