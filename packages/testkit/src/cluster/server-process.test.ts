import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startServer } from './server-process.ts';
import type { ServerCommand } from './server-process.ts';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'static-ip-server-'));
});

afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

/** A shell that plays a server; it tells its process id in a file, as its own one is removed when it has ended. */
function server(script: string, readyWithinMs = 10_000): ServerCommand {
  return {
    name: 'server',
    program: '/bin/sh',
    args: ['-c', `cd "$0"; echo $$ > told; ${script}`, directory],
    directory,
    isReady: () => Promise.resolve(existsSync(path.join(directory, 'ready'))),
    readyWithinMs,
  };
}

function isAlive(): boolean {
  const pid = Number(readFileSync(path.join(directory, 'told'), 'utf8'));
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const never = new AbortController().signal;

describe('server process', () => {
  it('runs until it is stopped', async () => {
    const { stop } = await startServer(server('touch ready; exec sleep 60'), never);
    expect(isAlive()).toBe(true);
    await stop(5_000);
    expect(isAlive()).toBe(false);
    expect(existsSync(path.join(directory, 'server.pid'))).toBe(false);
  });

  it('is killed when it does not heed a polite stop', async () => {
    const { stop } = await startServer(server('trap "" TERM; touch ready; while :; do sleep 0.05; done'), never);
    await stop(50);
    expect(isAlive()).toBe(false);
  });

  it('reports the end of its log when it ends before it is ready', async () => {
    await expect(startServer(server('echo bind: address already in use >&2; exit 3'), never)).rejects.toMatchObject({
      name: 'ServerStartError',
      message: expect.stringContaining('server ended with exit code 3'),
      log: expect.stringContaining('address already in use'),
    });
  });

  it('is ended when it is not ready in time', async () => {
    await expect(startServer(server('exec sleep 60', 200), never)).rejects.toThrow('was not ready within 200 ms');
    expect(isAlive()).toBe(false);
  });

  it('is ended when the caller gives up, with the reason of its signal', async () => {
    const abort = new AbortController();
    const command = server('exec sleep 60');
    const isReady = (): Promise<boolean> => {
      if (existsSync(path.join(directory, 'told'))) abort.abort(new Error('changed its mind'));
      return Promise.resolve(false);
    };
    await expect(startServer({ ...command, isReady }, abort.signal)).rejects.toThrow('changed its mind');
    expect(isAlive()).toBe(false);
  });

  it('says which program cannot be run', async () => {
    const command = { ...server(''), program: path.join(directory, 'absent') };
    await expect(startServer(command, never)).rejects.toThrow(/cannot run .*absent/);
  });
});
