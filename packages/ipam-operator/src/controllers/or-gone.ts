import { isKubeError } from '@static-ip/kube';

/** The result of a write to an object; undefined when the object is gone, and needs none. */
export async function orGone<T>(write: Promise<T>): Promise<T | undefined> {
  try {
    return await write;
  } catch (error) {
    if (isKubeError(error, 'notFound')) return undefined;
    throw error;
  }
}
