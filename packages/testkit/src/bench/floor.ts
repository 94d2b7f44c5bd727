// https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-throttling.html, the same for every mutating address action.
const BURST = 50;
const REFILL_PER_SECOND = 5;

/** How long an empty bucket takes to be full again. */
export const REFILL_SECONDS = BURST / REFILL_PER_SECOND;

/**
 * The seconds that `n` associations take at best: a burst, then as the bucket refills. Each action has a bucket of its own,
 * so `n` addresses that are allocated, too, or detached before, take no longer.
 */
export function floorSeconds(n: number, bucketSpeed: number): number {
  return Math.max(0, (n - BURST) / (REFILL_PER_SECOND * bucketSpeed));
}
