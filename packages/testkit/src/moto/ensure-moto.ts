import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { cacheDirectory } from '../assets/cache.ts';

const run = promisify(execFile);

const REQUIREMENT = 'moto[ec2,server]==5.2.*';
const VENV = 'moto-5.2';

/** Thrown when there is no moto and none can be installed; the message says what was tried and what to do. */
export class MotoUnavailableError extends Error {
  override readonly name = 'MotoUnavailableError';
}

/**
 * The path of a `moto_server`: the one MOTO_SERVER names, else the one on the PATH, else one in a virtual environment
 * under the user's cache directory, which is made with python3 and pip when it is not there yet.
 * @throws MotoUnavailableError
 */
export async function ensureMoto(
  environment: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<string> {
  const named = environment['MOTO_SERVER'];
  if (named !== undefined && named !== '') {
    if (await isExecutable(named)) return named;
    throw new MotoUnavailableError(`MOTO_SERVER names ${named}, which cannot be executed: correct or unset it`);
  }
  const venv = path.join(cacheDirectory(environment), VENV);
  const cached = path.join(venv, 'bin', 'moto_server');
  const onPath = (environment['PATH'] ?? '').split(path.delimiter).map((folder) => path.join(folder, 'moto_server'));
  for (const candidate of [...onPath, cached]) if (await isExecutable(candidate)) return candidate;
  await install(venv, signal);
  return cached;
}

async function install(venv: string, signal: AbortSignal): Promise<void> {
  try {
    await run('python3', ['-m', 'venv', venv], { signal });
    await run(path.join(venv, 'bin', 'pip'), ['install', '--quiet', '--disable-pip-version-check', REQUIREMENT], {
      signal,
    });
  } catch (cause) {
    // Half an environment would be taken for a whole one next time.
    await rm(venv, { recursive: true, force: true });
    const reason = cause instanceof Error ? cause.message.trim().split('\n').at(-1) : String(cause);
    throw new MotoUnavailableError(
      `no moto_server in MOTO_SERVER or on the PATH, and it could not be installed (${reason}): run pip install '${REQUIREMENT}'`,
      { cause },
    );
  }
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return true;
  } catch {
    // Absent or not executable: either way this one is not it.
    return false;
  }
}
