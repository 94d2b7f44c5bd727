/**
 * Runs work under one signal that aborts as soon as one of several does, with its reason, and leaves nothing on them when
 * the work ends. (AbortSignal.any stays on its sources: measured with Node 24, 1 kB for each use of one that never
 * aborts, such as the signal of a lease.)
 */
export async function underSignals<Result>(
  sources: readonly AbortSignal[],
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const own = new AbortController();
  const listeners = sources.map((source) => {
    const onAbort = (): void => own.abort(source.reason);
    if (source.aborted) onAbort();
    source.addEventListener('abort', onAbort, { once: true });
    return () => source.removeEventListener('abort', onAbort);
  });
  try {
    return await work(own.signal);
  } finally {
    for (const remove of listeners) remove();
  }
}
