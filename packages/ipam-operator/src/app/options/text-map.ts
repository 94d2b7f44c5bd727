/**
 * A JSON object of texts; nothing given is none of them.
 * @throws RangeError saying what is wrong with it.
 */
export function textMap(json: string | undefined): Readonly<Record<string, string>> {
  if (json === undefined) return {};
  const entries = Object.entries(parseObject(json));
  const wrong = entries.find(([, value]) => typeof value !== 'string');
  if (wrong !== undefined) throw new RangeError(`the value of ${wrong[0]} must be a text, in quotes`);
  return Object.fromEntries(entries.map(([key, value]) => [key, String(value)]));
}

function parseObject(json: string): object {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch (cause) {
    throw new RangeError('it is not valid JSON', { cause });
  }
  throw new RangeError('it is not a JSON object');
}
