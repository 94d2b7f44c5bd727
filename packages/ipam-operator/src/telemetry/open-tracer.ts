import type { Clock } from '@static-ip/provider';
import type { Logger } from '@static-ip/shell';
import type { TracedProgram } from './open-telemetry.ts';
import type { TraceOptions } from './trace-options.ts';
import { NO_TRACER } from './tracer.ts';
import type { Tracer } from './tracer.ts';

export interface TracerDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly program: TracedProgram;
}

/** The tracer of the options. OpenTelemetry is loaded only where it is used: it takes time and memory. */
export async function openTracer(options: TraceOptions, { clock, logger, program }: TracerDeps): Promise<Tracer> {
  const { endpoint, headers, level } = options;
  if (endpoint === undefined || level === 'off') return NO_TRACER;
  const { createExporter, createOpenTelemetryTracer } = await import('./open-telemetry.ts');
  const { logDiagnostics } = await import('./trace-diagnostics.ts');
  logDiagnostics(logger.child({ controller: 'traces' }), clock);
  return createOpenTelemetryTracer(options, { exporter: createExporter(endpoint, headers), clock, program });
}
