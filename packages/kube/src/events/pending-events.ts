import type { EventRecord } from './event-record.ts';

/** An Event to be sent, and how often it happened since it was last sent. */
export interface PendingEvent {
  readonly name: string;
  readonly record: EventRecord;
  readonly times: number;
}

/** Events that wait to be sent, one entry for each name, the oldest first. */
export interface PendingEvents {
  /** Answers the Event that had to go when there are too many. */
  add(event: PendingEvent): PendingEvent | undefined;
  /** The oldest, taken out. */
  shift(): PendingEvent | undefined;
  size(): number;
  /** Resolves when there is something to take. @throws the signal's reason. */
  whenSome(signal: AbortSignal): Promise<void>;
}

/** Makes an empty collection for at most `max` Events. */
export function createPendingEvents(max: number): PendingEvents {
  const byName = new Map<string, PendingEvent>();
  let wake: (() => void) | undefined;

  const shift = (): PendingEvent | undefined => {
    const [oldest] = byName.values();
    if (oldest !== undefined) byName.delete(oldest.name);
    return oldest;
  };

  return {
    add: (event) => {
      const before = byName.get(event.name);
      byName.set(event.name, { ...event, times: event.times + (before?.times ?? 0) });
      wake?.();
      return byName.size > max ? shift() : undefined;
    },
    shift,
    size: () => byName.size,
    whenSome: async (signal) => {
      signal.throwIfAborted();
      if (byName.size > 0) return;
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const onAbort = (): void => reject(signal.reason);
      signal.addEventListener('abort', onAbort, { once: true });
      wake = resolve;
      try {
        await promise;
      } finally {
        wake = undefined;
        signal.removeEventListener('abort', onAbort);
      }
    },
  };
}
