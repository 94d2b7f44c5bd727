import { closeSync, openSync, rmSync, statSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemErrorCode } from './system-error.ts';

const POLL_MS = 250;
const HEARTBEAT_MS = 2_000;
const ABANDONED_AFTER_MS = 20_000;

/**
 * Runs one build at a time in a cache directory: a Go build uses all processors and some gigabytes by itself. The holder
 * touches the lock file; one left untouched (its process was killed, perhaps in another container that shares the
 * directory, where its process id would say nothing) is taken over. Should two processes take over at the same moment,
 * both build, and the atomic rename at the end keeps the cache whole.
 * @throws what `work` throws, and the signal's reason.
 */
export async function withBuildLock(directory: string, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  const lock = path.join(directory, 'build.lock');
  while (!tryTake(lock)) {
    await sleep(POLL_MS);
    signal.throwIfAborted();
  }
  const heartbeat = setInterval(() => touch(lock), HEARTBEAT_MS);
  try {
    await work();
  } finally {
    clearInterval(heartbeat);
    rmSync(lock, { force: true });
  }
}

function tryTake(lock: string): boolean {
  try {
    closeSync(openSync(lock, 'wx'));
    return true;
  } catch (error) {
    if (systemErrorCode(error) !== 'EEXIST') throw error;
  }
  const modified = statSync(lock, { throwIfNoEntry: false })?.mtimeMs;
  if (modified !== undefined && Date.now() - modified > ABANDONED_AFTER_MS) rmSync(lock, { force: true });
  return false;
}

function touch(lock: string): void {
  try {
    utimesSync(lock, new Date(), new Date());
  } catch {
    // The directory was removed under the build; the rename at its end will report that.
  }
}
