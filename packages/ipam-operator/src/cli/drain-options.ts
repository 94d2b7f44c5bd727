import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import { parseObjectKey } from '@static-ip/kube';
import type { ObjectRef } from '@static-ip/kube';
import { durationMs } from '@static-ip/shell';

/** What `drain` is told beside the options of the program. */
export interface DrainFlags {
  readonly addresses: 'keep' | 'release';
  /** Milliseconds. */
  readonly timeout: number;
  readonly stopDeployment?: ObjectRef;
}

/** Gives the command the flags that no other has. They have no twins in the environment: nobody drains by accident. */
export function addDrainFlags(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--addresses <what>',
        'What becomes of the addresses of Eips. keep: they stay where they are. release: they are taken off, and released as if every Eip were deleted',
      )
        .choices(['keep', 'release'])
        .default('keep'),
    )
    .addOption(
      new Option('--timeout <duration>', 'How long it may take, the waiting for the operator to stop included')
        .argParser(parseTimeout)
        .default(durationMs('5m'), '5m'),
    )
    .addOption(
      new Option(
        '--stop-deployment <namespace/name>',
        'Scale this Deployment, which runs the operator, to no replicas first',
      ).argParser(parseDeployment),
    );
}

function parseTimeout(text: string): number {
  try {
    const ms = durationMs(text);
    if (ms > 0) return ms;
  } catch {
    // Said below, as for 0.
  }
  throw new InvalidArgumentError('It takes a duration such as 90s or 5m.');
}

function parseDeployment(text: string): ObjectRef {
  const { namespace, name } = parseObjectKey(text);
  if (namespace === undefined || namespace === '' || name === '') {
    throw new InvalidArgumentError('It takes <namespace>/<name>.');
  }
  return { namespace, name };
}
