import type { Action } from './action.ts';
import { Ec2Error } from './ec2-error.ts';
import { listOf } from './query.ts';
import type { Ec2Settings } from './state.ts';
import { wireList } from './wire.ts';
import type { WireObject } from './wire.ts';

const DEFAULT_QUOTA = 5;

/**
 * DescribeAccountAttributes: the quota of elastic IPs without a permission for Service Quotas.
 * Source: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeAccountAttributes.html
 */
export const describeAccountAttributes: Action = {
  params: ['AttributeName.#'],
  run: ({ query, state }) => {
    const values: Readonly<Record<string, string>> = {
      'supported-platforms': 'VPC',
      'default-vpc': 'none',
      'max-instances': '20',
      'vpc-max-security-groups-per-interface': '5',
      'max-elastic-ips': String(state.settings.addressQuota),
      'vpc-max-elastic-ips': String(state.settings.addressQuota),
    };
    const asked = listOf(query, 'AttributeName');
    const unknown = asked.find((name) => !Object.hasOwn(values, name));
    if (unknown !== undefined)
      throw new Ec2Error('InvalidParameterValue', `Value (${unknown}) for parameter attributeName is invalid.`);
    const names = asked.length === 0 ? Object.keys(values) : asked;
    const items = names.map((attributeName) => ({
      attributeName,
      attributeValueSet: wireList([{ attributeValue: values[attributeName] }]),
    }));
    return { reply: { accountAttributeSet: wireList(items) } };
  },
};

/**
 * Answers one Service Quotas operation (JSON 1.1 protocol) about the quota "EC2-VPC Elastic IPs".
 * Source: https://docs.aws.amazon.com/servicequotas/2019-06-24/apireference/API_GetServiceQuota.html
 * @throws Ec2Error NoSuchResourceException for any other quota, or without an applied value
 */
export function answerServiceQuotas(
  operation: string,
  input: Readonly<Record<string, unknown>>,
  settings: Ec2Settings,
): WireObject {
  if (operation !== 'GetServiceQuota' && operation !== 'GetAWSDefaultServiceQuota') {
    throw new Ec2Error('UnknownOperationException', `The operation ${operation} is not known`);
  }
  const isElasticIps = input['ServiceCode'] === 'ec2' && input['QuotaCode'] === 'L-0263D0A3';
  const isApplied = operation === 'GetServiceQuota';
  if (!isElasticIps || (isApplied && !settings.quotaIsApplied)) {
    throw new Ec2Error('NoSuchResourceException', 'The request failed because the specified service does not exist.');
  }
  return {
    Quota: {
      ServiceCode: 'ec2',
      ServiceName: 'Amazon Elastic Compute Cloud (Amazon EC2)',
      QuotaCode: 'L-0263D0A3',
      QuotaName: 'EC2-VPC Elastic IPs',
      Value: isApplied ? settings.addressQuota : DEFAULT_QUOTA,
      Unit: 'None',
      Adjustable: true,
      GlobalQuota: false,
    },
  };
}
