import Table from 'cli-table3';
import type { BenchRecord } from './record.ts';
import { isRead } from './record.ts';
import type { SettledResult } from './run-settled.ts';

const COLUMNS = [
  'subject',
  'flow',
  'n',
  'seconds',
  'floor',
  'ratio',
  'p50 s',
  'p99 s',
  'changes',
  'reads',
  'throttled',
  'violations',
  'peak MB',
  'CPU s',
] as const;

/** The records as a table for people. */
export function recordTable(records: readonly BenchRecord[]): string {
  const rows = records.map((record) => [
    record.subject,
    record.flow,
    String(record.n),
    record.seconds.toFixed(2),
    record.floorSeconds.toFixed(1),
    record.ratio === null ? '–' : record.ratio.toFixed(3),
    record.latencySeconds.p50.toFixed(2),
    record.latencySeconds.p99.toFixed(2),
    callList(record.calls, (action) => !isRead(action)),
    callList(record.calls, isRead),
    String(record.throttled),
    String(record.violations),
    (record.peakRssBytes / 1e6).toFixed(0),
    record.cpuSeconds.toFixed(1),
  ]);
  return draw(COLUMNS, rows);
}

/** What was done to a settled world, as a table for people. */
export function settledTable(results: readonly SettledResult[]): string {
  const head = ['subject', 'n', 'starts, resyncs', 'EC2 changes', 'Kubernetes writes', 'EC2 reads', 'wrong'];
  const rows = results.map((result) => [
    result.subject,
    `${result.n} ${result.noun}`,
    `${result.starts}, ${result.resyncs}`,
    callList(result.mutatingCalls) || '0',
    callList(result.writes) || '0',
    callList(result.reads) || '0',
    String(result.wrong.length),
  ]);
  return draw(head, rows);
}

function callList(calls: Readonly<Record<string, number>>, isWanted: (action: string) => boolean = () => true): string {
  const wanted = Object.entries(calls).filter(([action]) => isWanted(action));
  return wanted.map(([action, count]) => `${count} ${action}`).join('\n');
}

function draw(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const table = new Table({ head: [...head], style: { head: [], border: [] } });
  table.push(...rows.map((row) => [...row]));
  return table.toString();
}
