import { addFinalizerPatch, isKubeError, removeFinalizerPatch } from '@static-ip/kube';
import type { JsonObject, KubeClient, KubeObject, ObjectRef, Resource } from '@static-ip/kube';
import { EIPS } from '../../api/eip.ts';
import type { Eip } from '../../api/eip.ts';
import { ANNOTATION, FIELD_MANAGER } from '../../api/names.ts';
import { PODS } from '../../api/pod.ts';
import type { Pod } from '../../api/pod.ts';

/** The writes of the Eip flow, each the least that says what it says. An object that is gone needs no write. */
export interface EipWriter {
  /** Under the Eip's resourceVersion: who read something older writes nothing. @throws KubeError `conflict` */
  status(eip: Eip, change: JsonObject, signal: AbortSignal): Promise<Eip | undefined>;
  /** Returns the object as it is then; undefined when it has the finalizer already or is gone. */
  addFinalizer<T extends KubeObject>(of: Finalized<T>, signal: AbortSignal): Promise<T | undefined>;
  removeFinalizer<T extends KubeObject>(of: Finalized<T>, signal: AbortSignal): Promise<boolean>;
  /**
   * Sets our annotations on the pod, or takes them off where the values are undefined. What another manager has set is
   * kept. Returns the annotations that are somebody else's.
   */
  annotate(pod: Pod, values: PodAnnotations, signal: AbortSignal): Promise<readonly string[]>;
  label(resource: Resource, ref: ObjectRef, label: NodeLabel): Promise<void>;
}

export interface Finalized<T extends KubeObject> {
  readonly resource: Resource<T>;
  readonly object: T;
  readonly finalizer: string;
}

export interface PodAnnotations {
  readonly ip?: string | undefined;
  readonly allocationId?: string | undefined;
}

export interface NodeLabel {
  readonly name: string;
  readonly value: string;
  readonly signal: AbortSignal;
}

/** Makes the writer. */
export function createEipWriter(client: Pick<KubeClient, 'patch'>): EipWriter {
  const orGone = async <T>(write: Promise<T>): Promise<T | undefined> => {
    try {
      return await write;
    } catch (error) {
      if (isKubeError(error, 'notFound')) return undefined;
      throw error;
    }
  };

  return {
    status: (eip, change, signal) => {
      const { name, resourceVersion } = eip.metadata;
      const body = { metadata: { name, resourceVersion }, status: change };
      return orGone(client.patch(EIPS, refOf(eip), { type: 'merge', subresource: 'status', body }, signal));
    },
    async addFinalizer({ resource, object, finalizer }, signal) {
      const patch = addFinalizerPatch(object, finalizer);
      return patch === undefined ? undefined : orGone(client.patch(resource, refOf(object), patch, signal));
    },
    async removeFinalizer({ resource, object, finalizer }, signal) {
      const patch = removeFinalizerPatch(object, finalizer);
      if (patch === undefined) return false;
      await orGone(client.patch(resource, refOf(object), patch, signal));
      return true;
    },
    async annotate(pod, values, signal) {
      const wanted = {
        [ANNOTATION.externalDnsTarget]: values.ip,
        [ANNOTATION.allocationId]: values.allocationId,
      };
      const apply = async (annotations: Readonly<Record<string, string | undefined>>): Promise<void> => {
        const { name, namespace, uid } = pod.metadata;
        const body = { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace, uid, annotations } };
        const fieldManager = FIELD_MANAGER.predecessor;
        await orGone(client.patch(PODS, refOf(pod), { type: 'apply', fieldManager, body }, signal));
      };
      const foreign = Object.entries(wanted).flatMap(([name, value]) => {
        const current = pod.metadata.annotations[name];
        return value !== undefined && current !== undefined && current !== value ? [name] : [];
      });
      try {
        await apply(wanted);
        return [];
      } catch (error) {
        if (!isKubeError(error, 'conflict') || foreign.length === 0) throw error;
        await apply(Object.fromEntries(Object.entries(wanted).filter(([name]) => !foreign.includes(name))));
        return foreign;
      }
    },
    async label(resource, ref, { name, value, signal }) {
      const body = { metadata: { labels: { [name]: value } } };
      await orGone(client.patch(resource, ref, { type: 'merge', body }, signal));
    },
  };
}

function refOf({ metadata }: KubeObject): ObjectRef {
  return { name: metadata.name, namespace: metadata.namespace };
}
