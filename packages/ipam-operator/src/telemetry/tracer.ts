import { errorCode } from '@static-ip/kube';
import type { ControllerHooks } from '@static-ip/kube';
import type { CloudCall } from '@static-ip/provider';

/** What is said of a span, by the names that the log has for it. */
export type SpanFields = Readonly<Record<string, string | number | boolean | undefined>>;

/**
 * Where traces go: nothing outside of this folder knows OpenTelemetry. Calls are cheap, and never throw or wait for whoever
 * takes the spans.
 */
export interface Tracer {
  /** Runs the work as a span: what is told from within it, and the calls to the cloud that it makes, belong to it. */
  span<T>(name: string, fields: SpanFields, work: () => Promise<T>): Promise<T>;
  /** Says more of the span that the caller runs in. */
  tell(fields: SpanFields): void;
  /** Something that happens within it. */
  event(name: string, fields: SpanFields): void;
  /** It has failed. */
  fail(code: string, message: string): void;
  /** A call to the cloud that has just ended. */
  cloudCall(call: CloudCall): void;
  /** Sends what is left, for a short time. */
  close(): Promise<void>;
}

/** Traces nothing. */
export const NO_TRACER: Tracer = {
  span: (_name, _fields, work) => work(),
  tell: () => undefined,
  event: () => undefined,
  fail: () => undefined,
  cloudCall: () => undefined,
  close: () => Promise.resolve(),
};

/** A span around every run of a controller, with how it ended. */
export function traceRuns(tracer: Tracer): NonNullable<ControllerHooks<string>['around']> {
  return ({ controller, key, reconcileId }, run) =>
    tracer.span(`reconcile ${controller}`, { controller, key, reconcileId }, async () => {
      try {
        const outcome = await run();
        tracer.tell({ outcome: outcome.kind });
        if (outcome.kind === 'error') tellError(tracer, outcome.error);
        return outcome;
      } catch (error) {
        tracer.tell({ outcome: 'error' });
        tellError(tracer, error);
        throw error;
      }
    });
}

function tellError(tracer: Tracer, error: unknown): void {
  tracer.fail(errorCode(error), String(error));
}
