import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createKubeClient, systemClock } from '@static-ip/kube';
import type { KubeClient } from '@static-ip/kube';
import { eventually, startCluster } from '@static-ip/testkit';
import type { Cluster } from '@static-ip/testkit';
import { EIPS } from '../api/eip.ts';
import type { Eip } from '../api/eip.ts';
import { FINALIZER } from '../api/names.ts';
import { installEipCrd } from '../controllers/eip/install-eip-crd.ts';
import definition from '../schema/eip-crd.json' with { type: 'json' };
import { EIP_VERSIONS, eipObject, eipPath, HELD, HELD_AND_READY } from '../testing/eip-objects.ts';
import type { EipObject } from '../testing/eip-objects.ts';
import { installPredecessorCrd } from '../testing/predecessor-crd.ts';

const DEFINITION = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/eips.materialize.cloud';
const POD = { selector: { pod: { podName: 'web-0' } } };

interface Definition {
  readonly spec: { readonly versions: readonly { readonly name: string; readonly schema: unknown }[] };
  readonly status: { readonly storedVersions: readonly string[] };
  readonly metadata: {
    readonly name: string;
    readonly managedFields: readonly { readonly manager: string; readonly operation: string }[];
  };
  readonly apiVersion: string;
  readonly kind: string;
}

let cluster: Cluster;
let client: KubeClient;
beforeAll(async () => {
  cluster = await startCluster();
  client = createKubeClient({
    kubeconfig: cluster.kubeconfigPath,
    userAgent: 'test',
    fieldManager: 'static-ip',
    clock: systemClock,
  });
  const { api } = cluster;
  await installPredecessorCrd(api, ['v1']);
  await api.createWithStatus({ ...held(eipObject({ podName: 'web-0' }, 'v1', 'stored-as-v1')), status: HELD });
  await installPredecessorCrd(api, ['v1', 'v2']);
  const status = { ...HELD, associationId: null };
  await api.createWithStatus({ ...held(eipObject(POD, 'v2', 'stored-as-v2')), status });
  for (const name of ['lost-its-pod', 'lost-its-pod-too']) {
    await api.create(held(eipObject({ podName: 'web-0' }, 'v1', name)));
  }
  await installEipCrd(client, AbortSignal.timeout(10_000));
  await eventually(everyVersionKnowsTheNewFields, { timeoutMs: 20_000 });
}, 120_000);
afterAll(async () => {
  await client.close();
  await cluster.stop();
});

/** The server takes a moment to serve by the definition it has. */
async function everyVersionKnowsTheNewFields(): Promise<void> {
  for (const version of EIP_VERSIONS) {
    const path = `${eipPath(version)}?dryRun=All&fieldValidation=Strict`;
    const body = eipObject({ podName: 'web-0', reclaimPolicy: 'Retain' }, version, 'probe');
    const { spec } = await cluster.api.send<EipObject>({ method: 'POST', path, body });
    expect(spec).toEqual(body.spec);
  }
}

function held(eip: EipObject): EipObject {
  return { ...eip, metadata: { ...eip.metadata, finalizers: [FINALIZER.eip] } };
}

async function read(name: string): Promise<Eip> {
  return client.get(EIPS, { name, namespace: 'default' }, AbortSignal.timeout(10_000));
}

async function untilGone(name: string): Promise<void> {
  await cluster.api.delete(eipPath('v2', name));
  await cluster.api.patch(eipPath('v2', name), { metadata: { finalizers: null } });
  expect(await cluster.api.find(eipPath('v2', name))).toBeUndefined();
}

describe('our definition over that of k8s-eip-operator', () => {
  it('replaces all of it, under the same field manager, and keeps both stored versions', async () => {
    const { spec, status, metadata } = await cluster.api.get<Definition>(DEFINITION);
    expect(spec).toMatchObject(definition.spec);
    expect(status.storedVersions).toEqual(['v1', 'v2']);
    const appliers = metadata.managedFields.filter(({ operation }) => operation === 'Apply');
    expect(appliers.map(({ manager }) => manager)).toEqual(['eip.materialize.cloud']);
  });

  it('changes nothing when it is installed again', async () => {
    const before = await cluster.api.get<Definition>(DEFINITION);
    await installEipCrd(client, AbortSignal.timeout(10_000));
    expect(await cluster.api.get<Definition>(DEFINITION)).toEqual(before);
  });

  it('reads an object that was stored as v1 with its pod and all of its status, in both versions', async () => {
    for (const version of EIP_VERSIONS) {
      expect(await cluster.api.get<EipObject>(eipPath(version, 'stored-as-v1'))).toMatchObject({
        spec: { podName: 'web-0' },
        status: HELD,
        metadata: { finalizers: [FINALIZER.eip] },
      });
    }
    expect(await read('stored-as-v1')).toMatchObject({ selector: { kind: 'pod', podName: 'web-0' }, status: HELD });
  });

  it('keeps all of an object that was stored as v1 when it is stored again as v2', async () => {
    await cluster.api.patchStatus(eipPath('v2', 'stored-as-v1'), HELD_AND_READY);
    await cluster.api.patch(eipPath('v1', 'stored-as-v1'), { metadata: { labels: { team: 'web' } } });
    expect(await cluster.api.get<EipObject>(eipPath('v2', 'stored-as-v1'))).toMatchObject({
      spec: { podName: 'web-0' },
      status: HELD_AND_READY,
      metadata: { labels: { team: 'web' }, finalizers: [FINALIZER.eip] },
    });
  });

  it('reads an object that was stored as v2 with nulls in its status', async () => {
    const eip = await read('stored-as-v2');
    expect(eip.selector).toEqual({ kind: 'pod', podName: 'web-0' });
    expect(eip.status).toMatchObject({ ...HELD, associationId: undefined });
  });

  it('lets an object that lost its pod be told so, and be mended', async () => {
    expect(await read('lost-its-pod')).toMatchObject({ selector: { kind: 'invalid' } });
    const { conditions } = HELD_AND_READY;
    const told = await cluster.api.patchStatus<EipObject>(eipPath('v2', 'lost-its-pod'), { conditions });
    expect(told.status).toEqual({ conditions });
    const mended = await cluster.api.patch<EipObject>(eipPath('v2', 'lost-its-pod'), { spec: { podName: 'web-1' } });
    expect(mended.spec).toEqual({ podName: 'web-1' });
  });

  it('lets every object be finalized, one that lost its pod too', async () => {
    await untilGone('stored-as-v1');
    await untilGone('stored-as-v2');
    await untilGone('lost-its-pod');
    await untilGone('lost-its-pod-too');
  });
});

describe('a definition that stores a version of the future', () => {
  it('is left as it is', async () => {
    const { spec } = await cluster.api.get<Definition>(DEFINITION);
    const versions = spec.versions.map((version) => ({ ...version, storage: false }));
    const [newest] = versions;
    const future = { versions: [{ ...newest, name: 'v3', storage: true }, ...versions] };
    await cluster.api.patch(DEFINITION, { spec: future });
    await eventually(
      async () => {
        const { status } = await cluster.api.get<Definition>(DEFINITION);
        expect(status.storedVersions).toContain('v3');
      },
      { timeoutMs: 10_000 },
    );
    await expect(installEipCrd(client, AbortSignal.timeout(10_000))).rejects.toMatchObject({ code: 'invalid' });
  });
});
