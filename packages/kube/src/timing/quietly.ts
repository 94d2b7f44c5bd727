/** Calls a hook. Hooks are for logs and metrics: one that throws must not stop the work, and there is nobody else to tell. */
export function quietly(hook: () => void): void {
  try {
    hook();
  } catch {
    // see above
  }
}
