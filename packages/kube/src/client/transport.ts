import http from 'node:http';
import https from 'node:https';
import type { Clock } from '../clock/clock.ts';
import { errnoOf, isKubeError, KubeError } from '../errors.ts';
import { withDeadline } from '../timing/deadline.ts';
import { errorFromAnswer, errorFromSocket } from './api-error.ts';
import type { Attempt } from './api-error.ts';
import type { Connection, Connector } from './connection.ts';

/** One HTTP request to the API server. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Absolute, without query. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly contentType?: string;
  readonly body?: string;
  readonly attempt: Attempt;
}

export interface Transport {
  /** A whole answer, parsed as JSON. @throws KubeError for anything but a 2xx answer with JSON. */
  json(request: ApiRequest, signal: AbortSignal): Promise<unknown>;
  /** An answer as it comes in; only its head has a deadline. The caller must destroy it. */
  stream(request: ApiRequest, signal: AbortSignal): Promise<http.IncomingMessage>;
  close(): void;
}

export interface TransportOptions {
  readonly connector: Connector;
  readonly userAgent: string;
  readonly clock: Clock;
  readonly requestTimeoutMs: number;
}

/** Sends requests with fresh credentials, a deadline, and translated errors. */
export function createTransport({ connector, userAgent, clock, requestTimeoutMs }: TransportOptions): Transport {
  /** Until the head of the answer is there. `life` bounds the whole exchange, body included. */
  const open = async (request: ApiRequest, life: AbortSignal): Promise<http.IncomingMessage> => {
    const connection = await connector.connect();
    life.throwIfAborted();
    const answer = await exchange({ request, connection, userAgent, life });
    if (isSuccess(answer)) return answer;
    if (answer.statusCode === 401) connector.refused();
    const body = parseIfJson(await textOf(answer));
    const retryAfter = answer.headers['retry-after'];
    throw errorFromAnswer({ status: answer.statusCode ?? 0, body, retryAfter }, request.attempt);
  };

  const deadline = (request: ApiRequest, signal: AbortSignal) => ({
    clock,
    ms: requestTimeoutMs,
    signal,
    attempt: request.attempt.what,
  });

  return {
    json: (request, signal) =>
      withDeadline(deadline(request, signal), async (life) => {
        try {
          return JSON.parse(await textOf(await open(request, life))) as unknown;
        } catch (error) {
          throw translated(error, request.attempt, life);
        }
      }),
    stream: async (request, signal) => {
      // The stream must outlive the deadline of its head, so the two have separate signals.
      const life = new AbortController();
      const end = (): void => life.abort(signal.reason);
      signal.addEventListener('abort', end, { once: true });
      try {
        const answer = await withDeadline(deadline(request, signal), (head) => {
          head.addEventListener('abort', () => life.abort(head.reason), { once: true });
          return open(request, life.signal);
        });
        answer.once('close', () => signal.removeEventListener('abort', end));
        return answer;
      } catch (error) {
        signal.removeEventListener('abort', end);
        throw translated(error, request.attempt, signal);
      }
    },
    close: () => connector.close(),
  };
}

function isSuccess({ statusCode = 0 }: http.IncomingMessage): boolean {
  return statusCode >= 200 && statusCode < 300;
}

/** An aborted signal's reason wins: whatever else was thrown is its echo. */
export function translated(error: unknown, attempt: Attempt, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  if (isKubeError(error)) return error;
  if (error instanceof SocketFailure) return errorFromSocket(error.cause, error.server, attempt);
  if (error instanceof SyntaxError) return notJson(error, attempt);
  // A body that was cut short.
  return errnoOf(error) === '' ? error : errorFromSocket(error, '', attempt);
}

function notJson(cause: Error, { what, fields }: Attempt): KubeError {
  return new KubeError('protocol', `the answer is not JSON while ${what}`, { cause, fields });
}

/** A failure below HTTP, with the server it was about. */
class SocketFailure extends Error {
  readonly server: string;
  constructor(server: string, cause: unknown) {
    super('the connection failed', { cause });
    this.server = server;
  }
}

interface Exchange {
  readonly request: ApiRequest;
  readonly connection: Connection;
  readonly userAgent: string;
  readonly life: AbortSignal;
}

/** Sends, and waits for the head of the answer. */
async function exchange(it: Exchange): Promise<http.IncomingMessage> {
  try {
    return await send(it);
  } catch (error) {
    // A pooled socket that the server had closed meanwhile. Only a read is harmless to repeat.
    if (!(error instanceof StaleSocket) || it.request.method !== 'GET') throw socketFailure(it, error);
  }
  try {
    return await send(it);
  } catch (error) {
    throw socketFailure(it, error);
  }
}

function socketFailure({ connection }: Exchange, error: unknown): SocketFailure {
  return new SocketFailure(connection.server.origin, error instanceof StaleSocket ? error.cause : error);
}

class StaleSocket extends Error {}

function send({ request, connection, userAgent, life }: Exchange): Promise<http.IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>();
  const url = urlOf(request, connection.server);
  const outgoing = (url.protocol === 'http:' ? http : https).request(url, {
    method: request.method,
    agent: connection.agent,
    signal: life,
    headers: {
      ...connection.headers,
      accept: 'application/json',
      'user-agent': userAgent,
      ...(request.body === undefined
        ? {}
        : {
            'content-type': request.contentType ?? 'application/json',
            'content-length': Buffer.byteLength(request.body),
          }),
    },
  });
  outgoing.once('response', resolve);
  // Stays on for the life of the socket: a late error must not become an uncaught one.
  outgoing.on('error', (error) => {
    const stale = outgoing.reusedSocket && errnoOf(error) === 'ECONNRESET';
    reject(stale ? new StaleSocket('the server had closed this socket', { cause: error }) : error);
  });
  outgoing.end(request.body);
  return promise;
}

function urlOf({ path, query = {} }: ApiRequest, server: URL): URL {
  const url = new URL(server);
  url.pathname = `${server.pathname.replace(/\/$/, '')}${path}`;
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, value);
  }
  return url;
}

async function textOf(answer: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  const bytes: AsyncIterable<Buffer> = answer;
  for await (const chunk of bytes) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

function parseIfJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text; // e.g. "404 page not found", or a proxy's HTML
  }
}
