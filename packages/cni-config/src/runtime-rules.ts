import { asArray, asRecord, asString } from './untrusted.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Whether a container runtime would take this file: `.conflist` needs a name and a list of entries that all have a
 * type; `.conf` and `.json` need a type. A file with another name is judged by its content.
 * Source: ConfListFromBytes and ConfFromBytes in https://github.com/containernetworking/cni/blob/main/libcni/conf.go
 */
export function isUsableByRuntime(file: string, list: Fields, single: Fields): boolean {
  const isSingle = /\.(conf|json)$/.test(file) || (!file.endsWith('.conflist') && list['plugins'] === undefined);
  if (isSingle) return hasText(single['type']);
  const entries = asArray(list['plugins']);
  return hasText(list['name']) && entries.length > 0 && entries.every((entry) => hasText(asRecord(entry)['type']));
}

function hasText(value: unknown): boolean {
  return (asString(value) ?? '') !== '';
}
