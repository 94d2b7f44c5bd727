import { refusal } from './command.ts';
import type { CommandRequest, RunCommand } from './command.ts';
import { deleteBound, deleteMasqueraded, parseFlows } from './flows.ts';
import type { Flow, FlowOptions } from './flows.ts';
import { formatRule } from './ip-rule.ts';
import type { PeerMarks } from './kernel-state.ts';
import type { FlowStep, Step } from './plan.ts';

export interface ApplyOptions extends FlowOptions {
  readonly run: RunCommand;
}

/**
 * Performs one step of a plan. The nftables step is one transaction; each ip rule is one.
 * @throws AgentError `refused` when the kernel was not as it was read: read it again, and plan anew.
 */
export async function applyStep(step: Step, options: ApplyOptions, signal: AbortSignal): Promise<void> {
  switch (step.kind) {
    case 'ipRules': {
      const lines = [
        ...step.add.map((rule) => `rule add ${formatRule(rule)}`),
        ...step.remove.map((rule) => `rule del ${formatRule(rule)}`),
      ];
      // `-force`: one that somebody else was faster with must not keep the others waiting.
      return give(options, { program: 'ip', args: ['-4', '-force', '-batch', '-'], input: join(lines) }, signal);
    }
    case 'nft':
      // As an argument: nft opens /dev/stdin by name, which fails for the sockets that Node gives its children. The kernel
      // takes 128 KiB in one argument, which is some 7,000 pods.
      return give(options, { program: 'nft', args: ['-j', JSON.stringify({ nftables: step.commands })] }, signal);
    case 'peerMarks':
      return give(options, removeMarks(step.marks), signal);
    default:
      return dropFlows(step, options, signal);
  }
}

async function give({ run }: ApplyOptions, request: CommandRequest, signal: AbortSignal): Promise<void> {
  const result = await run(request, signal);
  if (result.exitCode !== 0) throw refusal(request, result);
}

function join(lines: readonly string[]): string {
  return `${lines.join('\n')}\n`;
}

/** The very lines that were read, as deletions, in one transaction. */
function removeMarks({ backend, lines }: PeerMarks): CommandRequest {
  const deletions = lines.map((line) => line.replace(/^-A /, '-D '));
  const input = join(['*mangle', ...deletions, 'COMMIT']);
  return { program: `iptables-${backend}-restore`, args: ['--noflush', '--wait', '5'], input };
}

/** One listing for all pods, then one process for all deletions. */
async function dropFlows(step: FlowStep, options: ApplyOptions, signal: AbortSignal): Promise<void> {
  const commands: string[] = [];
  if (step.masqueraded.pods.length > 0) {
    const flows = await listFlows(options, ['--src-nat'], signal);
    commands.push(...deleteMasqueraded(step, flows, options));
  }
  if (step.bound.length > 0) commands.push(...deleteBound(step, await listFlows(options, [], signal)));
  if (commands.length === 0) return;
  // `cat`, since conntrack too opens /dev/stdin by name: it needs a pipe.
  const load = { program: 'sh', args: ['-c', 'cat | conntrack --load-file -'], input: join(commands) };
  await give(options, load, signal);
}

async function listFlows(
  { run }: ApplyOptions,
  filter: readonly string[],
  signal: AbortSignal,
): Promise<readonly Flow[]> {
  const request = { program: 'conntrack', args: ['-L', '-f', 'ipv4', ...filter, '-o', 'save'] };
  const result = await run(request, signal);
  if (result.exitCode !== 0) throw refusal(request, result);
  return parseFlows(result.stdout);
}
