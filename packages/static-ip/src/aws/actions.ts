/** The calls of node mode, which attaches and detaches but never allocates: what its IAM policy must allow, no more. */
export const AWS_NODE_ACTIONS = [
  'AssociateAddress',
  'DescribeAddresses',
  'DescribeAvailabilityZones',
  'DescribeNetworkInterfaces',
  'DisassociateAddress',
] as const;

/** What allocation adds. */
export const AWS_ALLOCATION_ACTIONS = ['AllocateAddress', 'ReleaseAddress'] as const;

/**
 * Called only for an address that is to be kept and was not allocated so. Allocation needs the right without the call:
 * tags in AllocateAddress are refused without it
 * (https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/supported-iam-actions-tagging.html).
 */
export const AWS_TAG_ACTIONS = ['CreateTags'] as const;

/** Asked now and then for what only warns: they are done without where they are not allowed. */
export const AWS_OPTIONAL_ACTIONS = ['DescribeRouteTables'] as const;

/** What asking for the quota adds; the two that begin with Get are of Service Quotas. It does without those it may not call. */
export const AWS_QUOTA_ACTIONS = ['DescribeAccountAttributes', 'GetAWSDefaultServiceQuota', 'GetServiceQuota'] as const;

/** Every action that this package calls. */
export type Ec2Action =
  | (typeof AWS_NODE_ACTIONS)[number]
  | (typeof AWS_ALLOCATION_ACTIONS)[number]
  | (typeof AWS_TAG_ACTIONS)[number]
  | (typeof AWS_OPTIONAL_ACTIONS)[number]
  | (typeof AWS_QUOTA_ACTIONS)[number];

/** Every action this package calls, sorted. */
export const EC2_ACTIONS: readonly Ec2Action[] = [
  ...AWS_NODE_ACTIONS,
  ...AWS_ALLOCATION_ACTIONS,
  ...AWS_QUOTA_ACTIONS,
  ...AWS_TAG_ACTIONS,
  ...AWS_OPTIONAL_ACTIONS,
].toSorted();

/** True for a call that changes the account: it needs the right to, and a lost reply leaves its effect unknown. */
export function isMutating(action: Ec2Action): boolean {
  return !/^(Describe|Get)/.test(action);
}
