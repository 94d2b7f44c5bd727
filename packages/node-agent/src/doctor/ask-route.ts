import { createCommandRunner } from '../no-masquerade/command.ts';
import type { RunCommand } from '../no-masquerade/command.ts';
import { parseObjects, textOf } from '../no-masquerade/shape.ts';
import type { Asked, Route } from './facts.ts';

/** An address of the documentation networks (RFC 5737): reached like every other of the internet, and nobody's. */
const SOMEWHERE = '192.0.2.1';

/** Asks the kernel for the way of the node's own packets, and of pods'. Nothing is sent. */
export interface RouteQuery {
  ofNode(signal: AbortSignal): Promise<Asked<Route>>;
  ofPod(ip: string, signal: AbortSignal): Promise<Asked<Route>>;
}

/** Makes the query, by `ip -json route get`. */
export function createRouteQuery(run: RunCommand = createCommandRunner()): RouteQuery {
  const ask = async (words: readonly string[], signal: AbortSignal): Promise<Asked<Route>> => {
    const { exitCode, stdout, stderr } = await run(
      { program: 'ip', args: ['-4', '-json', 'route', 'get', ...words] },
      signal,
    );
    if (exitCode !== 0) return { ok: false, why: stderr.trim() };
    const [first] = parseObjects(stdout, 'ip');
    const device = first === undefined ? undefined : textOf(first, 'dev');
    if (first === undefined || device === undefined) return { ok: false, why: 'the kernel knows no way' };
    const [gateway, table, source] = ['gateway', 'table', 'prefsrc'].map((key) => textOf(first, key));
    return { ok: true, value: { device, gateway, table, source } };
  };
  return {
    ofNode: (signal) => ask([SOMEWHERE], signal),
    ofPod: async (ip, signal) => {
      // The kernel judges a packet by where it comes in: the pod's own interface.
      const back = await ask([ip], signal);
      return back.ok ? ask([SOMEWHERE, 'from', ip, 'iif', back.value.device], signal) : back;
    },
  };
}
