import { createHash } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import type { KubeConfig } from '@kubernetes/client-node/dist/config.js';
import type { Clock } from '../clock/clock.ts';
import { isErrorLike, isKubeError, KubeError } from '../errors.ts';

/** How to reach the server now: its base URL, the headers that identify us, and the pool of sockets. */
export interface Connection {
  readonly server: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly agent: http.Agent;
}

/** Keeps credentials fresh: they are looked at before each request, and read anew after the server refused them. */
export interface Connector {
  /** @throws KubeError `unauthorized` when a credential plugin fails, `config` when a file named by the kubeconfig is unreadable. */
  connect(): Promise<Connection>;
  /** The server answered 401: what the kubeconfig or its plugin gave is not good any more. */
  refused(): void;
  close(): void;
}

export interface ConnectorOptions {
  readonly load: () => KubeConfig;
  readonly clock: Clock;
}

/** A refused credential is read anew at most so often: a plugin may be slow, or ask a far server. */
const RELOAD_SPACING_MS = 10_000;
/** So long the answer to who we are is good for the next calls: hundreds a second would each read the same files. */
const REUSE_MS = 500;
/** Below the idle time-outs of common load balancers (60 s), as client-go does. */
const TCP_KEEP_ALIVE_MS = 30_000;

/** Makes a connector. @throws what `load` throws. */
export function createConnector({ load, clock }: ConnectorOptions): Connector {
  let config = load();
  let loadedAtMs = clock.monotonic();
  let stale = false;
  let pool: { readonly identity: string; readonly agent: http.Agent } | undefined;

  const refresh = (): void => {
    if (!stale || clock.monotonic() - loadedAtMs < RELOAD_SPACING_MS) return;
    config = load();
    loadedAtMs = clock.monotonic();
    stale = false;
  };

  const agentFor = (options: https.RequestOptions): http.Agent => {
    const cluster = config.getCurrentCluster();
    const identity = identityOf(options, cluster?.server ?? '');
    if (pool?.identity === identity) return pool.agent;
    // Requests under way keep their sockets; these close when they come back.
    if (pool !== undefined) pool.agent.maxFreeSockets = 0;
    pool = { identity, agent: makeAgent(options, cluster?.server ?? '', cluster?.proxyUrl) };
    return pool.agent;
  };

  const connect = async (): Promise<Connection> => {
    refresh();
    const cluster = config.getCurrentCluster();
    if (cluster === null) throw new KubeError('config', 'the kubeconfig has no current cluster');
    const options: https.RequestOptions = {};
    await authorise(config, options);
    return { server: new URL(cluster.server), headers: headersOf(options), agent: agentFor(options) };
  };
  let connecting: Promise<Connection> | undefined;
  let reuseUntilMs = -Infinity;

  return {
    // Calls that come together share one answer: a credential plugin is a process, and may ask a person.
    connect: () => {
      if (connecting !== undefined && clock.monotonic() < reuseUntilMs) return connecting;
      reuseUntilMs = Infinity;
      connecting = connect().then(
        (connection) => {
          reuseUntilMs = clock.monotonic() + REUSE_MS;
          return connection;
        },
        (error: unknown) => {
          reuseUntilMs = -Infinity;
          throw error;
        },
      );
      return connecting;
    },
    refused: () => {
      stale = true;
      reuseUntilMs = -Infinity;
    },
    close: () => pool?.agent.destroy(),
  };
}

/** Fills in certificates and headers; runs a credential plugin when the kubeconfig names one. */
async function authorise(config: KubeConfig, options: https.RequestOptions): Promise<void> {
  try {
    await config.applyToHTTPSOptions(options);
  } catch (cause) {
    if (isKubeError(cause)) throw cause;
    const detail = isErrorLike(cause) ? cause.message : String(cause);
    const user = config.getCurrentUser();
    const plugin: unknown = user?.exec?.command;
    if (typeof plugin === 'string') {
      const message = `the credential plugin "${plugin}" of the kubeconfig failed: run it by hand, or log in again`;
      throw new KubeError('unauthorized', message, { cause, fields: { plugin, user: user?.name ?? '', detail } });
    }
    throw new KubeError('config', `the credentials of the kubeconfig cannot be used: ${detail}`, { cause });
  }
}

function headersOf(options: https.RequestOptions): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(options.headers ?? {})) {
    // A token read from a file ends in a line break, which no header may hold.
    if (typeof value === 'string') headers[name.toLowerCase()] = value.trim();
  }
  if (typeof options.auth === 'string')
    headers['authorization'] = `Basic ${Buffer.from(options.auth).toString('base64')}`;
  return headers;
}

/** A fingerprint of everything a socket was authenticated with: another one needs other sockets. */
function identityOf(options: https.RequestOptions, server: string): string {
  const hash = createHash('sha256').update(server);
  const { ca, cert, key, servername, rejectUnauthorized } = options;
  for (const part of [ca, cert, key])
    hash.update('\0').update(Buffer.isBuffer(part) ? part : JSON.stringify(part ?? null));
  hash.update(JSON.stringify([servername, rejectUnauthorized]));
  return hash.digest('base64');
}

// oxlint-disable-next-line max-params -- private, called once
function makeAgent(options: https.RequestOptions, server: string, proxyUrl: string | undefined): http.Agent {
  // Behind a proxy the client library's own agent knows how to tunnel.
  if (proxyUrl !== undefined && options.agent instanceof http.Agent) return options.agent;
  const pooling = { keepAlive: true, keepAliveMsecs: TCP_KEEP_ALIVE_MS };
  if (server.startsWith('http:')) return new http.Agent(pooling);
  const { ca, cert, key, servername, rejectUnauthorized } = options;
  return new https.Agent({
    ...pooling,
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(servername === undefined ? {} : { servername }),
    ...(rejectUnauthorized === undefined ? {} : { rejectUnauthorized }),
  });
}
