import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { withBuildLock } from './build-lock.ts';

/** The environment variables that decide where assets are looked for. */
export interface AssetEnvironment {
  readonly [variable: string]: string | undefined;
}

/** Where built assets live: `static-ip-testkit` under the user's cache directory (XDG base directory specification). */
export function cacheDirectory(environment: AssetEnvironment): string {
  const userCache = environment['XDG_CACHE_HOME'] || path.join(environment['HOME'] || homedir(), '.cache');
  return path.join(userCache, 'static-ip-testkit');
}

export interface CachedFileRequest {
  readonly cache: string;
  /** Folder of the file in the cache; has to change with everything the file is made of. */
  readonly key: string;
  readonly fileName: string;
  /** Makes the file at the given path; called at most once at a time among all processes of the machine. */
  readonly make: (file: string, signal: AbortSignal) => Promise<void>;
}

/**
 * The path of a cached file, made first if it is missing. It appears in the cache by one rename, so that nobody ever
 * runs half a program.
 * @throws what `make` throws, and the signal's reason.
 */
export async function cachedFile(request: CachedFileRequest, signal: AbortSignal): Promise<string> {
  const folder = path.join(request.cache, request.key);
  const file = path.join(folder, request.fileName);
  if (existsSync(file)) return file;
  mkdirSync(request.cache, { recursive: true });
  await withBuildLock(request.cache, signal, async () => {
    // Another process may have made it while this one waited for the lock.
    if (existsSync(file)) return;
    const workshop = mkdtempSync(path.join(request.cache, '.making-'));
    try {
      await request.make(path.join(workshop, request.fileName), signal);
      rmSync(folder, { recursive: true, force: true });
      renameSync(workshop, folder);
    } finally {
      rmSync(workshop, { recursive: true, force: true });
    }
  });
  return file;
}
