/** Runs `work` for each item, at most `limit` at a time, in order. Rejects with the first failure, starting no more. */
export async function concurrently<T>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const rest = items[Symbol.iterator]();
  let failed = false;
  const worker = async (): Promise<void> => {
    for (const item of rest) {
      if (failed) return;
      await work(item).catch((error: unknown) => {
        failed = true;
        throw error;
      });
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
}
