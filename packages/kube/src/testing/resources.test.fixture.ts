import { memberOf } from '../json/shape.ts';
import type { KubeObject, Resource } from '../objects/object.ts';
import { parseMetadata } from '../objects/parse-metadata.ts';

/** An object with everything the server sent, for tests that look at it. */
export interface RawKubeObject extends KubeObject {
  readonly raw: unknown;
}

type Place = Pick<Resource, 'group' | 'version' | 'plural' | 'kind' | 'namespaced'>;

function resource(place: Place): Resource<RawKubeObject> {
  return { ...place, parse: (raw) => ({ metadata: parseMetadata(raw), raw }) };
}

export const configMaps = resource({
  group: '',
  version: 'v1',
  plural: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
});

export const nodes = resource({ group: '', version: 'v1', plural: 'nodes', kind: 'Node', namespaced: false });

export const ciliumNodes = resource({
  group: 'cilium.io',
  version: 'v2',
  plural: 'ciliumnodes',
  kind: 'CiliumNode',
  namespaced: false,
});

/** The member at a path of what the server sent. */
export function at({ raw }: RawKubeObject, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(memberOf, raw);
}
