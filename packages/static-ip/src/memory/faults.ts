import { StaticIpError } from '../errors.ts';
import type { StaticIpErrorCode } from '../errors.ts';
import type { Verb } from '../decorators/around-verbs.ts';
import type { Clock } from '../ports.ts';

/** What goes wrong with a call. */
export type FaultEffect =
  /** The cloud refuses, and nothing happens. */
  | { readonly kind: 'error'; readonly code: StaticIpErrorCode }
  /** The effect happens, the reply is lost: `unknown`. */
  | { readonly kind: 'lostReply' }
  /** No answer until the caller gives up; nothing happens. */
  | { readonly kind: 'hang' }
  | { readonly kind: 'delay'; readonly ms: number };

/** A fault and the calls it is for. */
export type Fault = FaultEffect & {
  /** Any method when absent. */
  readonly verb?: Verb | undefined;
  /** How many calls it hits. @default 1 */
  readonly times?: number | undefined;
};

/** Faults in the order in which they were scripted; each call takes the first that fits. */
export interface FaultScript {
  add(fault: Fault): void;
  /** Runs a call's effect as the script wants it. */
  run<Result>(call: { readonly verb: Verb; readonly signal: AbortSignal }, effect: () => Result): Promise<Result>;
}

/** Makes an empty script: every call succeeds at once. */
export function createFaultScript(clock: Clock): FaultScript {
  let armed: readonly { readonly fault: Fault; readonly left: number }[] = [];

  const take = (verb: Verb): Fault | undefined => {
    const hit = armed.find(({ fault }) => fault.verb === undefined || fault.verb === verb);
    if (hit === undefined) return undefined;
    armed = armed.flatMap((one) => {
      if (one !== hit) return [one];
      return one.left > 1 ? [{ fault: one.fault, left: one.left - 1 }] : [];
    });
    return hit.fault;
  };

  return {
    add: (fault) => {
      armed = [...armed, { fault, left: fault.times ?? 1 }];
    },
    run: async ({ verb, signal }, effect) => {
      const fault = take(verb);
      const fields = { verb };
      if (fault?.kind === 'error') throw new StaticIpError(fault.code, 'scripted failure', { fields });
      if (fault?.kind === 'hang') await untilAborted(signal);
      if (fault?.kind === 'delay') await clock.sleep(fault.ms, signal);
      const result = effect();
      if (fault?.kind === 'lostReply') throw new StaticIpError('unknown', 'scripted loss of a reply', { fields });
      return result;
    },
  };
}

async function untilAborted(signal: AbortSignal): Promise<never> {
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  return promise;
}
