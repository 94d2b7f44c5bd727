import type { IncomingMessage, ServerResponse } from 'node:http';
import { errorEventLine } from './status-object.ts';

/** An answer on its way from the server to the client, with which things can go wrong. */
export interface OpenStream {
  /** Forwards nothing more, and keeps the connection open without a FIN: to the client the network went silent. */
  stall(): void;
  /** The next whole line arrives cut in half, so that it is no JSON. */
  corruptNextLine(): void;
  /** Sends an ERROR event, then ends the stream, as the API server does. */
  fail(code: number): void;
}

/**
 * Forwards an answer. Watches are forwarded by whole lines, so that an event can be put between two of them.
 */
export function forward(answer: IncomingMessage, response: ServerResponse, byLine: boolean): OpenStream {
  let stalled = false;
  let corrupt = false;
  let failed = false;
  let rest = Buffer.alloc(0);

  const takeWholeLines = (chunk: Buffer): Buffer => {
    const all = Buffer.concat([rest, chunk]);
    const end = all.lastIndexOf('\n') + 1;
    rest = all.subarray(end);
    return all.subarray(0, end);
  };
  const spoil = (lines: Buffer): Buffer => {
    if (!corrupt || lines.length === 0) return lines;
    corrupt = false;
    const end = lines.indexOf('\n');
    return Buffer.concat([lines.subarray(0, Math.floor(end / 2)), lines.subarray(end)]);
  };

  response.writeHead(answer.statusCode ?? 502, answer.headers);
  // The client learns at once that its watch is on, though no event may come for minutes.
  response.flushHeaders();
  answer.on('data', (chunk: Buffer) => {
    // What a stalled stream gets is dropped rather than held back: the server must not notice.
    if (stalled || failed) return;
    const bytes = byLine ? spoil(takeWholeLines(chunk)) : chunk;
    if (bytes.length > 0) response.write(bytes);
  });
  answer.on('end', () => {
    if (!stalled && !failed) response.end(rest);
  });
  answer.on('error', () => {
    if (!stalled && !failed) response.destroy();
  });

  return {
    stall: () => {
      stalled = true;
    },
    corruptNextLine: () => {
      corrupt = true;
    },
    fail: (code) => {
      failed = true;
      if (!stalled) response.end(errorEventLine(code));
    },
  };
}
