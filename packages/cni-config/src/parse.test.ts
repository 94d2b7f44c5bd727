import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { formatFinding } from './finding.ts';
import type { Finding } from './finding.ts';
import type { CniConfig } from './network-config.ts';
import { parseNetworkConfig } from './parse.ts';

const FIXTURES = path.join(import.meta.dirname, '../fixtures/findings');
const fixtures = readdirSync(FIXTURES).filter((name) => !name.endsWith('.txt'));

function read(content: unknown, file = '05-cilium.conflist'): CniConfig & { readonly findings: readonly Finding[] } {
  const result = parseNetworkConfig(typeof content === 'string' ? content : JSON.stringify(content), { file });
  if (!result.ok) throw new Error(result.findings.map(formatFinding).join('\n'));
  return { ...result.config, findings: result.findings };
}

const list = (...plugins: unknown[]) => ({ cniVersion: '0.3.1', name: 'cilium', plugins });
const cilium = (ipam: object) => list({ type: 'cilium-cni', ipam });
const tagsOf = (body: string) => read(`{"plugins":[{"type":"cilium-cni","ipam":{${body}}}]}`).ipam?.staticIpTags;
const codes = ({ findings }: { readonly findings: readonly Finding[] }) => findings.map(({ code }) => code);

describe('findings on fixtures', () => {
  it.each(fixtures)('%s: exactly the expected lines', (name) => {
    const { findings } = parseNetworkConfig(readFileSync(path.join(FIXTURES, name), 'utf8'), { file: name });
    const lines = findings.map((finding) => `${formatFinding(finding)} [${finding.code}]\n`).join('');
    expect(lines).toBe(readFileSync(path.join(FIXTURES, `${name}.txt`), 'utf8'));
  });
});

describe('parseNetworkConfig, where Cilium succeeds', () => {
  it('takes the first entry of type cilium-cni, compared exactly', () => {
    const entries = ['Cilium-CNI', 'cilium-cni', 'cilium-cni'].map((type, index) => ({
      type,
      ipam: { 'static-ip-tags': { n: String(index) } },
    }));
    const config = read(list(...entries));
    expect(config).toMatchObject({ format: 'list', plugin: { type: 'cilium-cni', index: 1 } });
    expect(config.ipam?.staticIpTags).toEqual({ n: '1' });
    expect(codes(config)).toEqual(['misplaced-tags', 'misplaced-tags']);
  });

  it('reads the top level of any other file, whatever its type', () => {
    const ipam = { type: 'host-local', 'static-ip-tags': { pool: 'a' } };
    const config = read({ cniVersion: '0.3.1', name: 'n', type: 'bridge', ipam }, 'x.conf');
    expect(config).toMatchObject({ format: 'single', name: 'n', cniVersion: '0.3.1', plugin: { type: 'bridge' } });
    expect(config.ipam).toEqual({ staticIpTags: { pool: 'a' }, raw: { type: 'host-local' } });
    expect(config.findings).toEqual([]);
  });

  it('matches keys without case, the two odd letters of Unicode folding included', () => {
    const config = read('{"Name":"n","PLUGINS":[{"TYPE":"cilium-cni","Ipam":{"\u017Ftatic-IP-tags":{"pool":"a"}}}]}');
    expect(config.ipam?.staticIpTags).toEqual({ pool: 'a' });
  });

  it('tells absent, null and empty apart as Cilium does', () => {
    expect(read(cilium({})).ipam).toEqual({ staticIpTags: undefined, raw: {} });
    expect(read(cilium({ 'static-ip-tags': null })).ipam?.staticIpTags).toBeUndefined();
    expect(read(cilium({ 'static-ip-tags': {} })).ipam?.staticIpTags).toEqual({});
    expect(read(list({ type: 'cilium-cni' })).ipam).toBeUndefined();
    expect(read(list({ type: 'cilium-cni', ipam: null })).ipam).toBeUndefined();
    expect(read(cilium({})).tagsKnown).toBe(true);
  });

  it('merges repeated tag maps, lets the last value win and a null start afresh', () => {
    expect(tagsOf('"static-ip-tags":{"a":"1","b":"1"},"static-ip-tags":{"b":"2"}')).toEqual({ a: '1', b: '2' });
    expect(tagsOf('"static-ip-tags":{"a":"1"},"static-ip-tags":null,"static-ip-tags":{"b":"2"}')).toEqual({ b: '2' });
    expect(tagsOf('"static-ip-tags":{"a":"1"},"static-ip-tags":null')).toBeUndefined();
  });

  it('gives no tags when one of several repeated maps or values has the wrong type, since Cilium refuses all', () => {
    expect(tagsOf('"static-ip-tags":5,"static-ip-tags":null,"static-ip-tags":{"a":"1"}')).toBeUndefined();
    expect(tagsOf('"static-ip-tags":{"a":5,"a":"1"}')).toBeUndefined();
  });

  it('B02: keeps an empty value and a zero', () => {
    const config = read(cilium({ 'static-ip-tags': { pool: '', tier: 'a', zero: '0' }, 'pre-allocate': 0 }));
    expect(config.ipam).toEqual({
      staticIpTags: { pool: '', tier: 'a', zero: '0' },
      raw: { 'pre-allocate': 0 },
    });
    expect(config.findings).toEqual([]);
  });

  it('treats __proto__ and constructor as tag keys like any other', () => {
    const config = read(
      '{"plugins":[{"type":"cilium-cni","ipam":{"static-ip-tags":{"__proto__":"p","constructor":"c"}}}]}',
    );
    expect(Object.entries(config.ipam?.staticIpTags ?? {})).toEqual([
      ['__proto__', 'p'],
      ['constructor', 'c'],
    ]);
    expect(Object.hasOwn(Object.prototype, 'p')).toBe(false);
  });

  it('replaces a lone surrogate, as Go does', () => {
    const config = read('{"plugins":[{"type":"cilium-cni","ipam":{"static-ip-tags":{"a\\ud800":"\\udfff"}}}]}');
    expect(config.ipam?.staticIpTags).toEqual({ 'a\uFFFD': '\uFFFD' });
  });
});

