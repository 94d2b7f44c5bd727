/**
 * The nearest-rank percentile: the least value that `percent` per cent of all values do not exceed.
 * @throws Error when there are no values
 */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  const value = sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)];
  if (value === undefined) throw new Error('no values, so no percentile');
  return value;
}
