import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { cacheDirectory } from '../assets/cache.ts';

const run = promisify(execFile);

/** A program out of a Python package. */
export interface PythonTool {
  readonly command: string;
  /** Environment variable that may name the program. */
  readonly variable: string;
  /** Requirement for pip. */
  readonly requirement: string;
  /** Folder of its virtual environment in the cache; has to change with the requirement. */
  readonly folder: string;
}

export const MOTO: PythonTool = {
  command: 'moto_server',
  variable: 'MOTO_SERVER',
  requirement: 'moto[ec2,server]==5.2.*',
  folder: 'moto-5.2',
};

export const AWS_CLI: PythonTool = {
  command: 'aws',
  variable: 'AWS_CLI',
  requirement: 'awscli==1.*',
  folder: 'awscli-1',
};

/** Thrown when a tool is not there and cannot be installed, or does not start; the message says what was tried and what to do. */
export class ToolUnavailableError extends Error {
  override readonly name = 'ToolUnavailableError';
}

/**
 * The path of a program: the one that its variable names, else the one on the PATH, else one in a virtual environment
 * under the user's cache directory, which is made with python3 and pip when it is not there yet.
 * @throws ToolUnavailableError
 */
export async function ensurePythonTool(
  tool: PythonTool,
  environment: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<string> {
  const named = environment[tool.variable];
  if (named !== undefined && named !== '') {
    if (await isExecutable(named)) return named;
    throw new ToolUnavailableError(
      `${tool.variable} names ${named}, which cannot be executed: correct or unset the variable`,
    );
  }
  const venv = path.join(cacheDirectory(environment), tool.folder);
  const cached = path.join(venv, 'bin', tool.command);
  const onPath = (environment['PATH'] ?? '').split(path.delimiter).map((folder) => path.join(folder, tool.command));
  for (const candidate of [...onPath, cached]) if (await isExecutable(candidate)) return candidate;
  await install(tool, venv, signal);
  return cached;
}

async function install(
  { command, variable, requirement }: PythonTool,
  venv: string,
  signal: AbortSignal,
): Promise<void> {
  try {
    await run('python3', ['-m', 'venv', venv], { signal });
    await run(path.join(venv, 'bin', 'pip'), ['install', '--quiet', '--disable-pip-version-check', requirement], {
      signal,
    });
  } catch (cause) {
    // Half an environment would be taken for a whole one next time.
    await rm(venv, { recursive: true, force: true });
    const reason = cause instanceof Error ? cause.message.trim().split('\n').at(-1) : String(cause);
    throw new ToolUnavailableError(
      `no ${command} in ${variable} or on the PATH, and it could not be installed (${reason}): run pip install '${requirement}'`,
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
