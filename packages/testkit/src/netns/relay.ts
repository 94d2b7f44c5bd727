import { connect, createServer } from 'node:net';
import type { Server } from 'node:net';
import { pipeline } from 'node:stream/promises';

/** One end of a relay: a port of the loopback interface, or a Unix socket. */
export type RelayEnd = { readonly host: '127.0.0.1'; readonly port: number } | { readonly path: string };

/** Hands on every connection to `from` to the other end, until the server is closed. @throws Error when it cannot listen */
export async function startRelay({ from, to }: { readonly from: RelayEnd; readonly to: RelayEnd }): Promise<Server> {
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect({ ...to, allowHalfOpen: true });
    // An end that breaks breaks the other: its program knows what that means.
    pipeline(near, far, near).catch(() => undefined);
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen({ ...from }, resolve);
  await promise;
  return server;
}
