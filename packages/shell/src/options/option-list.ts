import schema from '../../schema/options.schema.json' with { type: 'json' };

/** The commands that have options from the schema. */
export type CommandName = 'run' | 'plan';

/** What the schema says about one option, references resolved. */
interface OptionSchema {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: OptionSchema;
  readonly default?: string | number | readonly string[];
  readonly description?: string;
  readonly 'x-accepts'?: string;
  readonly 'x-placeholder'?: string;
  readonly 'x-separator'?: string;
  readonly 'x-duration'?: { readonly minimum: string; readonly maximum: string; readonly multipleOf?: string };
  readonly 'x-commands'?: readonly string[];
}

/** One option with the names that derive from its own. */
export interface OptionSpec {
  /** As in the schema, camel case. */
  readonly name: string;
  /** `--kebab-case`. */
  readonly flag: string;
  /** `UPPER_SNAKE_CASE`, no prefix. */
  readonly environment: string;
  readonly placeholder: string;
  readonly description: string;
  /** The default as a user would write it. Absent: none. */
  readonly defaultText: string | undefined;
  /** What is accepted, in words. */
  readonly accepts: string;
  /** May be given several times; its environment variable is a list with commas. */
  readonly isList: boolean;
  /** The flag's own value is a list, too. */
  readonly separator: string | undefined;
  readonly commands: readonly string[];
}

interface RawOption extends OptionSchema {
  readonly $ref?: string;
}

const DEFINITIONS: Readonly<Record<string, OptionSchema>> = schema.$defs;
const PROPERTIES: Readonly<Record<string, RawOption>> = schema.properties;

/** All options in the order of the schema. */
export const OPTIONS: readonly OptionSpec[] = Object.entries(PROPERTIES).map(([name, raw]) =>
  specOf(name, resolve(raw)),
);

/** The options of one command. */
export function optionsOf(command: CommandName): readonly OptionSpec[] {
  return OPTIONS.filter((option) => option.commands.includes(command));
}

/** How a mistake names an option: both of its spellings. */
export function labelOf({ flag, environment }: Pick<OptionSpec, 'flag' | 'environment'>): string {
  return `${flag} (environment ${environment})`;
}

function resolve(raw: RawOption): OptionSchema {
  if (raw.$ref === undefined) return raw;
  const definition = DEFINITIONS[raw.$ref.replace('#/$defs/', '')];
  if (definition === undefined) throw new Error(`the options schema has no definition ${raw.$ref}`);
  return { ...definition, ...raw };
}

function specOf(name: string, option: OptionSchema): OptionSpec {
  return {
    name,
    flag: `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
    environment: name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase(),
    placeholder: option['x-placeholder'] ?? 'value',
    description: option.description ?? '',
    defaultText: defaultTextOf(option.default),
    accepts: acceptsOf(option),
    isList: option.type === 'array',
    separator: option['x-separator'],
    commands: option['x-commands'] ?? [],
  };
}

function defaultTextOf(value: OptionSchema['default']): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'object') return String(value);
  return value.length === 0 ? undefined : value.join(',');
}

function acceptsOf(option: OptionSchema): string {
  if (option.items !== undefined) return acceptsOf(option.items);
  if (option.enum !== undefined) return `one of ${option.enum.join(', ')}`;
  if (option.type === 'integer') return `a whole number from ${option.minimum ?? 0} to ${option.maximum ?? 'any'}`;
  const range = option['x-duration'];
  const words = option['x-accepts'] ?? 'any text';
  if (range === undefined) return words;
  return `${words}, from ${range.minimum} to ${range.maximum}${range.multipleOf === '1s' ? ' in whole seconds' : ''}`;
}
