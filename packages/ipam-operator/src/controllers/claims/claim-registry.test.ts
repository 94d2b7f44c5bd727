import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compareClaims } from '../../core/claim.ts';
import type { Claim } from '../../core/claim.ts';
import { claim } from '../../testing/facts.ts';
import { createClaimRegistry } from './claim-registry.ts';

interface Move {
  readonly n: number;
  readonly createdAt: number;
  readonly to: 'q' | 'r' | 'none' | 'gone';
}

const moves: fc.Arbitrary<readonly Move[]> = fc.array(
  fc.record({
    n: fc.nat(9),
    createdAt: fc.nat(3),
    to: fc.constantFrom<Move['to']>('q', 'r', 'none', 'gone'),
  }),
);

describe('the registry of claims', () => {
  it('knows how many older claims stand in a queue, whoever came, went, moved or was made anew', () => {
    fc.assert(
      fc.property(moves, (all) => {
        const registry = createClaimRegistry();
        const expected = new Map<string, { readonly claimed: Claim; readonly queue: string }>();
        for (const { n, createdAt, to } of all) {
          const claimed = claim({ key: `cilium-node/n${n}`, createdAt });
          expected.delete(claimed.key);
          if (to === 'gone') {
            registry.remove(claimed.key);
            continue;
          }
          registry.put(claimed, 0);
          registry.stand(claimed.key, to === 'none' ? undefined : to);
          if (to !== 'none') expected.set(claimed.key, { claimed, queue: to });
        }
        const standing = [...expected.values()].flatMap(({ claimed, queue }) => (queue === 'q' ? [claimed] : []));
        for (const { n, createdAt } of all) {
          const one = claim({ key: `cilium-node/n${n}`, createdAt });
          expect(registry.ahead(one, 'q')).toBe(standing.filter((other) => compareClaims(other, one) < 0).length);
        }
        expect(registry.waiting((queue) => queue === 'q')).toEqual(standing.toSorted(compareClaims));
      }),
    );
  });
});
