import type { Clock } from '../ports.ts';
import type { Ec2Calls } from './ec2-calls.ts';

/** Zones appear rarely, and never change their border group. */
const RETRY_MS = 60_000;

/** The network border group of a zone: `undefined` while it cannot be found out. */
export type BorderGroupOf = (zone: string | undefined) => string | undefined;

/**
 * Looks zones up in DescribeAvailabilityZones, once and for all, and again at most once a minute for zones that are not
 * in the answer. Never fails: without the right to call it, addresses are attached all the same, and EC2 says when the
 * border groups differ.
 */
export function createBorderGroups(calls: Ec2Calls, clock: Clock) {
  let known: ReadonlyMap<string, string> = new Map();
  let askedMs = -Infinity;
  let asking: Promise<void> | undefined;

  const ask = async (): Promise<void> => {
    askedMs = clock.monotonic();
    // Not under a caller's signal: others wait for it too. The deadline of the call bounds it.
    const zones = await calls.describeAvailabilityZones(new AbortController().signal).catch(() => []);
    const pairs = zones.flatMap(({ ZoneName, NetworkBorderGroup }) =>
      ZoneName && NetworkBorderGroup ? [[ZoneName, NetworkBorderGroup] as const] : [],
    );
    known = new Map([...known, ...pairs]);
  };

  return {
    /** Answers for these zones, after a call where one is unknown and a call is due. */
    of: async (zones: readonly (string | undefined)[]): Promise<BorderGroupOf> => {
      const isMissing = zones.some((zone) => zone !== undefined && !known.has(zone));
      if (isMissing && asking === undefined && clock.monotonic() - askedMs >= RETRY_MS) {
        asking = ask().finally(() => (asking = undefined));
      }
      if (isMissing) await asking;
      return (zone) => (zone === undefined ? undefined : known.get(zone));
    },
  };
}
