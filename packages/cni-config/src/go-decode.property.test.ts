import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { parseNetworkConfig } from './parse.ts';

/** JSON with repeated and ordered keys, as a text can have them. */
type Tree =
  | { readonly t: 'object'; readonly members: readonly (readonly [string, Tree])[] }
  | { readonly t: 'array'; readonly items: readonly Tree[] }
  | { readonly t: 'leaf'; readonly value: string | number | boolean | null };

/** Cilium's NetConf, as far as this test needs it: the variables that Go decodes into. */
type Conf = { name: string; type: string; mtu: number; ipam: Ipam };
type Ipam = { type: string; minAllocate: number; tags: Map<string, string> | undefined };

/**
 * The reference: Go's decoder as it is documented, one variable changed member by member, errors noted and decoding
 * carried on. Deliberately another shape than the product, which first collects and then decides.
 */
class GoDecoder {
  failed = false;

  conf(conf: Conf, tree: Tree): void {
    this.struct(tree, {
      name: (value) => (conf.name = this.text(conf.name, value)),
      type: (value) => (conf.type = this.text(conf.type, value)),
      mtu: (value) => (conf.mtu = this.int(conf.mtu, value)),
      ipam: (value) => this.ipam(conf.ipam, value),
    });
  }

  /** `plugins` of a list: a slice of pointers, whose elements a repeated key decodes into again. */
  plugins(tree: Tree): readonly (Conf | undefined)[] {
    let plugins: readonly (Conf | undefined)[] = [];
    this.struct(tree, {
      plugins: (value) => {
        if (isNull(value)) plugins = [];
        else if (value.t === 'array') plugins = value.items.map((item, index) => this.pointer(plugins[index], item));
        else this.failed = true;
      },
    });
    return plugins;
  }

  private pointer(conf: Conf | undefined, tree: Tree): Conf | undefined {
    if (isNull(tree)) return undefined;
    const target = conf ?? newConf();
    this.conf(target, tree);
    return target;
  }

  private ipam(ipam: Ipam, tree: Tree): void {
    this.struct(tree, {
      type: (value) => (ipam.type = this.text(ipam.type, value)),
      'min-allocate': (value) => (ipam.minAllocate = this.int(ipam.minAllocate, value)),
      'static-ip-tags': (value) => (ipam.tags = this.map(ipam.tags, value)),
    });
  }

  private struct(tree: Tree, fields: Readonly<Record<string, (value: Tree) => void>>): void {
    if (tree.t === 'object') for (const [key, value] of tree.members) fields[key.toLowerCase()]?.(value);
    else this.failed ||= !isNull(tree);
  }

  private map(current: Map<string, string> | undefined, tree: Tree): Map<string, string> | undefined {
    if (isNull(tree)) return undefined;
    if (tree.t !== 'object') this.failed = true;
    const map = current ?? new Map<string, string>();
    for (const [key, value] of tree.t === 'object' ? tree.members : []) map.set(key, this.text('', value));
    return map;
  }

  private text(current: string, tree: Tree): string {
    if (tree.t === 'leaf' && typeof tree.value === 'string') return tree.value;
    this.failed ||= !isNull(tree);
    return current;
  }

  private int(current: number, tree: Tree): number {
    if (tree.t === 'leaf' && Number.isInteger(tree.value)) return Number(tree.value);
    this.failed ||= !isNull(tree);
    return current;
  }
}

const isNull = (tree: Tree): boolean => tree.t === 'leaf' && tree.value === null;
const newConf = (): Conf => ({ name: '', type: '', mtu: 0, ipam: { type: '', minAllocate: 0, tags: undefined } });

type Outcome = { readonly by: 'list' | 'single'; readonly tags: Map<string, string> | undefined } | 'fails' | 'crashes';

/** What Cilium's reader makes of a file. */
function ciliumReads(tree: Tree): Outcome {
  const list = new GoDecoder();
  const plugins = list.plugins(tree);
  for (const entry of list.failed ? [] : plugins) {
    if (entry === undefined) return 'crashes';
    if (entry.type === 'cilium-cni') return { by: 'list', tags: entry.ipam.tags };
  }
  const single = new GoDecoder();
  const conf = newConf();
  single.conf(conf, tree);
  return single.failed ? 'fails' : { by: 'single', tags: conf.ipam.tags };
}

