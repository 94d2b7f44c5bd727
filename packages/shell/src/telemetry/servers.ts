import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ShellError } from '../shell-error.ts';
import type { Health, HealthReport } from './health.ts';

/** Where to listen. No host: all addresses of the machine. Port 0: any free one. */
export interface ListenAddress {
  readonly host: string | undefined;
  readonly port: number;
}

/** What one path answers. */
interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** Answers by path. */
export type Routes = Readonly<Record<string, () => Answer | Promise<Answer>>>;

export interface ServerOptions {
  /** What is served, for messages. */
  readonly name: string;
  /** The option that sets the address, for messages. */
  readonly option: string;
  readonly address: ListenAddress;
  readonly routes: Routes;
}

/** A server that listens. */
export interface RunningServer {
  readonly host: string;
  readonly port: number;
  /** Stops listening and drops all connections. */
  close(): Promise<void>;
}

const TEXT = 'text/plain; charset=utf-8';
/** Nobody has reason to send us more than a short GET. */
const REQUEST_TIMEOUT_MS = 5_000;

/**
 * Serves GET and HEAD of a few paths.
 * @throws ShellError `cannotListen` that says whether the address is taken, not this machine's, or not allowed.
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS, maxHeaderSize: 8192 }, (request, response) => {
    void answer(options.routes, { method: request.method, url: request.url }).then(({ status, contentType, body }) => {
      response.writeHead(status, { 'content-type': contentType, 'cache-control': 'no-store' });
      response.end(request.method === 'HEAD' ? undefined : body);
    });
  });
  await listen(server, options);
  const { address, port } = boundTo(server);
  return {
    host: address,
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Something that can be scraped. */
export interface ExposedMetrics {
  /** The text that Prometheus reads, with its content type. */
  expose(): Promise<{ readonly contentType: string; readonly text: string }>;
}

/** What Prometheus scrapes. */
export function metricsRoutes(metrics: ExposedMetrics): Routes {
  return {
    '/metrics': async () => {
      const { contentType, text } = await metrics.expose();
      return { status: 200, contentType, body: text };
    },
  };
}

/** What the kubelet probes: 200, or 503 with the reasons as JSON. */
export function healthRoutes(health: Pick<Health, 'live' | 'ready'>): Routes {
  return {
    '/healthz': () => healthAnswer(health.live()),
    '/readyz': () => healthAnswer(health.ready()),
  };
}

function healthAnswer(report: HealthReport): Answer {
  return { status: report.ok ? 200 : 503, contentType: 'application/json', body: `${JSON.stringify(report)}\n` };
}

async function answer(
  routes: Routes,
  { method, url }: { readonly method: string | undefined; readonly url: string | undefined },
): Promise<Answer> {
  const path = (url ?? '/').split('?')[0] ?? '/';
  const route = Object.hasOwn(routes, path) ? routes[path] : undefined;
  if (route === undefined) {
    return { status: 404, contentType: TEXT, body: `not found; there is ${Object.keys(routes).join(' and ')}\n` };
  }
  if (method !== 'GET' && method !== 'HEAD') return { status: 405, contentType: TEXT, body: 'only GET and HEAD\n' };
  try {
    return await route();
  } catch (error) {
    return { status: 500, contentType: TEXT, body: `${error instanceof Error ? error.message : String(error)}\n` };
  }
}

function listen(server: Server, { name, option, address: { host, port } }: ServerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const where = `${host ?? ''}:${port}`;
      const why = LISTEN_ERRORS[cause.code ?? ''] ?? cause.message;
      const message = `cannot serve ${name} on ${where}: ${why}; choose another address with ${option}, or 0 for none`;
      reject(new ShellError('cannotListen', message, { cause, fields: { address: where, option } }));
    });
    server.listen({ port, ...(host === undefined ? {} : { host }) }, resolve);
  });
}

const LISTEN_ERRORS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another process listens there',
  EADDRNOTAVAIL: 'this machine has no such address',
  EACCES: 'the process may not use this port',
  ENOTFOUND: 'the host name is not known',
  EAI_AGAIN: 'the host name cannot be looked up',
};

function boundTo(server: Server): AddressInfo {
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('a listening TCP server has an address');
  return bound;
}
