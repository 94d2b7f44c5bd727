/** A token bucket: `capacity` tokens at most, `refill` more at every whole second. */
interface BucketLimit {
  readonly capacity: number;
  readonly refill: number;
}

/** What is left in a bucket, as of the second `second` (whole seconds of the emulator's clock and phase). */
export interface Bucket {
  readonly tokens: number;
  readonly second: number;
}

/** How buckets work in one emulator. */
export interface BucketSettings {
  readonly enabled: boolean;
  /** Seconds of EC2 that pass in one second of the clock: 10 refills ten times as often. */
  readonly speed: number;
  /** Where in the clock's second the refill happens, in milliseconds of EC2's second. */
  readonly phaseMs: number;
  /** Per-action limits in place of the published ones. */
  readonly limits: Readonly<Record<string, BucketLimit>>;
}

/** One bucket a call draws from. */
export interface Draw {
  readonly bucket: string;
  readonly limit: BucketLimit;
  readonly tokens: number;
}

// https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-throttling.html
const NON_MUTATING: BucketLimit = { capacity: 100, refill: 20 };
const UNFILTERED: BucketLimit = { capacity: 50, refill: 10 };
const MUTATING: BucketLimit = { capacity: 50, refill: 5 };
const PUBLISHED: Readonly<Record<string, BucketLimit>> = {
  CreateTags: { capacity: 100, refill: 10 },
  DeleteTags: { capacity: 100, refill: 10 },
  TerminateInstances: { capacity: 100, refill: 5 },
  StartInstances: { capacity: 5, refill: 2 },
};
const PER_RESOURCE: Readonly<Record<string, BucketLimit>> = {
  TerminateInstances: { capacity: 1000, refill: 20 },
  StartInstances: { capacity: 1000, refill: 2 },
  StopInstances: { capacity: 1000, refill: 20 },
};
const SMALL_WHEN_UNFILTERED = new Set(['DescribeInstances', 'DescribeNetworkInterfaces']);

/** The buckets a call draws from: its action's, and for the instance actions a second one by number of instances. */
export function drawsOf(settings: BucketSettings, action: string, params: Readonly<Record<string, string>>): Draw[] {
  const unfiltered =
    SMALL_WHEN_UNFILTERED.has(action) && !Object.keys(params).some((name) => /^(Filter\.|MaxResults$)/.test(name));
  const bucket = unfiltered ? `${action}/unfiltered` : action;
  const limit = settings.limits[bucket] ?? (unfiltered ? UNFILTERED : publishedLimit(action));
  const perResource = PER_RESOURCE[action];
  if (perResource === undefined) return [{ bucket, limit, tokens: 1 }];
  const resources = Object.keys(params).filter((name) => name.startsWith('InstanceId.')).length;
  return [
    { bucket, limit, tokens: 1 },
    { bucket: `${action}/resources`, limit: perResource, tokens: resources },
  ];
}

function publishedLimit(action: string): BucketLimit {
  return PUBLISHED[action] ?? (action.startsWith('Describe') ? NON_MUTATING : MUTATING);
}

/** Takes the tokens of a draw out of its bucket, full if never used before; undefined when there are too few. */
export function take(
  settings: BucketSettings,
  bucket: Bucket | undefined,
  draw: Draw,
  now: number,
): Bucket | undefined {
  const second = Math.floor((now * settings.speed - settings.phaseMs) / 1000);
  const { capacity, refill } = draw.limit;
  const seconds = bucket === undefined ? 0 : Math.max(0, second - bucket.second);
  const tokens = bucket === undefined ? capacity : Math.min(capacity, bucket.tokens + seconds * refill);
  // Fractional refills add up with rounding errors: a hair below a whole token counts as one.
  return tokens + 1e-9 < draw.tokens
    ? undefined
    : { tokens: tokens - draw.tokens, second: Math.max(second, bucket?.second ?? second) };
}
