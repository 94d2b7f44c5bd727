import { watch } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Clock } from '@static-ip/kube';

export interface DirectoryWatch {
  readonly directory: string;
  readonly clock: Pick<Clock, 'sleep'>;
  /** Called when something in the directory may have changed, also when the directory came or went. */
  readonly onChange: () => void;
}

/** A directory that is not there, or was replaced, is looked for again after this long. */
const LOOK_AGAIN_MS = 2_000;

/**
 * Calls back on changes of a directory until the signal aborts. It need not exist yet, and may be replaced. Never rejects:
 * where watching does not work, the caller's own regular readings remain.
 */
export async function watchDirectory(
  { directory, clock, onChange }: DirectoryWatch,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const identity = await identityOf(directory);
    if (identity !== undefined) {
      await followWhile({ directory, identity, onChange }, signal);
      onChange();
    }
    // An abort ends the loop; the sleep has no other way to fail.
    await clock.sleep(LOOK_AGAIN_MS, signal).catch(() => undefined);
  }
}

interface Followed {
  readonly directory: string;
  readonly identity: string;
  readonly onChange: () => void;
}

/** Until the directory under this name is another one, or cannot be watched. */
async function followWhile({ directory, identity, onChange }: Followed, signal: AbortSignal): Promise<void> {
  const over = Promise.withResolvers<void>();
  const end = (): void => over.resolve();
  const look = async (): Promise<void> => {
    onChange();
    if ((await identityOf(directory)) !== identity) end();
  };
  try {
    using watcher = closing(watch(directory, () => void look()));
    watcher.once('error', end);
    signal.addEventListener('abort', end, { once: true });
    // What changed before the watch began was seen by nobody.
    await look();
    await over.promise;
  } catch {
    // Gone by now, or the machine is out of inotify watches: looked for again.
  } finally {
    signal.removeEventListener('abort', end);
  }
}

function closing<T extends { close(): void }>(resource: T): T & Disposable {
  return Object.assign(resource, { [Symbol.dispose]: () => resource.close() });
}

async function identityOf(directory: string): Promise<string | undefined> {
  try {
    const { dev, ino } = await stat(directory);
    return `${dev}:${ino}`;
  } catch {
    // Not there, or not to be read: as good as not there.
    return undefined;
  }
}
