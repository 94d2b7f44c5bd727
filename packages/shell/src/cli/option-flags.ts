import { Option } from 'commander';
import type { Command } from 'commander';
import { closest, distance } from 'fastest-levenshtein';
import type { OptionSpec } from '../options/option-list.ts';
import type { OptionSet } from '../options/option-set.ts';
import { withRustLog } from '../options/rust-log.ts';
import { OUTPUTS } from './terminal.ts';
import type { Terminal } from './terminal.ts';

/**
 * Gives a command the options of the schema. Unknown flags are let through to `readOptions`, which tells them together
 * with all other mistakes.
 */
export function addOptions(command: Command, list: readonly OptionSpec[]): Command {
  for (const option of list) command.addOption(commanderOption(option));
  return command.allowUnknownOption().allowExcessArguments();
}

/**
 * The options of a command that was parsed, by its name.
 * @throws ShellError `badInput` with all mistakes, unknown flags and stray words among them.
 */
export function readOptions<Options>(
  command: Command,
  options: OptionSet<Options>,
  { environment }: Pick<Terminal, 'environment'>,
): Options {
  const mistakes = strayMistakes(command);
  const sources = { flags: command.opts(), environment: withRustLog(environment) };
  return options.compile({ list: options.of(command.name()), ...sources, mistakes });
}

/** `--output`, which says how the result is printed and is no option of the program. */
export function outputOption(): Option {
  return new Option('--output <form>', 'How to print the result').choices(OUTPUTS).default('table');
}

function commanderOption(option: OptionSpec): Option {
  const facts = [`environment ${option.environment}`];
  if (option.defaultText !== undefined) facts.push(`default ${option.defaultText}`);
  const description = `${option.description} (${facts.join(', ')})`;
  if (option.isSwitch) return new Option(`${option.flag} [true|false]`, description).preset('true');
  const flag = new Option(`${option.flag} <${option.placeholder}>`, description);
  if (option.isList) flag.argParser<readonly string[]>((value, before) => [...(before ?? []), value]);
  return flag;
}

/** A word after an unknown flag is taken for its value. */
function strayMistakes(command: Command): readonly string[] {
  const known = command.options.flatMap(({ long }) => long ?? []);
  // Those that the command has declared come first, and flags are never among them.
  let declared = command.registeredArguments.length;
  return command.args.flatMap((word, index) => {
    if (word.startsWith('-')) return [unknownFlag(word, known)];
    if (declared-- > 0) return [];
    const before = command.args[index - 1];
    const isValue = before?.startsWith('-') === true && !before.includes('=');
    return isValue ? [] : [`unexpected argument ${JSON.stringify(word)}: ${command.name()} takes options only`];
  });
}

function unknownFlag(word: string, known: readonly string[]): string {
  const flag = word.split('=')[0] ?? word;
  const candidate = closest(flag, known);
  const isNear = distance(flag, candidate) <= Math.max(2, flag.length * 0.4);
  return `unknown flag ${flag}: ${isNear ? `did you mean ${candidate}?` : 'see --help for the list'}`;
}
