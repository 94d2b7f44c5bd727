/** What a request to the API server is about. */
export interface ApiRequest {
  readonly method: string;
  /** URL path without the query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** `nodes`, `ciliumnodes.cilium.io`, `pods/status`…; empty for paths that are no resource, such as /readyz. */
  readonly resource: string;
  readonly watch: boolean;
}

/**
 * Reads method and URL of a request. The shapes are those of
 * https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-uris
 */
export function parseApiRequest(method: string, url: string): ApiRequest {
  const { pathname, searchParams } = new URL(url, 'https://apiserver.invalid');
  const query = Object.fromEntries(searchParams);
  const watch = method === 'GET' && ['true', '1'].includes(query['watch'] ?? '');
  return { method, path: pathname, query, resource: resourceOf(pathname), watch };
}

function resourceOf(path: string): string {
  const [root, ...rest] = path.split('/').filter(Boolean);
  if (root === 'api') return qualifiedName('', rest.slice(1));
  if (root === 'apis') return qualifiedName(`.${rest[0]}`, rest.slice(2));
  return '';
}

/** `parts` is what follows the version: `pods/x`, `namespaces/n/pods/x/status`, but also `namespaces/n` itself. */
function qualifiedName(group: string, parts: readonly string[]): string {
  const inNamespace = parts[0] === 'namespaces' && !['status', 'finalize', undefined].includes(parts[2]);
  const [resource, , subresource] = inNamespace ? parts.slice(2) : parts;
  if (resource === undefined) return '';
  return subresource === undefined ? `${resource}${group}` : `${resource}${group}/${subresource}`;
}
