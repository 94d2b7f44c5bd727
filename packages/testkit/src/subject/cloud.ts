import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { startEmulatorProcess } from '../ec2/start-emulator-process.ts';
import type { EmulatorProcess } from '../ec2/start-emulator-process.ts';

/** The cloud of a demo or a benchmark. */
export interface Cloud extends EmulatorProcess {
  readonly region: string;
}

export interface CloudOptions {
  /** The directory of a cluster, whose guard ends the process should we be killed. */
  readonly directory: string;
  /** Seconds of EC2's request budget per second. Default 1: as published. */
  readonly bucketSpeed?: number;
  /** Elastic IPs the account may hold. Default 1000. */
  readonly addressQuota?: number;
}

const REGION = 'us-east-1';

/**
 * Starts an EC2 emulator in a process of its own, so that its work is not counted as anybody else's.
 * @throws Error when it ends before it listens
 */
export async function startCloud({ directory, bucketSpeed = 1, addressQuota = 1000 }: CloudOptions): Promise<Cloud> {
  const flags = { region: REGION, speed: bucketSpeed, 'address-quota': addressQuota };
  const emulator = await startEmulatorProcess(Object.entries(flags).map(([name, value]) => `--${name}=${value}`));
  writeFileSync(path.join(directory, 'ec2-emulator.pid'), String(emulator.pid));
  return { ...emulator, region: REGION };
}