const leaf = (value: string | number | boolean | null): Tree => ({ t: 'leaf', value });
const object = (members: readonly (readonly [string, Tree])[]): Tree => ({ t: 'object', members });
const array = (items: readonly Tree[]): Tree => ({ t: 'array', items });

/** Mostly the right value, now and then null or something else. */
function mostly(right: fc.Arbitrary<Tree>): fc.Arbitrary<Tree> {
  const wrong = fc.constantFrom(leaf(5), leaf(1.5), leaf('x'), leaf(true), array([]), object([]));
  return fc.oneof(
    { weight: 12, arbitrary: right },
    { weight: 1, arbitrary: fc.constant(leaf(null)) },
    { weight: 1, arbitrary: wrong },
  );
}

const anyCase = (key: string): fc.Arbitrary<string> => fc.oneof(fc.constant(key), fc.mixedCase(fc.constant(key)));

/** An object with some of these members, in any order and any case, some of them twice. */
function someOf(fields: Readonly<Record<string, fc.Arbitrary<Tree>>>): fc.Arbitrary<Tree> {
  const member = fc.oneof(...Object.entries(fields).map(([key, value]) => fc.tuple(anyCase(key), value)));
  return fc.array(member, { maxLength: 5 }).map(object);
}

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('', '0', 'a', '__proto__', 'toString'),
);
const int = fc.integer({ min: -5, max: 9000 }).map(leaf);
const tagMap = fc.array(fc.tuple(text, mostly(text.map(leaf))), { maxLength: 4 }).map(object);
const ipam = someOf({
  'static-ip-tags': mostly(tagMap),
  'min-allocate': mostly(int),
  type: mostly(fc.constant(leaf('x'))),
});
const pluginType = fc.constantFrom(leaf('cilium-cni'), leaf('aws-cni'), leaf('Cilium-cni'));
const entry = someOf({ type: pluginType, ipam: mostly(ipam), mtu: mostly(int), vethPrefix: fc.constant(leaf('eni')) });
const plugins = fc.array(mostly(entry), { maxLength: 3 }).map(array);
const topLevel = { ipam: mostly(ipam), name: mostly(fc.constant(leaf('n'))), mtu: mostly(int) };
const anyFile = someOf({ plugins: mostly(plugins), ...topLevel });

/** Every other file has a list with an entry of Cilium, since chance alone seldom makes one. */
const ciliumEntry = fc.tuple(entry, ipam).map(([made, block]) => {
  const members = made.t === 'object' ? made.members : [];
  return object([...members, ['type', leaf('cilium-cni')], ['ipam', block]]);
});
const ciliumFile = fc.tuple(someOf(topLevel), plugins, ciliumEntry).map(([made, others, own]) => {
  const members = made.t === 'object' ? made.members : [];
  return object([...members, ['plugins', array([...(others.t === 'array' ? others.items : []), own])]]);
});
const file = fc.oneof(anyFile, ciliumFile);

function print(tree: Tree): string {
  if (tree.t === 'leaf') return JSON.stringify(tree.value);
  if (tree.t === 'array') return `[${tree.items.map(print).join(', ')}]`;
  return `{${tree.members.map(([key, value]) => `${JSON.stringify(key)}: ${print(value)}`).join(',\n')}}`;
}

const sorted = (entries: Iterable<readonly [string, string]>) => [...entries].toSorted(([a], [b]) => (a < b ? -1 : 1));

