import { integer, records, text } from './json.ts';
import type { RawRecord } from './json.ts';

/** One of `status.conditions`, of whatever object. Times are RFC 3339 text as the server sent them. */
export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly lastTransitionTime?: string | undefined;
  readonly observedGeneration?: number | undefined;
}

/** Reads a list of conditions; one without a type is left out, a status that is neither True nor False is Unknown. */
export function parseConditions(value: unknown): readonly Condition[] {
  return records(value).flatMap((raw) => {
    const type = text(raw['type']);
    return type === undefined ? [] : [condition(type, raw)];
  });
}

function condition(type: string, raw: RawRecord): Condition {
  return {
    type,
    status: raw['status'] === 'True' || raw['status'] === 'False' ? raw['status'] : 'Unknown',
    reason: text(raw['reason']),
    message: text(raw['message']),
    lastTransitionTime: text(raw['lastTransitionTime']),
    observedGeneration: integer(raw['observedGeneration']),
  };
}
