import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { createLogger } from '@static-ip/shell';
import type { Claim } from '../../core/claim.ts';
import { selectionOf } from '../../core/claim.ts';
import { createMetrics } from '../../telemetry/metrics.ts';
import { NO_TRACER } from '../../telemetry/tracer.ts';
import { address, attachment, claim, listing } from '../../testing/facts.ts';
import { createClaimTelemetry } from './claim-telemetry.ts';

const ADOPTED = claim({
  key: 'eip/default/web',
  wanted: { kind: 'own', selection: { by: 'tags', tags: { pool: 'b' } }, origin: { kind: 'adopted' } },
});
const GIVEN = claim({
  key: 'eip/default/given',
  wanted: { kind: 'own', selection: { by: 'ids', ids: ['a-1'] }, origin: { kind: 'given', addressId: 'a-1' } },
});

/** The lines of the metric after each claim's addresses were listed, and the claims `left` were looked at again. */
async function seriesOf(claims: readonly Claim[], left: readonly Claim[] = claims): Promise<readonly string[]> {
  const metrics = createMetrics({ version: '1', nodeVersion: '24', provider: 'aws' });
  const logger = createLogger({ level: 'error', format: 'json', clock: { now: () => 0 }, stream: new PassThrough() });
  const telemetry = createClaimTelemetry(logger, metrics, NO_TRACER);
  const found = listing(address(1), address(2, { attachment: attachment(2) }), address(3, { reserved: 'NAT' }));
  for (const one of claims) {
    const selection = selectionOf(one);
    if (selection !== undefined) telemetry.onListing(selection, found, claims);
  }
  telemetry.onResync(left);
  return (await metrics.expose()).text.split('\n').filter((line) => line.startsWith('static_ip_pool_addresses{'));
}

describe('the addresses of pools', () => {
  it.each([
    ['a CiliumNode asks', claim(), 'pool=a'],
    ['an Eip asks', ADOPTED, 'pool=b'],
  ])('are counted by state where %s, and stay counted from one resync to the next', async (_who, one, pool) => {
    expect(await seriesOf([one])).toEqual([
      `static_ip_pool_addresses{pool="${pool}",state="free"} 1`,
      `static_ip_pool_addresses{pool="${pool}",state="attached"} 1`,
      `static_ip_pool_addresses{pool="${pool}",state="unclaimed"} 0`,
      `static_ip_pool_addresses{pool="${pool}",state="reserved"} 1`,
    ]);
  });

  it('are counted no more when nobody asks for the pool', async () => {
    expect(await seriesOf([claim()], [])).toEqual([]);
  });

  it('are not counted for an address that is given by its id', async () => {
    expect(await seriesOf([GIVEN])).toEqual([]);
  });
});
