import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { connectEmulator } from './control/emulator-client.ts';
import type { RemoteControls } from './control/emulator-client.ts';

/** An emulator in a process of its own, so that what is measured does not share its thread. */
export interface EmulatorProcess {
  readonly endpoint: string;
  readonly pid: number;
  readonly controls: RemoteControls;
  /** Ends it, and waits until it has ended. */
  close(): Promise<void>;
}

/**
 * Starts the emulator's own program with these arguments (see its `--help`) and waits for its endpoint.
 * @throws Error when it ends before it says where it listens
 */
export async function startEmulatorProcess(args: readonly string[] = []): Promise<EmulatorProcess> {
  const main = path.join(import.meta.dirname, `main${path.extname(import.meta.filename)}`);
  const child = spawn(process.execPath, ['--conditions=source', main, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const line: unknown = await Promise.race([
    once(createInterface(child.stdout), 'line').then(([first]) => first),
    exited.then(([code]) => Promise.reject(new Error(`the emulator ended with ${String(code)} before it listened`))),
  ]);
  const announced: { readonly endpoint: string; readonly pid: number } = JSON.parse(String(line));
  return {
    ...announced,
    controls: connectEmulator(announced.endpoint),
    async close() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}
