import { fileURLToPath } from 'node:url';
import { freePort } from '../cluster/free-port.ts';
import { startServer } from '../cluster/server-process.ts';
import { connectEmulator } from '../ec2/control/emulator-client.ts';
import type { RemoteControls } from '../ec2/control/emulator-client.ts';

/** An EC2 emulator in a process of its own, so that its work is not counted as anybody else's. */
export interface EmulatorProcess {
  readonly endpoint: string;
  readonly region: string;
  readonly controls: RemoteControls;
  readonly stop: () => Promise<void>;
}

export interface EmulatorProcessOptions {
  /** Gets the log and the process id file: the directory of a cluster, whose guard ends the process if we are killed. */
  readonly directory: string;
  /** Seconds of EC2's request budget per second. Default 1: as published. */
  readonly bucketSpeed?: number;
  /** Elastic IPs the account may hold. Default 1000. */
  readonly addressQuota?: number;
}

const REGION = 'us-east-1';
const PROGRAM = fileURLToPath(new URL('../ec2/main.ts', import.meta.url));

/** @throws ServerStartError when it does not answer within 20 s */
export async function startEmulatorProcess(
  { directory, bucketSpeed = 1, addressQuota = 1000 }: EmulatorProcessOptions,
  signal: AbortSignal,
): Promise<EmulatorProcess> {
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const controls = connectEmulator(endpoint);
  const flags = { port, region: REGION, speed: bucketSpeed, 'address-quota': addressQuota };
  const args = Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
  const server = await startServer(
    {
      name: 'ec2-emulator',
      program: process.execPath,
      args: ['--conditions=source', PROGRAM, ...args],
      directory,
      isReady: () => answers(controls),
      readyWithinMs: 20_000,
    },
    signal,
  );
  return { endpoint, region: REGION, controls, stop: () => server.stop(5_000) };
}

async function answers(controls: RemoteControls): Promise<boolean> {
  try {
    await controls.counts();
    return true;
  } catch {
    // Not listening yet.
    return false;
  }
}
