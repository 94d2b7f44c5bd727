import { AgentError } from '../errors.ts';

/** A JSON object of unknown content. */
export type Raw = Readonly<Record<string, unknown>>;

/** Whether a JSON value is an object. */
export function isRaw(value: unknown): value is Raw {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A JSON array of objects. @throws AgentError `protocol` naming the program that wrote something else. */
export function parseObjects(json: string, program: string): readonly Raw[] {
  const value = parseJson(json, program);
  if (Array.isArray(value) && value.every(isRaw)) return value;
  throw new AgentError('protocol', 'reading the output of a program: not a list of objects', { fields: { program } });
}

/** A JSON value. @throws AgentError `protocol` naming the program. */
export function parseJson(json: string, program: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new AgentError('protocol', 'reading the output of a program: not JSON', {
      fields: { program },
      cause: error,
    });
  }
}

/** The member when it is a string. */
export function textOf(raw: Raw, key: string): string | undefined {
  const value = raw[key];
  return typeof value === 'string' ? value : undefined;
}

/** The member when it is a number, or a string of digits (iproute2 writes both) or of hexadecimal ones. */
export function numberOf(raw: Raw, key: string): number | undefined {
  const value = raw[key];
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^(?:\d+|0x[0-9a-f]+)$/i.test(value) ? Number(value) : undefined;
}
