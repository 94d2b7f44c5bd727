import type { ApiRequest } from './api-request.ts';

/** Which requests; a field left out matches all. */
export interface RequestMatch {
  readonly method?: string;
  /** A part of the path, or a pattern for it. */
  readonly path?: string | RegExp;
  /** As in `ApiRequest`: `ciliumnodes.cilium.io`, `nodes`, `pods/status`. */
  readonly resource?: string;
  readonly watch?: boolean;
}

export function matches(request: ApiRequest, match: RequestMatch): boolean {
  const { method, path, resource, watch } = match;
  return (
    (method === undefined || request.method === method) &&
    (path === undefined || (typeof path === 'string' ? request.path.includes(path) : path.test(request.path))) &&
    (resource === undefined || request.resource === resource) &&
    (watch === undefined || request.watch === watch)
  );
}

/** What happens to a request instead of being passed on. */
export type FaultAction =
  /** Answered by the proxy with a Status object, as an overloaded or broken API server would. */
  | { readonly type: 'answer'; readonly status: number; readonly retryAfterSeconds?: number }
  /** A watch is answered 200 and then gets one ERROR event with this code, after which it ends. */
  | { readonly type: 'watchError'; readonly code: number }
  /** Passed on after this time. */
  | { readonly type: 'delay'; readonly ms: number }
  /** Swallowed: the connection stays open and nothing is ever answered. */
  | { readonly type: 'stall' }
  /** The connection is reset before the server hears of the request. */
  | { readonly type: 'reset' }
  /** The server serves the request; the connection is reset instead of its answer. */
  | { readonly type: 'loseReply' };

export interface Fault {
  readonly match?: RequestMatch;
  readonly action: FaultAction;
  /** How many requests it is for; default all. */
  readonly times?: number;
}

/** The faults of a proxy in the order they were added: the first that matches is used. */
export interface Faults {
  /** Answers what takes the fault away again. */
  readonly add: (fault: Fault) => () => void;
  readonly take: (request: ApiRequest) => FaultAction | undefined;
  readonly clear: () => void;
}

export function createFaults(): Faults {
  const left = new Map<Fault, number>();
  return {
    add: (fault) => {
      // A copy, so that the same literal can be added twice.
      const own = { ...fault };
      left.set(own, fault.times ?? Number.POSITIVE_INFINITY);
      return () => {
        left.delete(own);
      };
    },
    take: (request) => {
      for (const [fault, times] of left) {
        if (!matches(request, fault.match ?? {})) continue;
        if (times <= 1) left.delete(fault);
        else left.set(fault, times - 1);
        return fault.action;
      }
      return undefined;
    },
    clear: () => left.clear(),
  };
}
