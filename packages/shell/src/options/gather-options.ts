import type { GivenOption, GivenOptions } from './given-option.ts';
import type { OptionSpec } from './option-list.ts';

/** Where options come from: parsed flags by option name, and the environment of the process. */
export interface OptionSources {
  readonly flags: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * First stage: what was given for each option of the list. A flag wins over the environment as a whole: lists are not
 * merged. An empty environment variable counts as not set, as manifests often leave one behind; an empty flag does not.
 */
export function gatherOptions(list: readonly OptionSpec[], { flags, environment }: OptionSources): GivenOptions {
  const given = list.flatMap((option): readonly [string, GivenOption][] => {
    const flag = flags[option.name];
    if (flag !== undefined) return [[option.name, { value: splitFlag(option, flag), from: 'flag' }]];
    const variable = environment[option.environment];
    if (variable === undefined || variable === '') return [];
    const value = option.isList ? splitList(variable, ',') : variable;
    return [[option.name, { value, from: 'environment' }]];
  });
  return Object.fromEntries(given);
}

function splitFlag({ isList, separator }: OptionSpec, flag: string | readonly string[]): string | readonly string[] {
  if (!isList) return flag;
  const values = typeof flag === 'string' ? [flag] : flag;
  return separator === undefined ? values : values.flatMap((value) => splitList(value, separator));
}

function splitList(text: string, separator: string): readonly string[] {
  return text.split(separator).map((item) => item.trim());
}
