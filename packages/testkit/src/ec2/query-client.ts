import { XMLParser } from 'fast-xml-parser';

// Lists keep their form with one element or none, and texts stay texts.
const parser = new XMLParser({
  parseTagValue: false,
  ignoreDeclaration: true,
  isArray: (name) => name === 'item' || name === 'Error',
});

/** The access key id that `sendQuery` shows. */
export const TEST_KEY = 'AKIATESTKEY';

/** One answer of an EC2 Query endpoint. */
export interface QueryAnswer {
  /** The HTTP status. */
  readonly status: number;
  /** The error code, or undefined for a success. */
  readonly code: string | undefined;
  /** The answer's root element, parsed; `item` elements are arrays. */
  readonly body: unknown;
}

/** Sends one call in EC2's Query protocol, with a signature that nobody checks, to moto's or the emulator's endpoint. */
export async function sendQuery(
  endpoint: string,
  action: string,
  params: Readonly<Record<string, string>> = {},
): Promise<QueryAnswer> {
  const body = new URLSearchParams({ Action: action, Version: '2016-11-15', ...params });
  // moto finds the service by the credential scope.
  const authorization = `AWS4-HMAC-SHA256 Credential=${TEST_KEY}/20260101/us-east-1/ec2/aws4_request, SignedHeaders=host, Signature=0`;
  const response = await fetch(endpoint, { method: 'POST', body, headers: { authorization } });
  const parsed: unknown = parser.parse(await response.text(), false);
  return { status: response.status, code: valueAt(parsed, 'Response', 'Errors', 'Error', 0, 'Code'), body: parsed };
}

/** The text at a path of element names and list positions, or undefined where there is none. */
export function valueAt(value: unknown, ...steps: readonly (string | number)[]): string | undefined {
  const found = nodeAt(value, ...steps);
  return typeof found === 'string' ? found : undefined;
}

/** The items of the list at a path; an absent or empty element has none. */
export function itemsAt(value: unknown, ...steps: readonly (string | number)[]): readonly unknown[] {
  const found = nodeAt(value, ...steps, 'item');
  return Array.isArray(found) ? found : [];
}

function nodeAt(value: unknown, ...steps: readonly (string | number)[]): unknown {
  let current = value;
  for (const step of steps) {
    if (typeof current !== 'object' || current === null) return undefined;
    current = Reflect.get(current, step);
  }
  return current;
}
