import { describe, expect, it } from '@jest/globals';
import { TAINT } from '../../api/names.ts';
import type { Node } from '../../api/node.ts';
import { ago, node, WALL } from '../../testing/objects.ts';
import { judgeTaint } from './judge-taint.ts';
import type { TaintFacts } from './judge-taint.ts';
import { removeTaintPatch } from './remove-taint-patch.ts';
import type { Standing } from './standings.ts';

const OURS = { key: TAINT.addressPending, effect: 'NoSchedule' };
const THEIRS = { key: 'dedicated', value: 'gpu', effect: 'NoExecute' };

const CONFIRMED: Standing = { claimKey: 'c', confirmedIp: '198.51.100.1', reason: 'AddressAssigned', message: 'there' };
const WAITING: Standing = { claimKey: 'cilium-node/n1', reason: 'PoolExhausted', message: 'Waiting' };

function tainted(over: Partial<Node> = {}, createdMsAgo = 300_000): Node {
  return node('n1', { taints: [THEIRS, OURS], ...over }, { creationTimestamp: ago(createdMsAgo) });
}

function facts(over: Partial<TaintFacts> = {}): TaintFacts {
  const rules = { mode: 'confirmed', giveUpMs: undefined } as const;
  return { rules, standings: [], now: WALL, seenAt: WALL - 200_000, ...over };
}

const givingUp = (giveUpMs: number) => ({ mode: 'confirmed', giveUpMs }) as const;

describe('the start-up taint of a node', () => {
  it('is nobody’s business where it is not', () => {
    const plain = node('n1', { taints: [THEIRS] });
    expect(judgeTaint(plain, facts({ standings: [CONFIRMED] }))).toEqual({ do: 'nothing' });
  });

  it('goes when one of the claims on its instance is confirmed', () => {
    const verdict = judgeTaint(tainted(), facts({ standings: [WAITING, CONFIRMED] }));
    expect(verdict).toMatchObject({ do: 'remove', reason: 'StartupTaintRemoved' });
  });

  it('stays without a confirmed address, for ever where no time is set', () => {
    expect(judgeTaint(tainted(), facts({ standings: [WAITING] }))).toEqual({ do: 'keep' });
    expect(judgeTaint(tainted({}, 1e9), facts())).toEqual({ do: 'keep' });
  });

  it('waits for the status of the Node where it is told to', () => {
    const rules = { mode: 'node-status', giveUpMs: undefined } as const;
    const standings = [CONFIRMED];
    expect(judgeTaint(tainted({ externalIps: ['203.0.113.9'] }), facts({ rules, standings }))).toEqual({ do: 'keep' });
    const shown = tainted({ externalIps: ['203.0.113.9', '198.51.100.1'] });
    expect(judgeTaint(shown, facts({ rules, standings }))).toMatchObject({ reason: 'StartupTaintRemoved' });
  });

  it.each([
    ['the claim that waits', {}, [WAITING], 'cilium-node/n1: PoolExhausted: Waiting'],
    ['that nothing asks for an address', {}, [], 'nothing asks for an address'],
    ['the provider id', { providerId: undefined }, [], 'spec.providerID'],
  ] as const)('goes after the time that is set, and says %s', (_what, over, standings, words) => {
    const rules = givingUp(240_000);
    expect(judgeTaint(tainted(over, 239_000), facts({ rules, standings }))).toEqual({ do: 'keep', againMs: 1_000 });
    const verdict = judgeTaint(tainted(over, 240_000), facts({ rules, standings }));
    expect(verdict).toMatchObject({ do: 'remove', reason: 'StartupTaintGivenUp' });
    expect(verdict).toHaveProperty('message', expect.stringContaining(words));
  });

  it('is not given up before a new process has had time to look', () => {
    const young = { rules: givingUp(240_000), seenAt: WALL - 10_000 };
    expect(judgeTaint(tainted({}, 1e9), facts(young))).toEqual({ do: 'keep', againMs: 20_000 });
    const short = { rules: givingUp(5_000), seenAt: WALL - 4_000 };
    expect(judgeTaint(tainted({}, 1e9), facts(short))).toEqual({ do: 'keep', againMs: 1_000 });
  });
});

describe('the patch that removes it', () => {
  it('takes off each taint with the key, from the end, each only if it is still in its place', () => {
    const both = tainted({ taints: [OURS, THEIRS, { ...OURS, effect: 'NoExecute' }] });
    expect(removeTaintPatch(both, TAINT.addressPending)?.body).toEqual([
      { op: 'test', path: '/metadata/uid', value: 'uid-n1' },
      { op: 'test', path: '/spec/taints/2/key', value: OURS.key },
      { op: 'remove', path: '/spec/taints/2' },
      { op: 'test', path: '/spec/taints/0/key', value: OURS.key },
      { op: 'remove', path: '/spec/taints/0' },
    ]);
    expect(removeTaintPatch(node('n1', { taints: [THEIRS] }), TAINT.addressPending)).toBeUndefined();
  });
});
