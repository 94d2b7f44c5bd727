import { createLimiter } from '@static-ip/kube';
import type { ControllerDeps } from '../../app/compose.ts';
import { ANNOTATION } from '../../api/names.ts';
import type { Pod } from '../../api/pod.ts';
import { createEipWriter } from '../eip/eip-writer.ts';
import { AT_ONCE } from './strip-all.ts';
import { readDrainWorld, strippedPods } from './strip-tasks.ts';

/**
 * Takes our annotations off the pods whose addresses are gone: DNS must not point there. They hold nothing up, so one that
 * cannot be changed is told in the log and left. @throws KubeError when the objects cannot be read.
 */
export async function unannotate(
  { kube, logger, options }: Pick<ControllerDeps, 'kube' | 'logger' | 'options'>,
  spared: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<void> {
  const writer = createEipWriter(kube);
  const pods = strippedPods(await readDrainWorld(kube, options.namespace, signal), spared);
  const annotated = pods.filter(({ metadata }) => metadata.annotations[ANNOTATION.allocationId] !== undefined);
  const limited = createLimiter(AT_ONCE);
  await Promise.all(annotated.map((pod) => limited(() => takeOff(pod), signal)));

  async function takeOff(pod: Pod): Promise<void> {
    try {
      await writer.annotate(pod, {}, signal);
    } catch (err) {
      signal.throwIfAborted();
      const { namespace, name } = pod.metadata;
      logger.warn('Cannot take the annotations off a pod', { namespace, name, err });
    }
  }
}
