import { isStaticIpError } from '../errors.ts';
import type { StaticIpErrorCode } from '../errors.ts';
import type { Clock } from '../ports.ts';
import type { StaticIpProvider } from '../provider.ts';
import { aroundVerbs } from './around-verbs.ts';
import type { Verb } from './around-verbs.ts';

/** One call of a provider's method, in our own words; `CloudCall` has the cloud's. */
export interface VerbOutcome {
  readonly verb: Verb;
  /** `aborted`: the caller's signal ended it. `internal` also stands for an error that is none of the closed list. */
  readonly code: 'ok' | 'aborted' | StaticIpErrorCode;
  readonly durationMs: number;
}

/** The same provider, with every call reported when it ends. `onOutcome` must not throw. */
export function instrumented(
  provider: StaticIpProvider,
  { clock, onOutcome }: { readonly clock: Clock; readonly onOutcome: (outcome: VerbOutcome) => void },
): StaticIpProvider {
  return aroundVerbs(provider, async ({ verb, signal, run }) => {
    const startMs = clock.monotonic();
    const report = (code: VerbOutcome['code']): void =>
      onOutcome({ verb, code, durationMs: clock.monotonic() - startMs });
    try {
      const result = await run();
      report('ok');
      return result;
    } catch (error) {
      report(codeOf(error, signal));
      throw error;
    }
  });
}

function codeOf(error: unknown, signal: AbortSignal): VerbOutcome['code'] {
  if (isStaticIpError(error)) return error.code;
  return signal.aborted ? 'aborted' : 'internal';
}
