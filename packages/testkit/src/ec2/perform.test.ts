import { describe, expect, it } from '@jest/globals';
import { CALLER, createTestAccount } from './core/test-account.ts';
import type { TestAccount } from './core/test-account.ts';

function place(account: TestAccount) {
  const [found] = account.ec2.addInstance({}).interfaces;
  if (found === undefined) throw new Error('no interface');
  const { allocationId } = account.ec2.addAddress({ tags: { pool: 'x' } });
  const params = {
    AllocationId: allocationId,
    NetworkInterfaceId: found.id,
    PrivateIpAddress: found.privateIps[0] ?? '',
    AllowReassociation: 'false',
  };
  return { allocationId, params };
}

async function liveOnce(seed: number): Promise<string> {
  const account = createTestAccount({ seed });
  const { params } = place(account);
  await account.code('AllocateAddress');
  await account.code('AssociateAddress', params);
  return JSON.stringify(account.ec2.snapshot());
}

describe('faults', () => {
  it.each([
    ['reset-before-effect', 'reset', 0],
    ['reset-after-effect', 'reset', 1],
  ] as const)('B22: %s delivers %s, and the effect happens %d times', async (kind, code, associated) => {
    const account = createTestAccount();
    const { params } = place(account);
    account.ec2.injectFault({ kind, action: 'AssociateAddress' });
    expect(await account.code('AssociateAddress', params)).toBe(code);
    expect(await account.addressIds(['association-id', '*'])).toHaveLength(associated);
    expect(await account.code('AssociateAddress', params)).toBe('OK');
    expect(account.ec2.counts()['AssociateAddress']).toEqual({ ConnectionReset: 1, OK: 1 });
  });

  it.each([
    ['error', 0],
    ['error-after-effect', 1],
  ] as const)('%s sends its code and status, and the effect happens %d times', async (kind, associated) => {
    const account = createTestAccount();
    const { params } = place(account);
    account.ec2.injectFault({ kind, action: 'AssociateAddress', code: 'InternalError', status: 500 });
    expect(await account.code('AssociateAddress', params)).toBe('InternalError');
    expect(account.ec2.journal().map(({ status }) => status)).toEqual([500]);
    expect(await account.addressIds(['association-id', '*'])).toHaveLength(associated);
  });

  it('hit only the calls they are for, as many times as they say', async () => {
    const account = createTestAccount();
    account.ec2.injectFault({
      kind: 'error',
      code: 'Boom',
      action: 'AllocateAddress',
      match: { Domain: 'vpc' },
      principal: CALLER,
      times: 2,
    });
    expect(await account.code('AllocateAddress')).toBe('OK');
    expect(await account.code('AllocateAddress', { Domain: 'vpc' }, 'AKIAOTHER')).toBe('OK');
    const codes = [];
    for (let call = 0; call < 3; call++) codes.push(await account.code('AllocateAddress', { Domain: 'vpc' }));
    expect(codes).toEqual(['Boom', 'Boom', 'OK']);
    expect(account.ec2.faults().map(({ hits }) => hits)).toEqual([2]);
  });

  it('B43: throttle for a while, or until they are removed', async () => {
    const account = createTestAccount();
    const id = account.ec2.injectFault({ kind: 'throttle', action: 'DescribeAddresses', forMs: 1000 });
    expect(await account.code('DescribeAddresses')).toBe('RequestLimitExceeded');
    expect(await account.code('DescribeInstances')).toBe('OK');
    await account.clock.advance(1000);
    expect(await account.code('DescribeAddresses')).toBe('OK');
    account.ec2.removeFault({ id });
    expect(account.ec2.faults()).toEqual([]);
  });

  it('B57: deny an action, or a whole key', async () => {
    const account = createTestAccount();
    account.ec2.configure({
      credentials: {
        AKIABAD: { status: 'invalid' },
        AKIAOLD: { status: 'expired' },
        AKIANO: { status: 'denied' },
        AKIASOME: { deniedActions: ['AllocateAddress'] },
      },
    });
    const codes = [];
    for (const key of ['AKIABAD', 'AKIAOLD', 'AKIANO', 'AKIASOME'])
      codes.push([await account.code('AllocateAddress', {}, key), await account.code('DescribeAddresses', {}, key)]);
    expect(codes).toEqual([
      ['AuthFailure', 'AuthFailure'],
      ['RequestExpired', 'RequestExpired'],
      ['UnauthorizedOperation', 'UnauthorizedOperation'],
      ['UnauthorizedOperation', 'OK'],
    ]);
    account.ec2.injectFault({ kind: 'deny', action: 'DescribeTags' });
    expect(await account.code('DescribeTags')).toBe('UnauthorizedOperation');
    expect(await account.code('AllocateAddress', { DryRun: 'true' }, 'AKIASOME')).toBe('UnauthorizedOperation');
  });

  it('B05: make reads ignore their filters', async () => {
    const account = createTestAccount();
    place(account);
    account.ec2.injectFault({ kind: 'ignore-filters', action: 'DescribeAddresses', times: 1 });
    expect(await account.addressIds(['tag:pool', 'none'])).toHaveLength(1);
    expect(await account.addressIds(['tag:pool', 'none'])).toHaveLength(0);
  });

  it('B44: leave a call without an answer until its caller hangs up', async () => {
    const account = createTestAccount();
    const { params } = place(account);
    account.ec2.injectFault({ kind: 'hang-after-effect', action: 'AssociateAddress' });
    const caller = new AbortController();
    const call = account.ec2.call('AssociateAddress', params, { signal: caller.signal });
    await account.clock.advance(3_600_000);
    expect(account.ec2.journal().map(({ code }) => code)).toEqual(['InFlight']);
    caller.abort();
    expect((await call).kind).toBe('reset');
    expect(await account.addressIds(['association-id', '*'])).toHaveLength(1);
  });

  it('delay an answer, with the effect half way', async () => {
    const account = createTestAccount();
    const { params } = place(account);
    account.ec2.injectFault({ kind: 'delay', action: 'AssociateAddress', ms: 200 });
    const call = account.code('AssociateAddress', params);
    await account.clock.advance(200);
    expect(await call).toBe('OK');
    expect(account.ec2.journal().map(({ at, effectAt, durationMs }) => [(effectAt ?? 0) - at, durationMs])).toEqual([
      [100, 200],
    ]);
  });

  it.each([
    ['before-effect', 0],
    ['after-effect', 1],
  ] as const)('B28: pause a call %s until it is released', async (point, effects) => {
    const account = createTestAccount();
    const { params } = place(account);
    const id = account.ec2.injectFault({ kind: 'pause', action: 'AssociateAddress', point });
    const call = account.code('AssociateAddress', params);
    expect(await account.ec2.pauseReached({ id })).toMatchObject({ action: 'AssociateAddress', params, point });
    expect(await account.addressIds(['association-id', '*'])).toHaveLength(effects);
    account.ec2.releasePause({ id });
    expect(await call).toBe('OK');
    expect(await account.addressIds(['association-id', '*'])).toHaveLength(1);
  });
});

