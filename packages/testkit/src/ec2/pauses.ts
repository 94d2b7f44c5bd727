import type { Ec2Call } from './core/step.ts';

/** A call that waits to be released. */
export interface PausedCall {
  readonly action: string;
  readonly params: Readonly<Record<string, string>>;
  readonly principal: string;
  readonly point: 'before-effect' | 'after-effect';
}

/** The calls that wait, by the fault that made them wait. */
export interface Pauses {
  /** Waits until the fault is released, or until `signal` aborts. */
  hold(faultId: string, call: Ec2Call, options: { point: PausedCall['point']; signal: AbortSignal }): Promise<void>;
  /** Resolves with the first call that waits for the fault. @throws Error when none came within `timeoutMs` */
  reached(faultId: string, timeoutMs: number): Promise<PausedCall>;
  /** Lets all waiting calls of the fault go on. */
  release(faultId: string): void;
  releaseAll(): void;
}

/** Makes an empty waiting room. */
export function createPauses(): Pauses {
  const waiting = new Map<string, { call: PausedCall; go: () => void }[]>();
  const watchers = new Map<string, ((call: PausedCall) => void)[]>();
  function release(faultId: string): void {
    for (const { go } of waiting.get(faultId) ?? []) go();
    waiting.delete(faultId);
  }
  return {
    hold(faultId, { action, params, principal }, { point, signal }) {
      const call: PausedCall = { action, params, principal, point };
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.set(faultId, [...(waiting.get(faultId) ?? []), { call, go: resolve }]);
      for (const tell of watchers.get(faultId) ?? []) tell(call);
      watchers.delete(faultId);
      signal.addEventListener('abort', () => resolve(), { once: true });
      return promise;
    },
    reached(faultId, timeoutMs) {
      const [first] = waiting.get(faultId) ?? [];
      if (first !== undefined) return Promise.resolve(first.call);
      const { promise, resolve, reject } = Promise.withResolvers<PausedCall>();
      const timer = setTimeout(() => reject(new Error(`no call reached the pause within ${timeoutMs} ms`)), timeoutMs);
      const tell = (call: PausedCall) => {
        clearTimeout(timer);
        resolve(call);
      };
      watchers.set(faultId, [...(watchers.get(faultId) ?? []), tell]);
      return promise;
    },
    release,
    releaseAll() {
      for (const faultId of waiting.keys()) release(faultId);
    },
  };
}
