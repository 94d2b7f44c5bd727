import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Agent, request } from 'undici';
import type { CiliumNodeObject } from '../cluster/builders.ts';
import type { Cluster } from '../cluster/start-cluster.ts';

/** `status.ipam.assigned-static-ip` of a CiliumNode, and when it came to be that, in milliseconds since the epoch. */
interface SeenStatus {
  readonly address: string;
  readonly atMs: number;
}

/** Statuses of all CiliumNodes as the API server announces them. */
export interface StatusWatch {
  /** By node name; a node without an address is absent. */
  readonly statuses: ReadonlyMap<string, SeenStatus>;
  /** @throws Error when the watch has broken, so that `statuses` is out of date */
  readonly check: () => void;
  readonly close: () => Promise<void>;
}

const PATH = '/apis/cilium.io/v2/ciliumnodes';
const TWO_HOURS = 7200;

/** Begins to watch; what there is already is seen with the time of now. */
export async function watchStatuses({ url, caFile, adminToken }: Cluster): Promise<StatusWatch> {
  const dispatcher = new Agent({ connect: { ca: readFileSync(caFile) }, bodyTimeout: 0 });
  const { statusCode, body } = await request(`${url}${PATH}?watch=1&timeoutSeconds=${TWO_HOURS}`, {
    dispatcher,
    headers: { authorization: `Bearer ${adminToken}`, accept: 'application/json' },
  });
  if (statusCode !== 200) throw new Error(`watching CiliumNodes: ${statusCode} ${await body.text()}`);
  const statuses = new Map<string, SeenStatus>();
  let broken: Error | undefined;
  let closed = false;
  const follow = async (): Promise<void> => {
    for await (const line of createInterface({ input: body })) note(statuses, JSON.parse(line));
    throw new Error('the API server ended it');
  };
  follow().catch((cause: unknown) => {
    if (!closed) broken = new Error('the watch of CiliumNodes broke', { cause });
  });
  return {
    statuses,
    check: () => {
      if (broken !== undefined) throw broken;
    },
    close: async () => {
      closed = true;
      await dispatcher.destroy();
    },
  };
}

interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'ERROR';
  readonly object: CiliumNodeObject;
}

function note(statuses: Map<string, SeenStatus>, { type, object }: WatchEvent): void {
  if (type === 'ERROR') throw new Error(`watch error: ${JSON.stringify(object)}`);
  const { name } = object.metadata;
  const address = type === 'DELETED' ? undefined : object.status?.ipam?.['assigned-static-ip'];
  if (address === undefined || address === '') statuses.delete(name);
  else if (statuses.get(name)?.address !== address) statuses.set(name, { address, atMs: Date.now() });
}
