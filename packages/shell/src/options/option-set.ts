import { ShellError } from '../shell-error.ts';
import { createOptionCheck, mistakeLine } from './check-options.ts';
import type { OptionSources } from './gather-options.ts';
import { gatherOptions } from './gather-options.ts';
import type { GivenOptions } from './given-option.ts';
import { listOptions } from './option-list.ts';
import type { OptionSchema, OptionSpec } from './option-list.ts';

/** What one command's options are made of. */
export interface OptionInput extends OptionSources {
  readonly list: readonly OptionSpec[];
  /** Mistakes that were found while the command line was taken apart, such as unknown flags. */
  readonly mistakes: readonly string[];
}

/** Makes one value; a RangeError that it throws is told as a mistake in option `name`, and `otherwise` stands in. */
export type Attempt<Given> = <T>(name: keyof Given & string, make: () => T, otherwise: T) => T;

export interface OptionSetInput<Given, Options> {
  /** The list of options, with their defaults. What it accepts must be a `Given`. */
  readonly schema: OptionSchema;
  /** Third stage: from the user's spelling to what the program works with. What the schema cannot say is checked here. */
  readonly compile: (given: Given, attempt: Attempt<Given>) => Options;
}

/** All options of one program. */
export interface OptionSet<Options> {
  /** In the order of the schema. */
  readonly all: readonly OptionSpec[];
  /** The options of one command. */
  of(command: string): readonly OptionSpec[];
  /**
   * From what the user gave to what the program works with.
   * @throws ShellError `badInput` with all mistakes at once, one line each.
   */
  compile(input: OptionInput): Options;
}

/** The options of a program from their schema. Nothing is compiled before the first use. */
export function defineOptions<Given, Options>({ schema, compile }: OptionSetInput<Given, Options>): OptionSet<Options> {
  const all = listOptions(schema);
  const check = createOptionCheck<Given>(schema);
  return {
    all,
    of: (command) => all.filter((option) => option.commands.includes(command)),
    compile: (input) => {
      const given = gatherOptions(input.list, input);
      const checked = check(input.list, given);
      const later: LaterMistake[] = [];
      const options = compile(checked.options, collectInto(later));
      const unseen = later.filter(({ name }) => !checked.wrong.has(name));
      const told = unseen.flatMap((mistake) => laterMistake(input.list, given, mistake));
      refuse([...input.mistakes, ...checked.mistakes, ...told]);
      return options;
    },
  };
}

interface LaterMistake {
  readonly name: string;
  readonly why: string;
}

function collectInto<Given>(mistakes: LaterMistake[]): Attempt<Given> {
  return (name, make, otherwise) => {
    try {
      return make();
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      mistakes.push({ name, why: error.message });
      return otherwise;
    }
  };
}

/** An option that the command does not have cannot be given, so nothing about it can be wrong. */
function laterMistake(
  list: readonly OptionSpec[],
  given: GivenOptions,
  { name, why }: LaterMistake,
): readonly string[] {
  const option = list.find((candidate) => candidate.name === name);
  return option === undefined ? [] : [mistakeLine(option, given[name], why)];
}

function refuse(mistakes: readonly string[]): void {
  if (mistakes.length === 0) return;
  const count = mistakes.length === 1 ? 'one mistake' : `${mistakes.length} mistakes`;
  throw new ShellError('badInput', `${count} in the options:\n${mistakes.map((line) => `  ${line}`).join('\n')}`);
}
