import { setTimeout as sleep } from 'node:timers/promises';
import { stringify } from 'yaml';
import { countWrites } from '../subject/audit-log.ts';
import { addPlayer, addressInCloud, readPlayer, removePlayer, statusOf, untilAssigned, untilEvent } from './cast.ts';
import type { EventObject, Player, Tags } from './cast.ts';
import { claimThat } from './claim-that.ts';
import type { Narrator } from './narrator.ts';
import type { Scene } from './scene.ts';
import { CONFLIST, ipamSection, readTags } from './read-tags.ts';
import { CLUSTER_NAME, RESYNC_SECONDS } from './stage.ts';
import type { Stage } from './stage.ts';
import { tellPackets } from './tell-packets.ts';
import { tellPods } from './tell-pods.ts';

const POOL_SIZE = 3;

/** Tells the whole story; every step checks the API server and the cloud. @throws when the world is not as told */
export async function tellStory(stage: Stage, narrator: Narrator, signal: AbortSignal): Promise<void> {
  const scene: Scene = { stage, narrator, signal };
  const tags = await tellTags(scene);
  const players = await tellAssignment(scene, tags);
  const replacement = await tellReplacement(scene, tags, players[0]);
  await tellRepair(scene, players[1]);
  const waiting = await tellWaiting(scene, tags);
  await tellWhy(scene, waiting);
  await tellPods(scene);
  await tellPackets(scene);
  await tellSettled(scene, [replacement, players[1], players[2]]);
}

async function tellTags({ stage, narrator }: Scene): Promise<Tags> {
  narrator.title('A pool of addresses, and tags that ask for them');
  narrator.show(ipamSection(), CONFLIST);
  const tags = await narrator.tick('ipam-operator validate-config reads exactly these tags', () => readTags(stage));
  claimThat(
    tags['anton'] === 'test' && tags['kubernetes_cluster'] === '' && Object.keys(tags).length === 2,
    `the tags are ${JSON.stringify(tags)}`,
  );
  await narrator.tick(`${POOL_SIZE} addresses with both tags in the account, and 2 of somebody else`, async () => {
    const { controls } = stage.emulator;
    for (let each = 0; each < POOL_SIZE; each++) await controls.addAddress({ tags });
    await controls.addAddress({ tags: { anton: 'test' }, foreign: true });
    await controls.addAddress({ tags: { anton: 'test', kubernetes_cluster: 'another' }, foreign: true });
  });
  return tags;
}

async function tellAssignment({ stage, narrator }: Scene, tags: Tags): Promise<readonly [Player, Player, Player]> {
  narrator.title('Every node gets an address of the pool');
  await narrator.tick('ipam-operator run, a process of its own', () => stage.startOperator());
  const players = [
    await addPlayer(stage, 'node-1', tags),
    await addPlayer(stage, 'node-2', tags),
    await addPlayer(stage, 'node-3', tags),
  ] as const;
  const addresses = await narrator.tick('3 CiliumNodes with the tags: associated, and the status filled', () =>
    Promise.all(players.map((player) => untilAssigned(stage, player))),
  );
  claimThat(new Set(addresses).size === POOL_SIZE, `an address was given twice: ${addresses.join(', ')}`);
  narrator.show(await excerpt(stage, players[0]), 'kubectl get ciliumnode node-1 -o yaml');
  return players;
}

async function tellReplacement({ stage, narrator }: Scene, tags: Tags, old: Player): Promise<Player> {
  narrator.title('A node is replaced, and its address stays in use');
  const address = await statusOf(stage, old);
  const replacement = await addPlayer(stage, 'node-1b', tags);
  const event = await narrator.tick('node-1b comes while node-1 is still there: it waits, and says why', () =>
    untilEvent(stage, replacement, 'PoolExhausted'),
  );
  narrator.show(eventLine(event), 'kubectl describe ciliumnode node-1b');
  const early = await addressInCloud(stage, replacement);
  claimThat(early === undefined, `node-1b already has ${early}, but the pool was in use`);
  const taken = await narrator.tick('node-1 goes: node-1b takes over the freed address', async () => {
    await removePlayer(stage, old);
    return untilAssigned(stage, replacement);
  });
  claimThat(taken === address, `node-1b has ${taken}, but ${address} was freed`);
  narrator.say(`${taken} moved from node-1 to node-1b: allow-lists of partners need no change`);
  return replacement;
}

