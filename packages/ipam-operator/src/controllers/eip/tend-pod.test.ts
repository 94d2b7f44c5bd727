import { describe, expect, it } from '@jest/globals';
import { KubeError } from '@static-ip/kube';
import type { Eip } from '../../api/eip.ts';
import { ANNOTATION, CONDITION, FINALIZER, LABEL, LEGACY_POD_FINALIZERS } from '../../api/names.ts';
import type { Pod } from '../../api/pod.ts';
import { ago, eip, pod, storeOf, withMetadata } from '../../testing/objects.ts';
import { createEipWriter } from './eip-writer.ts';
import { tendPod } from './tend-pod.ts';

const AUTO = { labels: { [LABEL.manage]: 'true', [LABEL.autocreateEip]: 'TRUE' } };
const HELD = {
  allocationId: 'eipalloc-1',
  publicIpAddress: '198.51.100.1',
  associationId: 'eipassoc-1',
  resourceId: 'web',
  privateIpAddress: '10.0.0.7',
  eni: 'eni-1',
};
const FOR_WEB = { kind: 'pod', podName: 'web' } as const;

type Code = 'notFound' | 'conflict' | 'alreadyExists';

/** Tends `default/web`; resolves to the writes, in order. */
async function writes(pods: readonly Pod[], eips: readonly Eip[] = [], refuse?: Code): Promise<unknown[]> {
  const done: unknown[] = [];
  // A result would be the object as it is then, which nobody here asks for: "gone" is as good an answer.
  const answer = (write: unknown, code: Code = 'notFound'): never => {
    done.push(write);
    throw new KubeError(code, 'no');
  };
  const client = {
    create: async (_resource: unknown, create: unknown) => answer({ create }, refuse),
    delete: async (_resource: unknown, ref: unknown, options: unknown) => answer({ delete: ref, options }),
    patch: async (_resource: unknown, _ref: unknown, { body }: { readonly body: unknown }) =>
      answer(body, done.length === 0 ? refuse : undefined),
  };
  const deps = {
    pods: storeOf(...pods),
    eips: storeOf(...eips),
    namedBy: () => eips.map(({ metadata }) => `default/${metadata.name}`),
    client,
    writer: createEipWriter(client),
    onForeignAnnotation: (_pod: Pod, annotations: readonly string[]) => void done.push({ foreign: annotations }),
  };
  await tendPod('default/web', deps, new AbortController().signal);
  return done;
}

const annotated = { [ANNOTATION.allocationId]: 'eipalloc-1', [ANNOTATION.externalDnsTarget]: '198.51.100.1' };
const annotating = (annotations: object) =>
  expect.objectContaining({ metadata: expect.objectContaining({ annotations }) });
const removing = (path: string) => expect.arrayContaining([{ op: 'remove', path }]);

describe('a pod that asks for an Eip of its own', () => {
  it('gets one that bears the finalizer from the first moment on', async () => {
    const metadata = { name: 'web', finalizers: [FINALIZER.eip] };
    await expect(writes([pod('web', {}, AUTO)])).rejects.toMatchObject({ code: 'notFound' });
    expect(await writes([pod('web', {}, AUTO)], [], 'alreadyExists')).toMatchObject([{ create: { metadata } }]);
  });

  it('gets none when it is unmanaged, finished, going, or has one', async () => {
    expect(await writes([pod('web', {}, { labels: { [LABEL.autocreateEip]: 'true' } })])).toEqual([]);
    expect(await writes([pod('web', { phase: 'Failed' }, AUTO)])).toEqual([]);
    expect(await writes([pod('web', {}, { ...AUTO, deletionTimestamp: ago(0) })])).toEqual([]);
    expect(await writes([pod('web', {}, AUTO)], [eip('web', FOR_WEB)])).toEqual([]);
  });

  it('takes it along, also one that the predecessor made; never a user’s', async () => {
    const mine = withMetadata(eip('web', FOR_WEB), { labels: { [LABEL.autocreated]: 'true' } });
    const deletion = { delete: { name: 'web', namespace: 'default' }, options: { uid: 'uid-web' } };
    expect(await writes([], [mine])).toEqual([deletion]);
    expect(await writes([pod('web', { phase: 'Succeeded' }, AUTO)], [eip('web', FOR_WEB)])).toEqual([deletion]);
    expect(await writes([], [eip('web', FOR_WEB)])).toEqual([]);
    expect(await writes([pod('web', { phase: 'Succeeded' })], [eip('web', FOR_WEB)])).toEqual([]);
  });
});

