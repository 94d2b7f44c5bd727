/** A JSON schema (2020-12) that is the list of a program's options, one property each. */
export interface OptionSchema {
  readonly properties: Readonly<Record<string, RawOption>>;
  readonly $defs?: Readonly<Record<string, OptionDefinition>>;
}

/** What the schema says about one option, references resolved. */
interface OptionDefinition {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: OptionDefinition;
  readonly default?: string | number | boolean | readonly string[];
  readonly description?: string;
  readonly 'x-accepts'?: string;
  readonly 'x-placeholder'?: string;
  readonly 'x-separator'?: string;
  readonly 'x-duration'?: { readonly minimum: string; readonly maximum: string; readonly multipleOf?: string };
  readonly 'x-secret'?: boolean;
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
  /** True or false; the flag alone means true. */
  readonly isSwitch: boolean;
  /** The flag's own value is a list, too. */
  readonly separator: string | undefined;
  /** What is given must not be shown again. */
  readonly isSecret: boolean;
  readonly commands: readonly string[];
}

interface RawOption extends OptionDefinition {
  readonly $ref?: string;
}

/** All options in the order of the schema. */
export function listOptions({ properties, $defs = {} }: OptionSchema): readonly OptionSpec[] {
  return Object.entries(properties).map(([name, raw]) => specOf(name, resolve(raw, $defs)));
}

/** How a mistake names an option: both of its spellings. */
export function labelOf({ flag, environment }: Pick<OptionSpec, 'flag' | 'environment'>): string {
  return `${flag} (environment ${environment})`;
}

function resolve(raw: RawOption, definitions: NonNullable<OptionSchema['$defs']>): OptionDefinition {
  if (raw.$ref === undefined) return raw;
  const definition = definitions[raw.$ref.replace('#/$defs/', '')];
  if (definition === undefined) throw new Error(`the options schema has no definition ${raw.$ref}`);
  return { ...definition, ...raw };
}

function specOf(name: string, option: OptionDefinition): OptionSpec {
  return {
    name,
    flag: `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
    environment: name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase(),
    placeholder: option['x-placeholder'] ?? 'value',
    description: option.description ?? '',
    defaultText: defaultTextOf(option.default),
    accepts: acceptsOf(option),
    isList: option.type === 'array',
    isSwitch: option.type === 'boolean',
    separator: option['x-separator'],
    isSecret: option['x-secret'] === true,
    commands: option['x-commands'] ?? [],
  };
}

function defaultTextOf(value: OptionDefinition['default']): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'object') return String(value);
  return value.length === 0 ? undefined : value.join(',');
}

function acceptsOf(option: OptionDefinition): string {
  if (option.items !== undefined) return acceptsOf(option.items);
  if (option.type === 'boolean') return 'true or false';
  if (option.enum !== undefined) return `one of ${option.enum.join(', ')}`;
  if (option.type === 'integer') return `a whole number from ${option.minimum ?? 0} to ${option.maximum ?? 'any'}`;
  const range = option['x-duration'];
  const words = option['x-accepts'] ?? 'any text';
  if (range === undefined) return words;
  return `${words}, from ${range.minimum} to ${range.maximum}${range.multipleOf === '1s' ? ' in whole seconds' : ''}`;
}
