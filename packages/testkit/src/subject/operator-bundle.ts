import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where `npm run build` puts the operator. */
export const OPERATOR_BUNDLE = fileURLToPath(new URL('../../../ipam-operator/dist/main.js', import.meta.url));

/**
 * The absolute path of an operator bundle.
 * @throws Error that says what to run when there is none
 */
export function findOperatorBundle(file: string): string {
  const absolute = path.resolve(file);
  if (existsSync(absolute)) return absolute;
  throw new Error(`there is no operator at ${absolute}: run \`npm run build\` first`);
}
