/** Kubernetes Time: RFC 3339 in whole seconds. */
export function formatTime(epochMs: number): string {
  return new Date(epochMs).toISOString().replace(/\.\d+Z$/, 'Z');
}
