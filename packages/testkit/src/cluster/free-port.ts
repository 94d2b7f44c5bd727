import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * A TCP port of the loopback interface that was free a moment ago. Another process may take it before it is used, so
 * whoever uses it has to be ready to try again with another.
 */
export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('a TCP server has no port');
  return address.port;
}
