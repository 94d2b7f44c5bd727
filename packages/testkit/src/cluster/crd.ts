import { ApiError } from './api-error.ts';
import { eventually } from './eventually.ts';
import type { HttpClient } from './http.ts';
import type { KubeObject } from './kube-object.ts';

interface CustomResourceDefinition extends KubeObject {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly plural: string };
    readonly versions: readonly { readonly name: string; readonly served: boolean }[];
  };
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message?: string }[];
  };
}

const TIMEOUT_MS = 30_000;

/**
 * Waits until every served version of a definition lists and is in discovery. Established comes first, and is not
 * enough: the server answers 404, or 429 "storage is (re)initializing", for a moment longer.
 * @throws Error when that takes more than 30 s, with the last answer of the server.
 */
export async function waitUntilServed(http: HttpClient, applied: KubeObject): Promise<void> {
  const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${applied.metadata.name}`;
  await eventually(
    async () => {
      const definition = await http.send<CustomResourceDefinition>({ method: 'GET', path });
      const conditions = definition.status?.conditions ?? [];
      const established = conditions.some(({ type, status }) => type === 'Established' && status === 'True');
      if (!established) throw new Error(`${applied.metadata.name} is not established: ${JSON.stringify(conditions)}`);
      for (const version of definition.spec.versions) {
        if (version.served) await checkServed(http, definition, version.name);
      }
    },
    { timeoutMs: TIMEOUT_MS },
  );
}

async function checkServed(http: HttpClient, { spec }: CustomResourceDefinition, version: string): Promise<void> {
  const group = `/apis/${spec.group}/${version}`;
  await http.send({ method: 'GET', path: `${group}/${spec.names.plural}?limit=1` });
  const { resources } = await http.send<{ readonly resources: readonly { readonly name: string }[] }>({
    method: 'GET',
    path: group,
  });
  if (!resources.some(({ name }) => name === spec.names.plural)) {
    throw new ApiError(`GET ${group}`, 404, `${spec.names.plural} is not in discovery yet`);
  }
}
