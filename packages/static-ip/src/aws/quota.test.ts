import { describe, expect, it } from '@jest/globals';
import { createManualClock } from '@static-ip/testkit';
import { StaticIpError } from '../errors.ts';
import type { Ec2Address, Ec2Calls } from './ec2-calls.ts';
import { fakeCalls } from './fake-calls.test.fixture.ts';
import { createQuota } from './quota.ts';

const HOUR_MS = 3_600_000;
const signal = new AbortController().signal;

const denied = new StaticIpError('denied', 'no', { fields: { awsCode: 'AccessDeniedException' } });
const unset = new StaticIpError('notFound', 'none', { fields: { awsCode: 'NoSuchResourceException' } });

/** What each call answers. */
interface Answers {
  applied?: number | Error;
  initial?: number | Error;
  attribute?: string | Error;
  readonly addresses?: readonly Ec2Address[];
}

async function answer<T>(value: T | Error): Promise<T> {
  if (value instanceof Error) throw value;
  return value;
}

/** A question, and how often the limit was asked for; the answers may change. */
function quotaOf(answers: Answers) {
  const clock = createManualClock({ startMs: 0 });
  const count = { limit: 0 };
  const now = { ...answers };
  const calls: Ec2Calls = {
    ...fakeCalls({ addresses: answers.addresses ?? [] }).calls,
    getServiceQuota: () => {
      count.limit += 1;
      return answer<number>(now.applied ?? denied);
    },
    getAwsDefaultServiceQuota: () => answer<number>(now.initial ?? denied),
    describeAccountAttribute: () => answer<string>(now.attribute ?? denied),
  };
  return { ask: createQuota(calls, clock), clock, count, now };
}

describe('the quota of Elastic IP addresses', () => {
  it('counts what Amazon gave, not what the account brought along or has outside of a VPC', async () => {
    const addresses: readonly Ec2Address[] = [
      { AllocationId: 'eipalloc-1', Domain: 'vpc', PublicIpv4Pool: 'amazon' },
      { AllocationId: 'eipalloc-2', Domain: 'vpc', PublicIpv4Pool: '' },
      { AllocationId: 'eipalloc-3', Domain: 'vpc' },
      { AllocationId: 'eipalloc-4', Domain: 'vpc', PublicIpv4Pool: 'ipv4pool-ec2-1' },
      { PublicIp: '203.0.113.9', Domain: 'standard' },
    ];
    expect(await quotaOf({ applied: 20, addresses }).ask(signal)).toEqual({ used: 3, limit: 20 });
  });

  it.each<[string, Answers, object]>([
    ['the value in force', { applied: 20, initial: 5, attribute: '7' }, { limit: 20 }],
    ['the general one where none was ever set', { applied: unset, initial: 6 }, { limit: 6 }],
    [
      "EC2's own word where Service Quotas may not be asked",
      { attribute: '7' },
      { limit: 7, remark: 'GetServiceQuota failed with AccessDeniedException' },
    ],
    ['the published one where none was set and no more can be asked', { applied: unset }, { limit: 5 }],
    ['unknown where nothing may be asked', {}, { limit: undefined }],
    ['unknown where EC2 answers no number', { attribute: 'many' }, { limit: undefined }],
  ])('has as its limit %s', async (_name, answers, expected) => {
    expect(await quotaOf(answers).ask(signal)).toMatchObject({ used: 0, ...expected });
  });

  it('says what stood in the way of the limit', async () => {
    const { remark } = await quotaOf({ attribute: 'many' }).ask(signal);
    expect(remark).toBe(
      'GetServiceQuota failed with AccessDeniedException, DescribeAccountAttributes answered no number',
    );
  });

  it('asks for the limit once an hour, and a little sooner for one that was refused', async () => {
    const { ask, clock, count, now } = quotaOf({ applied: 20 });
    await ask(signal);
    await clock.advance(HOUR_MS - 1);
    now.applied = 30;
    expect(await ask(signal)).toMatchObject({ limit: 20 });
    await clock.advance(1);
    expect(await ask(signal)).toMatchObject({ limit: 30 });
    expect(count.limit).toBe(2);

    now.applied = denied;
    await clock.advance(HOUR_MS);
    expect((await ask(signal)).limit).toBeUndefined();
    now.applied = 40;
    await clock.advance(600_000);
    expect(await ask(signal)).toMatchObject({ limit: 40 });
  });

  it('ends with the signal, and hides no bug', async () => {
    const stopped = AbortSignal.abort(new Error('stopped'));
    await expect(quotaOf({ applied: new Error('stopped') }).ask(stopped)).rejects.toThrow('stopped');
    await expect(quotaOf({ applied: new TypeError('a bug') }).ask(signal)).rejects.toThrow('a bug');
  });
});
