import path from 'node:path';
import type { Namespace } from './namespace.ts';
import { startRelay } from './relay.ts';

export interface HostPort {
  /** A port of the host's loopback interface; the same one in the namespace leads there. */
  readonly port: number;
  /** Gets the socket between the two. */
  readonly directory: string;
}

/**
 * Lets programs in a namespace reach one server of the host, and nothing else of it: by a Unix socket, which belongs to
 * the file system and to no network. Resolves to what takes no
 * more connections; those that are open end with the namespace.
 */
export async function openHostPort(namespace: Namespace, { port, directory }: HostPort): Promise<() => void> {
  const socket = { path: path.join(directory, `${namespace.name}-${port}.sock`) };
  const loopback = { host: '127.0.0.1', port } as const;
  const server = await startRelay({ from: socket, to: loopback });
  const { error } = await (await namespace.resident()).request({ op: 'relay', from: loopback, to: socket });
  if (error !== undefined) {
    server.close();
    throw new Error(`port ${port} of the host cannot be had in the namespace ${namespace.name}: ${error}`);
  }
  return () => void server.close();
}