describe('an account', () => {
  it('repeats every id, address and answer for the same seed and calls', async () => {
    expect(await liveOnce(5)).toBe(await liveOnce(5));
    expect(await liveOnce(5)).not.toBe(await liveOnce(6));
  });

  it('is throttled like the real one, and another tool of the account can use the tokens up', async () => {
    const account = createTestAccount();
    const codes = [];
    for (let call = 0; call < 51; call++) codes.push(await account.code('AllocateAddress'));
    expect(codes.filter((code) => code === 'OK')).toHaveLength(50);
    expect(codes.at(-1)).toBe('RequestLimitExceeded');
    account.ec2.drain({ action: 'DescribeAddresses' });
    expect(await account.code('DescribeAddresses')).toBe('RequestLimitExceeded');
    await account.clock.advance(1000);
    expect(await account.code('DescribeAddresses')).toBe('OK');
  });

  it('starts over after a reset, and keeps its world when only calls and violations are forgotten', async () => {
    const account = createTestAccount({ settings: { addressQuota: 3 } });
    await account.code('AllocateAddress');
    account.ec2.configure({ addressQuota: 9 });
    account.ec2.injectFault({ kind: 'throttle' });
    account.ec2.forget();
    expect([account.ec2.counts(), account.ec2.violations(), account.ec2.journal()]).toEqual([{}, [], []]);
    expect(account.ec2.snapshot().addresses).toHaveLength(1);
    account.ec2.reset();
    expect(account.ec2.snapshot().addresses).toEqual([]);
    expect(account.ec2.configure({}).addressQuota).toBe(3);
    expect(await account.code('DescribeAddresses')).toBe('OK');
  });

  it('refuses a setting it does not have', () => {
    expect(() => createTestAccount({ settings: JSON.parse('{"adressQuota":1}') })).toThrow(
      "'adressQuota' is no setting",
    );
  });
});
