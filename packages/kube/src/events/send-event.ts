import type { KubeClient } from '../client/kube-client.ts';
import type { Clock } from '../clock/clock.ts';
import { isKubeError } from '../errors.ts';
import { formatMicroTime } from '../timing/micro-time.ts';
import { eventBody, eventNamespace, events, seriesOf } from './event-object.ts';
import type { EventSource } from './event-object.ts';
import type { PendingEvent } from './pending-events.ts';

export interface SendEvent extends EventSource {
  readonly client: Pick<KubeClient, 'create' | 'patch' | 'get'>;
  readonly clock: Clock;
}

/**
 * Creates the Event, or lets the count of the one that is there already grow: also one of an earlier process.
 * @throws KubeError
 */
export async function sendEvent(
  it: SendEvent,
  { name, record, times }: PendingEvent,
  signal: AbortSignal,
): Promise<void> {
  const { client, clock } = it;
  const ref = { name, namespace: eventNamespace(record) };
  const time = formatMicroTime(clock.now());
  try {
    await client.create(events, eventBody(record, it, { count: times, time }), signal);
    return;
  } catch (error) {
    if (!isKubeError(error, 'alreadyExists')) throw error;
  }
  const known = await client.get(events, ref, signal);
  const body = seriesOf({ count: known.count + times, time });
  await client.patch(events, ref, { type: 'merge', body }, signal);
}
