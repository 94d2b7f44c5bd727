/** Causes are followed so deep. */
const MAX_CAUSES = 5;

/** An error for a person at a terminal: its message and its causes, a line each. A bug keeps its stack. */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isOurs = 'code' in error;
  const lines = [isOurs ? error.message : (error.stack ?? error.message), ...fieldLines(error)];
  let cause = error.cause;
  for (let depth = 0; depth < MAX_CAUSES && cause instanceof Error; depth++) {
    lines.push(`  because: ${cause.message}`, ...fieldLines(cause));
    cause = cause.cause;
  }
  return lines.join('\n');
}

function fieldLines(error: Error): readonly string[] {
  if (!('fields' in error) || typeof error.fields !== 'object' || error.fields === null) return [];
  return Object.entries(error.fields).map(([name, value]) => `  ${name}: ${String(value)}`);
}
