import type { CiliumNode } from '../api/cilium-node.ts';

/** IPAM modes in which every version of Cilium's agent that knows tags publishes those of the file it was told to read. */
const CLOUD_MODES: ReadonlySet<string> = new Set(['eni', 'azure', 'alibabacloud']);

/** The data of Cilium's ConfigMap `cilium-config`; undefined: it is not there or may not be read. */
export type CiliumConfig = Readonly<Record<string, string>> | undefined;

/**
 * Why Cilium's own agent can be expected to publish tags on this node, in words; undefined: it is not. Known are facts
 * only, never version strings:
 *
 * - its flag for tags is set: only versions that publish have it (https://github.com/cilium/cilium/pull/43086);
 * - it is told to read a CNI file and runs in a cloud mode (https://github.com/cilium/cilium/pull/34622);
 * - its settings cannot be read, and the status shows that a cloud mode is at work.
 *
 * In the other modes newer versions publish, too, and older ones never do. There a write of ours is right in both: a newer
 * agent reads the same file, and one without tags of its own is noticed as it takes ours away.
 */
export function whyCiliumPublishes(config: CiliumConfig, { cloud }: Pick<CiliumNode, 'cloud'>): string | undefined {
  if (config === undefined) {
    return cloud === undefined
      ? undefined
      : `its status shows Cilium's ${cloud} mode, and cilium-config cannot be read`;
  }
  if (isSet(config['ipam-static-ip-tags'])) return 'cilium-config sets ipam-static-ip-tags';
  const mode = config['ipam'] ?? '';
  const file = config['read-cni-conf'];
  return CLOUD_MODES.has(mode) && isSet(file) ? `Cilium in ${mode} mode reads ${String(file)}` : undefined;
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value.trim() !== '' && value.trim() !== '{}';
}
