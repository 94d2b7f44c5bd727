import { readFile } from 'node:fs/promises';
import { isAgentError } from '../errors.ts';
import { refusal } from './command.ts';
import type { CommandRequest, CommandResult, RunCommand } from './command.ts';
import type { IptablesBackend, KernelState, OwnTable, PeerMarks } from './kernel-state.ts';
import { PODS_SET, TABLE } from './names.ts';
import { shapeOf } from './own-table.ts';
import { peerMarkLines } from './peer-leftovers.ts';
import { IP_QUERIES, parseIp } from './read-ip.ts';
import { isRaw, parseJson } from './shape.ts';

export interface KernelAccess {
  readonly run: RunCommand;
  /** The network part of /proc of the namespace that `run` works in. */
  readonly procNet: string;
}

/**
 * Reads what the node's kernel holds. `withPeerMarks` looks for the predecessor's leftovers in iptables, too.
 * @throws AgentError when a program is missing, refuses, or answers in an unknown way.
 */
export async function readKernel(
  access: KernelAccess,
  { withPeerMarks }: { readonly withPeerMarks: boolean },
  signal: AbortSignal,
): Promise<KernelState> {
  const input = `${IP_QUERIES.join('\n')}\n`;
  const [network, table, peerMarks] = await Promise.all([
    ask(access, { program: 'ip', args: ['-4', '-json', '-N', '-details', '-batch', '-'], input }, signal),
    readTable(access, signal),
    withPeerMarks ? readPeerMarks(access, signal) : [],
  ]);
  return { ...parseIp(network), table, peerMarks };
}

async function ask({ run }: KernelAccess, request: CommandRequest, signal: AbortSignal): Promise<string> {
  const result = await run(request, signal);
  if (result.exitCode !== 0) throw refusal(request, result);
  return result.stdout;
}

/** nft says no in words only when a table is not there: then the list of tables tells. */
async function readTable(access: KernelAccess, signal: AbortSignal): Promise<OwnTable | undefined> {
  const request = { program: 'nft', args: ['-j', 'list', 'table', 'ip', TABLE] };
  const result = await access.run(request, signal);
  if (result.exitCode === 0) return parseTable(result.stdout);
  const tables = objectsOf(await ask(access, { program: 'nft', args: ['-j', 'list', 'tables', 'ip'] }, signal));
  if (tables.some(({ table }) => isRaw(table) && table['name'] === TABLE)) throw refusal(request, result);
  return undefined;
}

function objectsOf(json: string): readonly Readonly<Record<string, unknown>>[] {
  const listing = parseJson(json, 'nft');
  const objects = isRaw(listing) ? listing['nftables'] : undefined;
  return Array.isArray(objects) ? objects.filter(isRaw).filter((one) => !('metainfo' in one)) : [];
}

/** Reads `nft -j list table`. @throws AgentError `protocol` when it is no JSON. */
export function parseTable(json: string): OwnTable {
  const pods = new Set<string>();
  const objects = objectsOf(json).map((one) => {
    const { set } = one;
    if (!isRaw(set) || set['name'] !== PODS_SET) return one;
    const { elem, ...rest } = set;
    if (Array.isArray(elem)) for (const ip of elem) if (typeof ip === 'string') pods.add(ip);
    return { set: rest };
  });
  return { shape: shapeOf(objects), pods };
}

async function readPeerMarks(access: KernelAccess, signal: AbortSignal): Promise<readonly PeerMarks[]> {
  const backends: readonly IptablesBackend[] = (await hasLegacyMangle(access)) ? ['nft', 'legacy'] : ['nft'];
  const marks = await Promise.all(
    backends.map(async (backend) => ({ backend, lines: peerMarkLines(await save(access, backend, signal)) })),
  );
  return marks.filter(({ lines }) => lines.length > 0);
}

/** Asked first, since `iptables-legacy-save` would create the table that it looks for. */
async function hasLegacyMangle({ procNet }: KernelAccess): Promise<boolean> {
  try {
    return (await readFile(`${procNet}/ip_tables_names`, 'utf8')).split('\n').includes('mangle');
  } catch {
    // Without the module there is no such file.
    return false;
  }
}

/** '' where this backend is not installed or may not be read: it is only about leftovers. */
async function save({ run }: KernelAccess, backend: IptablesBackend, signal: AbortSignal): Promise<string> {
  const request = { program: `iptables-${backend}-save`, args: ['-t', 'mangle'] };
  let result: CommandResult;
  try {
    result = await run(request, signal);
  } catch (error) {
    if (isAgentError(error, 'missing')) return '';
    throw error;
  }
  return result.exitCode === 0 ? result.stdout : '';
}
