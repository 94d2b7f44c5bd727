import { createKubeClient, isKubeError, systemClock } from '@static-ip/kube';
import type { KubeClient } from '@static-ip/kube';
import { VERSION } from '@static-ip/shell';
import type { InputErrors } from '@static-ip/shell';
import { FIELD_MANAGER } from '../api/names.ts';
import { CONFIG_MAPS } from '../no-masquerade/cilium-config.ts';
import type { CiliumConfig } from '../publish/cilium-publishes.ts';
import type { AgentOptions } from './options.ts';

/** What ends the agent with 2, as another try makes no sense before the input was changed. */
export const INPUT_ERRORS: InputErrors = { KubeError: ['config'], AgentError: ['config', 'missing'] };

/** The API server of the options. @throws KubeError `config` for a kubeconfig that cannot be used. */
export function connectKube({ kubeconfig }: Pick<AgentOptions, 'kubeconfig'>): KubeClient {
  return createKubeClient({
    kubeconfig,
    userAgent: `static-ip-node-agent/${VERSION}`,
    fieldManager: FIELD_MANAGER,
    clock: systemClock,
  });
}

/** Cilium's settings; undefined without the right to read them, or without Cilium. @throws KubeError when the server fails. */
export async function readCiliumConfig(
  kube: Pick<KubeClient, 'get'>,
  namespace: string,
  signal: AbortSignal,
): Promise<CiliumConfig> {
  try {
    return (await kube.get(CONFIG_MAPS, { namespace, name: 'cilium-config' }, signal)).data;
  } catch (error) {
    if (isKubeError(error, 'notFound') || isKubeError(error, 'forbidden')) return undefined;
    throw error;
  }
}
