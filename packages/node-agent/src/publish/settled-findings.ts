import { isDeepStrictEqual } from 'node:util';
import type { Finding } from '@static-ip/cni-config';

/** Tells findings when they are new and have lasted: a file that is just being written is broken for a moment. */
export interface SettledFindings {
  /** Takes one reading; resolves to milliseconds after which another one is wanted, or undefined when all is told. */
  take(findings: readonly Finding[], nowMs: number): number | undefined;
}

/** How long a file may look broken before anybody is told. */
const SETTLE_MS = 2_000;

/** `tell` is called with all findings, once for each change; the first time only if there are any. */
export function createSettledFindings(tell: (findings: readonly Finding[]) => void): SettledFindings {
  let told: readonly Finding[] = [];
  let seen: { readonly findings: readonly Finding[]; readonly sinceMs: number } | undefined;
  return {
    take: (findings, nowMs) => {
      if (seen === undefined || !isDeepStrictEqual(seen.findings, findings)) seen = { findings, sinceMs: nowMs };
      if (isDeepStrictEqual(told, findings)) return undefined;
      const leftMs = seen.sinceMs + SETTLE_MS - nowMs;
      if (leftMs > 0) return leftMs;
      told = findings;
      tell(findings);
      return undefined;
    },
  };
}
