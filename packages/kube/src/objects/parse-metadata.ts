import type { KubeMetadata } from './object.ts';

/**
 * Reads `metadata` of an object of the API.
 * @throws KubeError `protocol` naming the field that has the wrong shape.
 */
export function parseMetadata(raw: unknown): KubeMetadata {
  throw new Error(`not implemented ${String(raw)}`);
}
