import { StaticIpError } from '../errors.ts';
import type { RateLimit } from '../ports.ts';

/**
 * EC2's limits for each action, per account and region (burst 50 then 5 a second, 100 then 20, 100 then 10 for tags:
 * https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-throttling.html), taken a little lower. EC2 adds the tokens of
 * a second all at once: 4.9 a second after a burst of 45 stays within 5 a second in every phase of that, 50 does not.
 */
const MUTATING: RateLimit = { perSecond: 4.9, burst: 45 };
const READING: RateLimit = { perSecond: 19, burst: 90 };
const TAGGING: RateLimit = { perSecond: 9.8, burst: 90 };
/** Of Service Quotas, far below its limits: they are asked once an hour. */
const QUOTAS: RateLimit = { perSecond: 1, burst: 2 };

/** The default rate of every action whose rate can be set. */
export const EC2_RATES = {
  AllocateAddress: MUTATING,
  AssociateAddress: MUTATING,
  CreateTags: TAGGING,
  DeleteTags: TAGGING,
  DescribeAccountAttributes: READING,
  DescribeAddresses: READING,
  DescribeAvailabilityZones: READING,
  DescribeNetworkInterfaces: READING,
  DescribeRouteTables: READING,
  DisassociateAddress: MUTATING,
  GetAWSDefaultServiceQuota: QUOTAS,
  GetServiceQuota: QUOTAS,
  ReleaseAddress: MUTATING,
} as const satisfies Readonly<Record<string, RateLimit>>;

/**
 * The rates to keep, the defaults overridden by `given`.
 * @throws StaticIpError `invalid` that names every unknown action and every impossible number.
 */
export function ec2Rates(
  given: Readonly<Record<string, RateLimit>>,
): Readonly<Record<keyof typeof EC2_RATES, RateLimit>> {
  const mistakes = Object.entries(given).flatMap(([action, rate]) => mistakesOf(action, rate));
  if (mistakes.length > 0) throw new StaticIpError('invalid', `EC2 rates: ${mistakes.join('; ')}`);
  return { ...EC2_RATES, ...given };
}

function mistakesOf(action: string, { perSecond, burst }: RateLimit): readonly string[] {
  const mistakes: string[] = [];
  if (!Object.hasOwn(EC2_RATES, action)) {
    mistakes.push(`unknown action ${JSON.stringify(action)}, use one of ${Object.keys(EC2_RATES).join(', ')}`);
  }
  if (!(perSecond > 0 && Number.isFinite(perSecond))) mistakes.push(`${action}: the rate must be above 0 a second`);
  if (!(burst >= 1 && Number.isFinite(burst))) mistakes.push(`${action}: the burst must be at least 1`);
  return mistakes;
}
