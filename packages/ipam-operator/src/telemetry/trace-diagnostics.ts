import { diag, DiagLogLevel } from '@opentelemetry/api';
import type { DiagLogger } from '@opentelemetry/api';
import type { Clock } from '@static-ip/provider';
import type { Logger } from '@static-ip/shell';

const TELL_EVERY_MS = 60_000;
/** Some of its messages are whole errors with their stacks. */
const MAX_DETAIL = 300;

/** Makes the SDK's own troubles lines of our log: at most one a minute, however often an exporter fails. */
export function logDiagnostics(log: Logger, clock: Clock): void {
  diag.setLogger(createDiagLogger(log, clock), { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
}

/** The same without setting it for the process. */
export function createDiagLogger(log: Logger, clock: Clock): DiagLogger {
  let dueMs = -Infinity;
  let untold = 0;
  const tell = (detail: string): void => {
    if (clock.monotonic() < dueMs) {
      untold += 1;
      return;
    }
    log.warn('Cannot send traces', { detail: detail.slice(0, MAX_DETAIL), untold });
    dueMs = clock.monotonic() + TELL_EVERY_MS;
    untold = 0;
  };
  return { error: tell, warn: tell, info: ignore, debug: ignore, verbose: ignore };
}

/** The level is set so that the SDK does not even ask. */
function ignore(): void {}
