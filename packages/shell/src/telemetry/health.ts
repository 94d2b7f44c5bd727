/** What one check found. `detail` is for people, also when all is well. */
export type CheckResult =
  { readonly ok: true; readonly detail?: string | undefined } | { readonly ok: false; readonly reason: string };

/** A check looks at what is known already: it makes no call and takes no time. */
type Check = () => CheckResult;

/** The results of all checks, by name. */
export interface HealthReport {
  readonly ok: boolean;
  readonly checks: readonly { readonly name: string; readonly ok: boolean; readonly detail?: string | undefined }[];
}

/** Where the parts of the program say how they are. Live: a restart would not help. Ready: the work is being done. */
export interface Health {
  /** Adds a check of liveness; returns the way out. @throws Error for a name that is taken. */
  addLive(name: string, check: Check): () => void;
  addReady(name: string, check: Check): () => void;
  live(): HealthReport;
  ready(): HealthReport;
}

/** A health without any check: live and ready. */
export function createHealth(): Health {
  const live = new Map<string, Check>();
  const ready = new Map<string, Check>();
  return {
    addLive: (name, check) => add(live, name, check),
    addReady: (name, check) => add(ready, name, check),
    live: () => report(live),
    ready: () => report(ready),
  };
}

function add(checks: Map<string, Check>, name: string, check: Check): () => void {
  if (checks.has(name)) throw new Error(`two health checks are named ${name}`);
  checks.set(name, check);
  return () => {
    checks.delete(name);
  };
}

function report(checks: ReadonlyMap<string, Check>): HealthReport {
  const results = [...checks].map(([name, check]) => {
    const result = runCheck(check);
    return { name, ok: result.ok, detail: result.ok ? result.detail : result.reason };
  });
  return { ok: results.every(({ ok }) => ok), checks: results };
}

function runCheck(check: Check): CheckResult {
  try {
    return check();
  } catch (error) {
    return { ok: false, reason: `the check itself failed: ${error instanceof Error ? error.message : String(error)}` };
  }
}
