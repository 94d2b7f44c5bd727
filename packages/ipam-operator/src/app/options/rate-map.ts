import type { RateLimit } from '@static-ip/provider';
import { splitPair } from '@static-ip/shell';

/** `ACTION=RATE/BURST` items as limits by action. @throws RangeError for 0, or for an action that is named twice. */
export function rateMap(items: readonly string[]): Readonly<Record<string, RateLimit>> {
  const map = new Map<string, RateLimit>();
  for (const item of items) {
    const { key, value } = splitPair(item);
    const [perSecond = 0, burst = 0] = value.split('/').map(Number);
    if (perSecond === 0 || burst === 0) throw new RangeError(`${key}: a rate or burst of 0 would stop every call`);
    if (map.has(key)) throw new RangeError(`${key} is named twice`);
    map.set(key, { perSecond, burst });
  }
  return Object.fromEntries(map);
}
