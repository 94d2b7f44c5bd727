// https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-throttling.html, the same for every mutating address action.
const BURST = 50;
const REFILL_PER_SECOND = 5;

/** The seconds that `n` associations take at best: a burst, then as the bucket refills. */
export function floorSeconds(n: number, bucketSpeed: number): number {
  return Math.max(0, (n - BURST) / (REFILL_PER_SECOND * bucketSpeed));
}
