import type { Controls } from './controls.ts';
import { asRecord } from '../ec2-endpoint.ts';

/** The controls of an emulator in another process: the same functions, each answering with a promise. */
export type RemoteControls = {
  readonly [Name in keyof Controls]: (
    ...args: Parameters<Controls[Name]>
  ) => Promise<Awaited<ReturnType<Controls[Name]>>>;
};

const NAMES: Readonly<Record<keyof Controls, true>> = {
  addZone: true,
  addVpc: true,
  addSubnet: true,
  addRouteTable: true,
  addInstance: true,
  addInterface: true,
  addAddress: true,
  changeAddress: true,
  dropAddress: true,
  associate: true,
  disassociate: true,
  setPrivateIps: true,
  movePrivateIp: true,
  setInstanceState: true,
  terminate: true,
  configure: true,
  drain: true,
  injectFault: true,
  removeFault: true,
  faults: true,
  pauseReached: true,
  releasePause: true,
  journal: true,
  counts: true,
  violations: true,
  snapshot: true,
  forget: true,
  reset: true,
};

/**
 * The controls of the emulator at `endpoint`. Infinity arrives as null: JSON has no such number.
 * @throws Error (from each function) with the emulator's message when it refuses
 */
export function connectEmulator(endpoint: string): RemoteControls {
  const functions = Object.keys(NAMES).map((name) => [name, (args?: unknown) => callControl(endpoint, name, args)]);
  const controls: unknown = Object.fromEntries(functions);
  if (isComplete(controls)) return controls;
  throw new Error('a control has no function');
}

function isComplete(controls: unknown): controls is RemoteControls {
  return (
    typeof controls === 'object' &&
    controls !== null &&
    Object.keys(NAMES).every((name) => Object.hasOwn(controls, name))
  );
}

async function callControl(endpoint: string, name: string, args: unknown): Promise<unknown> {
  const response = await fetch(`${endpoint}/_control/${name}`, { method: 'POST', body: JSON.stringify(args ?? {}) });
  const answer = asRecord(await response.json());
  if (!response.ok) throw new Error(`emulator control ${name}: ${String(answer['error'])}`);
  return answer['result'];
}
