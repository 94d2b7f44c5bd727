import { describe, expect, it } from '@jest/globals';
import { createTestAccount } from './core/test-account.ts';
import type { TestAccount } from './core/test-account.ts';
import { answerXml } from './xml.ts';

function seeded(count: number) {
  const account = createTestAccount({ settings: { buckets: { enabled: false } } });
  const pairs = Array.from({ length: count }, (_unused, index) => {
    const [target] = account.ec2.addInstance({}).interfaces;
    return {
      allocationId: account.ec2.addAddress({ tags: { pool: 'x', number: String(index) } }).allocationId,
      target,
    };
  });
  return { account, pairs };
}

/** The fastest of several runs, in turns: what each work costs when nothing else disturbs it. */
async function fastestMs(runs: number, works: readonly (() => Promise<unknown>)[]): Promise<number[]> {
  const fastest = works.map(() => Number.POSITIVE_INFINITY);
  for (let run = 0; run < runs; run++) {
    for (const [index, work] of works.entries()) {
      const start = performance.now();
      await work();
      fastest[index] = Math.min(fastest[index] ?? 0, performance.now() - start);
    }
  }
  return fastest;
}

const ROUNDS = 200;

async function moveAround(account: TestAccount, pairs: ReturnType<typeof seeded>['pairs']): Promise<void> {
  for (let index = 0; index < ROUNDS; index++) {
    const { allocationId, target } = pairs[index % pairs.length] ?? {};
    await account.ok('AssociateAddress', { AllocationId: allocationId ?? '', NetworkInterfaceId: target?.id ?? '' });
    account.ec2.disassociate({ allocationId: allocationId ?? '' });
  }
}

describe('size', () => {
  it('hardly matters to a write: among 5,000 addresses it costs little more than among 50', async () => {
    const works = [seeded(50), seeded(5000)].map(
      ({ account, pairs }) =>
        () =>
          moveAround(account, pairs),
    );
    const [smallMs = 0, largeMs = 0] = await fastestMs(5, works);
    expect(largeMs / smallMs).toBeLessThan(5);
  });

  it('matters to a read in proportion: ten times the addresses take about ten times as long', async () => {
    const works = [seeded(500), seeded(5000)].map(({ account }) => async () => {
      const reply = await account.ok('DescribeAddresses', { 'Filter.1.Name': 'tag:pool', 'Filter.1.Value.1': 'x' });
      return answerXml('DescribeAddresses', 'x', reply);
    });
    const [smallMs = 0, largeMs = 0] = await fastestMs(10, works);
    // Quadratic work would take a hundred times as long.
    expect(largeMs / smallMs).toBeLessThan(40);
  });
});
