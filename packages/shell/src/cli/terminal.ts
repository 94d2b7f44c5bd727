import type { Writable } from 'node:stream';

/** What a command has of its process: nothing else of it is read or written. */
export interface Terminal {
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly workingDirectory: string;
  /** Aborts when the process is asked to stop. */
  readonly signal: AbortSignal;
  /** Called with an error that nobody caught, before the process ends with 1. The last handler given counts. */
  readonly onCrash: (handler: (error: unknown) => void) => void;
}

/** How a command prints its result. */
export const OUTPUTS = ['table', 'json'] as const;
export type Output = (typeof OUTPUTS)[number];

/** The envelope of every `--output json`; `schemas/cli/` has the schema of each kind. */
interface Report {
  readonly apiVersion: 'cli.eip.materialize.cloud/v1';
  readonly kind: string;
  readonly items: readonly object[];
}

/** Prints a report as JSON with a line end. */
export function printJson(stdout: Writable, kind: string, items: readonly object[]): void {
  const report: Report = { apiVersion: 'cli.eip.materialize.cloud/v1', kind, items };
  stdout.write(`${JSON.stringify(report, undefined, 2)}\n`);
}
