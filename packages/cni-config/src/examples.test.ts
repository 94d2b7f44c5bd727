import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { formatFinding } from './finding.ts';
import { parseNetworkConfig } from './parse.ts';
import { validateTags } from './tag-limits.ts';

const EXAMPLES = path.join(import.meta.dirname, '../../../examples/cni');
const files = readdirSync(EXAMPLES).filter((name) => /\.(conf|conflist|json)$/.test(name));

describe('examples/cni', () => {
  it('has examples', () => {
    expect(files.length).toBeGreaterThanOrEqual(4);
  });

  it.each(files)(
    '%s is read by Cilium and by runtimes, without a finding, and has tags that EC2 can select by',
    (name) => {
      const result = parseNetworkConfig(readFileSync(path.join(EXAMPLES, name), 'utf8'), { file: name });
      expect(result.findings.map(formatFinding)).toEqual([]);
      if (!result.ok) throw new Error('has no findings and yet is not read');
      expect(result.config).toMatchObject({ format: 'list', plugin: { type: 'cilium-cni' }, usableByRuntime: true });
      expect(Object.keys(result.config.ipam?.staticIpTags ?? {})).not.toEqual([]);
      expect(validateTags(result.config.ipam?.staticIpTags ?? {}, { use: 'select' })).toEqual([]);
    },
  );

  it('05-cilium.conflist gives exactly its two tags, the empty value included', () => {
    const result = parseNetworkConfig(readFileSync(path.join(EXAMPLES, '05-cilium.conflist'), 'utf8'), { file: 'x' });
    expect(result.ok && result.config.ipam).toEqual({
      staticIpTags: { anton: 'test', kubernetes_cluster: '' },
      raw: { 'pre-allocate': 1, 'min-allocate': 3 },
    });
  });
});