describe('parseNetworkConfig, where Cilium loses tags', () => {
  it.each([
    [
      'another entry',
      list({ type: 'aws-cni', mtu: '9001' }, { type: 'cilium-cni', ipam: { 'static-ip-tags': { a: '1' } } }),
    ],
    ['its own entry', list({ type: 'cilium-cni', 'enable-debug': 'yes', ipam: { 'static-ip-tags': { a: '1' } } })],
    ['its ipam block', cilium({ 'pre-allocate': '8', 'static-ip-tags': { a: '1' } })],
    ['a later entry', list({ type: 'cilium-cni', ipam: { 'static-ip-tags': { a: '1' } } }, { type: 'x', dns: [] })],
  ])('keeps them over a wrong type in %s, and says so', (_, content) => {
    const config = read(content);
    expect(config.ipam?.staticIpTags).toEqual({ a: '1' });
    expect(codes(config)).toEqual(['cilium-drops-tags']);
  });

  it('says nothing of lost tags when there are none to lose', () => {
    expect(codes(read(list({ type: 'aws-cni', mtu: '9001' }, { type: 'cilium-cni' })))).toEqual(['wrong-type']);
  });

  it('does not object to types that Cilium does not decode', () => {
    const foreign = { type: 'aws-cni', vethPrefix: 1, runtimeConfig: [], snat: 'x', ipam: { subnet: 5, ranges: {} } };
    expect(read(list(foreign, { type: 'cilium-cni' })).findings).toEqual([]);
  });
});

describe('parseNetworkConfig on mistakes', () => {
  it.each(['staticIpTags', 'static_ip_tags', 'staticIPTags', 'static-ip-tag', 'static-ips-tags', 'StaticIpTags'])(
    'B07: loads a file with %s, with one warning that names the file, the path and the intended key',
    (key) => {
      const config = read(cilium({ [key]: { pool: 'a' } }), '/etc/cni/net.d/05-cilium.conflist');
      expect(config.ipam?.staticIpTags).toBeUndefined();
      expect(config.tagsKnown).toBe(false);
      expect(config.findings).toEqual([
        expect.objectContaining({
          severity: 'warning',
          code: 'misspelt-tags-key',
          file: '/etc/cni/net.d/05-cilium.conflist',
          line: 1,
          pointer: `/plugins/0/ipam/${key}`,
          intendedKey: 'static-ip-tags',
        }),
      ]);
    },
  );

  it.each([
    [['a'], 'tags-not-object'],
    ['a', 'tags-not-object'],
    [{ n: 5 }, 'tag-value-not-string'],
    [{ n: { deep: 'x' } }, 'tag-value-not-string'],
  ])('B07: gives a typed error for tags %j and leaves other ipam fields alone', (tags, code) => {
    const config = read(cilium({ 'min-allocate': 3, 'static-ip-tags': tags, pools: { requested: [] } }));
    expect(config.ipam).toEqual({ staticIpTags: undefined, raw: { 'min-allocate': 3, pools: { requested: [] } } });
    expect(config.findings).toEqual([expect.objectContaining({ severity: 'error', code })]);
    expect(config.tagsKnown).toBe(false);
  });

  it('B07: never selects by a part of the tags when one value is wrong', () => {
    expect(read(cilium({ 'static-ip-tags': { cluster: 'a', pool: 5 } })).ipam?.staticIpTags).toBeUndefined();
  });

  it('does not take tag keys, subnet tags or distant words for a misspelt key', () => {
    const ipam = { 'static-ip-tags': { staticIpTags: 'x' }, 'pre-allocate': 1 };
    const eni = { 'subnet-tags': { 'static-ip-tag': 'x' }, 'security-group-tags': {} };
    expect(read(list({ type: 'cilium-cni', ipam, eni })).findings).toEqual([]);
  });

  it('gives line and column in a file with CRLF', () => {
    const text = JSON.stringify(cilium({ 'static-ip-tags': { pool: 5 } }), null, 2).replaceAll('\n', '\r\n');
    const line = text.split('\r\n').findIndex((l) => l.includes('"pool"')) + 1;
    const column = (text.split('\r\n')[line - 1] ?? '').indexOf('5') + 1;
    expect(read(text).findings).toEqual([expect.objectContaining({ line, column })]);
  });

  it.each(['', 'null', '[]', '"x"', '{', '{"a":01}', '{"a":"\u0001"}', '{"a":1}}', "{'a':1}", '\u00A0{}'])(
    'refuses %j with one error',
    (text) => {
      const result = parseNetworkConfig(text, { file: 'x.conf' });
      expect(result.ok).toBe(false);
      expect(result.findings.map(({ severity }) => severity)).toEqual(['error']);
    },
  );

  it('refuses huge and deeply nested text instead of running out of stack', () => {
    const nested = `{"a":${'['.repeat(30_000)}${']'.repeat(30_000)}}`;
    expect(parseNetworkConfig(nested, { file: 'x' }).findings.map(({ code }) => code)).toEqual(['too-deep']);
    const huge = `{"a":"${'x'.repeat(2_000_000)}"}`;
    expect(parseNetworkConfig(huge, { file: 'x' }).findings.map(({ code }) => code)).toEqual(['too-large']);
  });

  it('is not misled by brackets in strings when it measures nesting', () => {
    expect(read({ type: 'x', note: '[{"\\'.repeat(500) }, 'x.conf').findings).toEqual([]);
  });
});
