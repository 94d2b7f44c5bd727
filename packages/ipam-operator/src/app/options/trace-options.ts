import type { Attempt } from '@static-ip/shell';
import type { TraceLevel, TraceOptions } from '../../telemetry/trace-options.ts';
import type { OptionsWithDefaults } from './options.ts';
import { textMap } from './text-map.ts';

/** Reads the options of traces; mistakes are told also where no endpoint is given. */
export function traceOptions(from: OptionsWithDefaults, attempt: Attempt<OptionsWithDefaults>): TraceOptions {
  return {
    endpoint: attempt('opentelemetryEndpoint', () => endpointOf(from.opentelemetryEndpoint), undefined),
    headers: attempt('opentelemetryHeaders', () => headersOf(from.opentelemetryHeaders), {}),
    fields: attempt('opentelemetryToplevelFields', () => textMap(from.opentelemetryToplevelFields), {}),
    level: attempt('opentelemetryLevelTargets', () => levelOf(from.opentelemetryLevelTargets), 'debug'),
    sampleRate: from.opentelemetrySampleRate,
  };
}

function endpointOf(text: string | undefined): string | undefined {
  if (text === undefined || URL.canParse(text)) return text;
  throw new RangeError('it is no URL');
}

/** Names and values that gRPC can send: https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md */
function headersOf(json: string | undefined): Readonly<Record<string, string>> {
  const headers = textMap(json);
  for (const [name, value] of Object.entries(headers)) {
    const isName = /^[0-9a-z_.-]+$/i.test(name) && !/-bin$|^grpc-/i.test(name);
    if (!isName) throw new RangeError(`${JSON.stringify(name)} cannot be the name of a header of texts`);
    if (!/^[ -~]*$/.test(value)) throw new RangeError(`the value of ${name} has other characters than ASCII text`);
  }
  return headers;
}

const LEVELS: Readonly<Record<string, TraceLevel>> = {
  off: 'off',
  error: 'off',
  warn: 'off',
  info: 'info',
  debug: 'debug',
  trace: 'debug',
};

/**
 * The level of directives such as `DEBUG` or `INFO,some_target=DEBUG`. Targets are the modules of another program: the level
 * without one counts, or the first where each has one.
 */
function levelOf(directives: string): TraceLevel {
  const parts = directives.split(',').map((part) => part.trim().toLowerCase());
  const levels = parts.map((part) => part.slice(part.lastIndexOf('=') + 1));
  const unknown = levels.find((level) => !Object.hasOwn(LEVELS, level));
  if (unknown !== undefined) throw new RangeError(`${JSON.stringify(unknown)} is no level`);
  const general = parts.find((part) => !part.includes('='));
  return LEVELS[general ?? levels[0] ?? ''] ?? 'debug';
}