async function tellRepair({ stage, narrator }: Scene, player: Player): Promise<void> {
  narrator.title('Somebody pulls an address away');
  const address = await statusOf(stage, player);
  const { addresses } = await stage.emulator.controls.snapshot();
  const allocationId = addresses.find(({ publicIp }) => publicIp === address)?.allocationId ?? '';
  await stage.emulator.controls.disassociate({ allocationId });
  const gone = await addressInCloud(stage, player);
  claimThat(gone === undefined, `${player.name} still has ${gone}`);
  const again = await narrator.tick(`${address} taken off ${player.name} in the cloud: put back`, () =>
    untilAssigned(stage, player),
  );
  claimThat(again === address, `${player.name} has ${again}, but had ${address} before`);
}

async function tellWaiting({ stage, narrator }: Scene, tags: Tags): Promise<Player> {
  narrator.title('A fourth node finds the pool empty');
  const player = await addPlayer(stage, 'node-4', tags);
  const event = await narrator.tick('node-4 waits, and an Event has the reason', () =>
    untilEvent(stage, player, 'PoolExhausted'),
  );
  narrator.show(eventLine(event), 'kubectl describe ciliumnode node-4');
  const address = await statusOf(stage, player);
  claimThat(address === undefined, `node-4 has ${address} in its status, but there is none for it`);
  return player;
}

async function tellWhy({ stage, narrator }: Scene, waiting: Player): Promise<void> {
  narrator.title('Who has what, who waits and why, and what would be done now');
  const before = await mutatingCalls(stage);
  for (const command of ['status', 'plan']) {
    const output = await narrator.tick(`ipam-operator ${command}`, () =>
      stage.runOperator(command, `--cluster-name=${CLUSTER_NAME}`),
    );
    narrator.show(output);
    const line = output.split('\n').find((each) => each.includes(waiting.name)) ?? '';
    claimThat(line.includes('PoolExhausted'), `${command} does not say why ${waiting.name} waits`);
  }
  claimThat((await mutatingCalls(stage)) === before, 'status or plan changed something in the cloud');
}

async function tellSettled({ stage, narrator, signal }: Scene, players: readonly Player[]): Promise<void> {
  narrator.title('Nothing to do costs nothing');
  const resyncs = 2;
  await narrator.tick(`${resyncs} resyncs: no call that changes EC2, no write to Kubernetes`, async () => {
    const before = await mutatingCalls(stage);
    const sinceMs = Date.now();
    await sleep((resyncs + 0.5) * RESYNC_SECONDS * 1000, undefined, { signal });
    const changes = (await mutatingCalls(stage)) - before;
    claimThat(changes === 0, `${changes} mutating calls in a settled world`);
    const writes = Object.keys(countWrites(stage.cluster.auditLogFile, { sinceMs }));
    claimThat(writes.length === 0, `Kubernetes writes in a settled world: ${writes.join(', ')}`);
  });
  for (const player of players) await untilAssigned(stage, player);
  const violations = await stage.emulator.controls.violations();
  claimThat(
    violations.length === 0,
    `rules were broken: ${violations.map(({ explanation }) => explanation).join('; ')}`,
  );
  narrator.say('Throughout, no rule of a shared account was broken: nothing stolen, displaced or released');
}

async function mutatingCalls({ emulator }: Stage): Promise<number> {
  const journal = await emulator.controls.journal();
  return journal.filter(({ action }) => !action.startsWith('Describe')).length;
}

/** What a person would look at in the object. */
async function excerpt(stage: Stage, player: Player): Promise<string> {
  const { metadata, spec, status } = await readPlayer(stage, player);
  return stringify({
    metadata: { name: metadata.name },
    spec: { 'instance-id': spec['instance-id'], ipam: { 'static-ip-tags': spec.ipam['static-ip-tags'] } },
    status: { ipam: { 'assigned-static-ip': status?.ipam?.['assigned-static-ip'] } },
  });
}

function eventLine({ type, reason, message, note }: EventObject): string {
  return `${type}  ${reason}  ${message ?? note ?? ''}`;
}
