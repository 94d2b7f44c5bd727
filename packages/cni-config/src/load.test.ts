import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { loadNetworkConfigDirectory, loadNetworkConfigFile } from './load.ts';
import type { DirectoryResult } from './network-config.ts';
import { keepLastGoodTags } from './resolve-tags.ts';

const FIXTURES = path.join(import.meta.dirname, '../fixtures');
const GOOD = { pool: 'pool-a' };
const signal = new AbortController().signal;

async function loadFixture(name: string): Promise<DirectoryResult> {
  return await loadNetworkConfigDirectory(path.join(FIXTURES, name), { signal });
}

function summary({ chosen, skipped, findings }: DirectoryResult) {
  return {
    file: chosen === undefined ? undefined : path.basename(chosen.file),
    tags: chosen?.config.ipam?.staticIpTags,
    skipped: skipped.map(({ file }) => path.basename(file)),
    codes: findings.map(({ code }) => code),
  };
}

const list = (...plugins: object[]) => ({ cniVersion: '1.0.0', name: 'n', plugins });
const cilium = (ipam: object) => list({ type: 'cilium-cni', ipam });

describe('loadNetworkConfigDirectory on fixtures', () => {
  it('B03(a): skips a truncated file that sorts first and never blanks published tags', async () => {
    const loaded = await loadFixture('b03-a-broken-first');
    const expected = {
      file: '05-cilium.conflist',
      tags: GOOD,
      skipped: ['00-broken.conflist'],
      codes: ['skipped-file'],
    };
    expect(summary(loaded)).toEqual(expected);
    expect(loaded.skipped[0]?.findings.map(({ code }) => code)).toEqual(['invalid-json']);
    expect(keepLastGoodTags(loaded, { pool: 'old' })).toEqual(GOOD);
  });

  it("B03(b): takes Cilium's file before a later one of another CNI, without a word", async () => {
    const loaded = await loadFixture('b03-b-other-later');
    expect(summary(loaded)).toEqual({ file: '05-cilium.conflist', tags: GOOD, skipped: [], codes: [] });
  });

  it("B03(b): takes the tags from Cilium's file behind another CNI's, and says that the runtime uses the other", async () => {
    const loaded = await loadFixture('b03-b-other-first');
    expect(summary(loaded)).toEqual({
      file: '05-cilium.conflist',
      tags: GOOD,
      skipped: [],
      codes: ['not-first-config'],
    });
    expect(loaded.findings[0]?.message).toContain('00-other.conflist');
  });

  it('B03(c): does not read a .cilium_bak, names it, and keeps published tags', async () => {
    const loaded = await loadFixture('b03-c-backup-only');
    const expected = { file: undefined, tags: undefined, skipped: [], codes: ['no-network-config'] };
    expect(summary(loaded)).toEqual(expected);
    expect(loaded.findings[0]?.hint).toContain('05-cilium.conflist.cilium_bak');
    expect(keepLastGoodTags(loaded, GOOD)).toEqual(GOOD);
  });

  it('B03(d): reads a plain .conf with ipam at the top level', async () => {
    const loaded = await loadFixture('b03-d-plain-conf');
    expect(summary(loaded)).toEqual({ file: '05-cilium.conf', tags: GOOD, skipped: [], codes: [] });
    expect(loaded.chosen?.config.format).toBe('single');
  });

  it('B03(e): reads a file with byte order mark and CRLF, and warns that Cilium will not', async () => {
    const loaded = await loadFixture('b03-e-bom-crlf');
    const expected = { file: '05-cilium.conflist', tags: GOOD, skipped: [], codes: ['byte-order-mark'] };
    expect(summary(loaded)).toEqual(expected);
    expect(loaded.chosen?.config.usableByRuntime).toBe(false);
  });

  it('B03(f): reads a file without cniVersion and warns', async () => {
    const loaded = await loadFixture('b03-f-no-cni-version');
    expect(summary(loaded)).toEqual({ file: '05-cilium.conflist', tags: GOOD, skipped: [], codes: ['missing-field'] });
    expect(loaded.findings[0]?.message).toContain('cniVersion');
  });
});

describe('loadNetworkConfigDirectory', () => {
  let directory = '';
  beforeEach(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'cni-config-'));
  });
  afterEach(async () => {
    await rm(directory, { recursive: true });
  });

  const write = async (name: string, content: unknown) =>
    await writeFile(path.join(directory, name), typeof content === 'string' ? content : JSON.stringify(content));
  const load = async () => summary(await loadNetworkConfigDirectory(directory, { signal }));

  it("warns when a later file has tags that differ, and does not take Cilium's first file over", async () => {
    await write('05-cilium.conflist', cilium({}));
    await write('10-static-ip.conflist', cilium({ 'static-ip-tags': GOOD }));
    const expected = { file: '05-cilium.conflist', tags: undefined, skipped: [], codes: ['tags-in-later-file'] };
    expect(await load()).toEqual(expected);
  });

  it('takes the first file of another CNI when there is nothing of Cilium', async () => {
    await write('20-b.conflist', list({ type: 'b' }));
    await write('10-a.conflist', list({ type: 'a' }));
    expect(await load()).toEqual({ file: '10-a.conflist', tags: undefined, skipped: [], codes: ['no-cilium-plugin'] });
  });

  it('skips what the runtime would skip: other endings, folders, JSON that is no configuration', async () => {
    await write('00-notes.txt', 'hello');
    await write('01-other.json', { hello: 'world' });
    await mkdir(path.join(directory, '02-folder.conf'));
    await write('05-cilium.conflist', cilium({ 'static-ip-tags': GOOD }));
    expect(await load()).toEqual({
      file: '05-cilium.conflist',
      tags: GOOD,
      skipped: ['01-other.json', '02-folder.conf'],
      codes: ['skipped-file', 'skipped-file'],
    });
  });

  it('keeps published tags while a file that may hold them is broken', async () => {
    await write('05-cilium.conflist', '{"plugins"');
    await write('10-cilium.conflist', cilium({}));
    const loaded = await loadNetworkConfigDirectory(directory, { signal });
    expect(keepLastGoodTags(loaded, GOOD)).toEqual(GOOD);
  });

  it('skips a file too large to be a configuration, without parsing it', async () => {
    await write('05-huge.conflist', ' '.repeat(4 * 1024 * 1024));
    const loaded = await loadNetworkConfigDirectory(directory, { signal });
    expect(loaded.skipped[0]?.findings[0]).toMatchObject({ code: 'unreadable', severity: 'error' });
  });

  it('reports a directory that is not there, and an empty one', async () => {
    const missing = await loadNetworkConfigDirectory(path.join(directory, 'none'), { signal });
    expect(summary(missing).codes).toEqual(['unreadable']);
    expect((await load()).codes).toEqual(['no-network-config']);
  });

  it('throws only when it is told to stop', async () => {
    const stopped = AbortSignal.abort(new Error('stop'));
    await expect(loadNetworkConfigDirectory(directory, { signal: stopped })).rejects.toThrow('stop');
  });

  it('replaces bytes that are not UTF-8, as Go does', async () => {
    const text = JSON.stringify(cilium({ 'static-ip-tags': { pool: 'X' } }));
    await writeFile(path.join(directory, 'c.conflist'), Buffer.from(text.replace('X', '\xFF'), 'latin1'));
    const result = await loadNetworkConfigFile(path.join(directory, 'c.conflist'), { signal });
    expect(result.ok && result.config.ipam?.staticIpTags).toEqual({ pool: '\uFFFD' });
  });
});
