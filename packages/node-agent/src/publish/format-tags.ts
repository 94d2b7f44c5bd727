import type { Tags } from '@static-ip/cni-config';

/** Tags as people write them, sorted: `pool=a,tier=b`. */
export function formatTags(tags: Tags | undefined): string {
  const pairs = Object.entries(tags ?? {}).map(([key, value]) => `${key}=${value}`);
  return pairs.length === 0 ? 'no tags' : pairs.toSorted().join(',');
}
