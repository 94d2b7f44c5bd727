import { describe, expect, it } from '@jest/globals';
import { createManualClock } from '@static-ip/testkit';
import { StaticIpError } from '../errors.ts';
import type { CloudCall } from '../ports.ts';
import { EC2_ACTIONS } from './actions.ts';
import type { Ec2Action } from './actions.ts';
import { concurrencyLimited, deadlined, fenced, instrumented, MAX_IN_FLIGHT, rateLimited } from './layers.ts';
import { ec2Rates } from './rates.ts';

const live = new AbortController().signal;

function request<Answer>(action: Ec2Action, send: (signal: AbortSignal) => Promise<Answer>) {
  return { action, signal: live, send };
}

function refused(action: Ec2Action, error: Error) {
  return request(action, async () => {
    throw error;
  });
}

describe('the fence', () => {
  it('is asked after the wait for a token, directly before a change is sent', async () => {
    const clock = createManualClock({ startMs: 0 });
    const entries: number[] = [];
    const right = new AbortController();
    const limit = rateLimited(clock, () => ({ perSecond: 1, burst: 1 }));
    const guard = fenced({
      enter: () => {
        entries.push(clock.monotonic());
        return right.signal;
      },
    });
    const change = () =>
      limit(
        request('AssociateAddress', (signal) =>
          guard({ action: 'AssociateAddress', signal, send: async () => 'done' }),
        ),
      );
    const all = [change(), change()];
    await clock.advance(1_000);
    await Promise.all(all);
    expect(entries).toEqual([0, 1_000]);
  });

  it('is not asked by a read', async () => {
    const guard = fenced({
      enter: () => {
        throw new Error('lease lost');
      },
    });
    expect(await guard(request('DescribeAddresses', async () => 'read'))).toBe('read');
    await expect(guard(request('ReleaseAddress', async () => 'sent'))).rejects.toThrow('lease lost');
  });

  it('ends a change that is under way when the right is lost', async () => {
    const right = new AbortController();
    const seen: AbortSignal[] = [];
    const guard = fenced({ enter: () => right.signal });
    void guard(request('AssociateAddress', async (signal) => seen.push(signal)));
    right.abort(new Error('lease lost'));
    expect(seen[0]?.reason).toEqual(new Error('lease lost'));
  });
});

describe('the deadline', () => {
  it('B44: ends a change without an answer as unknown after 10 s, a read as unavailable after 5 s', async () => {
    const clock = createManualClock({ startMs: 0 });
    const limit = deadlined(clock);
    const endedMs: (readonly [string, number])[] = [];
    const never = (action: Ec2Action) =>
      limit(request(action, () => new Promise<never>(() => {}))).catch((error: StaticIpError) =>
        endedMs.push([error.code, clock.monotonic()]),
      );
    const all = [never('AssociateAddress'), never('DescribeAddresses')];
    await clock.advance(20_000);
    await Promise.all(all);
    expect(endedMs).toEqual([
      ['unavailable', 5_000],
      ['unknown', 10_000],
    ]);
  });

  it('leaves nothing behind when the answer comes, and gives the signal of the deadline to the call', async () => {
    const clock = createManualClock({ startMs: 0 });
    const seen: AbortSignal[] = [];
    await deadlined(clock)(request('DescribeAddresses', async (signal) => seen.push(signal)));
    expect(clock.pending()).toBe(0);
    expect(seen).toHaveLength(1);
  });
});

describe('limits', () => {
  it('B43: one action that is throttled slows only itself', async () => {
    const clock = createManualClock({ startMs: 0 });
    const limit = rateLimited(clock, () => ({ perSecond: 10, burst: 5 }));
    await expect(limit(refused('AllocateAddress', new StaticIpError('throttled', 'slower')))).rejects.toThrow('slower');
    const doneMs = new Map<string, number>();
    const all = (['AllocateAddress', 'AssociateAddress'] as const).map((action) =>
      limit(request(action, async () => doneMs.set(action, clock.monotonic()))),
    );
    await clock.advance(1_000);
    await Promise.all(all);
    expect([...doneMs]).toEqual([
      ['AssociateAddress', 0],
      ['AllocateAddress', 200],
    ]);
  });

  it('B44: bounds what is in flight for each action, all together by the number of connections', async () => {
    const limit = concurrencyLimited();
    let inFlight = 0;
    const hang = () => {
      inFlight += 1;
      return new Promise<never>(() => {});
    };
    for (const action of EC2_ACTIONS) for (let n = 0; n < 40; n++) void limit(request(action, hang));
    await new Promise((resolve) => setImmediate(resolve));
    expect(inFlight).toBe(MAX_IN_FLIGHT);
    expect(MAX_IN_FLIGHT).toBeLessThan(100);
  });

  it('refuses rates for actions that do not exist and numbers that mean nothing, all at once', () => {
    expect(ec2Rates({ AssociateAddress: { perSecond: 1, burst: 2 } }).AssociateAddress).toEqual({
      perSecond: 1,
      burst: 2,
    });
    expect(() => ec2Rates({ Associate: { perSecond: 0, burst: 0.5 } })).toThrow(
      /unknown action "Associate", use one of AllocateAddress.*above 0.*at least 1/,
    );
  });
});

describe('the instrument', () => {
  it("reports each call with EC2's code, ours when EC2 gave none, and the time it took", async () => {
    const clock = createManualClock({ startMs: 0 });
    const calls: CloudCall[] = [];
    const watch = instrumented(clock, (call) => calls.push(call));
    const slow = watch(request('DescribeAddresses', (signal) => clock.sleep(30, signal)));
    await clock.advance(30);
    await slow;
    for (const error of [
      new StaticIpError('inUse', 'x', { fields: { awsCode: 'InvalidIPAddress.InUse' } }),
      new StaticIpError('unknown', 'x'),
      new Error('the caller left'),
    ]) {
      await expect(watch(refused('ReleaseAddress', error))).rejects.toBe(error);
    }
    expect(calls).toEqual([
      { action: 'DescribeAddresses', code: 'ok', durationMs: 30 },
      { action: 'ReleaseAddress', code: 'InvalidIPAddress.InUse', durationMs: 0 },
      { action: 'ReleaseAddress', code: 'unknown', durationMs: 0 },
      { action: 'ReleaseAddress', code: 'aborted', durationMs: 0 },
    ]);
  });
});