describe('the annotations of a pod', () => {
  it('B42: are written when the address is confirmed, once', async () => {
    expect(await writes([pod('web')], [eip('a', FOR_WEB, HELD)])).toEqual([annotating(annotated)]);
    expect(await writes([pod('web', {}, { annotations: annotated })], [eip('a', FOR_WEB, HELD)])).toEqual([]);
    expect(await writes([pod('web')], [eip('a', FOR_WEB, { ...HELD, associationId: undefined })])).toEqual([]);
  });

  it('B42: are taken off when no Eip is on the pod, by name and address', async () => {
    const shown = pod('web', {}, { annotations: annotated });
    expect(await writes([shown], [])).toHaveLength(1);
    expect(await writes([shown], [eip('a', FOR_WEB, { ...HELD, privateIpAddress: '10.0.0.8' })])).toHaveLength(1);
    expect(await writes([shown], [eip('a', { kind: 'node', labels: { a: 'b' } }, HELD)])).toHaveLength(1);
  });

  it('B42: are left to whoever else has set them', async () => {
    const own = { [ANNOTATION.externalDnsTarget]: 'user.example' };
    const done = await writes([pod('web', {}, { annotations: own })], [eip('a', FOR_WEB, HELD)], 'conflict');
    const { [ANNOTATION.allocationId]: allocationId } = annotated;
    expect(done.slice(1)).toEqual([
      annotating({ [ANNOTATION.allocationId]: allocationId }),
      { foreign: [ANNOTATION.externalDnsTarget] },
    ]);
    const again = pod('web', {}, { annotations: { ...own, [ANNOTATION.allocationId]: 'eipalloc-1' } });
    expect(await writes([again], [eip('a', FOR_WEB, HELD)])).toEqual([]);
  });
});

describe('the finalizers of a pod', () => {
  const held = { finalizers: ['example.com/x', FINALIZER.pod] };

  it('B26: go with the last Eip on it, whatever the pod never had', async () => {
    const going = pod('web', { podIp: undefined, nodeName: undefined }, { ...held, deletionTimestamp: ago(0) });
    expect(await writes([going])).toEqual([removing('/metadata/finalizers/1')]);
    expect(await writes([pod('web', { phase: 'Succeeded' }, held)])).toEqual([removing('/metadata/finalizers/1')]);
    expect(await writes([pod('web', {}, { ...held, labels: {} })])).toEqual([removing('/metadata/finalizers/1')]);
  });

  it('stay while an Eip is on it, and while the pod lives', async () => {
    const going = pod('web', {}, { ...held, deletionTimestamp: ago(0), annotations: annotated });
    expect(await writes([going], [eip('a', FOR_WEB, HELD)])).toEqual([]);
    expect(await writes([pod('web', {}, held)])).toEqual([]);
  });

  it('of earlier times go at once', async () => {
    expect(await writes([pod('web', {}, { finalizers: [...LEGACY_POD_FINALIZERS] })])).toEqual([
      removing('/metadata/finalizers/0'),
    ]);
  });
});

const condition = (status: string) =>
  expect.objectContaining({ status: { conditions: [expect.objectContaining({ type: CONDITION.podReady, status })] } });

describe('the readiness gate of a pod', () => {
  const gated = { readinessGates: [CONDITION.podReady] };
  it('opens with the confirmed address and closes without', async () => {
    const shown = pod('web', gated, { annotations: annotated });
    expect(await writes([shown], [eip('a', FOR_WEB, HELD)])).toEqual([condition('True')]);
    const open = { ...gated, conditions: [{ type: CONDITION.podReady, status: 'True' } as const] };
    expect(await writes([pod('web', open)])).toEqual([condition('False')]);
    expect(await writes([pod('web', open, { annotations: annotated })], [eip('a', FOR_WEB, HELD)])).toEqual([]);
  });

  it('is nobody’s business where there is none', async () => {
    expect(await writes([pod('web', {}, { annotations: annotated })], [eip('a', FOR_WEB, HELD)])).toEqual([]);
  });
});
