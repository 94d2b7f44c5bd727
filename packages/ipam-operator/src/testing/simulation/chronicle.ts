import type { Clock } from '@static-ip/provider';

/** What happened in a simulated world, to be read when something went wrong. */
export interface Chronicle {
  note(what: string): void;
  /** A rule was broken. */
  violation(what: string): void;
  readonly violations: readonly string[];
  /** All of it, one line each with the time in seconds. */
  lines(): readonly string[];
}

/** Makes an empty one. */
export function createChronicle(clock: Clock): Chronicle {
  const lines: string[] = [];
  const violations: string[] = [];
  const stamp = (what: string): string => `${(clock.monotonic() / 1_000).toFixed(3)} ${what}`;
  return {
    violations,
    lines: () => lines,
    note: (what) => void lines.push(stamp(what)),
    violation: (what) => {
      lines.push(stamp(`!! ${what}`));
      violations.push(stamp(what));
    },
  };
}
