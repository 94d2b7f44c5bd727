import type { World } from './model.ts';
import { lookUp } from './persistent-map.ts';
import type { IdSource } from './seeded-ids.ts';

// 198.18.0.0/15 is set aside for benchmarks (RFC 2544): no packet of a test can reach anybody.
const BLOCK_SIZE = 1 << 17;

/** A public address that no elastic IP has, scattered over its block. */
export function newPublicIp(world: World, ids: IdSource): string {
  for (let attempt = 0; attempt < BLOCK_SIZE; attempt++) {
    const offset = Math.imul(ids.next(), 0x9e3779b1) & (BLOCK_SIZE - 1);
    const ip = `198.${18 + (offset >>> 16)}.${(offset >>> 8) & 0xff}.${offset & 0xff}`;
    if (lookUp(world.publicIps, ip) === undefined) return ip;
  }
  throw new Error('the emulator has no public address left');
}
