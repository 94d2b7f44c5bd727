import type { ApiRequest } from './api-request.ts';
import { matches } from './fault.ts';
import type { RequestMatch } from './fault.ts';

/** A request that reached the proxy. */
export interface JournalEntry extends ApiRequest {
  /** Milliseconds of `performance.now()` at its arrival. */
  readonly atMs: number;
  /** Status of the answer; undefined while, or when, there is none. */
  status?: number;
}

/** What a test asserts on: the requests made, and how many watches were open at the same time. */
export interface Journal {
  readonly begin: (request: ApiRequest) => JournalEntry;
  /** The client has its whole answer, or is gone. May be called more than once. */
  readonly end: (entry: JournalEntry) => void;
  readonly requests: (match?: RequestMatch) => readonly JournalEntry[];
  readonly openWatches: (resource: string) => number;
  readonly mostOpenWatches: (resource: string) => number;
  /** Forgets past requests and peaks; watches that are open stay counted. */
  readonly clear: () => void;
}

export function createJournal(): Journal {
  let entries: JournalEntry[] = [];
  const open = new Set<JournalEntry>();
  const most = new Map<string, number>();
  const openWatches = (resource: string): number => [...open].filter((entry) => entry.resource === resource).length;

  return {
    begin: (request) => {
      const entry: JournalEntry = { ...request, atMs: performance.now() };
      entries.push(entry);
      if (entry.watch) {
        open.add(entry);
        most.set(entry.resource, Math.max(most.get(entry.resource) ?? 0, openWatches(entry.resource)));
      }
      return entry;
    },
    end: (entry) => {
      open.delete(entry);
    },
    requests: (match = {}) => entries.filter((entry) => matches(entry, match)),
    openWatches,
    mostOpenWatches: (resource) => most.get(resource) ?? 0,
    clear: () => {
      entries = [];
      most.clear();
      for (const { resource } of open) most.set(resource, openWatches(resource));
    },
  };
}