describe('parseNetworkConfig against a model of Go', () => {
  it("reads the very tags Cilium's reader reads, wherever that one succeeds", () => {
    fc.assert(
      fc.property(file, (tree) => {
        const outcome = ciliumReads(tree);
        const result = parseNetworkConfig(print(tree), { file: 'x.conflist' });
        if (!result.ok) throw new Error('an object is always read');
        if (typeof outcome !== 'object') return;
        const { config, findings } = result;
        const isDeviation = outcome.by === 'single' && config.format === 'list';
        if (isDeviation) return;
        const tags = config.ipam?.staticIpTags;
        expect(tags && sorted(Object.entries(tags))).toEqual(outcome.tags && sorted(outcome.tags));
        expect(findings.filter(({ code }) => code === 'cilium-drops-tags' || code === 'cilium-refuses-file')).toEqual(
          [],
        );
      }),
      { numRuns: 1000 },
    );
  });

  it('names every deviation: tags that Cilium would not read come with a warning', () => {
    fc.assert(
      fc.property(file, (tree) => {
        const outcome = ciliumReads(tree);
        const result = parseNetworkConfig(print(tree), { file: 'x.conflist' });
        if (!result.ok) throw new Error('an object is always read');
        const { config, findings } = result;
        const isSame = typeof outcome === 'object' && outcome.by === config.format;
        if (isSame || config.ipam?.staticIpTags === undefined) return;
        // What a repeated key throws away is not looked into again: there the repetition itself is what is named.
        const named = new Set(['cilium-drops-tags', 'cilium-refuses-file', 'null-plugin', 'duplicate-key']);
        expect(findings.some(({ code }) => named.has(code))).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('parseNetworkConfig on anything', () => {
  it('gives back any tags through any key case, order, line end and byte order mark', () => {
    const form = fc.record({
      key: anyCase('static-ip-tags'),
      ipam: anyCase('ipam'),
      plugins: anyCase('plugins'),
      type: anyCase('type'),
      isReversed: fc.boolean(),
      lineEnd: fc.constantFrom('\n', '\r\n'),
      mark: fc.constantFrom('', '\uFEFF'),
      indent: fc.constantFrom(0, 2, '\t'),
    });
    const wellFormed = fc.string({ unit: 'binary' }).map((s) => s.toWellFormed());
    const tags = fc.dictionary(fc.oneof(wellFormed, fc.constantFrom('__proto__', 'static_ip_tags')), wellFormed);
    fc.assert(
      fc.property(tags, form, (wanted, f) => {
        const ordered = f.isReversed ? Object.entries(wanted).toReversed() : Object.entries(wanted);
        const ipamBlock = { 'pre-allocate': 0, [f.key]: Object.fromEntries(ordered) };
        const pluginEntries = Object.entries({ [f.type]: 'cilium-cni', [f.ipam]: ipamBlock });
        const plugin = Object.fromEntries(f.isReversed ? pluginEntries.toReversed() : pluginEntries);
        const content = JSON.stringify({ cniVersion: '1.0.0', name: 'n', [f.plugins]: [plugin] }, null, f.indent);
        const result = parseNetworkConfig(f.mark + content.replaceAll('\n', f.lineEnd), { file: 'x.conflist' });
        if (!result.ok) throw new Error('must be read');
        expect(sorted(Object.entries(result.config.ipam?.staticIpTags ?? {}))).toEqual(sorted(Object.entries(wanted)));
        expect(result.config.ipam?.raw).toEqual({ 'pre-allocate': 0 });
        expect(result.findings.map(({ code }) => code)).toEqual(f.mark === '' ? [] : ['byte-order-mark']);
      }),
    );
  });

  it('never throws, on any text, any JSON and any damaged configuration, and points into the text', () => {
    const damaged = fc.tuple(file, fc.nat(), fc.nat(40), fc.string({ maxLength: 3 })).map(([tree, at, length, put]) => {
      const whole = print(tree);
      const start = at % (whole.length + 1);
      return whole.slice(0, start) + put + whole.slice(start + length);
    });
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.json(), damaged), (source) => {
        const result = parseNetworkConfig(source, { file: 'x.json' });
        const lines = source.split('\n');
        for (const { line, column, message } of result.findings) {
          expect(message).not.toBe('');
          expect(column).toBeGreaterThanOrEqual(1);
          expect(column).toBeLessThanOrEqual((lines[line - 1] ?? '').length + 1);
        }
        expect(result.ok || result.findings.length === 1).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('accepts as JSON what the engine accepts, and nothing else', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '"a"',
      '\\',
      '1',
      '-',
      '.',
      'e',
      'true',
      'null',
      ' ',
      '\t',
      '/',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const source = pieces.join('');
        const invalid = parseNetworkConfig(source, { file: 'x' }).findings.some(({ code }) => code === 'invalid-json');
        expect(invalid).toBe(!isJson(source));
      }),
      { numRuns: 500 },
    );
  });
});

function isJson(source: string): boolean {
  try {
    JSON.parse(source);
    return true;
  } catch {
    // That it throws is the answer.
    return false;
  }
}
