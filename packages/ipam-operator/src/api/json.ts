/** An object of the API's JSON whose members nobody has checked yet. */
export type RawRecord = Readonly<Record<string, unknown>>;

/** The value if it is an object; a list is none. */
export function record(value: unknown): RawRecord | undefined {
  return isRecord(value) ? value : undefined;
}

/** The value if it is a text with something in it: the API sends both "" and nothing for an unset field. */
export function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The value if it is a whole number. */
export function integer(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) ? value : undefined;
}

/** The objects of a list, in their order; anything else in it is left out. */
export function records(value: unknown): readonly RawRecord[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/**
 * A map of texts, or undefined for anything that is no map.
 * @throws TypeError naming the member that is no text: a map with a part missing would match what it should not.
 */
export function textMap(value: unknown, path: string): Readonly<Record<string, string>> | undefined {
  const map = record(value);
  if (map === undefined) return undefined;
  const entries = Object.entries(map).map(([key, member]): readonly [string, string] => {
    if (typeof member !== 'string') throw new TypeError(`${path}.${key} must be a string`);
    return [key, member];
  });
  return Object.fromEntries(entries);
}

function isRecord(value: unknown): value is RawRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
