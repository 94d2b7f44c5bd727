import protobuf from 'protobufjs';

/** The part of https://github.com/open-telemetry/opentelemetry-proto that is looked at, with its field numbers. */
const MESSAGES = `
syntax = "proto3";
message ExportTraceServiceRequest { repeated ResourceSpans resource_spans = 1; }
message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
message Resource { repeated KeyValue attributes = 1; }
message ScopeSpans { repeated Span spans = 2; }
message Span {
  bytes trace_id = 1;
  bytes span_id = 2;
  bytes parent_span_id = 4;
  string name = 5;
  int32 kind = 6;
  fixed64 start_time_unix_nano = 7;
  fixed64 end_time_unix_nano = 8;
  repeated KeyValue attributes = 9;
  repeated Event events = 11;
  Status status = 15;
}
message Event { fixed64 time_unix_nano = 1; string name = 2; repeated KeyValue attributes = 3; }
message Status { string message = 2; int32 code = 3; }
message KeyValue { string key = 1; AnyValue value = 2; }
message AnyValue { oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; } }
`;

type AttributeValue = string | number | boolean;
export type Attributes = Readonly<Record<string, AttributeValue>>;

/** A span as it was sent. */
export interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Absent: it is the root of its trace. */
  readonly parentId: string | undefined;
  readonly name: string;
  readonly durationMs: number;
  readonly attributes: Attributes;
  readonly events: readonly { readonly name: string; readonly attributes: Attributes }[];
  readonly isError: boolean;
  /** Attributes of what it is from. */
  readonly resource: Attributes;
}

interface RawPair {
  readonly key: string;
  readonly value?: Readonly<Record<string, AttributeValue>>;
}

interface RawSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes?: readonly RawPair[];
  readonly events?: readonly { readonly name: string; readonly attributes?: readonly RawPair[] }[];
  readonly status?: { readonly code?: number };
}

interface RawRequest {
  readonly resourceSpans?: readonly {
    readonly resource?: { readonly attributes?: readonly RawPair[] };
    readonly scopeSpans?: readonly { readonly spans?: readonly RawSpan[] }[];
  }[];
}

const STATUS_ERROR = 2;
const request = protobuf.parse(MESSAGES).root.lookupType('ExportTraceServiceRequest');

/** The spans of one request. @throws Error for bytes that are none */
export function decodeSpans(bytes: Uint8Array): readonly SentSpan[] {
  // The shape is that of the messages above.
  const decoded: RawRequest = request.toObject(request.decode(bytes), { longs: String, bytes: String });
  return (decoded.resourceSpans ?? []).flatMap(({ resource, scopeSpans = [] }) =>
    scopeSpans.flatMap(({ spans = [] }) => spans.map((span) => sentSpan(span, attributesOf(resource?.attributes)))),
  );
}

function sentSpan(span: RawSpan, resource: Attributes): SentSpan {
  const { traceId, spanId, parentSpanId, name, startTimeUnixNano, endTimeUnixNano, attributes, events = [] } = span;
  return {
    traceId,
    spanId,
    parentId: parentSpanId === '' ? undefined : parentSpanId,
    name,
    durationMs: Number(BigInt(endTimeUnixNano) - BigInt(startTimeUnixNano)) / 1e6,
    attributes: attributesOf(attributes),
    events: events.map((event) => ({ name: event.name, attributes: attributesOf(event.attributes) })),
    isError: span.status?.code === STATUS_ERROR,
    resource,
  };
}

function attributesOf(pairs: readonly RawPair[] = []): Attributes {
  return Object.fromEntries(pairs.map(({ key, value = {} }) => [key, Object.values(value)[0] ?? '']));
}
