import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AUTOCREATED, eventually, startEipWorld } from '@static-ip/testkit';
import type { EipWorld } from '@static-ip/testkit';

const COUNT = 20;
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';

let world: EipWorld;
beforeAll(async () => {
  world = await startEipWorld({ audit: true });
}, 90_000);
afterAll(() => world.stop());

interface AuditLine {
  readonly user: { readonly username: string };
  readonly verb: string;
  readonly objectRef?: { readonly resource: string; readonly subresource?: string; readonly name?: string };
}

/** Writes of the operator from this line of the audit log on, Leases apart. */
function writesSince(line: number): readonly string[] {
  return auditLines()
    .slice(line)
    .filter(({ user, objectRef }) => user.username.includes('serviceaccount') && objectRef?.resource !== 'leases')
    .map(({ verb, objectRef }) => `${verb} ${objectRef?.resource ?? ''}/${objectRef?.name ?? ''}`);
}

function auditLines(): readonly AuditLine[] {
  const lines = readFileSync(world.cluster.auditLogFile, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map(parseLine);
}

/** The server's word for the shape of its log. */
function parseLine(line: string): AuditLine {
  const parsed: AuditLine = JSON.parse(line);
  return parsed;
}

function mutatingCalls(): readonly string[] {
  return world.ec2.journal().flatMap(({ action }) => (action.startsWith('Describe') ? [] : [action]));
}

async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}

/** Annotations, labels and Events, a few a second, may still be on their way. Resolves to the length of the log then. */
async function untilQuiet(): Promise<number> {
  for (;;) {
    const line = auditLines().length;
    await pause(2_000);
    if (writesSince(line).length === 0) return line;
  }
}

describe('a settled cluster', () => {
  it('B51, B55: costs no call that changes anything and no write, through resyncs and a restart', async () => {
    const podIps = Array.from({ length: COUNT }, (_, n) => `10.0.77.${n + 1}`);
    await world.addPodNode({ name: 'n1', podIps });
    const labels = { ...AUTOCREATED };
    await Promise.all(podIps.map((ip, n) => world.addPod({ name: `web-${n}`, ip, labels })));
    await world.addNode({ name: 'gw', labels: { ...AUTOCREATED, gateway: 'a' } });
    await world.addEip('out', { selector: { node: { selector: { gateway: 'a' } } } });
    const first = await world.operator(['--resync-interval', '500ms']);
    await Promise.all(podIps.map((ip, n) => world.untilAttached(`web-${n}`, ip, { timeoutMs: 30_000 })));
    await eventually(() => world.held('gw') !== undefined, { timeoutMs: 10_000 });
    expect([world.calls('AllocateAddress'), world.calls('AssociateAddress')]).toEqual([COUNT + 1, COUNT + 1]);
    const line = await untilQuiet();
    world.ec2.forget();
    await pause(5_000);
    expect([writesSince(line), mutatingCalls()]).toEqual([[], []]);

    await first.kill();
    await world.cluster.api.delete(LEASES);
    world.ec2.forget();
    await world.operator(['--resync-interval', '500ms']);
    await eventually(() => world.calls('DescribeAddresses') > 0, { timeoutMs: 10_000 });
    await pause(5_000);
    expect([writesSince(line), mutatingCalls()]).toEqual([[], []]);
    expect(world.ec2.violations()).toEqual([]);
  }, 90_000);
});
