import type { sendUnaryData, ServerUnaryCall, ServiceDefinition } from '@grpc/grpc-js';
import type { SentSpan } from './trace-messages.ts';

/** Something that takes traces by OTLP over gRPC, as OpenTelemetry's collector does. */
export interface Collector {
  /** `http://host:port` */
  readonly endpoint: string;
  /** All that was sent so far. */
  spans(): readonly SentSpan[];
  /** The metadata of each request. */
  metadata(): readonly Readonly<Record<string, unknown>>[];
  close(): void;
}

const EXPORT: ServiceDefinition = {
  export: {
    path: '/opentelemetry.proto.collector.trace.v1.TraceService/Export',
    requestStream: false,
    responseStream: false,
    requestSerialize: (bytes) => bytes,
    requestDeserialize: (bytes) => bytes,
    responseSerialize: (bytes) => bytes,
    responseDeserialize: (bytes) => bytes,
  },
};

/** Starts one on a free port. `answers: false`: it takes requests and never answers them. */
export async function startCollector({ answers = true }: { readonly answers?: boolean } = {}): Promise<Collector> {
  // Loaded by the few tests that have one.
  const { Server, ServerCredentials } = await import('@grpc/grpc-js');
  const { decodeSpans } = await import('./trace-messages.ts');
  const spans: SentSpan[] = [];
  const metadata: Readonly<Record<string, unknown>>[] = [];
  const server = new Server();
  server.addService(EXPORT, {
    export: (call: ServerUnaryCall<Buffer, Buffer>, reply: sendUnaryData<Buffer>) => {
      spans.push(...decodeSpans(call.request));
      metadata.push(call.metadata.getMap());
      // An empty message: everything was taken.
      if (answers) reply(null, Buffer.alloc(0));
    },
  });
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) =>
    error === null ? resolve(port) : reject(error),
  );
  return {
    endpoint: `http://127.0.0.1:${await promise}`,
    spans: () => [...spans],
    metadata: () => [...metadata],
    close: () => server.forceShutdown(),
  };
}
