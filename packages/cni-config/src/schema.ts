import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import listSchema from './schema/network-config-list.schema.json' with { type: 'json' };

/** The part of JSON Schema our own schema uses to describe what Go decodes into: enough to walk a tree along it. */
export type Shape = {
  readonly $ref?: string;
  readonly type?: string;
  /** Fields of a Go struct. */
  readonly properties?: Readonly<Record<string, Shape>>;
  /** Values of a Go map. */
  readonly additionalProperties?: Shape;
  /** Elements of a Go slice. */
  readonly items?: Shape;
};

/** A whole `.conflist`, or one plugin entry, which is also what a single `.conf` is. */
export type View = 'list' | 'single';

const PLUGIN_REF = '#/$defs/plugin';
const DEFINITIONS = new Map<string, Shape>(
  Object.entries(listSchema.$defs).map(([name, shape]): [string, Shape] => [`#/$defs/${name}`, shape as Shape]),
);

/** The shape of a view, from the published schema. */
export function shapeOf(view: View): Shape {
  return view === 'list' ? listSchema : { $ref: PLUGIN_REF };
}

/** Follows a `$ref` inside the schema. Throws on a dangling one, which is a bug of the schema. */
export function resolveShape(shape: Shape): Shape {
  if (shape.$ref === undefined) return shape;
  const target = DEFINITIONS.get(shape.$ref);
  if (target === undefined) throw new Error(`schema has no definition ${shape.$ref}`);
  return resolveShape(target);
}

const validators = new Map<View, ValidateFunction>();

/** Checks a decoded value against the schema and returns all violations. Compiled at the first use, once per view. */
export function violations(view: View, value: unknown): readonly ErrorObject[] {
  const validate = validators.get(view) ?? compile(view);
  validators.set(view, validate);
  return validate(value) ? [] : (validate.errors ?? []);
}

function compile(view: View): ValidateFunction {
  const ajv = new Ajv2020({ allErrors: true, verbose: true });
  ajv.addSchema(listSchema);
  return ajv.compile({ $ref: view === 'list' ? listSchema.$id : `${listSchema.$id}${PLUGIN_REF}` });
}
