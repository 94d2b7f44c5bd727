import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import type { RelayEnd } from './relay.ts';

/** What a resident is asked to do. Each flow reports the source address that the far side saw. */
export type ResidentRequest =
  /** Answers TCP connections and UDP datagrams on a port with the source address seen. */
  | { readonly op: 'listen'; readonly port: number }
  /** Hands on connections until it ends. */
  | { readonly op: 'relay'; readonly from: RelayEnd; readonly to: RelayEnd }
  /** One new connection or datagram. */
  | {
      readonly op: 'ask';
      readonly protocol: 'tcp' | 'udp';
      readonly host: string;
      readonly port: number;
      readonly timeoutMs?: number;
    }
  /** Opens a flow that stays, named by `key`. */
  | {
      readonly op: 'open';
      readonly key: string;
      readonly protocol: 'tcp' | 'udp';
      readonly host: string;
      readonly port: number;
    }
  /** Sends on a flow opened before. */
  | { readonly op: 'again'; readonly key: string; readonly timeoutMs?: number };

export interface ResidentAnswer {
  /** The address that the far side saw. */
  readonly source?: string;
  /** `timeout`, or the code of the socket's error. */
  readonly error?: string;
}

/** A process in a namespace that opens real sockets on request. */
export interface Resident {
  readonly request: (request: ResidentRequest) => Promise<ResidentAnswer>;
  readonly close: () => Promise<void>;
}

/** Starts a resident under a command that enters its namespace. */
export async function startResident(prefix: readonly string[]): Promise<Resident> {
  const [command = '', ...args] = prefix;
  const child = spawn(command, [...args, process.execPath, join(import.meta.dirname, 'resident-main.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const waiting = new Map<number, (answer: ResidentAnswer) => void>();
  let count = 0;
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id, ...answer }: ResidentAnswer & { readonly id: number } = JSON.parse(line);
    waiting.get(id)?.(answer);
    waiting.delete(id);
  });
  return {
    request: (request) => {
      const { promise, resolve } = Promise.withResolvers<ResidentAnswer>();
      count += 1;
      waiting.set(count, resolve);
      child.stdin.write(`${JSON.stringify({ id: count, ...request })}\n`);
      return promise;
    },
    close: async () => {
      const closed = once(child, 'close');
      child.stdin.end();
      await closed;
    },
  };
}
