import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { claimThat } from './claim-that.ts';
import type { Tags } from './cast.ts';
import type { Stage } from './stage.ts';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

/** The CNI configuration of the story, relative to the repository. */
export const CONFLIST = 'examples/cni/05-cilium.conflist';

/** The text of the configuration's `ipam` section. */
export function ipamSection(): string {
  const { plugins }: { plugins: readonly { ipam?: unknown }[] } = JSON.parse(readFileSync(absolute(), 'utf8'));
  return `"ipam": ${JSON.stringify(plugins[0]?.ipam, undefined, 2)}`;
}

/** The tags as the operator's own `validate-config` reads them. @throws Error when it finds the file wrong */
export async function readTags(stage: Stage): Promise<Tags> {
  const output = await stage.runOperator('validate-config', absolute(), '--output', 'json');
  const verdict: { items: readonly { role: string; tags: Tags | null }[] } = JSON.parse(output);
  const tags = verdict.items.find(({ role }) => role === 'chosen')?.tags;
  claimThat(tags !== null && tags !== undefined, `validate-config reads no tags from ${CONFLIST}: ${output}`);
  return tags;
}

function absolute(): string {
  return path.join(ROOT, CONFLIST);
}
