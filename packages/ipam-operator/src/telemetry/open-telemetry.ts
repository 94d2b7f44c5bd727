import { AsyncLocalStorage } from 'node:async_hooks';
import { Metadata } from '@grpc/grpc-js';
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Attributes, Context, Span } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-grpc';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import type { Clock } from '@static-ip/provider';
import type { TraceOptions } from './trace-options.ts';
import type { SpanFields, Tracer } from './tracer.ts';

/** Spans that wait to be sent; more are dropped. With those on their way it bounds the memory, about 2 KiB each. */
const MAX_QUEUED = 2_048;
const MAX_BATCH = 512;
const SEND_EVERY_MS = 2_000;
const SEND_DEADLINE_MS = 5_000;
/** What is left may take so long to be sent at the end: whoever stops the process does not wait for traces. */
const CLOSE_MS = 2_000;

/** Who the spans are from, as attributes of all of them. */
export interface TracedProgram {
  readonly version: string;
  readonly identity: string;
  readonly clusterName: string | undefined;
}

/** Sends spans by OTLP over gRPC. */
export function createExporter(endpoint: string, headers: TraceOptions['headers']): SpanExporter {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
  return new OTLPTraceExporter({ url: endpoint, metadata, timeoutMillis: SEND_DEADLINE_MS });
}

/**
 * Traces by OpenTelemetry's SDK. Whatever becomes of the exporter is nobody's trouble: spans wait in a bounded queue, and
 * are dropped when that is full. Nothing is registered for the whole process.
 */
export function createOpenTelemetryTracer(
  { sampleRate, level, fields }: Pick<TraceOptions, 'sampleRate' | 'level' | 'fields'>,
  {
    exporter,
    clock,
    program,
  }: { readonly exporter: SpanExporter; readonly clock: Clock; readonly program: TracedProgram },
): Tracer {
  const processor = new BatchSpanProcessor({
    exporter,
    maxQueueSize: MAX_QUEUED,
    maxExportBatchSize: MAX_BATCH,
    scheduledDelayMillis: SEND_EVERY_MS,
    exportTimeoutMillis: SEND_DEADLINE_MS,
  });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ ...describe(program), ...fields }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(sampleRate) }),
    spanProcessors: [processor],
  });
  const tracer = provider.getTracer('static-ip', program.version);
  const current = new AsyncLocalStorage<Context>();
  const here = (): Context => current.getStore() ?? ROOT_CONTEXT;
  const hereSpan = (): Span | undefined => trace.getSpan(here());

  return {
    async span(name, spanFields, work) {
      const parent = here();
      const span = tracer.startSpan(name, { attributes: attributesOf(spanFields), startTime: clock.now() }, parent);
      try {
        return await current.run(trace.setSpan(parent, span), work);
      } finally {
        span.end(clock.now());
      }
    },
    tell: (more) => void hereSpan()?.setAttributes(attributesOf(more)),
    event: (name, more) => void hereSpan()?.addEvent(name, attributesOf(more), clock.now()),
    fail: (code, message) =>
      void hereSpan()?.setAttribute('error.type', code).setStatus({ code: SpanStatusCode.ERROR, message }),
    cloudCall: ({ action, code, durationMs }) => {
      if (level !== 'debug') return;
      const attributes = attributesOf({ action, code });
      const startTime = clock.now() - durationMs;
      const span = tracer.startSpan(action, { attributes, startTime, kind: SpanKind.CLIENT }, here());
      if (code !== 'ok') span.setAttribute('error.type', code).setStatus({ code: SpanStatusCode.ERROR, message: code });
      span.end(clock.now());
    },
    close: () => within(CLOSE_MS, clock, provider.shutdown()),
  };
}

/** https://opentelemetry.io/docs/specs/semconv/resource/ */
function describe({ version, identity, clusterName }: TracedProgram): Attributes {
  return {
    'service.name': 'static-ip-ipam-operator',
    'service.version': version,
    'service.instance.id': identity,
    ...(clusterName !== undefined && { 'k8s.cluster.name': clusterName }),
  };
}

/** `addressId` is the attribute `static_ip.address_id`. */
function attributesOf(fields: SpanFields): Attributes {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [`static_ip.${snakeCase(name)}`, value]));
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Waits for the work, however it ends, but no longer than that. */
async function within(ms: number, clock: Clock, work: Promise<unknown>): Promise<void> {
  const over = new AbortController();
  const ended = work.then(
    () => undefined,
    () => undefined, // the SDK has told it
  );
  const late = clock.sleep(ms, over.signal).catch(() => undefined); // the work ended first
  await Promise.race([ended, late]);
  over.abort();
}
