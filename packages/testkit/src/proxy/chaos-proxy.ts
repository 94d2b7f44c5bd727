import { readFileSync } from 'node:fs';
import { Agent, request as httpsRequest } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseApiRequest } from './api-request.ts';
import { createFaults, matches } from './fault.ts';
import type { Fault, FaultAction, RequestMatch } from './fault.ts';
import { createJournal } from './journal.ts';
import type { Journal, JournalEntry } from './journal.ts';
import { listen } from './listener.ts';
import { forward } from './open-stream.ts';
import type { OpenStream } from './open-stream.ts';
import { errorEventLine, statusObject } from './status-object.ts';

/**
 * A proxy in front of an API server that misbehaves when told to. It ends TLS with the server's own certificate, so
 * clients need nothing but its URL: `cluster.writeKubeconfig({ server: proxy.url })`. It speaks HTTP/1.1 and does not
 * pass client certificates on: clients log in with tokens.
 */
export interface ChaosProxy extends Pick<Journal, 'requests' | 'openWatches' | 'mostOpenWatches'> {
  readonly url: string;
  /** Adds a fault for requests to come; answers what takes it away again. */
  fault(fault: Fault): () => void;
  /** Resets every open connection (RST); answers how many. */
  cutConnections(): number;
  /** New connections are refused until `pass`. Open ones stay: cut them too for a server that is down. */
  refuseConnections(): void;
  /** Open streams that match go silent for good, without a FIN; answers how many. */
  stallStreams(match?: RequestMatch): number;
  /** Open watches that match get an ERROR event with this code (410: the version is too old), and end. */
  failWatches(match: RequestMatch, code: number): number;
  /** In open watches that match, the next line is cut in half. */
  corruptWatches(match?: RequestMatch): number;
  /** Takes all faults away and accepts connections again. Streams that were stalled stay so. */
  pass(): Promise<void>;
  /** Forgets past requests and peaks. */
  clearJournal(): void;
  stop(): Promise<void>;
}

export interface ChaosProxyOptions {
  /** URL of the API server. */
  readonly url: string;
  readonly caFile: string;
  readonly certFile: string;
  readonly keyFile: string;
}

/** Starts a proxy on a free port; a Cluster is all the options it needs. */
export async function startChaosProxy(options: ChaosProxyOptions): Promise<ChaosProxy> {
  const faults = createFaults();
  const journal = createJournal();
  const streams = new Map<JournalEntry, OpenStream>();
  const agent = new Agent({ keepAlive: true, ca: readFileSync(options.caFile) });

  const passOn = (
    entry: JournalEntry,
    request: IncomingMessage,
    response: ServerResponse,
    loseReply: boolean,
  ): void => {
    const upstream = httpsRequest(
      `${options.url}${request.url}`,
      { method: request.method, headers: { ...request.headers, host: new URL(options.url).host }, agent },
      (answer) => {
        if (loseReply) {
          answer.resume();
          answer.on('end', () => listener.reset(request));
          return;
        }
        entry.status = answer.statusCode ?? 0;
        streams.set(entry, forward(answer, response, entry.watch));
      },
    );
    upstream.on('error', () => response.destroy());
    response.on('close', () => upstream.destroy());
    request.pipe(upstream);
  };

  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    const entry = journal.begin(parseApiRequest(request.method ?? '', request.url ?? '/'));
    const end = (): void => {
      journal.end(entry);
      streams.delete(entry);
    };
    // "finish" comes before the client can have read the end, "close" when the connection broke before it.
    response.once('finish', end);
    response.once('close', end);
    const action = faults.take(entry);
    if (action === undefined || action.type === 'loseReply') {
      passOn(entry, request, response, action !== undefined);
    } else if (action.type === 'delay') {
      const timer = setTimeout(() => passOn(entry, request, response, false), action.ms);
      response.once('close', () => clearTimeout(timer));
    } else if (action.type === 'reset') {
      listener.reset(request);
    } else {
      misbehave(action, entry, response);
    }
  };

  const listener = await listen({ ...options, onRequest });
  const each = (match: RequestMatch, act: (stream: OpenStream) => void): number => {
    const chosen = [...streams].filter(([entry]) => matches(entry, match));
    for (const [, stream] of chosen) act(stream);
    return chosen.length;
  };
  return {
    url: listener.url,
    requests: journal.requests,
    openWatches: journal.openWatches,
    mostOpenWatches: journal.mostOpenWatches,
    fault: faults.add,
    cutConnections: listener.resetConnections,
    refuseConnections: listener.refuse,
    stallStreams: (match = {}) => each(match, (stream) => stream.stall()),
    failWatches: (match, code) => each({ ...match, watch: true }, (stream) => stream.fail(code)),
    corruptWatches: (match = {}) => each({ ...match, watch: true }, (stream) => stream.corruptNextLine()),
    pass: async () => {
      faults.clear();
      await listener.accept();
    },
    clearJournal: journal.clear,
    stop: async () => {
      await listener.close();
      agent.destroy();
    },
  };
}

type OwnAnswer = Exclude<FaultAction, { readonly type: 'delay' | 'loseReply' | 'reset' }>;

/** Faults that need no server. */
function misbehave(action: OwnAnswer, entry: JournalEntry, response: ServerResponse): void {
  switch (action.type) {
    case 'answer': {
      entry.status = action.status;
      const retry = action.retryAfterSeconds;
      response.writeHead(action.status, {
        'content-type': 'application/json',
        ...(retry === undefined ? {} : { 'retry-after': String(retry) }),
      });
      response.end(JSON.stringify(statusObject(action.status)));
      return;
    }
    case 'watchError':
      entry.status = 200;
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(errorEventLine(action.code));
      return;
    case 'stall':
      return;
  }
}
