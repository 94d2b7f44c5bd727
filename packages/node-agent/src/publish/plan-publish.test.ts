import { describe, expect, it } from '@jest/globals';
import type { Tags } from '@static-ip/cni-config';
import { inputWith, nodeWith } from './case.test.fixture.ts';
import { afterWrite, DROPPED_RETRY_MS } from './history.ts';
import { planPublish } from './plan-publish.ts';
import type { PublishInput, PublishPlan } from './plan-publish.ts';
import type { FileTags } from './read-file-tags.ts';

const A = { pool: 'a' };
const B = { pool: 'b' };
const says = (tags: Tags | undefined): FileTags => ({ kind: 'certain', tags });
const plan = (parts: Partial<PublishInput>): PublishPlan => planPublish(inputWith(parts));

describe('tags on a CiliumNode', () => {
  it('are written when a file asks for them, and only those keys that differ are in the patch', () => {
    const { step, reason } = plan({ file: says(A) });
    expect(step).toEqual({ kind: 'write', tags: A, patch: { spec: { ipam: { 'static-ip-tags': A } } } });
    expect(reason).toBe('TagsPublished');
    const swap = plan({ file: says(B), node: nodeWith({ tags: { pool: 'a', old: 'x' } }) });
    expect(swap.step).toMatchObject({ patch: { spec: { ipam: { 'static-ip-tags': { pool: 'b', old: null } } } } });
  });

  it('cost nothing when they are there already, whoever wrote them', () => {
    expect(plan({ file: says(A), node: nodeWith({ tags: A }) })).toMatchObject({
      step: { kind: 'none' },
      reason: 'TagsPublished',
    });
    const others = plan({ file: says(A), node: nodeWith({ tags: A, writers: ['cilium-agent'] }) });
    expect(others).toMatchObject({ step: { kind: 'none' }, reason: 'TagsPublishedByOther' });
  });

  it('wait for the CiliumNode', () => {
    expect(plan({ file: says(A), node: undefined })).toMatchObject({
      step: { kind: 'none' },
      reason: 'CiliumNodeMissing',
      history: undefined,
    });
  });

  it('come from the file, else from the flag', () => {
    expect(plan({ file: says(A), flag: B }).step).toMatchObject({ tags: A });
    expect(plan({ file: says(undefined), flag: B }).step).toMatchObject({ tags: B });
    expect(plan({ file: { kind: 'absent' }, flag: B }).step).toMatchObject({ tags: B });
  });

  it('of another writer are left alone and reported, and are not ours to take away', () => {
    const node = nodeWith({ tags: B, writers: ['kubectl-edit'] });
    const differ = plan({ file: says(A), node });
    expect(differ).toMatchObject({ step: { kind: 'none' }, reason: 'TagsDiffer' });
    expect(differ.note).toContain('kubectl-edit wrote pool=b');
    expect(plan({ file: says({}), node })).toMatchObject({ step: { kind: 'none' }, reason: 'TagsNotRequested' });
  });

  it('are not written when told to observe', () => {
    expect(plan({ file: says(A), mode: 'observe' })).toMatchObject({ step: { kind: 'none' }, reason: 'ObservedOnly' });
  });
});

describe('tags that nothing asks for any more', () => {
  const node = nodeWith({ tags: A });

  it.each([
    ['an empty map', {}, { spec: { ipam: { 'static-ip-tags': { pool: null } } } }],
    ['no tags', undefined, { spec: { ipam: { 'static-ip-tags': null } } }],
  ])('go after the grace time: %s', (_form, tags, patch) => {
    const first = plan({ file: says(tags), node, nowMs: 0 });
    expect(first).toMatchObject({ step: { kind: 'again', inMs: 300_000 }, reason: 'TagsRemovalPending' });
    const later = plan({ file: says(tags), node, nowMs: 200_000, history: first.history });
    expect(later.step).toEqual({ kind: 'again', inMs: 100_000 });
    expect(plan({ file: says(tags), node, nowMs: 300_000, history: later.history })).toMatchObject({
      step: { kind: 'write', patch },
      reason: 'TagsWithdrawn',
    });
  });

  it('stay when they are asked for again in time, and the next grace time starts anew', () => {
    const gone = plan({ file: says({}), node, nowMs: 0 });
    const back = plan({ file: says(A), node, nowMs: 200_000, history: gone.history });
    expect(back.step).toEqual({ kind: 'none' });
    expect(plan({ file: says({}), node, nowMs: 299_000, history: back.history }).step).toEqual({
      kind: 'again',
      inMs: 300_000,
    });
  });

  it('B03: stay for ever while the files are broken or missing, also after a restart', () => {
    for (const kind of ['broken', 'absent'] as const) {
      for (const lastCertain of [undefined, { tags: A }]) {
        const kept = plan({ file: { kind }, lastCertain, node, nowMs: 1e9 });
        expect(kept.step).toEqual({ kind: 'none' });
      }
    }
    // Broken files do not make way for the flag either; where there are none at all, it has its say after the grace time.
    expect(plan({ file: { kind: 'broken' }, flag: B, node }).reason).toBe('TagsKept');
    expect(plan({ file: { kind: 'absent' }, flag: B, node }).step).toEqual({ kind: 'again', inMs: 300_000 });
  });
});

