import { readFile } from 'node:fs/promises';
import { compile } from 'json-schema-to-typescript';
import type { JSONSchema } from 'json-schema-to-typescript';
import { parse } from 'yaml';

interface Definition {
  readonly spec: {
    readonly versions: readonly { readonly schema: { readonly openAPIV3Schema: JSONSchema } }[];
  };
}

/** TypeScript for spec and status of an Eip as the API has them; the versions have one schema. */
export async function eipTypes(file: string): Promise<string> {
  const { spec }: Definition = parse(await readFile(file, 'utf8'));
  const [version] = spec.versions;
  if (version === undefined) throw new Error(`${file} has no version`);
  return compile(withoutNullable(version.schema.openAPIV3Schema), 'EipFields', {
    additionalProperties: false,
    // It would write out lists of every length.
    ignoreMinAndMaxItems: true,
    bannerComment: '// Made by `npm run generate` from the definition of Eip: change that instead.',
    // The formatter of the repository does that.
    format: false,
  });
}

/** `nullable` is OpenAPI's word for what JSON Schema says by a list of types. */
function withoutNullable(schema: JSONSchema): JSONSchema {
  return JSON.parse(JSON.stringify(schema), (_key, value: unknown) => {
    if (typeof value !== 'object' || value === null || !('nullable' in value) || !('type' in value)) return value;
    const { nullable, type, ...rest } = value;
    return { ...rest, type: nullable === true ? [type, 'null'] : type };
  });
}
