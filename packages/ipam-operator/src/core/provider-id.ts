/** What a Node's `spec.providerID` says about its instance. */
export type InstanceIdentity =
  | { readonly kind: 'instance'; readonly instanceId: string }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'invalid'; readonly problem: string };

const EC2_INSTANCE = /^i-[0-9a-z]+$/;
const FARGATE = /^fargate-/;
const GENERIC = /^[a-z][a-z0-9.+-]*:\/\/(?<rest>.+)$/;

/**
 * Reads a provider id strictly: a wrong instance would get somebody else's address.
 * Forms: AWS `aws:///<zone>/<i-…>` where the last segment counts and the zone may be missing, or a bare `i-…`; Azure
 * `azure:///subscriptions/…`, which compares in lower case; anything else `<provider>://<id>` as it is.
 * Source: https://github.com/kubernetes/cloud-provider-aws/blob/master/pkg/providers/v1/instances.go
 */
export function parseProviderId(providerId: string | undefined): InstanceIdentity {
  if (providerId === undefined || providerId === '') return { kind: 'unknown' };
  if (providerId.startsWith('aws://') || EC2_INSTANCE.test(providerId)) return parseAws(providerId);
  const rest = GENERIC.exec(providerId)?.groups?.['rest'];
  if (rest === undefined) return invalid(providerId, 'it is not of the form <provider>://<instance>');
  if (providerId.startsWith('azure://')) return { kind: 'instance', instanceId: rest.toLowerCase() };
  return { kind: 'instance', instanceId: rest };
}

function parseAws(providerId: string): InstanceIdentity {
  const last = providerId.split('/').at(-1) ?? '';
  if (EC2_INSTANCE.test(last)) return { kind: 'instance', instanceId: last };
  if (FARGATE.test(last)) return invalid(providerId, 'Fargate has no instance that could hold an address');
  return invalid(providerId, 'its last part is not an EC2 instance id such as i-0123456789abcdef0');
}

function invalid(providerId: string, why: string): InstanceIdentity {
  return { kind: 'invalid', problem: `provider id "${providerId}" names no instance: ${why}` };
}
