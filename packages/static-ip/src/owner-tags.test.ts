import { describe, expect, it } from '@jest/globals';
import type { AddressOwner } from './owner-tags.ts';
import { isMarkedRetained, ownershipOf, ownerTags } from './owner-tags.ts';

const owner: AddressOwner = {
  clusterUid: 'cluster-uid-1',
  clusterName: 'prod',
  namespace: 'web',
  claimName: 'front',
  claimUid: 'uid-1',
  selects: { kind: 'pod', podName: 'front-0' },
};

function selectorTagOf(selector: Readonly<Record<string, string>>): string | undefined {
  return ownerTags({ ...owner, selects: { kind: 'node', selector } })['eip.materialize.cloud/node_selector'];
}

describe('ownerTags', () => {
  it("writes the peer's six tags, the cluster's uid and the defaults", () => {
    expect(ownerTags(owner, { team: 'edge' })).toEqual({
      team: 'edge',
      Name: 'eip-operator:prod:web:front',
      'eip.materialize.cloud/cluster_uid': 'cluster-uid-1',
      'eip.materialize.cloud/cluster_name': 'prod',
      'eip.materialize.cloud/namespace': 'web',
      'eip.materialize.cloud/eip_name': 'front',
      'eip.materialize.cloud/eip_uid': 'uid-1',
      'eip.materialize.cloud/pod_name': 'front-0',
    });
  });

  it('writes equal node selectors equally, whatever the order of their labels', () => {
    expect(selectorTagOf({ b: '2', a: '1' })).toBe('{"a":"1","b":"2"}');
    expect(selectorTagOf({ a: '1', b: '2' })).toBe('{"a":"1","b":"2"}');
  });

  it('marks an address that shall outlive its claim, and no other', () => {
    const marked = ownerTags({ ...owner, isRetained: true });
    expect(marked['eip.materialize.cloud/reclaim_policy']).toBe('Retain');
    expect([isMarkedRetained(marked), isMarkedRetained(ownerTags(owner))]).toEqual([true, false]);
  });

  it('lets no default tag replace a mark', () => {
    const tags = ownerTags(owner, { 'eip.materialize.cloud/eip_uid': 'somebody', Name: 'mine' });
    expect(ownershipOf(tags, 'cluster-uid-1')).toEqual({ kind: 'ours', claimUid: 'uid-1' });
    expect(tags['Name']).toBe('eip-operator:prod:web:front');
  });
});

describe('ownershipOf', () => {
  it.each([
    ['ours', ownerTags(owner), { kind: 'ours', claimUid: 'uid-1' }],
    ['of another cluster', ownerTags({ ...owner, clusterUid: 'other' }), { kind: 'otherCluster' }],
    ["the peer's", { 'eip.materialize.cloud/eip_uid': 'uid-1' }, { kind: 'peer', claimUid: 'uid-1' }],
    ["nobody's", { pool: 'a' }, { kind: 'unmarked' }],
    ['marked with an empty uid', { ...ownerTags(owner), 'eip.materialize.cloud/eip_uid': '' }, { kind: 'unmarked' }],
    [
      'marked with an empty cluster',
      { ...ownerTags(owner), 'eip.materialize.cloud/cluster_uid': '' },
      { kind: 'otherCluster' },
    ],
  ])('B25: tells an address that is %s by its tags', (_, tags, expected) => {
    expect(ownershipOf(tags, 'cluster-uid-1')).toEqual(expected);
  });

  it('B25: takes an empty cluster uid of ours for no cluster at all', () => {
    const tags = { ...ownerTags(owner), 'eip.materialize.cloud/cluster_uid': '' };
    expect(ownershipOf(tags, '')).toEqual({ kind: 'otherCluster' });
  });
});
