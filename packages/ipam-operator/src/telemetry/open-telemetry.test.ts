import { describe, expect, it } from '@jest/globals';
import { ExportResultCode } from '@opentelemetry/core';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import { failed, settled } from '@static-ip/kube';
import { StaticIpError } from '@static-ip/provider';
import type { LogFields, Logger } from '@static-ip/shell';
import { createManualClock } from '@static-ip/testkit';
import { createOpenTelemetryTracer } from './open-telemetry.ts';
import { openTracer } from './open-tracer.ts';
import { createDiagLogger } from './trace-diagnostics.ts';
import { NO_TRACER, traceRuns } from './tracer.ts';

const PROGRAM = { version: '1', identity: 'me', clusterName: undefined };
/** What the queue of spans holds, and what is on its way besides. */
const MAX_HELD = 2_048 + 512;

/** A tracer of everything, and what its exporter was given; `answers: false`: it never says that it is done. */
function tracing({ answers = true }: { readonly answers?: boolean } = {}) {
  const clock = createManualClock({ startMs: 1_800_000_000_000 });
  const given: ReadableSpan[] = [];
  const unanswered: (() => void)[] = [];
  const exporter: SpanExporter = {
    export: (spans, done) => {
      given.push(...spans);
      if (answers) done({ code: ExportResultCode.SUCCESS });
      else unanswered.push(() => done({ code: ExportResultCode.SUCCESS }));
    },
    shutdown: () => Promise.resolve(),
  };
  const tracer = createOpenTelemetryTracer(
    { sampleRate: 1, level: 'debug', fields: {} },
    { exporter, clock, program: PROGRAM },
  );
  const answerAll = (): void => unanswered.forEach((answer) => answer());
  return { tracer, clock, given, answerAll };
}

const CALL = { action: 'DescribeAddresses', code: 'ok', durationMs: 40 };

describe('traces by OpenTelemetry', () => {
  it('put what happens within a run below it, also after it has waited and beside other runs', async () => {
    const { tracer, clock, given } = tracing();
    const around = traceRuns(tracer);
    const gate = Promise.withResolvers<void>();
    const runOf = (key: string) =>
      around({ controller: 'claims', key, reconcileId: key }, async () => {
        await gate.promise;
        tracer.cloudCall({ ...CALL, action: `of ${key}` });
        tracer.event('Attaching address', { addressId: `id of ${key}` });
        return settled;
      });
    const runs = [runOf('a'), runOf('b')];
    await clock.advance(100);
    gate.resolve();
    await Promise.all(runs);
    tracer.cloudCall({ ...CALL, action: 'of nobody' });
    await tracer.close();

    const parentOf = (name: string): unknown => {
      const child = given.find((span) => span.name === name);
      const parent = given.find((span) => span.spanContext().spanId === child?.parentSpanContext?.spanId);
      return parent?.attributes['static_ip.key'];
    };
    expect([parentOf('of a'), parentOf('of b'), parentOf('of nobody')]).toEqual(['a', 'b', undefined]);
    const ofA = given.find(({ attributes }) => attributes['static_ip.key'] === 'a');
    expect(ofA?.events.map(({ name, attributes }) => [name, attributes])).toEqual([
      ['Attaching address', { 'static_ip.address_id': 'id of a' }],
    ]);
    expect(ofA?.duration).toEqual([0, 100_000_000]);
  });

  it.each([
    ['answers with an error', async () => failed(new StaticIpError('denied', 'no'))],
    ['throws', () => Promise.reject(new StaticIpError('denied', 'no'))],
  ])('show a run that %s as failed, and leave it as it is', async (_name, run) => {
    const { tracer, given } = tracing();
    const around = traceRuns(tracer);
    const ended = await around({ controller: 'claims', key: 'a', reconcileId: '1' }, run).catch(failed);
    await tracer.close();
    expect(ended).toMatchObject({ kind: 'error', error: { code: 'denied' } });
    expect(given[0]?.attributes).toMatchObject({ 'error.type': 'denied', 'static_ip.outcome': 'error' });
    expect(given[0]?.status.code).toBe(2);
  });

  it('hold no more spans than the queue has room for when nobody takes them, and end all the same', async () => {
    const { tracer, clock, given, answerAll } = tracing({ answers: false });
    for (let n = 0; n < 20_000; n++) tracer.cloudCall(CALL);
    const closing = tracer.close();
    await new Promise((resolve) => setImmediate(resolve));
    // At the end everything that was held is given at once.
    expect(given.length).toBeGreaterThan(512);
    expect(given.length).toBeLessThanOrEqual(MAX_HELD);
    await clock.advance(2_000);
    await closing;
    // So that no timer of the SDK outlives the test.
    answerAll();
  });

  it('are not loaded without an endpoint, or at a level that traces nothing', async () => {
    const log: Logger = { error: unused, warn: unused, info: unused, debug: unused, child: () => log };
    const deps = { clock: createManualClock({ startMs: 0 }), logger: log, program: PROGRAM };
    const options = { headers: {}, fields: {}, sampleRate: 1 } as const;
    expect(await openTracer({ ...options, endpoint: undefined, level: 'debug' }, deps)).toBe(NO_TRACER);
    expect(await openTracer({ ...options, endpoint: 'http://127.0.0.1:9', level: 'off' }, deps)).toBe(NO_TRACER);
  });
});

describe('troubles of the SDK', () => {
  it('are told at most once a minute, with the number of those that were not', async () => {
    const clock = createManualClock({ startMs: 0 });
    const told: LogFields[] = [];
    const warn = (_message: string, fields: LogFields = {}): void => void told.push(fields);
    const log: Logger = { error: unused, warn, info: unused, debug: unused, child: () => log };
    const diag = createDiagLogger(log, clock);
    for (let n = 0; n < 5; n++) diag.error(`x${n}`.padEnd(1_000, '.'));
    await clock.advance(60_000);
    diag.warn('late');
    diag.info('not at all');
    expect(told.map(({ detail, untold }) => [JSON.stringify(detail).slice(1, 4), untold])).toEqual([
      ['x0.', 0],
      ['lat', 4],
    ]);
    expect(JSON.stringify(told[0]).length).toBeLessThan(400);
  });
});

function unused(): never {
  throw new Error('nothing of this kind is told');
}
