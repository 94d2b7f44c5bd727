import type { Tags } from '@static-ip/cni-config';
import { splitPair, tagMap } from '@static-ip/shell';

/**
 * Tags as a flag says them: a JSON map, or `key=value` with commas in between, as Cilium's agent takes them
 * (https://docs.cilium.io/en/latest/cmdref/cilium-agent/). A value with a comma needs JSON.
 * @throws RangeError that says what is wrong.
 */
export function parseTags(text: string): Tags {
  return text.trimStart().startsWith('{') ? jsonTags(text) : pairTags(text);
}

function jsonTags(text: string): Tags {
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new RangeError('not a JSON map');
  const entries = Object.entries(value).map(([key, tag]: [string, unknown]): [string, string] => {
    if (typeof tag !== 'string') throw new RangeError(`the value of ${key} is not a string: write it in quotes`);
    return [key, tag];
  });
  return Object.fromEntries(entries);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new RangeError(`not JSON: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

function pairTags(text: string): Tags {
  const items = text.split(',').map((item) => item.trim());
  const wrong = items.find((item) => !item.includes('=') || splitPair(item).key === '');
  if (wrong !== undefined) throw new RangeError(`${JSON.stringify(wrong)} is not key=value`);
  return tagMap(items);
}
