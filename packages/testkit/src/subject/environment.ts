import type { Cloud } from './cloud.ts';

/**
 * All that a subject is given besides its flags: where the cluster is, where the cloud is, and credentials. Nothing
 * else of our own environment reaches it, so that no setting of the machine changes what is shown or measured.
 */
export function subjectEnvironment(
  kubeconfig: string,
  { endpoint, region }: Pick<Cloud, 'endpoint' | 'region'>,
): Readonly<Record<string, string>> {
  return {
    PATH: process.env['PATH'] ?? '/usr/bin:/bin',
    HOME: process.env['HOME'] ?? '/',
    KUBECONFIG: kubeconfig,
    AWS_ENDPOINT_URL: endpoint,
    AWS_ENDPOINT_URL_EC2: endpoint,
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    AWS_ACCESS_KEY_ID: 'AKIASUBJECT000000000',
    AWS_SECRET_ACCESS_KEY: 'not-checked-by-the-emulator',
    AWS_EC2_METADATA_DISABLED: 'true',
  };
}
