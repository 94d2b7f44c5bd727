import path from 'node:path';

/** Absolute path of a file or folder of the repository, by its path from the root. */
export function inRepository(...names: readonly string[]): string {
  return path.join(import.meta.dirname, '../../../..', ...names);
}

/** The chart's folder. */
export const CHART = inRepository('charts/static-ip');
