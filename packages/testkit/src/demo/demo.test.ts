import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { missingForLab } from '../netns/requirements.ts';

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url));

interface Ended {
  readonly code: number;
  readonly output: string;
}

/** Runs the demo as `npm run demo` does, its output being no terminal. */
function runDemo(...flags: readonly string[]): Promise<Ended> {
  const { FORCE_COLOR: _colour, ...rest } = process.env;
  // With CI set, colours are on though nobody looks.
  const env = { ...rest, NO_COLOR: '1' };
  return new Promise((resolve) => {
    execFile(process.execPath, ['--conditions=source', MAIN, ...flags], { env }, (error, stdout, stderr) => {
      resolve({
        code: typeof error?.code === 'number' ? error.code : error === null ? 0 : -1,
        output: stdout + stderr,
      });
    });
  });
}

/** What is told of packets: where there can be no network namespaces, why not. */
function packetLines(): readonly string[] {
  if (missingForLab() !== undefined) return ['Skipped: the network laboratory needs'];
  return [
    '✓ without the agent the partner sees the node’s 203\\.0\\.113\\.10',
    '✓ static-ip-agent run: the partner sees the pod’s own 203\\.0\\.113\\.40',
    '✓ .*EgressVerified',
    '✓ kill -9 of the agent: its rules stay',
    '✓ static-ip-agent cleanup: every rule of ours is gone',
  ];
}

describe('demo', () => {
  let directory: string;

  beforeEach(() => {
    directory = mkdtempSync(path.join(tmpdir(), 'static-ip-demo-'));
  });

  afterEach(() => {
    rmSync(directory, { recursive: true, force: true });
  });

  it('tells the whole story on the real parts and exits with 0', async () => {
    const { code, output } = await runDemo();
    const ticks = output.split('\n').filter((line) => line.startsWith('  ✓ '));
    // The output is in the message when something is missing.
    expect({ code, output }).toMatchObject({
      code: 0,
      output: expect.stringMatching(
        new RegExp(
          [
            'validate-config reads exactly these tags',
            '3 CiliumNodes with the tags: associated, and the status filled',
            'assigned-static-ip: \\d+\\.\\d+\\.\\d+\\.\\d+',
            'Warning {2}PoolExhausted',
            'node-1 goes: node-1b takes over the freed address',
            'taken off node-2 in the cloud: put back',
            'node-4 waits, and an Event has the reason',
            'CiliumNode/node-4 .*PoolExhausted',
            'A pod gets an address of its own',
            'web, labelled for it, on 10\\.0\\.77\\.1 of an ENI: allocated and associated',
            'web +eipalloc-\\w+ +\\d+\\.\\d+\\.\\d+\\.\\d+ +True +AddressAssigned',
            'eip\\.materialize\\.cloud/allocation_id: eipalloc-',
            'its Eip goes with it, and the address is released',
            'created again, on 10\\.0\\.77\\.3: the address follows',
            'the Eip is deleted: released, and no address of ours is left',
            'Packets of a pod leave with its own address',
            ...packetLines(),
            '2 resyncs: no call that changes EC2, no write to Kubernetes',
            'Done in \\d+ s',
          ].join('[^]*'),
        ),
      ),
    });
    expect(ticks.length).toBeGreaterThanOrEqual(17);
    expect(output).not.toContain('\u001b[');
  }, 120_000);

  it('fails with the log of an operator that does not run', async () => {
    const broken = path.join(directory, 'broken.mjs');
    // It reads tags as the operator does, and gives up when it is told to run.
    writeFileSync(
      broken,
      `if (process.argv[2] === 'run') { console.error('no lease for me'); process.exit(3); }
console.log(JSON.stringify({ items: [{ role: 'chosen', tags: { anton: 'test', kubernetes_cluster: '' } }] }));`,
    );
    const { code, output } = await runDemo('--operator', broken);
    expect(output).toContain('✗ ipam-operator run, a process of its own');
    expect(output).toContain('ipam-operator ended with exit code 3:\nno lease for me');
    expect(code).toBe(1);
  }, 120_000);

  it('fails when the tags are not those of the file', async () => {
    const lossy = path.join(directory, 'lossy.mjs');
    writeFileSync(lossy, `console.log(JSON.stringify({ items: [{ role: 'chosen', tags: { anton: 'test' } }] }));`);
    const { code, output } = await runDemo('--operator', lossy);
    expect(output).toContain('The demo failed: the tags are {"anton":"test"}');
    expect(code).toBe(1);
  }, 120_000);

  it('says what to do when the operator was not built', async () => {
    const { code, output } = await runDemo('--operator', path.join(directory, 'none.js'));
    expect(output).toContain('run `npm run build` first');
    expect(code).toBe(1);
  }, 30_000);
});
