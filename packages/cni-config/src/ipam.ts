import { evaluate } from '@humanwhocodes/momoa';
import type { ObjectNode } from '@humanwhocodes/momoa';
import { memberName } from './go-decode.ts';
import { isGoField } from './go-field-name.ts';
import { TAGS_KEY } from './misspelt-keys.ts';
import type { IpamSettings, Tags } from './network-config.ts';
import { asRecord } from './untrusted.ts';

/**
 * The settings of a decoded `ipam` block. The tags are all or nothing: one value of the wrong type makes them undefined,
 * since fewer tags would select more addresses than was asked for. The other keys come from the text as written.
 */
export function readIpam(decoded: unknown, written: readonly ObjectNode[]): IpamSettings | undefined {
  if (decoded === undefined || written.length === 0) return undefined;
  const others = written
    .flatMap((node) => node.members)
    .filter((member) => !isGoField(memberName(member), TAGS_KEY))
    .map((member): [string, unknown] => [memberName(member), evaluate(member.value)]);
  return { staticIpTags: readTags(asRecord(decoded)[TAGS_KEY]), raw: Object.fromEntries(others) };
}

function readTags(decoded: unknown): Tags | undefined {
  if (typeof decoded !== 'object' || decoded === null || Array.isArray(decoded)) return undefined;
  const entries = Object.entries(decoded);
  const strings = entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return strings.length === entries.length ? Object.freeze(Object.fromEntries(strings)) : undefined;
}
