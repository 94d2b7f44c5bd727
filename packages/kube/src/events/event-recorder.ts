import type { Clock } from '../clock/clock.ts';
import type { KubeClient } from '../client/kube-client.ts';

/** The object an Event is about. Without a namespace it is cluster-scoped, and its Events go to `default`. */
export interface Regarding {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string | undefined;
  readonly uid: string;
}

/** One thing worth telling the user. */
export interface EventRecord {
  readonly regarding: Regarding;
  readonly type: 'Normal' | 'Warning';
  /** UpperCamelCase, machine-readable, at most 128 characters. */
  readonly reason: string;
  /** UpperCamelCase verb: what was done or tried. */
  readonly action: string;
  /** For people; cut at 1024 bytes. */
  readonly note: string;
}

export interface EventRecorderOptions {
  readonly client: Pick<KubeClient, 'create' | 'patch' | 'get'>;
  /** E.g. `static-ip.io/ipam-operator`. */
  readonly component: string;
  /** E.g. the pod's name. */
  readonly reportingInstance: string;
  readonly clock: Clock;
  /** Writes per second, at most, after a burst. Default 5, burst 25. */
  readonly rate?: { readonly perSecond: number; readonly burst: number } | undefined;
  /** Distinct Events that may wait; more are dropped, oldest first. Default 1000. */
  readonly maxPending?: number | undefined;
  /** How long a stop may take to send what waits. Default 1 s. */
  readonly drainMs?: number | undefined;
  readonly hooks?:
    { readonly onError?: (error: unknown) => void; readonly onDropped?: (event: EventRecord) => void } | undefined;
}

/** Tells users what happened, at the side: it never blocks and never fails its caller. */
export interface EventRecorder {
  /** Queues an Event. The same (object uid, type, reason, note) again only makes the count of the first one grow. */
  record(event: EventRecord): void;
  /** Sends what is queued until the signal aborts, then drains shortly. Never rejects. Call it once. */
  run(signal: AbortSignal): Promise<void>;
}

/** Makes a recorder; nothing is sent before `run`. */
export function createEventRecorder(options: EventRecorderOptions): EventRecorder {
  throw new Error(`not implemented ${options.component}`);
}
