/* oxlint-disable no-restricted-imports -- the one file that talks to the AWS SDK for Service Quotas */
import {
  GetAWSDefaultServiceQuotaCommand,
  GetServiceQuotaCommand,
  ServiceQuotasClient,
} from '@aws-sdk/client-service-quotas';
import type { ServiceQuota, ServiceQuotasClientConfig } from '@aws-sdk/client-service-quotas';
import type { Ec2Calls } from './ec2-calls.ts';
import { translated } from './translated.ts';

/** The calls of Service Quotas that are used. */
export type QuotaCalls = Pick<Ec2Calls, 'getServiceQuota' | 'getAwsDefaultServiceQuota'>;

/** Region, credentials and connections are those of the client for EC2. */
interface QuotasConnection extends Required<
  Pick<ServiceQuotasClientConfig, 'region' | 'credentials' | 'requestHandler'>
> {
  readonly endpoint: string | undefined;
}

/** Quotas of EC2 through the AWS SDK, one attempt for each call. https://docs.aws.amazon.com/servicequotas/2019-06-24/apireference/ */
export function connectServiceQuotas({ endpoint, ...shared }: QuotasConnection): QuotaCalls {
  const client = new ServiceQuotasClient({ ...shared, ...(endpoint !== undefined && { endpoint }), maxAttempts: 1 });
  return {
    getServiceQuota: (code, signal) =>
      translated({ action: 'GetServiceQuota', signal, ids: {} }, async (options) => {
        const { Quota } = await client.send(new GetServiceQuotaCommand(ofEc2(code)), options);
        return valueOf(Quota);
      }),
    getAwsDefaultServiceQuota: (code, signal) =>
      translated({ action: 'GetAWSDefaultServiceQuota', signal, ids: {} }, async (options) => {
        const { Quota } = await client.send(new GetAWSDefaultServiceQuotaCommand(ofEc2(code)), options);
        return valueOf(Quota);
      }),
  };
}

function ofEc2(code: string): { readonly ServiceCode: string; readonly QuotaCode: string } {
  return { ServiceCode: 'ec2', QuotaCode: code };
}

function valueOf(quota: ServiceQuota | undefined): number {
  if (quota?.Value !== undefined) return quota.Value;
  throw Object.assign(new Error('Service Quotas answered without a value'), { name: 'IncompleteAnswer' });
}
