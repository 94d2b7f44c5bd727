import { describe, expect, it } from '@jest/globals';
import type { CiliumNodePatch, DirectoryResult, Finding, Tags } from '@static-ip/cni-config';
import { parseNetworkConfig } from '@static-ip/cni-config';
import { createManualClock } from '@static-ip/testkit';
import type { CiliumNode } from '../api/cilium-node.ts';
import { nodeWith } from './case.test.fixture.ts';
import { runPublish } from './run-publish.ts';

const FILE = '/etc/cni/net.d/05-cilium.conflist';

/** A directory of one file of Cilium's, with these tags; undefined: the file is being written. */
function directoryWith(tags: Tags | undefined): DirectoryResult {
  const ipam = tags === undefined ? undefined : { 'static-ip-tags': tags };
  const config = { cniVersion: '0.3.1', name: 'cilium', plugins: [{ type: 'cilium-cni', ipam }] };
  const text = tags === undefined ? '{"cniVersion":' : JSON.stringify(config);
  const result = parseNetworkConfig(text, { file: FILE });
  const { findings } = result;
  return result.ok
    ? { chosen: { file: FILE, config: result.config }, skipped: [], findings }
    : { skipped: [{ file: FILE, findings }], findings };
}

function setUp(parts: { readonly dropsTags?: boolean } = {}) {
  const clock = createManualClock({ startMs: 0 });
  const stop = new AbortController();
  let node: CiliumNode | undefined = nodeWith();
  let directory = directoryWith({ pool: 'a' });
  let onFiles = (): void => undefined;
  let onNode = (): void => undefined;
  let configReads = 0;
  const patches: CiliumNodePatch[] = [];
  const states: string[] = [];
  const findings: (readonly Finding[])[] = [];
  const ended = runPublish(
    {
      mode: 'auto',
      graceMs: 60_000,
      flag: undefined,
      rereadMs: 600_000,
      readDirectory: async () => directory,
      watchDirectory: async (onChange) => {
        onFiles = onChange;
      },
      node: {
        get: () => node,
        subscribe: (onChange) => {
          onNode = onChange;
          return () => undefined;
        },
      },
      patchNode: async (patch) => {
        patches.push(patch);
        const wanted = patch.spec.ipam['static-ip-tags'];
        const entries = Object.entries(wanted ?? {}).filter((entry): entry is [string, string] => entry[1] !== null);
        const tags = parts.dropsTags === true || wanted === null ? undefined : Object.fromEntries(entries);
        return nodeWith({ ...(tags && { tags }), generation: (node?.metadata.generation ?? 0) + 1 });
      },
      readCiliumConfig: async () => {
        configReads += 1;
        return {};
      },
      clock,
      random: () => 0.5,
      hooks: {
        onState: ({ reason }) => void states.push(reason),
        onFindings: (found) => void findings.push(found),
      },
    },
    stop.signal,
  );
  return {
    clock,
    patches,
    states,
    findings,
    configReads: () => configReads,
    filesAre: (tags: Tags | undefined) => {
      directory = directoryWith(tags);
      onFiles();
    },
    nodeIs: (next: CiliumNode | undefined) => {
      node = next;
      onNode();
    },
    end: async () => {
      stop.abort(new Error('stopped by the test'));
      await clock.advance(0);
      await ended;
    },
  };
}

describe('the job publish', () => {
  it('writes once, also while the watch still shows the object before the write', async () => {
    const { clock, patches, states, nodeIs, end } = setUp();
    await clock.advance(0);
    nodeIs(nodeWith());
    await clock.advance(1_000);
    nodeIs(nodeWith({ tags: { pool: 'a' }, generation: 2 }));
    await clock.advance(3_600_000);
    expect(patches).toHaveLength(1);
    expect(states).toEqual(['TagsPublished']);
    await end();
  });

  it('waits for the CiliumNode, and asks for Cilium’s settings only before it writes', async () => {
    const { clock, patches, states, nodeIs, configReads, end } = setUp();
    nodeIs(undefined);
    await clock.advance(60_000);
    expect([patches.length, configReads(), states]).toEqual([0, 0, ['CiliumNodeMissing']]);
    nodeIs(nodeWith());
    await clock.advance(0);
    expect([patches.length, configReads(), states.at(-1)]).toEqual([1, 1, 'TagsPublished']);
    await end();
  });

  it('B03: tells of a broken file only when it stays broken, and keeps what is published', async () => {
    const { clock, patches, findings, filesAre, end } = setUp();
    await clock.advance(0);
    filesAre(undefined);
    await clock.advance(500);
    filesAre({ pool: 'a' });
    await clock.advance(10_000);
    expect(findings).toEqual([]);
    filesAre(undefined);
    await clock.advance(10_000);
    expect(findings.map((found) => found.map(({ code }) => code))).toEqual([['invalid-json']]);
    filesAre({ pool: 'a' });
    await clock.advance(10_000);
    expect(findings.at(-1)).toEqual([]);
    expect(patches).toHaveLength(1);
    await end();
  });

  it('follows a change of the file at once', async () => {
    const { clock, patches, filesAre, end } = setUp();
    await clock.advance(0);
    filesAre({ pool: 'b' });
    await clock.advance(300);
    expect(patches.map(({ spec }) => spec.ipam['static-ip-tags'])).toEqual([{ pool: 'a' }, { pool: 'b' }]);
    await end();
  });

  it('never says that tags are published which the server has dropped', async () => {
    const { clock, patches, states, end } = setUp({ dropsTags: true });
    await clock.advance(60_000);
    expect(patches).toHaveLength(1);
    expect(states).toEqual(['TagsNotServed']);
    await end();
  });
});
