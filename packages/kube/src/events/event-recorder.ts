import type { KubeClient } from '../client/kube-client.ts';
import type { Clock } from '../clock/clock.ts';
import { isKubeError } from '../errors.ts';
import { withDeadline } from '../timing/deadline.ts';
import { quietly } from '../timing/quietly.ts';
import { createTokenBucket } from '../timing/token-bucket.ts';
import type { Rate } from '../timing/token-bucket.ts';
import { eventName } from './event-object.ts';
import type { EventRecord } from './event-record.ts';
import { createPendingEvents } from './pending-events.ts';
import type { PendingEvent } from './pending-events.ts';
import { createRecentEvents } from './recent-events.ts';
import { sendEvent } from './send-event.ts';

export interface EventRecorderOptions {
  readonly client: Pick<KubeClient, 'create' | 'patch' | 'get'>;
  /** E.g. `example.com/address-operator`. */
  readonly component: string;
  /** E.g. the pod's name. */
  readonly reportingInstance: string;
  readonly clock: Clock;
  /** Events per second, at most, after a burst. Default 5, burst 10. */
  readonly rate?: Rate | undefined;
  /** Distinct Events that may wait; more are dropped, oldest first. Default 1000. */
  readonly maxPending?: number | undefined;
  /** A repetition is written at most so often; those in between are counted with the next. Default 5 min. */
  readonly repeatMs?: number | undefined;
  /** How long a stop may take to send what waits. Default 1 s. */
  readonly drainMs?: number | undefined;
  readonly hooks?:
    | {
        /** An Event could not be written; it is tried again only if the server was unavailable. */
        readonly onError?: (error: unknown) => void;
        /** An Event was given up. */
        readonly onDropped?: (event: EventRecord) => void;
      }
    | undefined;
}

/** Tells users what happened, at the side: it never blocks and never fails its caller. */
export interface EventRecorder {
  /** Queues an Event. The same (object uid, type, reason, note) again only makes the count of the first one grow. */
  record(event: EventRecord): void;
  /** Sends what is queued until the signal aborts, then drains shortly. Never rejects. Call it once. */
  run(signal: AbortSignal): Promise<void>;
}

/** After a failure of the server the recorder pauses; nobody waits for it. */
const PAUSE_MS = 2_000;

/** Makes a recorder; nothing is sent before `run`. @throws RangeError for a rate that is none. */
export function createEventRecorder(options: EventRecorderOptions): EventRecorder {
  const { clock, component, rate = { perSecond: 5, burst: 10 }, drainMs = 1_000, hooks = {} } = options;
  const maxPending = options.maxPending ?? 1_000;
  const pending = createPendingEvents(maxPending);
  const recent = createRecentEvents({ clock, spacingMs: options.repeatMs ?? 5 * 60_000, max: maxPending });
  const turn = createTokenBucket(rate, clock);

  const dropped = (event: PendingEvent | undefined): void => {
    if (event !== undefined) quietly(() => hooks.onDropped?.(event.record));
  };

  const sendNext = async (signal: AbortSignal): Promise<void> => {
    const event = pending.shift();
    if (event === undefined) return;
    try {
      await sendEvent(options, event, signal);
    } catch (error) {
      // Cut off by the stop: the drain may still send it.
      if (signal.aborted) return dropped(pending.add(event));
      quietly(() => hooks.onError?.(error));
      if (!isPassing(error)) return dropped(event);
      dropped(pending.add(event));
      await clock.sleep(PAUSE_MS, signal);
    }
  };

  const serve = async (signal: AbortSignal): Promise<void> => {
    for (;;) {
      await pending.whenSome(signal);
      await turn(signal);
      await sendNext(signal);
    }
  };

  const drain = async (signal: AbortSignal): Promise<void> => {
    while (pending.size() > 0 && !signal.aborted) await sendNext(signal);
  };

  return {
    record: (event) => {
      const name = eventName(event, component);
      const times = recent.due(name);
      if (times > 0) dropped(pending.add({ name, record: event, times }));
    },
    run: async (signal) => {
      await serve(signal).catch(() => undefined); // the signal aborted: nothing else ends it
      const last = { clock, ms: drainMs, signal: new AbortController().signal, attempt: 'sending the last events' };
      await withDeadline(last, drain).catch(() => undefined); // what is left is lost, and may be
    },
  };
}

/** Whether the same Event may be accepted later. */
function isPassing(error: unknown): boolean {
  return isKubeError(error) && error.retry === 'backoff' && error.code !== 'protocol';
}
