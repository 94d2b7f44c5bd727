import type { Tags } from './network-config.ts';

/** Body of a JSON merge patch (RFC 7396) on a CiliumNode. */
export type CiliumNodePatch = {
  readonly spec: { readonly ipam: { readonly 'static-ip-tags': Readonly<Record<string, string | null>> | null } };
};

/**
 * The merge patch that makes `spec.ipam.static-ip-tags` equal to `tags` and touches nothing else. A merge patch only adds
 * to a map, so the tags the object has now are needed to take away the stale ones.
 *
 * | tags | after the patch |
 * |---|---|
 * | undefined | the key is removed |
 * | `{}` | the key is there and empty |
 * | a map | exactly that map |
 *
 * Keys are sorted, so equal tags give equal bytes, in every IPAM mode.
 */
export function ciliumNodePatch(tags: Tags | undefined, current: Tags = {}): CiliumNodePatch {
  if (tags === undefined) return { spec: { ipam: { 'static-ip-tags': null } } };
  const stale = Object.keys(current).filter((key) => !Object.hasOwn(tags, key));
  const entries = [...Object.entries(tags), ...stale.map((key): [string, null] => [key, null])];
  const sorted = entries.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return { spec: { ipam: { 'static-ip-tags': Object.fromEntries(sorted) } } };
}
