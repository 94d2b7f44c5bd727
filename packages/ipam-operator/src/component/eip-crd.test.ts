import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { kubectl, startCluster } from '@static-ip/testkit';
import type { Cluster } from '@static-ip/testkit';
import { EIP_CRD, EIP_VERSIONS, eipObject, eipPath, HELD, HELD_AND_READY } from '../testing/eip-objects.ts';
import type { EipObject } from '../testing/eip-objects.ts';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster();
  await cluster.api.installCrd(EIP_CRD);
}, 120_000);
afterAll(() => cluster.stop());
afterEach(() => cluster.api.delete(eipPath('v2')));

const POD = { selector: { pod: { podName: 'web-0' } } };
const NODE = { selector: { node: { selector: { role: 'egress' } } } };
describe.each(EIP_VERSIONS)('the status of an Eip, through %s', (version) => {
  it('is apart: writing the object leaves it alone, and writing it changes no generation', async () => {
    await cluster.api.createWithStatus({ ...eipObject({ podName: 'web-0' }, version), status: HELD_AND_READY });
    const written = await cluster.api.get<EipObject>(eipPath(version, 'a'));
    expect(written.status).toEqual(HELD_AND_READY);
    expect(written.metadata.generation).toBe(1);
    const { status } = await cluster.api.replace({ ...written, status: {} });
    expect(status).toEqual(HELD_AND_READY);
  });

  it('may be null, and so may its fields, as k8s-eip-operator wrote them', async () => {
    await cluster.api.create(eipObject({ podName: 'web-0' }, version));
    const put = async (status: unknown): Promise<void> => {
      const read = await cluster.api.get<EipObject>(eipPath(version, 'a'));
      await cluster.api.send({ method: 'PUT', path: `${eipPath(version, 'a')}/status`, body: { ...read, status } });
    };
    const nothing = Object.fromEntries(Object.keys(HELD).map((field) => [field, null]));
    await put(nothing);
    expect((await cluster.api.get<EipObject>(eipPath(version, 'a'))).status).toEqual(nothing);
    await put(null);
    expect((await cluster.api.get<EipObject>(eipPath(version, 'a'))).status ?? null).toBeNull();
  });

  it('has one condition of a type, whoever applies it', async () => {
    await cluster.api.createWithStatus({ ...eipObject(POD, version), status: HELD_AND_READY });
    const other = { ...HELD_AND_READY.conditions[0], type: 'EgressVerified' };
    const body = { ...eipObject(POD, version), status: { conditions: [other] } };
    const { status } = await cluster.api.patch<EipObject>(
      eipPath(version, 'a'),
      { ...body, spec: undefined },
      { type: 'apply', subresource: 'status' },
    );
    expect(status?.['conditions']).toEqual([...HELD_AND_READY.conditions, other]);
  });
});

describe('the two versions', () => {
  it('are one object: what v1 created and v2 changed is there in v1', async () => {
    await cluster.api.create(eipObject({ podName: 'web-0', reclaimPolicy: 'Retain' }, 'v1'));
    await cluster.api.patch(eipPath('v2', 'a'), { spec: { networkBorderGroup: 'g' } });
    expect((await cluster.api.get<EipObject>(eipPath('v1', 'a'))).spec).toEqual({
      podName: 'web-0',
      reclaimPolicy: 'Retain',
      networkBorderGroup: 'g',
    });
  });

  it('lose nothing of a v2 object when a client of v1 reads it, changes a label and writes it back', async () => {
    const spec = { ...NODE, staticIpTags: { pool: 'a' }, reclaimPolicy: 'Retain' };
    await cluster.api.createWithStatus({ ...eipObject(spec), status: HELD_AND_READY });
    const read = await cluster.api.get<EipObject>(eipPath('v1', 'a'));
    await cluster.api.replace({ ...read, metadata: { ...read.metadata, labels: { team: 'web' } } });
    expect(await cluster.api.get<EipObject>(eipPath('v2', 'a'))).toMatchObject({
      metadata: { labels: { team: 'web' }, generation: 1 },
      spec,
      status: HELD_AND_READY,
    });
  });
});

/** Head and rows of `kubectl get -o wide`, cell by cell. */
async function wide(name: string): Promise<readonly (readonly string[])[]> {
  const text = await kubectl(cluster, ['get', name, '-o', 'wide']);
  return text
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/\s{2,}/));
}

describe('kubectl', () => {
  it('shows address, state and, with -o wide, interface, holder and association', async () => {
    await cluster.api.createWithStatus({ ...eipObject(POD), status: HELD_AND_READY });
    expect(await wide('eip')).toEqual([
      [
        'NAME',
        'ALLOCATIONID',
        'PUBLICIP',
        'READY',
        'REASON',
        'SELECTOR',
        'ENI',
        'PRIVATEIP',
        'RESOURCEID',
        'ASSOCIATIONID',
        'POD',
      ],
      [
        'a',
        'eipalloc-0a1b',
        '198.51.100.7',
        'True',
        'AddressAssigned',
        '{"pod":{"podName":"web-0"}}',
        'eni-0a1b',
        '10.0.0.7',
        'web-0',
        'eipassoc-0a1b',
      ],
    ]);
  });

  it('shows the pod of an object of v1', async () => {
    await cluster.api.createWithStatus({ ...eipObject({ podName: 'web-0' }, 'v1'), status: HELD_AND_READY });
    const [head, row] = await wide('eips.v1.materialize.cloud');
    expect(head).toEqual([
      'NAME',
      'ALLOCATIONID',
      'PUBLICIP',
      'READY',
      'REASON',
      'POD',
      'ENI',
      'PRIVATEIP',
      'RESOURCEID',
      'ASSOCIATIONID',
      'SELECTOR',
    ]);
    expect(row?.[5]).toBe('web-0');
  });

  it.each(['eips', 'eip', 'sip', 'static-ip'])('finds Eips by the name %s', async (name) => {
    await cluster.api.create(eipObject(POD));
    expect(await kubectl(cluster, ['get', name, '-o', 'name'])).toBe('eip.materialize.cloud/a\n');
  });
});
