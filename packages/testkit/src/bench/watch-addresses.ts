import { readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { createInterface } from 'node:readline';
import { Agent, request } from 'undici';
import type { KubeObject } from '../cluster/kube-object.ts';
import type { Cluster } from '../cluster/start-cluster.ts';

/** The objects of one kind, and where each shows its address. */
export interface Watched {
  /** URL path of the collection. */
  readonly path: string;
  /** Undefined or empty: it shows none. */
  readonly addressOf: (object: KubeObject) => string | undefined;
}

/** An address that an object shows, and since when, in milliseconds since the epoch. */
export interface Seen {
  readonly address: string;
  readonly atMs: number;
}

/** What all objects of a kind show, as the API server announces it. */
export interface AddressWatch {
  /** By object name; one that shows no address is absent. */
  readonly addresses: ReadonlyMap<string, Seen>;
  /** When the last object of a name was deleted, in milliseconds since the epoch; one that is there is absent. */
  readonly gone: ReadonlyMap<string, number>;
  /** @throws Error when the watch has broken, so that what is known is out of date */
  readonly check: () => void;
  readonly close: () => Promise<void>;
}

const TWO_HOURS = 7200;

/** Begins to watch; what there is already is seen with the time of now. */
export async function watchAddresses(
  { url, caFile, adminToken }: Pick<Cluster, 'url' | 'caFile' | 'adminToken'>,
  { path, addressOf }: Watched,
): Promise<AddressWatch> {
  const dispatcher = new Agent({ connect: { ca: readFileSync(caFile) }, bodyTimeout: 0 });
  const headers = { authorization: `Bearer ${adminToken}`, accept: 'application/json' };
  const addresses = new Map<string, Seen>();
  const gone = new Map<string, number>();
  let version = '';
  let broken: Error | undefined;
  let closed = false;

  async function open(): Promise<Readable> {
    const query = new URLSearchParams({ watch: '1', timeoutSeconds: String(TWO_HOURS), resourceVersion: version });
    const { statusCode, body } = await request(`${url}${path}?${query.toString()}`, { dispatcher, headers });
    if (statusCode !== 200) throw new Error(`watching ${path}: ${statusCode} ${await body.text()}`);
    return body;
  }

  function note({ type, object }: WatchEvent): void {
    if (type === 'ERROR') throw new Error(`watch error: ${JSON.stringify(object)}`);
    const { name, resourceVersion = '' } = object.metadata;
    version = resourceVersion;
    const address = type === 'DELETED' ? '' : (addressOf(object) ?? '');
    if (address === '') addresses.delete(name);
    else if (addresses.get(name)?.address !== address) addresses.set(name, { address, atMs: Date.now() });
    if (type === 'DELETED') gone.set(name, Date.now());
    else gone.delete(name);
  }

  /** The server ends the watch of a client that a busy machine keeps from reading: it goes on from where it was. */
  async function follow(first: Readable): Promise<void> {
    for (let body = first; ; body = await open()) {
      for await (const line of createInterface({ input: body })) note(JSON.parse(line));
    }
  }

  follow(await open()).catch((cause: unknown) => {
    if (!closed) broken = new Error(`the watch of ${path} broke`, { cause });
  });
  return {
    addresses,
    gone,
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
  readonly object: KubeObject;
}
