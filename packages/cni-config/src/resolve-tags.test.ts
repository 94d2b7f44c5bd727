import { describe, expect, it } from '@jest/globals';
import { ciliumNodePatch } from './cilium-node-patch.ts';
import type { ParseResult, Tags } from './network-config.ts';
import { parseNetworkConfig } from './parse.ts';
import { keepLastGoodTags, resolveTags } from './resolve-tags.ts';

const MODES = ['eni', 'azure', 'alibabacloud', 'cluster-pool', 'kubernetes', 'multi-pool', 'delegated-plugin', 'crd'];

/** What an installation in this mode typically has beside the tags. */
function conflistFor(mode: string): string {
  const blocks: Record<string, object> = {
    eni: { eni: { 'first-interface-index': 0, 'subnet-tags': { role: 'pods' } } },
    azure: { azure: { 'interface-name': 'eth0' } },
    alibabacloud: { 'alibaba-cloud': { 'vpc-id': 'vpc-1' } },
  };
  const ipam = {
    ...(mode === 'delegated-plugin' ? { type: 'host-local', subnet: '10.1.0.0/24' } : { 'pre-allocate': 0 }),
    'static-ip-tags': { tier: 'a', pool: '' },
  };
  const plugins = [{ type: 'cilium-cni', ...blocks[mode], ipam }];
  return JSON.stringify({ cniVersion: '0.3.1', name: 'cilium', plugins });
}

function fileTags(text: string): Tags | undefined {
  return keepLastGoodTags(parseNetworkConfig(text, { file: '05-cilium.conflist' }), undefined);
}

function read(ipam: object): ParseResult {
  const text = JSON.stringify({ name: 'c', plugins: [{ type: 'cilium-cni', ipam }] });
  return parseNetworkConfig(text, { file: 'c.conflist' });
}

describe('resolveTags', () => {
  it('B01: gives a byte-identical CiliumNode patch in every IPAM mode, from the file', () => {
    const bodies = MODES.map((mode) => {
      const file = fileTags(conflistFor(mode));
      return JSON.stringify(ciliumNodePatch(resolveTags({ file }).tags));
    });
    expect(new Set(bodies)).toEqual(new Set(['{"spec":{"ipam":{"static-ip-tags":{"pool":"","tier":"a"}}}}']));
  });

  it('B01: gives the same patch when the same tags come from the flag only', () => {
    const { source, tags } = resolveTags({ flag: { pool: '', tier: 'a' } });
    expect(source).toBe('flag');
    expect(JSON.stringify(ciliumNodePatch(tags))).toBe('{"spec":{"ipam":{"static-ip-tags":{"pool":"","tier":"a"}}}}');
  });

  it('B01: prefers the file to the flag and does not merge them', () => {
    expect(resolveTags({ file: { a: '1' }, flag: { b: '2' } })).toEqual({ source: 'file', tags: { a: '1' } });
  });

  it('lets the flag through an empty map in the file, as Cilium does', () => {
    expect(resolveTags({ file: {}, flag: { b: '2' } })).toEqual({ source: 'flag', tags: { b: '2' } });
  });

  it('keeps an empty map apart from an absent one', () => {
    expect(resolveTags({ file: {} })).toEqual({ source: 'file', tags: {} });
    expect(resolveTags({})).toEqual({ source: 'none', tags: undefined });
    expect(resolveTags({ flag: {} })).toEqual({ source: 'flag', tags: {} });
  });
});

describe('keepLastGoodTags', () => {
  const lastGood = { pool: 'a' };
  it('takes what the file says, the empty map included', () => {
    expect(keepLastGoodTags(read({ 'static-ip-tags': { pool: 'b' } }), lastGood)).toEqual({ pool: 'b' });
    expect(keepLastGoodTags(read({ 'static-ip-tags': {} }), lastGood)).toEqual({});
  });

  it("believes that tags are gone when Cilium's entry was read without doubt", () => {
    expect(keepLastGoodTags(read({ 'pre-allocate': 1 }), lastGood)).toBeUndefined();
  });

  it('B03: keeps the last good tags over a broken file, a wrong type, a misspelt key and another CNI', () => {
    const doubtful = [
      parseNetworkConfig('{"plugins": [', { file: 'c.conflist' }),
      parseNetworkConfig('{"name":"x","plugins":[{"type":"calico"}]}', { file: 'c.conflist' }),
      read({ 'static-ip-tags': ['pool'] }),
      read({ 'static-ip-tags': { pool: 5 } }),
      read({ staticIpTags: { pool: 'b' } }),
    ];
    expect(doubtful.map((result) => keepLastGoodTags(result, lastGood))).toEqual(doubtful.map(() => lastGood));
  });
});
