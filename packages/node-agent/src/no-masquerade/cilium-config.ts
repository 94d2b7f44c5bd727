import { parseMetadata } from '@static-ip/kube';
import type { KubeObject, Resource } from '@static-ip/kube';
import { parseCidr } from './cidr.ts';
import type { Cidr } from './cidr.ts';
import type { Masquerade } from './plan.ts';
import { isRaw } from './shape.ts';

/** A ConfigMap's data. */
export interface ConfigMap extends KubeObject {
  readonly data: Readonly<Record<string, string>>;
}

/** Core `configmaps`, v1. */
export const CONFIG_MAPS: Resource<ConfigMap> = {
  group: '',
  version: 'v1',
  plural: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
  parse: (raw) => {
    const data = isRaw(raw) && isRaw(raw['data']) ? raw['data'] : {};
    const texts = Object.entries(data).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
    return { metadata: parseMetadata(raw), data: Object.fromEntries(texts) };
  },
};

/** What Cilium's settings say about masquerading. */
export interface CiliumSettings {
  readonly masquerade: Masquerade;
  readonly nativeRouting: readonly Cidr[];
}

/**
 * Reads the data of the ConfigMap `cilium-config`; a key that is absent has the agent's default
 * (https://docs.cilium.io/en/stable/cmdref/cilium-agent/): masquerading on, by iptables.
 */
export function readCiliumSettings(data: Readonly<Record<string, string>>): CiliumSettings {
  const nativeRouting = parseCidr(data['ipv4-native-routing-cidr'] ?? '');
  return {
    masquerade: masqueradeOf(data),
    nativeRouting: nativeRouting === undefined ? [] : [nativeRouting],
  };
}

function masqueradeOf(data: Readonly<Record<string, string>>): Masquerade {
  // The second is the name of older versions.
  const enabled = data['enable-ipv4-masquerade'] ?? data['masquerade'] ?? 'true';
  if (enabled === 'false') return 'off';
  return data['enable-bpf-masquerade'] === 'true' ? 'bpf' : 'iptables';
}
