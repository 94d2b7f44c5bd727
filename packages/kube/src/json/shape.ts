/** A JSON object of unknown content. */
export type RawObject = Readonly<Record<string, unknown>>;

/** Whether a JSON value is an object (not null, not an array). */
export function isRawObject(value: unknown): value is RawObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The member of a JSON object, or undefined when it is not there, null, or `value` is no object. */
export function memberOf(value: unknown, key: string): unknown {
  if (!isRawObject(value) || !Object.hasOwn(value, key)) return undefined;
  return value[key] ?? undefined;
}

/** The value when it is a string, else undefined. */
export function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The value when it is a finite number, else undefined. */
export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}
