import type { Random } from '@static-ip/provider';
import { pick } from './cloud.ts';
import type { CloudWeather, SimulatedCloud } from './cloud.ts';
import type { SimulatedCluster } from './cluster.ts';

/** What kinds of trouble a world has. Two kinds together may leave what no operator can tell from somebody else's. */
export interface Trouble {
  /** The operator is killed. */
  readonly kills: boolean;
  /** Tags change and go. */
  readonly edits: boolean;
  /** Somebody else moves addresses. */
  readonly outsiders: boolean;
}

/** What trouble happens to. */
export interface TroubledWorld {
  readonly random: Random;
  readonly cloud: SimulatedCloud;
  readonly cluster: SimulatedCluster;
  readonly trouble: Trouble;
}

const NAMES = 12;

/** One thing happens, by chance; returns what, `kill` being left to the caller. */
export function happen(world: TroubledWorld): string {
  const { random, cluster, trouble } = world;
  const names = [...cluster.ciliumNodes.keys()];
  if (names.length === 0 || random() < 0.3) return join(world);
  const name = pick(names, random);
  const events: readonly ((world: TroubledWorld, name: string) => string)[] = [
    leave,
    changeWeather,
    changeWeather,
    addAddress,
    pass,
    pass,
    ...(trouble.edits ? [edit] : []),
    ...(trouble.outsiders ? [pullAway, putOn] : []),
    ...(trouble.kills ? [() => 'kill'] : []),
  ];
  return pick(events, random)(world, name);
}

/** A node, or one of the same name on another instance. */
function join({ random, cloud, cluster }: TroubledWorld): string {
  const n = Math.floor(random() * NAMES);
  const name = `n${n}`;
  if (cluster.ciliumNodes.has(name)) return 'nothing';
  const instanceId = `i-${n}-${Math.floor(random() * 1_000_000)}`;
  cloud.addInstance(instanceId);
  cluster.setNode(name, {});
  cluster.setCiliumNode(name, { instanceId, staticIpTags: { pool: pick(['a', 'a', 'b'], random) } });
  return `${name} joins as ${instanceId}`;
}

function leave({ cloud, cluster }: TroubledWorld, name: string): string {
  const instanceId = instanceOf(cluster, name);
  cluster.setNode(name, undefined);
  cluster.setCiliumNode(name, undefined);
  cloud.removeInstance(instanceId);
  return `${name} and its instance go`;
}

function edit({ random, cluster }: TroubledWorld, name: string): string {
  const staticIpTags = pick([{ pool: 'a' }, { pool: 'b' }, {}], random);
  cluster.setCiliumNode(name, { staticIpTags });
  return `${name} has new tags ${JSON.stringify(staticIpTags)}`;
}

function pullAway({ random, cloud }: TroubledWorld): string {
  const { id, ip } = pick(cloud.addresses(), random);
  cloud.detachOutside(id);
  return `${ip} is pulled away`;
}

function putOn({ random, cloud, cluster }: TroubledWorld, name: string): string {
  const free = cloud.addresses().filter(({ on }) => on === undefined);
  if (free.length === 0) return 'nothing';
  const { id, ip } = pick(free, random);
  cloud.attachOutside(id, instanceOf(cluster, name));
  return `${ip} is put on ${instanceOf(cluster, name)} by somebody else`;
}

function addAddress({ random, cloud }: TroubledWorld): string {
  const pool = pick(['a', 'b'], random);
  cloud.addAddress(pool);
  return `a new address in pool ${pool}`;
}

function changeWeather({ random, cloud }: TroubledWorld): string {
  const weather: CloudWeather = {
    refused: pick([0, 0, 0.1, 0.5], random),
    lost: pick([0, 0, 0.3], random),
    latencyMs: pick([20, 100, 1_500, 4_000], random),
    lagMs: pick([0, 0, 1_000, 5_000], random),
  };
  cloud.weather = weather;
  return `weather ${JSON.stringify(weather)}`;
}

function pass(): string {
  return 'nothing';
}

function instanceOf(cluster: SimulatedCluster, name: string): string {
  return cluster.ciliumNodes.get(name)?.instanceId ?? '';
}
