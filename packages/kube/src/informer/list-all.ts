import type { KubeClient, RejectedObject, Selection } from '../client/kube-client.ts';
import type { KubeObject, Resource } from '../objects/object.ts';

/** A whole list, gathered page by page. */
export interface FullList<T> {
  readonly items: readonly T[];
  readonly rejected: readonly RejectedObject[];
  /** Where a watch goes on. */
  readonly resourceVersion: string;
}

export interface ListAll<T extends KubeObject> {
  readonly client: Pick<KubeClient, 'list'>;
  readonly resource: Resource<T>;
  readonly selection: Selection;
  readonly pageSize: number;
  /** Called for each page. */
  readonly onPage: () => void;
}

/** Lists all pages, of one consistent version. @throws KubeError `gone` when the pages expired on the way; start anew. */
export async function listAll<T extends KubeObject>(all: ListAll<T>, signal: AbortSignal): Promise<FullList<T>> {
  const { client, resource, selection, pageSize, onPage } = all;
  const items: T[] = [];
  const rejected: RejectedObject[] = [];
  let token: string | undefined;
  for (;;) {
    const page = await client.list(resource, { ...selection, limit: pageSize, continue: token }, signal);
    onPage();
    for (const item of page.items) items.push(item);
    rejected.push(...page.rejected);
    token = page.continue;
    if (token === undefined) return { items, rejected, resourceVersion: page.resourceVersion };
  }
}
