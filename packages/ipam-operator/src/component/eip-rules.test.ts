import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { startCluster } from '@static-ip/testkit';
import type { Cluster } from '@static-ip/testkit';
import { EIP_CRD, EIP_VERSIONS, eipObject, eipPath } from '../testing/eip-objects.ts';
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
const tags = (count: number): Readonly<Record<string, string>> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`key-${index}`, '']));

describe.each(EIP_VERSIONS)('an Eip written through %s', (version) => {
  it.each<[string, EipObject['spec']]>([
    ['podName', { podName: 'web-0' }],
    ['a pod by name', POD],
    ['a pod by labels', { selector: { pod: { labels: { app: 'web' } } } }],
    ['a node', NODE],
    [
      'tags of a pool, with keys and values as long as EC2 has them',
      { ...POD, staticIpTags: { ['k'.repeat(128)]: 'v'.repeat(256) } },
    ],
    ['50 tags', { ...POD, staticIpTags: tags(50) }],
    ['a given address, kept', { ...POD, allocationId: 'eipalloc-0a1b', reclaimPolicy: 'Retain' }],
    [
      'where to allocate',
      { ...POD, publicIpv4Pool: 'ipv4pool-ec2-1', networkBorderGroup: 'us-west-2-lax-1', reclaimPolicy: 'Delete' },
    ],
  ])('may have %s, and keeps it word by word in both versions', async (_what, spec) => {
    await cluster.api.create(eipObject(spec, version));
    for (const read of EIP_VERSIONS) expect((await cluster.api.get<EipObject>(eipPath(read, 'a'))).spec).toEqual(spec);
  });

  it.each<[string, EipObject['spec'], string]>([
    [
      'nothing',
      {},
      'no pod and no node is chosen; set exactly one of podName, selector.pod.podName, selector.pod.labels and selector.node.selector',
    ],
    ['an empty selector', { selector: {} }, 'no pod and no node is chosen'],
    ['an empty pod selector', { selector: { pod: {} } }, 'no pod and no node is chosen'],
    ['an empty node selector', { selector: { node: {} } }, 'no pod and no node is chosen'],
    [
      'podName and selector',
      { podName: 'web-0', ...POD },
      'podName and selector both choose; remove podName, or remove selector',
    ],
    [
      'pod and node',
      { selector: { ...POD.selector, ...NODE.selector } },
      'an address is for a pod or for a node, not for both; remove pod or node',
    ],
    [
      'podName and labels',
      { selector: { pod: { podName: 'web-0', labels: { a: 'b' } } } },
      'a pod is chosen by podName or by labels, not by both; remove one of them',
    ],
    [
      'pod labels without a label',
      { selector: { pod: { labels: {} } } },
      'empty labels would match every pod; name at least one label',
    ],
    [
      'node labels without a label',
      { selector: { node: { selector: {} } } },
      'an empty selector would match every node; name at least one label',
    ],
    ['a podName that no pod can have', { podName: 'Web_0' }, 'spec.podName in body should match'],
    ['an empty podName', { podName: '' }, 'spec.podName in body should be at least 1 chars long'],
    [
      'a label value that no pod can have',
      { selector: { pod: { labels: { a: 'b'.repeat(64) } } } },
      'may not be more than 63',
    ],
    [
      'tags without a tag',
      { ...POD, staticIpTags: {} },
      'empty staticIpTags would match every address; name at least one tag, or remove the field to allocate an address',
    ],
    ['51 tags', { ...POD, staticIpTags: tags(51) }, 'must have at most 50 items'],
    ['a tag without a key', { ...POD, staticIpTags: { '': 'a' } }, 'the key of a tag has 1 to 128 characters'],
    [
      'a tag with too long a key',
      { ...POD, staticIpTags: { ['k'.repeat(129)]: 'a' } },
      'the key of a tag has 1 to 128 characters',
    ],
    ['a tag with too long a value', { ...POD, staticIpTags: { a: 'v'.repeat(257) } }, 'may not be more than 256'],
    [
      'an address for an allocation id',
      { ...POD, allocationId: '198.51.100.7' },
      'allocationId must look like eipalloc-0123456789abcdef0; it is the id of the address, not the address',
    ],
    [
      'a given address and tags',
      { ...POD, allocationId: 'eipalloc-0a', staticIpTags: { a: 'b' } },
      'allocationId names the address already; remove staticIpTags, or remove allocationId',
    ],
    [
      'a given address and a pool',
      { ...POD, allocationId: 'eipalloc-0a', publicIpv4Pool: 'p' },
      'are for allocating an address, but allocationId names one; remove them, or remove allocationId',
    ],
    [
      'a given address and a border group',
      { ...POD, allocationId: 'eipalloc-0a', networkBorderGroup: 'g' },
      'are for allocating an address, but allocationId names one; remove them, or remove allocationId',
    ],
    [
      'tags and a pool',
      { ...POD, staticIpTags: { a: 'b' }, publicIpv4Pool: 'p' },
      'but staticIpTags takes one from a pool of existing ones; remove them, or remove staticIpTags',
    ],
    [
      'tags and a border group',
      { ...POD, staticIpTags: { a: 'b' }, networkBorderGroup: 'g' },
      'but staticIpTags takes one from a pool of existing ones; remove them, or remove staticIpTags',
    ],
    ['another reclaim policy', { ...POD, reclaimPolicy: 'Recycle' }, 'supported values: "Delete", "Retain"'],
    [
      'a given address to be deleted',
      { ...POD, allocationId: 'eipalloc-0a', reclaimPolicy: 'Delete' },
      'an address from allocationId or staticIpTags is never released; remove reclaimPolicy, or set it to Retain',
    ],
    [
      "a pool's address to be deleted",
      { ...POD, staticIpTags: { a: 'b' }, reclaimPolicy: 'Delete' },
      'an address from allocationId or staticIpTags is never released; remove reclaimPolicy, or set it to Retain',
    ],
  ])('may not have %s, and says what to do', async (_what, spec, message) => {
    const refused = cluster.api.create(eipObject(spec, version));
    await expect(refused).rejects.toMatchObject({ status: 422 });
    await expect(refused).rejects.toThrow(message);
  });

  it.each<[string, unknown]>([
    ['changed', 'eipalloc-0b'],
    ['removed', null],
  ])('keeps its allocationId: it may not be %s', async (_what, allocationId) => {
    await cluster.api.create(eipObject({ ...POD, allocationId: 'eipalloc-0a' }, version));
    await expect(cluster.api.patch(eipPath(version, 'a'), { spec: { allocationId } })).rejects.toThrow(
      'allocationId cannot be added, changed or removed later; create another Eip for another address',
    );
  });

  it.each<[string, EipObject['spec'], EipObject['spec'], string]>([
    ['allocationId added', {}, { allocationId: 'eipalloc-0a' }, 'allocationId cannot be added'],
    ['tags added', {}, { staticIpTags: { pool: 'a' } }, 'staticIpTags cannot be added or removed later'],
    [
      'tags removed',
      { staticIpTags: { pool: 'a' } },
      { staticIpTags: null },
      'staticIpTags cannot be added or removed',
    ],
  ])('keeps to where its address comes from: %s are refused', async (_what, before, change, message) => {
    await cluster.api.create(eipObject({ ...POD, ...before }, version));
    await expect(cluster.api.patch(eipPath(version, 'a'), { spec: change })).rejects.toThrow(message);
  });

  it('may have other tags later, and may be turned from a pod to a node', async () => {
    await cluster.api.create(eipObject({ ...POD, staticIpTags: { pool: 'a' } }, version));
    await cluster.api.patch(eipPath(version, 'a'), { spec: { staticIpTags: { pool: 'b' } } });
    const turned = await cluster.api.patch<EipObject>(eipPath(version, 'a'), {
      spec: { selector: { pod: null, ...NODE.selector } },
    });
    expect(turned.spec).toEqual({ ...NODE, staticIpTags: { pool: 'b' } });
  });
});