describe('Cilium as publisher', () => {
  it.each([
    ['its flag is set', { ipam: 'cluster-pool', 'ipam-static-ip-tags': 'pool=a' }, undefined],
    ['a cloud mode with a CNI file of its own', { ipam: 'eni', 'read-cni-conf': '/tmp/cni' }, undefined],
    ['settings that cannot be read, and a status of a cloud mode', undefined, 'eni' as const],
  ])('is left alone: %s', (_why, ciliumConfig, cloud) => {
    const node = nodeWith({ cloud });
    expect(plan({ file: says(A), node, ciliumConfig })).toMatchObject({
      step: { kind: 'none' },
      reason: 'LeftToCilium',
    });
    expect(plan({ file: says(A), node, ciliumConfig, mode: 'act' }).step.kind).toBe('write');
    // What we have published before we go on with.
    expect(plan({ file: says(B), node: nodeWith({ cloud, tags: A }), ciliumConfig }).step.kind).toBe('write');
  });

  it.each([
    ['a cloud mode without a CNI file of its own', { ipam: 'eni' }, 'eni' as const],
    ['no cloud mode', { ipam: 'kubernetes', 'read-cni-conf': '/tmp/cni' }, undefined],
    ['nothing known', undefined, undefined],
  ])('is not expected: %s', (_why, ciliumConfig, cloud) => {
    expect(plan({ file: says(A), node: nodeWith({ cloud }), ciliumConfig }).step.kind).toBe('write');
  });
});

describe('another writer that takes our tags away', () => {
  /** Writes, and sees the tags taken away again; returns the state after that. */
  function removedOnce(before: PublishPlan, tags: Tags, generation: number): PublishPlan {
    expect(before.step.kind).toBe('write');
    const written = nodeWith({ tags, generation });
    const history = before.history && afterWrite(before.history, { tags, written, nowMs: 0 });
    const seen = planPublish(inputWith({ file: says(tags), node: written, history, nowMs: 0 }));
    expect(seen.reason).toBe('TagsPublished');
    const node = nodeWith({ generation: generation + 1 });
    return planPublish(inputWith({ file: says(tags), node, history: seen.history, nowMs: 0 }));
  }

  it('gets ten seconds, then they are written once more; a second removal is not fought but reported', () => {
    const first = removedOnce(plan({ file: says(A) }), A, 2);
    expect(first).toMatchObject({ step: { kind: 'again', inMs: 10_000 }, reason: 'TagsRemovedByOther' });
    const again = plan({ file: says(A), node: nodeWith({ generation: 3 }), history: first.history, nowMs: 10_000 });
    const second = removedOnce(again, A, 4);
    expect(second).toMatchObject({ step: { kind: 'none' }, reason: 'TagsContested' });
    const muchLater = { node: nodeWith({ generation: 9 }), history: second.history, nowMs: 1e9 };
    expect(plan({ file: says(A), ...muchLater }).reason).toBe('TagsContested');
    // Other tags are another wish, and another object another story.
    expect(plan({ file: says(B), ...muchLater }).step.kind).toBe('write');
    expect(plan({ file: says(A), ...muchLater, node: nodeWith({ uid: 'uid-2' }) }).step.kind).toBe('write');
  });

  it('is also noticed by a process that found the tags published', () => {
    const found = plan({ file: says(A), node: nodeWith({ tags: A, generation: 7 }) });
    const gone = plan({ file: says(A), node: nodeWith({ generation: 8 }), history: found.history });
    expect(gone.reason).toBe('TagsRemovedByOther');
  });

  it('is not seen in an object that is older than our own write', () => {
    const first = plan({ file: says(A) });
    const written = nodeWith({ tags: A, generation: 5 });
    const history = first.history && afterWrite(first.history, { tags: A, written, nowMs: 0 });
    expect(
      planPublish(inputWith({ file: says(A), node: nodeWith({ generation: 4 }), history })).history?.removals,
    ).toBe(0);
  });

  it('is not ourselves: what we withdrew may be published again at once', () => {
    const node = nodeWith({ tags: A });
    const { history } = plan({ file: says({}), node, graceMs: 0 });
    const after = history && afterWrite(history, { tags: {}, written: nodeWith({ generation: 2 }), nowMs: 0 });
    expect(plan({ file: says(A), node: nodeWith({ generation: 2 }), history: after }).step.kind).toBe('write');
  });
});

describe('a CRD without the field', () => {
  it('is reported, and tried again after ten minutes', () => {
    const first = plan({ file: says(A) });
    const history = first.history && afterWrite(first.history, { tags: A, written: nodeWith(), nowMs: 0 });
    const dropped = plan({ file: says(A), history, nowMs: 0 });
    expect(dropped).toMatchObject({ step: { kind: 'again', inMs: DROPPED_RETRY_MS }, reason: 'TagsNotServed' });
    expect(plan({ file: says(A), history: dropped.history, nowMs: DROPPED_RETRY_MS }).step.kind).toBe('write');
  });
});
