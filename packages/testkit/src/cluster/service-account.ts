import type { ApiClient } from './api.ts';

export interface ServiceAccountTokenRequest {
  readonly namespace: string;
  readonly name: string;
  /** Seconds the token is valid; the server's least is 600. Default 3600. */
  readonly expirationSeconds?: number;
  /** The pod that the token is bound to, as the kubelet asks for it: the token then knows the pod's node, and dies with the pod. */
  readonly pod?: { readonly name: string; readonly uid: string };
}

/**
 * A bound token of a service account through the TokenRequest API; the account is created if missing.
 * @throws ApiError, for example when the namespace does not exist.
 */
export async function createServiceAccountToken(
  api: ApiClient,
  { namespace, name, expirationSeconds = 3_600, pod }: ServiceAccountTokenRequest,
): Promise<string> {
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace, name } };
  if ((await api.find(account)) === undefined) await api.create(account);
  const { status } = await api.send<{ readonly status: { readonly token: string } }>({
    method: 'POST',
    path: `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`,
    body: {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { expirationSeconds, ...(pod && { boundObjectRef: { apiVersion: 'v1', kind: 'Pod', ...pod } }) },
    },
  });
  return status.token;
}
