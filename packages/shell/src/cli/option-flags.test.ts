import { describe, expect, it } from '@jest/globals';
import { Command } from 'commander';
import { defineOptions } from '../options/option-set.ts';
import { addOptions, readOptions } from './option-flags.ts';

interface Options {
  readonly fast: boolean;
  readonly name: string;
}

const OPTIONS = defineOptions<Options, Options>({
  schema: {
    properties: {
      fast: { type: 'boolean', default: false, 'x-commands': ['run'] },
      name: { type: 'string', default: 'a', 'x-commands': ['run'] },
    },
  },
  compile: (given) => given,
});

function read(words: readonly string[], environment: Readonly<Record<string, string>> = {}): Options {
  const command = addOptions(new Command('run'), OPTIONS.of('run'));
  command.parse([...words], { from: 'user' });
  return readOptions(command, OPTIONS, { environment });
}

describe('the flag of a switch', () => {
  it.each([
    [[], false],
    [['--fast'], true],
    [['--fast', '--name', 'b'], true],
    [['--fast=true'], true],
    [['--fast=false'], false],
    [['--fast', 'false'], false],
  ])('is read from %j', (words, expected) => {
    expect(read(words).fast).toBe(expected);
  });

  it('wins over its environment variable, which needs a word', () => {
    expect(read([], { FAST: 'true' }).fast).toBe(true);
    expect(read(['--fast=false'], { FAST: 'true' }).fast).toBe(false);
  });

  it('accepts no other word', () => {
    expect(() => read(['--fast=1'])).toThrow('--fast (environment FAST): got "1"; accepted: true or false');
    expect(() => read([], { FAST: 'yes' })).toThrow('got "yes" in the environment; accepted: true or false');
  });
});
