import { isStaticIpError } from '../errors.ts';
import type { Clock } from '../ports.ts';
import type { Quota } from '../provider.ts';
import { text } from './addresses.ts';
import type { Ec2Address, Ec2Calls } from './ec2-calls.ts';

/** "EC2-VPC Elastic IPs": https://docs.aws.amazon.com/vpc/latest/userguide/amazon-vpc-limits.html */
const ELASTIC_IPS = 'L-0263D0A3';
const ATTRIBUTE = 'vpc-max-elastic-ips';
/** What every account begins with, by the same page. */
const DEFAULT_LIMIT = 5;

/** Limits change by a request to AWS, which takes hours. */
const LIMIT_HOLDS_MS = 3_600_000;
/** Whoever grants a right that was missing does not want to wait as long. */
const RETRY_MS = 600_000;

type LimitCalls = Pick<Ec2Calls, 'describeAccountAttribute' | 'getServiceQuota' | 'getAwsDefaultServiceQuota'>;
type QuotaCalls = LimitCalls & Pick<Ec2Calls, 'describeAddresses'>;

type Limit = Pick<Quota, 'limit' | 'remark'>;

/**
 * Makes the question for the quota of Elastic IP addresses. Each time one DescribeAddresses, which has no filter for those that
 * count; the limit is asked for once an hour.
 */
export function createQuota(calls: QuotaCalls, clock: Clock): (signal: AbortSignal) => Promise<Quota> {
  let known: Limit = {};
  let dueMs = -Infinity;
  return async (signal) => {
    const addresses = await calls.describeAddresses([], signal);
    if (clock.monotonic() >= dueMs) {
      known = await findLimit(calls, signal);
      dueMs = clock.monotonic() + (known.limit === undefined ? RETRY_MS : LIMIT_HOLDS_MS);
    }
    return { used: addresses.filter(isCounted).length, ...known };
  };
}

/** Addresses that the account brought along are not counted, nor are those of EC2-Classic. */
function isCounted({ Domain, PublicIpv4Pool }: Ec2Address): boolean {
  return text(Domain) !== 'standard' && (text(PublicIpv4Pool) ?? 'amazon') === 'amazon';
}

/**
 * The limit from whoever tells it: Service Quotas, or EC2 itself where Service Quotas may not be asked or cannot be reached.
 * The remark says what stood in the way of the first.
 */
async function findLimit(calls: LimitCalls, signal: AbortSignal): Promise<Limit> {
  const applied = await ask('GetServiceQuota', () => calls.getServiceQuota(ELASTIC_IPS, signal), signal);
  if ('limit' in applied) return applied;
  if (applied.isUnset) {
    const ofAll = () => calls.getAwsDefaultServiceQuota(ELASTIC_IPS, signal);
    const initial = await ask('GetAWSDefaultServiceQuota', ofAll, signal);
    if ('limit' in initial) return initial;
  }
  const ofAccount = await ask('DescribeAccountAttributes', () => attributeOf(calls, signal), signal);
  if ('limit' in ofAccount) return { ...ofAccount, remark: applied.why };
  return { limit: applied.isUnset ? DEFAULT_LIMIT : undefined, remark: `${applied.why}, ${ofAccount.why}` };
}

async function attributeOf(calls: LimitCalls, signal: AbortSignal): Promise<number> {
  return Number((await calls.describeAccountAttribute(ATTRIBUTE, signal)) ?? Number.NaN);
}

type Answer = { readonly limit: number } | { readonly why: string; readonly isUnset: boolean };

async function ask(action: string, call: () => Promise<number>, signal: AbortSignal): Promise<Answer> {
  try {
    const limit = await call();
    if (Number.isSafeInteger(limit) && limit >= 0) return { limit };
    return { why: `${action} answered no number`, isUnset: false };
  } catch (error) {
    if (signal.aborted || !isStaticIpError(error)) throw error;
    return {
      why: `${action} failed with ${error.fields['awsCode'] ?? error.code}`,
      isUnset: error.code === 'notFound',
    };
  }
}
