import type { ApiClient } from '../../cluster/api.ts';
import { concurrently } from '../concurrently.ts';
import type { BenchNode } from './world.ts';

/** What one API server on the same machine takes gladly; more only makes a queue in the client. */
const IN_FLIGHT = 32;

/**
 * Creates the Node and the CiliumNode of every node, as fast as the API server takes them. Answers when the create of
 * each CiliumNode was sent, in milliseconds since the epoch.
 */
export async function createNodes(api: ApiClient, nodes: readonly BenchNode[]): Promise<ReadonlyMap<string, number>> {
  const sentAtMs = new Map<string, number>();
  await concurrently(nodes, IN_FLIGHT, async ({ name, node, ciliumNode }) => {
    await api.create(node);
    sentAtMs.set(name, Date.now());
    await api.create(ciliumNode);
  });
  return sentAtMs;
}
