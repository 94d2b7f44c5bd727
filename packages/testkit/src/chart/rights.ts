import { readFileSync } from 'node:fs';
import type { KubeObject } from '../cluster/kube-object.ts';

/** One verb on one kind of resource, as RBAC grants it. */
export interface Grant {
  readonly verb: string;
  /** `<group>/<resource>[/<subresource>]`; the core group is empty. */
  readonly resource: string;
  /** Undefined: everywhere. */
  readonly namespace: string | undefined;
  /** Undefined: any name. */
  readonly name: string | undefined;
}

/** One request for a resource, as the API server's audit log has it. */
export interface ResourceRequest extends Grant {
  readonly decision: string;
}

interface Role extends KubeObject {
  readonly rules: readonly {
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
    readonly resourceNames?: readonly string[];
    readonly verbs: readonly string[];
  }[];
}

/** Every grant of the roles among the objects, one for each verb, resource and name. */
export function grantsOf(objects: readonly KubeObject[]): readonly Grant[] {
  const roles = objects.filter((object): object is Role => /^(Cluster)?Role$/.test(object.kind));
  return roles.flatMap(({ rules, metadata: { namespace } }) =>
    rules.flatMap(({ apiGroups, resources, resourceNames, verbs }) =>
      apiGroups.flatMap((group) =>
        resources.flatMap((resource) =>
          verbs.flatMap((verb) =>
            (resourceNames ?? [undefined]).map((name) => ({ verb, resource: `${group}/${resource}`, namespace, name })),
          ),
        ),
      ),
    ),
  );
}

/** The fields we use of an audit.k8s.io/v1 Event. */
interface AuditEvent {
  readonly verb: string;
  readonly user: { readonly username: string };
  readonly objectRef?: {
    readonly apiGroup?: string;
    readonly resource: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
  readonly annotations?: Readonly<Record<string, string>>;
  readonly responseStatus?: { readonly code?: number };
}

const CREATED = 201;

/**
 * A service account's requests for resources in an audit log; discovery and the like have none, and are left out. A patch
 * that made its object (server-side apply) needed the right to create as well, and counts for both.
 */
export function requestsOf(
  auditLogFile: string,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): readonly ResourceRequest[] {
  const user = `system:serviceaccount:${namespace}:${name}`;
  const lines = readFileSync(auditLogFile, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
  return lines.flatMap((line) => {
    const { verb, user: by, objectRef, annotations, responseStatus }: AuditEvent = JSON.parse(line);
    if (by.username !== user || objectRef === undefined) return [];
    const { apiGroup = '', resource, subresource, namespace: inNamespace, name: ofName } = objectRef;
    const path = [apiGroup, resource, subresource].filter((part) => part !== undefined).join('/');
    const decision = annotations?.['authorization.k8s.io/decision'] ?? '';
    const verbs = verb === 'patch' && responseStatus?.code === CREATED ? ['patch', 'create'] : [verb];
    return verbs.map((used) => ({ verb: used, resource: path, namespace: inNamespace, name: ofName, decision }));
  });
}

/** What was granted and never used, and what was tried and refused: both empty when the rights are exactly those needed. */
export function compareRights(
  grants: readonly Grant[],
  requests: readonly ResourceRequest[],
): { readonly unused: readonly Grant[]; readonly refused: readonly ResourceRequest[] } {
  return {
    unused: grants.filter((grant) => !requests.some((request) => covers(grant, request))),
    refused: requests.filter(({ decision }) => decision !== 'allow'),
  };
}

function covers(grant: Grant, request: ResourceRequest): boolean {
  if (request.decision !== 'allow' || grant.verb !== request.verb || grant.resource !== request.resource) return false;
  if (grant.namespace !== undefined && grant.namespace !== request.namespace) return false;
  return grant.name === undefined || grant.name === request.name;
}
