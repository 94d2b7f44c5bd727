import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { IncomingMessage, RequestListener } from 'node:http';
import type { Socket } from 'node:net';

/** A TLS server whose connections can be reset and whose port can be closed and opened again. */
export interface Listener {
  readonly url: string;
  /** Resets every connection (RST, no FIN); answers how many. */
  readonly resetConnections: () => number;
  /** Resets the connection a request came on. */
  readonly reset: (request: IncomingMessage) => void;
  /** New connections are refused; those that are open stay. */
  readonly refuse: () => void;
  /** Undoes `refuse`. */
  readonly accept: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface ListenerOptions {
  readonly certFile: string;
  readonly keyFile: string;
  readonly onRequest: RequestListener;
}

/** Listens on a free port of the loopback interface. */
export async function listen({ certFile, keyFile, onRequest }: ListenerOptions): Promise<Listener> {
  const server = createServer({ cert: readFileSync(certFile), key: readFileSync(keyFile) }, onRequest);
  server.keepAliveTimeout = 60_000;
  server.requestTimeout = 0;
  // A reset is sent on the TCP socket; a request knows only the TLS socket on top, but both know the client's port.
  const sockets = new Map<number, Socket>();
  server.on('connection', (socket: Socket) => {
    const clientPort = socket.remotePort ?? 0;
    sockets.set(clientPort, socket);
    socket.once('close', () => sockets.delete(clientPort));
  });
  // A client that goes away in the middle of a handshake is nobody's problem here.
  server.on('tlsClientError', () => {});
  const listenOn = async (port: number): Promise<number> => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('a TCP server has no port');
    return address.port;
  };
  const port = await listenOn(0);

  const resetConnections = (): number => {
    const open = [...sockets.values()];
    for (const socket of open) socket.resetAndDestroy();
    return open.length;
  };
  return {
    url: `https://127.0.0.1:${port}`,
    resetConnections,
    reset: ({ socket }) => sockets.get(socket.remotePort ?? 0)?.resetAndDestroy(),
    refuse: () => {
      if (server.listening) server.close();
    },
    accept: async () => {
      if (!server.listening) await listenOn(port);
    },
    close: async () => {
      const closed = server.listening ? once(server, 'close') : undefined;
      server.close();
      resetConnections();
      await closed;
    },
  };
}
