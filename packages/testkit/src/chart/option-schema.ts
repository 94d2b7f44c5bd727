/** One option of the operator as its schema describes it, references resolved. */
export interface OptionSchema {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly items?: OptionSchema;
  readonly pattern?: string;
  readonly default?: string | number | boolean | readonly string[];
  readonly description?: string;
  readonly [keyword: string]: unknown;
}

/** The part of `schemas/operator/options.schema.json` that is used. */
export interface OptionsSchema {
  readonly properties: Readonly<Record<string, OptionSchema & { readonly $ref?: string }>>;
  readonly $defs: Readonly<Record<string, OptionSchema>>;
}

/** Options by name, in the schema's order. @throws Error for a reference into the void. */
export function resolveOptions({ properties, $defs }: OptionsSchema): ReadonlyMap<string, OptionSchema> {
  return new Map(
    Object.entries(properties).map(([name, { $ref, ...own }]) => {
      if ($ref === undefined) return [name, own];
      const definition = $defs[$ref.replace('#/$defs/', '')];
      if (definition === undefined) throw new Error(`option ${name} refers to ${$ref}, which the schema lacks`);
      return [name, { ...definition, ...own }];
    }),
  );
}
