const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
] as const;

/** A time span in its largest unit, rounded down: `45s`, `12m`, `3h`, `5d`. A negative one, of clocks that differ, is `0s`. */
export function formatAge(ms: number): string {
  const unit = UNITS.find(([, length]) => ms >= length);
  const [name, length] = unit ?? ['s', 1_000];
  return `${Math.max(0, Math.floor(ms / length))}${name}`;
}
