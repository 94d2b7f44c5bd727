import { describe, expect, it } from '@jest/globals';
import type { KubeClient } from '@static-ip/kube';
import { StaticIpError } from '@static-ip/provider';
import type { Selection, StaticIpProvider, TargetRef } from '@static-ip/provider';
import { createManualClock } from '@static-ip/testkit';
import { OPERATOR_OPTIONS } from '../../app/options/compile-options.ts';
import { address, attachment, target } from '../../testing/facts.ts';
import { readStatus } from './read-status.ts';
import type { ClusterStatus, StatusDeps } from './read-status.ts';

const OPTIONS = OPERATOR_OPTIONS.compile({ list: OPERATOR_OPTIONS.all, flags: {}, environment: {}, mistakes: [] });
const COUNT = 450;
const numbers = Array.from({ length: COUNT }, (_, n) => n + 1);
const metadata = (name: string) => ({
  name,
  uid: name,
  resourceVersion: '1',
  creationTimestamp: '2026-01-01T00:00:00Z',
});

/** Nodes on the instances i-1, i-2 … that ask for pool a, and Eips that were given the addresses a-1, a-2 … by their ids. */
const OBJECTS: Readonly<Record<string, readonly object[]>> = {
  CiliumNode: numbers.map((n) => ({
    metadata: metadata(`n${n}`),
    spec: { 'instance-id': `i-${n}`, ipam: { 'static-ip-tags': { pool: 'a' } } },
  })),
  Eip: numbers.map((n) => ({
    metadata: { ...metadata(`e${n}`), namespace: 'default' },
    spec: { selector: { pod: { podName: `p${n}` } }, allocationId: `a-${n}` },
    status: { allocationId: `a-${n}`, publicIpAddress: `198.51.100.${n}` },
  })),
};

const KUBE: Pick<KubeClient, 'list' | 'isServed' | 'get'> = {
  get: (resource) => Promise.resolve(resource.parse({ metadata: metadata('kube-system') })),
  isServed: ({ kind }) => Promise.resolve(kind in OBJECTS),
  list: (resource) => {
    const items = (OBJECTS[resource.kind] ?? []).map((one) => resource.parse(one));
    return Promise.resolve({ items, rejected: [], resourceVersion: '1' });
  },
};

interface Asked {
  readonly selections: Selection[];
  readonly targets: (readonly TargetRef[])[];
}

/** A cloud in which every address that is named exists, and pool a has one, which i-1 holds. */
function cloud(asked: Asked): Pick<StaticIpProvider, 'listAddresses' | 'resolveTargets' | 'capabilities'> {
  const held = attachment(1);
  return {
    capabilities: {
      podTargets: true,
      atomicSwap: true,
      createsFromPool: false,
      allocation: true,
      quota: false,
      routes: false,
    },
    listAddresses: (selection) => {
      asked.selections.push(selection);
      const addresses =
        selection.by === 'ids' ? numbers.map((n) => address(n)) : [address(1, { attachment: held }), address(451)];
      return Promise.resolve({ addresses, pools: [] });
    },
    resolveTargets: (refs) => {
      asked.targets.push(refs);
      return Promise.resolve(
        refs.map((ref) => {
          const { instanceId = '' } = ref;
          const place = { ref, id: instanceId, instanceId, interfaceId: `eni-${instanceId.slice(2)}` };
          return { ref, target: target({ ...place, holding: instanceId === 'i-1' ? held : undefined }) };
        }),
      );
    },
  };
}

function fail(): never {
  throw new Error('something was left out');
}

function read(over: Partial<StatusDeps>): Promise<ClusterStatus> {
  const deps: StatusDeps = {
    options: OPTIONS,
    kube: KUBE,
    clock: createManualClock({ startMs: Date.UTC(2026, 0, 1) }),
    openProvider: undefined,
    onSkipped: fail,
    onCloudUnread: fail,
    ...over,
  };
  return readStatus(deps, new AbortController().signal);
}

describe('a status', () => {
  it('of many objects is made of few reads: each pool once, addresses by their ids together, targets many at a time', async () => {
    const asked: Asked = { selections: [], targets: [] };
    const { objects, pools } = await read({ openProvider: () => Promise.resolve(cloud(asked)) });
    expect(objects).toHaveLength(2 * COUNT);
    expect(asked.selections.map(({ by }) => by)).toEqual(['tags', 'ids']);
    expect(asked.targets.length).toBeLessThanOrEqual(4);
    expect(asked.targets.flat().length).toBe(COUNT);
    expect(pools).toMatchObject([{ name: 'pool=a', total: 2, free: 1, attached: 1, waiting: COUNT }]);
  });

  it('promises a free address to the waiter whose turn it is, and to nobody else', async () => {
    const asked: Asked = { selections: [], targets: [] };
    const { objects } = await read({ openProvider: () => Promise.resolve(cloud(asked)) });
    const nodes = objects.filter(({ kind }) => kind === 'CiliumNode');
    // Equal ages: by name. The first has its address already, though its status does not say so yet.
    expect(nodes.slice(0, 3)).toMatchObject([
      { name: 'n1', reason: 'NotServed' },
      { name: 'n10', reason: 'NotServed' },
      { name: 'n100', reason: 'PoolExhausted' },
    ]);
    expect(new Set(nodes.slice(2).map(({ reason }) => reason))).toEqual(new Set(['PoolExhausted']));
  });

  it('does without the cloud when it cannot be read, but not when the program is wrong', async () => {
    const told: unknown[] = [];
    const onCloudUnread = (error: unknown): void => void told.push(error);
    const denied = new StaticIpError('denied', 'no credentials');
    const { objects, pools } = await read({ openProvider: () => Promise.reject(denied), onCloudUnread });
    expect([objects.length, pools, told]).toEqual([2 * COUNT, undefined, [denied]]);
    const wrong = read({ openProvider: () => Promise.reject(new TypeError('a bug')), onCloudUnread });
    await expect(wrong).rejects.toThrow('a bug');
  });
});
