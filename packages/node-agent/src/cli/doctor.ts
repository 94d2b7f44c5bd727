import { systemClock } from '@static-ip/kube';
import { formatTable, printJson } from '@static-ip/shell';
import type { Output, Terminal } from '@static-ip/shell';
import { connectKube } from '../app/connect.ts';
import type { AgentOptions } from '../app/options.ts';
import { createRouteQuery } from '../doctor/ask-route.ts';
import type { Check } from '../doctor/check.ts';
import { explain } from '../doctor/explain.ts';
import { gather } from '../doctor/gather.ts';
import { createNodeKernel } from '../no-masquerade/node-kernel.ts';

export interface DoctorRequest {
  readonly options: AgentOptions;
  /** `name` or `namespace/name`; undefined: the node alone. */
  readonly podName: string | undefined;
  readonly output: Output;
}

/** `static-ip-agent doctor`: prints the diagnosis. Resolves to the exit code: 1 when there is a problem. */
export async function doctor(
  { options, podName, output }: DoctorRequest,
  { stdout, signal }: Pick<Terminal, 'stdout' | 'signal'>,
): Promise<0 | 1> {
  const kube = connectKube(options);
  try {
    const kernel = createNodeKernel({ resetTcp: false });
    const deps = { options, kube, kernel, routes: createRouteQuery(), clock: systemClock };
    const checks = explain(await gather(deps, podName, signal));
    if (output === 'json') printJson(stdout, 'Doctor', checks);
    else stdout.write(`${describe(checks)}\n`);
    return checks.some(({ verdict }) => verdict === 'problem') ? 1 : 0;
  } finally {
    await kube.close();
  }
}

function describe(checks: readonly Check[]): string {
  const rows = checks.map(({ subject, check, verdict, found, fix }) => [subject, check, verdict, found, fix ?? '']);
  return formatTable(['SUBJECT', 'CHECK', 'VERDICT', 'FOUND', 'FIX'], rows);
}
