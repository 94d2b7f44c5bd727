/** Causes are followed so deep; a longer chain is a loop or says nothing more. */
const MAX_DEPTH = 5;

/** What a reader of the log gets to see of an error. */
export interface ErrorFields {
  readonly [key: string]: unknown;
  readonly name: string;
  readonly message: string;
  readonly stack?: string | undefined;
  readonly cause?: unknown;
}

/**
 * An error as plain data: name, message, stack, causes, the errors of an AggregateError, and its own simple fields (code,
 * status, ids). Objects hanging on it, such as requests and responses, are left out: they are large and hold credentials.
 * A thrown value that is no error is put into words.
 */
export function errorFields(error: unknown, depth = 0): ErrorFields {
  if (!(error instanceof Error)) return { name: typeof error, message: describeThrown(error) };
  const nested: Record<string, unknown> = {};
  if (depth < MAX_DEPTH) {
    if (error.cause !== undefined) nested['cause'] = errorFields(error.cause, depth + 1);
    if (error instanceof AggregateError) nested['errors'] = error.errors.map((one) => errorFields(one, depth + 1));
  }
  return { ...simpleFields(error), name: error.name, message: error.message, stack: error.stack, ...nested };
}

function simpleFields(error: Error): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(error).filter(([key, value]) => key !== 'cause' && (isSimple(value) || isTextMap(key, value))),
  );
}

function isSimple(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

/** Our own errors keep their ids in `fields`. */
function isTextMap(key: string, value: unknown): boolean {
  return key === 'fields' && typeof value === 'object' && value !== null && Object.values(value).every(isSimple);
}

function describeThrown(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  try {
    return JSON.stringify(value);
  } catch {
    // Circular, or with a throwing toJSON: its kind is all that can be said.
    return Object.prototype.toString.call(value);
  }
}
