import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import type { GivenOptions } from './given-option.ts';
import type { OptionSchema, OptionSpec } from './option-list.ts';
import { labelOf } from './option-list.ts';
import { durationMs } from './parse-values.ts';

/** The second stage, or every mistake in what was given, one line each. `wrong` names the options with a mistake. */
interface CheckedOptions<Given> {
  readonly options: Given;
  readonly mistakes: readonly string[];
  readonly wrong: ReadonlySet<string>;
}

interface DurationRange {
  readonly minimum: string;
  readonly maximum: string;
  readonly multipleOf?: string;
}

/**
 * Makes the check of what was given against the schema, which also fills in the defaults. With mistakes, a wrong option
 * has its default in the result too, so that the later checks can go on and every mistake is told at once.
 */
export function createOptionCheck<Given>(
  schema: OptionSchema,
): (list: readonly OptionSpec[], given: GivenOptions) => CheckedOptions<Given> {
  /** Compiled at the first use, which is most of its cost. */
  let validator: ValidateFunction<Given> | undefined;
  return (list, given) => checkOptions((validator ??= createValidator<Given>(schema)), list, given);
}

function checkOptions<Given>(
  validate: ValidateFunction<Given>,
  list: readonly OptionSpec[],
  given: GivenOptions,
): CheckedOptions<Given> {
  const data = valuesOf(given);
  if (validate(data)) return { options: data, mistakes: [], wrong: new Set() };

  const mistakes = new Map<string, string>();
  for (const error of validate.errors ?? []) {
    const name = error.instancePath.split('/')[1] ?? '';
    // One line for an option and item: a text of the wrong form breaks several keywords.
    if (!mistakes.has(error.instancePath))
      mistakes.set(error.instancePath, describe(list, given[name], { name, error }));
  }
  const wrong = new Set([...mistakes.keys()].map((path) => path.split('/')[1] ?? ''));
  const rest = valuesOf(Object.fromEntries(Object.entries(given).filter(([name]) => !wrong.has(name))));
  if (!validate(rest)) throw new Error('the options schema refuses its own defaults');
  return { options: rest, mistakes: [...mistakes.values()], wrong };
}

/** How a mistake is told: both names of the option, what was given and where, and what is accepted. */
export function mistakeLine(
  option: OptionSpec,
  given: { value: unknown; from: string } | undefined,
  why?: string,
): string {
  const source = given?.from === 'environment' ? ' in the environment' : '';
  const value = Array.isArray(given?.value) ? given.value.join(',') : given?.value;
  const shown = option.isSecret ? 'what may be a secret' : JSON.stringify(value);
  const got = given === undefined ? '' : `got ${shown}${source}; `;
  return `${labelOf(option)}: ${got}${why === undefined ? '' : `${why}; `}accepted: ${option.accepts}`;
}

function describe(
  list: readonly OptionSpec[],
  given: GivenOptions[string] | undefined,
  { name, error }: { readonly name: string; readonly error: ErrorObject },
): string {
  const option = list.find((candidate) => candidate.name === name);
  if (option === undefined) return `unknown option ${name}`;
  const index = error.instancePath.split('/')[2];
  const isItem = index !== undefined && given !== undefined && typeof given.value !== 'string';
  const value = isItem ? given.value[Number(index)] : given?.value;
  return mistakeLine(option, given === undefined ? undefined : { value, from: given.from });
}

function valuesOf(given: GivenOptions): Record<string, unknown> {
  // A copy of each list: the validator writes numbers and defaults into what it checks.
  return Object.fromEntries(Object.entries(given).map(([name, { value }]) => [name, structuredClone(value)]));
}

function createValidator<Given>(schema: OptionSchema): ValidateFunction<Given> {
  const ajv = new Ajv2020({ allErrors: true, useDefaults: true, coerceTypes: true, strictTypes: false });
  ajv.addVocabulary(['x-accepts', 'x-placeholder', 'x-separator', 'x-secret', 'x-commands']);
  ajv.addKeyword({ keyword: 'x-duration', schemaType: 'object', validate: isWithin });
  return ajv.compile<Given>(schema);
}

function isWithin(range: DurationRange, text: unknown): boolean {
  let ms: number;
  try {
    ms = durationMs(String(text));
  } catch {
    // Not a duration at all: the pattern beside this keyword says so.
    return true;
  }
  const isMultiple = range.multipleOf === undefined || ms % durationMs(range.multipleOf) === 0;
  return isMultiple && ms >= durationMs(range.minimum) && ms <= durationMs(range.maximum);
}
