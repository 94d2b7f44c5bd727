import { addFinalizerPatch, isKubeError, removeFinalizerPatch } from '@static-ip/kube';
import type { JsonObject, KubeClient, KubeObject, ObjectRef, Resource } from '@static-ip/kube';
import { EIPS } from '../../api/eip.ts';
import type { Eip } from '../../api/eip.ts';
import { ANNOTATION, FIELD_MANAGER } from '../../api/names.ts';
import { PODS } from '../../api/pod.ts';
import type { Pod } from '../../api/pod.ts';
import { orGone } from '../or-gone.ts';

/** The writes of the Eip flow, each the least that says what it says. An object that is gone needs no write. */
export interface EipWriter {
  /** Under the Eip's resourceVersion: who read something older writes nothing. @throws KubeError `conflict` */
  status(eip: Eip, change: JsonObject, signal: AbortSignal): Promise<Eip | undefined>;
  /**
   * Returns the object as it is then; undefined when it has the finalizer already. An object that is going takes none:
   * @throws KubeError `notFound` or `invalid`, and then nothing may be done that the finalizer was for.
   */
  addFinalizer<T extends KubeObject>(of: Finalized<T>, signal: AbortSignal): Promise<T | undefined>;
  removeFinalizer<T extends KubeObject>(of: Finalized<T>, signal: AbortSignal): Promise<void>;
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

type Annotations = Readonly<Record<string, string | undefined>>;

/** Makes the writer. */
export function createEipWriter(client: Pick<KubeClient, 'patch'>): EipWriter {
  async function apply({ metadata }: Pod, annotations: Annotations, signal: AbortSignal): Promise<void> {
    const { name, namespace, uid } = metadata;
    const body = { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace, uid, annotations } };
    const patch = { type: 'apply', fieldManager: FIELD_MANAGER.predecessor, body } as const;
    await orGone(client.patch(PODS, { name, namespace }, patch, signal));
  }

  return {
    status: (eip, change, signal) => {
      const { name, resourceVersion } = eip.metadata;
      const body = { metadata: { name, resourceVersion }, status: change };
      return orGone(client.patch(EIPS, refOf(eip), { type: 'merge', subresource: 'status', body }, signal));
    },
    async addFinalizer({ resource, object, finalizer }, signal) {
      const patch = addFinalizerPatch(object, finalizer);
      return patch === undefined ? undefined : client.patch(resource, refOf(object), patch, signal);
    },
    async removeFinalizer({ resource, object, finalizer }, signal) {
      const patch = removeFinalizerPatch(object, finalizer);
      if (patch !== undefined) await orGone(client.patch(resource, refOf(object), patch, signal));
    },
    async annotate(pod, { ip, allocationId }, signal) {
      const wanted = { [ANNOTATION.externalDnsTarget]: ip, [ANNOTATION.allocationId]: allocationId };
      const foreign = foreignOnes(pod, wanted);
      try {
        await apply(pod, wanted, signal);
        return [];
      } catch (error) {
        if (!isKubeError(error, 'conflict') || foreign.length === 0) throw error;
        const ours = Object.entries(wanted).filter(([name]) => !foreign.includes(name));
        await apply(pod, Object.fromEntries(ours), signal);
        return foreign;
      }
    },
    async label(resource, ref, { name, value, signal }) {
      const body = { metadata: { labels: { [name]: value } } };
      await orGone(client.patch(resource, ref, { type: 'merge', body }, signal));
    },
  };
}

/** Annotations that have another value now: which of them are ours to change the server knows. */
function foreignOnes({ metadata }: Pod, wanted: Annotations): readonly string[] {
  return Object.entries(wanted).flatMap(([name, value]) => {
    const current = metadata.annotations[name];
    return value !== undefined && current !== undefined && current !== value ? [name] : [];
  });
}

function refOf({ metadata }: KubeObject): ObjectRef {
  return { name: metadata.name, namespace: metadata.namespace };
}
