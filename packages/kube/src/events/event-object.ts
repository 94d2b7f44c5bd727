import { createHash } from 'node:crypto';
import type { JsonObject } from '../client/kube-client.ts';
import { memberOf, numberOf } from '../json/shape.ts';
import { parseMetadata } from '../objects/parse-metadata.ts';
import type { KubeObject, Resource } from '../objects/object.ts';
import type { EventRecord } from './event-record.ts';

/** The part of an Event that the recorder reads. */
export interface EventObject extends KubeObject {
  /** How often it happened. */
  readonly count: number;
}

/** https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/event-v1/ */
export const events: Resource<EventObject> = {
  group: 'events.k8s.io',
  version: 'v1',
  plural: 'events',
  kind: 'Event',
  namespaced: true,
  parse: (raw) => ({
    metadata: parseMetadata(raw),
    count: numberOf(memberOf(memberOf(raw, 'series'), 'count')) ?? 1,
  }),
};

/** Limits that the server checks (https://github.com/kubernetes/kubernetes/blob/master/pkg/apis/core/validation/events.go). */
const NOTE_BYTES = 1_024;
const NAME_LENGTH = 253;

/** Events about cluster-scoped objects live in `default`: the server insists. */
export function eventNamespace({ regarding }: EventRecord): string {
  return regarding.namespace ?? 'default';
}

/** The same name for the same thing, in this process and the next: so that a repetition finds the first. */
export function eventName(event: EventRecord, component: string): string {
  const { regarding, type, reason, note } = event;
  const hash = createHash('sha256').update(JSON.stringify([component, regarding.uid, type, reason, note]));
  const suffix = `.${hash.digest('hex').slice(0, 16)}`;
  // A cut must not leave a dot or dash before the suffix's own dot.
  return `${regarding.name.slice(0, NAME_LENGTH - suffix.length).replace(/[-.]+$/, '')}${suffix}`;
}

export interface EventSource {
  readonly component: string;
  readonly reportingInstance: string;
}

/** The Event of something that happened `count` times, last at `time` (MicroTime). */
export function eventBody(event: EventRecord, { component, reportingInstance }: EventSource, seen: Seen): JsonObject {
  const { apiVersion, kind, name, namespace, uid } = event.regarding;
  return {
    metadata: { name: eventName(event, component), namespace: eventNamespace(event) },
    regarding: { apiVersion, kind, name, namespace, uid },
    type: event.type,
    reason: event.reason,
    action: event.action,
    note: cutToBytes(event.note, NOTE_BYTES - 1),
    eventTime: seen.time,
    reportingController: component,
    reportingInstance,
    ...(seen.count > 1 ? seriesOf(seen) : {}),
  };
}

/** How often, and when last (MicroTime). */
export interface Seen {
  readonly count: number;
  readonly time: string;
}

/** The part of an Event that grows with each repetition. */
export function seriesOf({ count, time }: Seen): JsonObject {
  return { series: { count, lastObservedTime: time } };
}

function cutToBytes(text: string, most: number): string {
  if (Buffer.byteLength(text) <= most) return text;
  const ellipsis = '…';
  const bytes = Buffer.from(text).subarray(0, most - Buffer.byteLength(ellipsis));
  // A character cut in half decodes to a replacement character at the end.
  return bytes.toString('utf8').replace(/\uFFFD$/, '') + ellipsis;
}
