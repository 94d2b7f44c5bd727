/** One call as the emulator saw it. */
export interface JournalEntry {
  readonly number: number;
  readonly action: string;
  readonly params: Readonly<Record<string, string>>;
  readonly principal: string;
  /** Milliseconds on the emulator's clock at which it arrived. */
  readonly at: number;
  /** When it had its effect or was refused by EC2; undefined if it never got there. */
  readonly effectAt: number | undefined;
  /** Milliseconds from arrival to the end of the answer; undefined while in flight. */
  readonly durationMs: number | undefined;
  /** `OK`, the error code sent, `ConnectionReset`, or `InFlight`. */
  readonly code: string;
  readonly status: number | undefined;
}

/** Calls by action, then by code. */
export type CallCounts = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** The calls in order of arrival. */
export interface Journal {
  open(call: Pick<JournalEntry, 'action' | 'params' | 'principal' | 'at'>): number;
  /** Sets when the effect happened. */
  effect(number: number, at: number): void;
  close(number: number, end: { readonly at: number; readonly code: string; readonly status: number | undefined }): void;
  entries(): readonly JournalEntry[];
  /** Counts over the whole life, also of entries no longer kept. */
  counts(): CallCounts;
  clear(): void;
}

/** A journal that keeps the latest `limit` calls. */
export function createJournal(limit: number): Journal {
  let entries = new Map<number, JournalEntry>();
  let counts: Record<string, Record<string, number>> = {};
  let next = 1;
  function amend(number: number, change: Partial<JournalEntry>): void {
    const entry = entries.get(number);
    if (entry !== undefined) entries.set(number, { ...entry, ...change });
  }
  return {
    open(call) {
      const number = next++;
      entries.set(number, {
        ...call,
        number,
        effectAt: undefined,
        durationMs: undefined,
        code: 'InFlight',
        status: undefined,
      });
      if (entries.size > limit) entries.delete(number - limit);
      return number;
    },
    effect: (number, at) => amend(number, { effectAt: at }),
    close(number, { at, code, status }) {
      const entry = entries.get(number);
      if (entry === undefined) return;
      amend(number, { durationMs: at - entry.at, code, status });
      const ofAction = (counts[entry.action] ??= {});
      ofAction[code] = (ofAction[code] ?? 0) + 1;
    },
    entries: () => [...entries.values()],
    counts: () => structuredClone(counts),
    clear() {
      entries = new Map();
      counts = {};
    },
  };
}
