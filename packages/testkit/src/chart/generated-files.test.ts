import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { generatedFiles } from './generated-files.ts';
import { resolveOptions } from './option-schema.ts';
import type { OptionSchema } from './option-schema.ts';
import { optionsValueSchema } from './option-values.ts';
import { valueRows } from './values-table.ts';

describe('files that follow from others', () => {
  it('are up to date: `npm run generate` would write nothing', async () => {
    const stale = (await generatedFiles()).filter(({ before, after }) => before !== after);
    expect(stale.map(({ file }) => path.basename(file))).toEqual([]);
  });
});

describe('the rows of a values file', () => {
  it('are the commented values; a mapping of commented keys is a section, any other mapping one value', () => {
    const text = [
      '# About the file.',
      '',
      '# How many.',
      'replicas: 1',
      'image:',
      '  # Where it is.',
      '  repository: a/b',
      "  # Empty: the chart's.",
      "  tag: ''",
      '# Both sizes,',
      '# as one.',
      'resources:',
      '  cpu: 1',
      '  memory: 2Gi',
    ].join('\n');
    expect(valueRows(text)).toEqual([
      { path: 'replicas', value: '1', comment: 'How many.' },
      { path: 'image.repository', value: '"a/b"', comment: 'Where it is.' },
      { path: 'image.tag', value: '""', comment: "Empty: the chart's." },
      { path: 'resources', value: '{"cpu":1,"memory":"2Gi"}', comment: 'Both sizes, as one.' },
    ]);
  });

  it('need a comment each', () => {
    expect(() => valueRows('# One.\na: 1\nb: 2\n')).toThrow('the value b has no comment');
  });
});

function schemaOf(option: OptionSchema): unknown {
  return optionsValueSchema(
    resolveOptions({ properties: { name: option }, $defs: { path: { type: 'string', minLength: 1 } } }),
  );
}

function onlyOption(schema: OptionSchema): unknown {
  return { type: 'object', additionalProperties: false, properties: { name: schema } };
}

describe('the schema of the option values', () => {
  it('lets an option without default be empty, which leaves out its flag', () => {
    expect(schemaOf({ $ref: '#/$defs/path', description: 'A file.', 'x-commands': ['run'] })).toEqual(
      onlyOption({ description: 'A file.', anyOf: [{ const: '' }, { type: 'string', minLength: 1 }] }),
    );
  });

  it("says a look-ahead for the length in the keyword for it, as Helm's validator has no look-ahead", () => {
    const option = { type: 'string', default: 'a', pattern: '^(?=.{1,253}$)[a-z]+$' };
    expect(schemaOf(option)).toEqual(
      onlyOption({ type: 'string', default: 'a', minLength: 1, maxLength: 253, pattern: '^[a-z]+$' }),
    );
  });

  it('refuses a pattern that Helm could not check', () => {
    expect(() => schemaOf({ type: 'string', default: 'a', pattern: '^(?!b)a' })).toThrow('Helm cannot check');
  });
});
