import parseDuration from 'parse-duration';
import type { ListenAddress } from '../telemetry/servers.ts';

/** Milliseconds of a duration that the schema accepted, such as `1h30m`. @throws RangeError for any other text. */
export function durationMs(text: string): number {
  const ms = parseDuration(text);
  if (ms === null || !Number.isFinite(ms)) throw new RangeError(`not a duration: ${text}`);
  return ms;
}

/**
 * Takes `host:port` apart; `0` is undefined (not served). Without a host: all addresses of the machine, both families.
 * @throws RangeError for a port above 65535.
 */
export function listenAddress(text: string): ListenAddress | undefined {
  if (text === '0') return undefined;
  const colon = text.lastIndexOf(':');
  const port = Number(text.slice(colon + 1));
  if (!(port <= 65_535)) throw new RangeError('the port is above 65535');
  const host = text.slice(0, colon).replace(/^\[(.*)\]$/, '$1');
  return { host: host === '' ? undefined : host, port };
}

/**
 * `key=value` items as a map; the value is all after the first `=`.
 * @throws RangeError when one key is given two values: no request can have both.
 */
export function tagMap(items: readonly string[]): Readonly<Record<string, string>> {
  const map = new Map<string, string>();
  for (const item of items) {
    const { key, value } = splitPair(item);
    const before = map.get(key);
    if (before !== undefined && before !== value) throw new RangeError(`${key} is required to be two values at once`);
    map.set(key, value);
  }
  return Object.fromEntries(map);
}

/** Takes `key=value` apart at the first `=`. */
export function splitPair(item: string): { readonly key: string; readonly value: string } {
  const equals = item.indexOf('=');
  return { key: item.slice(0, equals), value: item.slice(equals + 1) };
}
