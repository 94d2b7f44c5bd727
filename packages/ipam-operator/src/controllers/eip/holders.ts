import type { Eip } from '../../api/eip.ts';
import { ANNOTATION, FINALIZER, isManaged, LABEL } from '../../api/names.ts';
import { NODES } from '../../api/node.ts';
import type { Node } from '../../api/node.ts';
import { PODS } from '../../api/pod.ts';
import type { Pod } from '../../api/pod.ts';
import { hasLabels } from './choice.ts';
import type { EipStores } from './eip-world.ts';
import type { EipWriter } from './eip-writer.ts';

/** What pods and nodes show of the address they have. */
export interface Holders {
  /** Before an address is attached to it. True: something was written. */
  prepare(eip: Eip, resourceId: string | undefined, signal: AbortSignal): Promise<boolean>;
  /** The address is confirmed to be on the target that the status names. */
  take(eip: Eip, signal: AbortSignal): Promise<void>;
  /** The address is no longer on what the status names (if anything). */
  letGo(eip: Eip, signal: AbortSignal): Promise<void>;
}

export interface HoldersOptions {
  readonly stores: Pick<EipStores, 'pods' | 'nodes'>;
  readonly writer: EipWriter;
  /** Annotations of a pod that somebody else has set, and that were therefore left alone. */
  readonly onForeignAnnotation: (pod: Pod, annotations: readonly string[]) => void;
}

/** Makes what keeps pods and nodes up to date. */
export function createHolders({ stores, writer, onForeignAnnotation }: HoldersOptions): Holders {
  const podOf = ({ metadata }: Eip, name: string | undefined): Pod | undefined =>
    name === undefined ? undefined : stores.pods.get(`${metadata.namespace ?? ''}/${name}`);

  /** A pod that no longer has it may not say so: DNS would point at an address somebody else has by then. */
  async function clearPod(pod: Pod, signal: AbortSignal): Promise<void> {
    if (pod.metadata.annotations[ANNOTATION.allocationId] !== undefined) await writer.annotate(pod, {}, signal);
    await writer.removeFinalizer({ resource: PODS, object: pod, finalizer: FINALIZER.pod }, signal);
  }

  async function takePod(eip: Eip, pod: Pod, signal: AbortSignal): Promise<void> {
    const { publicIpAddress: ip, allocationId } = eip.status;
    const { annotations } = pod.metadata;
    if (annotations[ANNOTATION.externalDnsTarget] === ip && annotations[ANNOTATION.allocationId] === allocationId)
      return;
    const foreign = await writer.annotate(pod, { ip, allocationId }, signal);
    if (foreign.length > 0) onForeignAnnotation(pod, foreign);
  }

  /** The new gateway is raised before the old ones are lowered: in between traffic has two ways, never none. */
  async function raise(labels: Readonly<Record<string, string>>, holder: string, signal: AbortSignal): Promise<void> {
    const matching = stores.nodes
      .list()
      .filter(({ metadata }) => isManaged(metadata.labels) && hasLabels(metadata.labels, labels));
    const set = async ({ metadata }: Node, value: 'true' | 'false'): Promise<void> => {
      if (metadata.labels[LABEL.egressGatewayReady] === value) return;
      await writer.label(NODES, { name: metadata.name }, { name: LABEL.egressGatewayReady, value, signal });
    };
    for (const node of matching) if (node.metadata.name === holder) await set(node, 'true');
    for (const node of matching) if (node.metadata.name !== holder) await set(node, 'false');
  }

  return {
    async prepare(eip, resourceId, signal) {
      if (eip.selector.kind === 'node') return false;
      const pod = podOf(eip, resourceId);
      if (pod === undefined) return false;
      await writer.addFinalizer({ resource: PODS, object: pod, finalizer: FINALIZER.pod }, signal);
      return false;
    },
    async take(eip, signal) {
      const { resourceId } = eip.status;
      if (resourceId === undefined) return;
      if (eip.selector.kind === 'node') return raise(eip.selector.labels, resourceId, signal);
      const pod = podOf(eip, resourceId);
      if (pod !== undefined) await takePod(eip, pod, signal);
    },
    async letGo(eip, signal) {
      if (eip.selector.kind === 'node') return;
      const pod = podOf(eip, eip.status.resourceId);
      if (pod !== undefined) await clearPod(pod, signal);
    },
  };
}
