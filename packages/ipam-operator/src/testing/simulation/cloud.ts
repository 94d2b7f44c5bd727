import { isSelected, StaticIpError } from '@static-ip/provider';
import type {
  Address,
  Attachment,
  AttachRequest,
  AttachStep,
  Clock,
  Listing,
  Random,
  Resolution,
  StaticIpErrorCode,
  StaticIpProvider,
  Target,
  TargetRef,
} from '@static-ip/provider';
import type { Chronicle } from './chronicle.ts';

/** What goes wrong, as probabilities of each call, and how late and slow the cloud is, ms. */
export interface CloudWeather {
  readonly refused: number;
  /** Every attach is refused with it; default: none is. */
  readonly attachFails?: StaticIpErrorCode;
  /** The effect happens, the reply is lost. */
  readonly lost: number;
  readonly latencyMs: number;
  /** Each call takes the whole of it; otherwise up to so long. */
  readonly steady?: boolean;
  /** Reads show the past, up to so long ago; one that is later never shows an earlier past. */
  readonly lagMs: number;
}

/** No faults and no lag; calls still take a moment. */
export const FAIR: CloudWeather = { refused: 0, lost: 0, latencyMs: 60, lagMs: 0 };

/** An address and who put it where it is. */
export interface Stored {
  readonly id: string;
  readonly ip: string;
  readonly pool: string;
  readonly on?: { readonly id: string; readonly instanceId: string; readonly at: number; readonly by: 'us' | 'them' };
}

interface Moment {
  readonly at: number;
  readonly addresses: ReadonlyMap<string, Stored>;
  readonly instances: ReadonlySet<string>;
}

/** A cloud with the manners of EC2: reads lag, and associating silently puts off what the target holds. */
export interface SimulatedCloud {
  weather: CloudWeather;
  /** The cloud as one process of the operator sees it; after `die` no call of that process returns. */
  connect(life: { readonly isDead: boolean }): StaticIpProvider;
  addInstance(id: string): void;
  /** Its addresses come free. */
  removeInstance(id: string): void;
  addAddress(pool: string): void;
  /** Somebody else's doing. */
  attachOutside(addressId: string, instanceId: string): void;
  detachOutside(addressId: string): void;
  addresses(): readonly Stored[];
  /** The address on an instance, now. */
  heldBy(instanceId: string): Stored | undefined;
  /** The addresses on an instance at any time since `at`. */
  heldSince(instanceId: string, at: number): readonly (string | undefined)[];
  readonly calls: { attach: number; lostRaces: number; detach: number; list: number; resolve: number };
}

interface Ports {
  readonly clock: Clock;
  readonly random: Random;
  readonly chronicle: Chronicle;
}

/** So long ago, ms, a read may have begun that a first attachment rests on; what came later cannot be seen. */
const BLIND_MS = 40_000;
const REFUSALS: readonly StaticIpErrorCode[] = ['throttled', 'unavailable', 'denied', 'notReady'];

/** Makes an empty cloud. */
export function createSimulatedCloud({ clock, random, chronicle }: Ports): SimulatedCloud {
  let history: Moment[] = [{ at: -Infinity, addresses: new Map(), instances: new Set() }];
  let shownAt = -Infinity;
  let serial = 0;
  const calls = { attach: 0, lostRaces: 0, detach: 0, list: 0, resolve: 0 };
  const now = (): Moment => history.at(-1) ?? { at: 0, addresses: new Map(), instances: new Set() };

  const become = (change: Partial<Moment>): void => {
    const at = clock.monotonic();
    history = [
      ...history.filter((moment, index) => history[index + 1] === undefined || at - moment.at < 60_000),
      { ...now(), ...change, at },
    ];
  };
  const put = (address: Stored): void => become({ addresses: new Map([...now().addresses, [address.id, address]]) });
  const heldBy = (instanceId: string, moment = now()): Stored | undefined =>
    [...moment.addresses.values()].find(({ on }) => on?.instanceId === instanceId);
  const bind = (address: Stored, instanceId: string, by: 'us' | 'them'): Stored => {
    const inTheWay = heldBy(instanceId);
    if (inTheWay !== undefined) put(free(inTheWay));
    serial += 1;
    const bound = { ...address, on: { id: `as-${serial}`, instanceId, at: clock.monotonic(), by } };
    put(bound);
    return bound;
  };

  /** Half of what a call takes: before its effect, and after. */
  const latency = ({ latencyMs, steady = false }: CloudWeather): number =>
    steady ? latencyMs / 2 : random() * latencyMs;

  /** What a read shows: the state of some time ago, never earlier than what was shown before. */
  const shown = (weather: CloudWeather): Moment => {
    shownAt = Math.max(shownAt, clock.monotonic() - random() * weather.lagMs);
    return history.findLast(({ at }) => at <= shownAt) ?? now();
  };

  /** Refuses an address that is in use, like EC2 without reassociation; puts off whatever the target holds, like EC2. */
  const attach = ({ candidate, target, expected }: AttachRequest): AttachStep => {
    calls.attach += 1;
    const { attachFails } = cloud.weather;
    if (attachFails !== undefined) throw new StaticIpError(attachFails, 'attach is refused');
    const { instanceId = '' } = target;
    const address = now().addresses.get(candidate.kind === 'address' ? candidate.address.id : '');
    if (address === undefined || !now().instances.has(instanceId)) throw new StaticIpError('notFound', 'no such thing');
    if (address.on?.instanceId === instanceId) return done(address);
    if (address.on !== undefined) {
      calls.lostRaces += 1;
      throw new StaticIpError('conflict', 'already associated');
    }
    judgeDisplaced(heldBy(instanceId), { instanceId, address, expected });
    return done(bind(address, instanceId, 'us'));
  };

  /** Our own address is never to be put off; somebody else's may have come after the last read. */
  const judgeDisplaced = (
    inTheWay: Stored | undefined,
    { instanceId, address, expected }: Pick<AttachRequest, 'expected'> & { instanceId: string; address: Stored },
  ): void => {
    if (inTheWay?.on === undefined || inTheWay.on.id === expected?.id) return;
    const isForeseeable = inTheWay.on.by === 'us' || clock.monotonic() - inTheWay.on.at > BLIND_MS;
    if (isForeseeable) chronicle.violation(`${address.ip} put off ${inTheWay.ip} from ${instanceId}`);
  };

  const connect: SimulatedCloud['connect'] = (life) => {
    const serve = async <T>(verb: string, signal: AbortSignal, effect: () => T): Promise<T> => {
      const { weather } = cloud;
      await clock.sleep(latency(weather), signal);
      if (life.isDead) return new Promise<never>(() => undefined);
      if (random() < weather.refused) throw new StaticIpError(pick(REFUSALS, random), `${verb} is refused`);
      const result = effect();
      if ((verb === 'attach' || verb === 'detach') && random() < weather.lost) {
        chronicle.note(`${verb}: the reply is lost`);
        throw new StaticIpError('unknown', 'no answer');
      }
      await clock.sleep(latency(weather), signal);
      if (life.isDead) return new Promise<never>(() => undefined);
      return result;
    };
    return {
      name: 'simulated',
      capabilities: {
        podTargets: false,
        atomicSwap: true,
        createsFromPool: false,
        allocation: false,
        quota: false,
        routes: false,
      },
      listAddresses: (selection, { signal }) =>
        serve('list', signal, (): Listing => {
          calls.list += 1;
          const addresses = [...shown(cloud.weather).addresses.values()].map(viewOf);
          return { addresses: addresses.filter((address) => isSelected(selection, address)), pools: [] };
        }),
      resolveTargets: (refs, { signal }) =>
        serve('resolve', signal, () => {
          calls.resolve += 1;
          const moment = shown(cloud.weather);
          return refs.map((ref): Resolution => resolve(ref, moment));
        }),
      attach: (request, { signal }) =>
        serve('attach', signal, () => {
          const step = attach(request);
          chronicle.note(`attach ${step.state === 'done' ? step.ip : ''} to ${request.target.instanceId ?? ''}`);
          return step;
        }),
      detach: (attachment, { signal }) =>
        serve('detach', signal, () => {
          calls.detach += 1;
          const address = now().addresses.get(attachment.addressId);
          chronicle.note(`detach ${attachment.ip} from ${attachment.instanceId ?? ''}`);
          if (address?.on?.id === attachment.id) put(free(address));
          return { state: 'done' } as const;
        }),
    };
  };

  const resolve = (ref: TargetRef, moment: Moment): Resolution => {
    const instanceId = ref.instanceId ?? '';
    if (!moment.instances.has(instanceId)) return { ref, error: new StaticIpError('notFound', 'no such instance') };
    const held = heldBy(instanceId, moment);
    const holding = held === undefined ? undefined : viewOf(held).attachment;
    const place = { id: instanceId, interfaceId: `eni-${instanceId}`, privateIp: '10.0.0.1', instanceId };
    const target: Target = { ref, ...place, location: 'here', holding };
    return { ref, target };
  };

  const cloud: SimulatedCloud = {
    weather: FAIR,
    connect,
    calls,
    addInstance: (id) => become({ instances: new Set([...now().instances, id]) }),
    removeInstance: (id) => {
      const held = heldBy(id);
      if (held !== undefined) put(free(held));
      become({ instances: new Set([...now().instances].filter((one) => one !== id)) });
    },
    addAddress: (pool) => {
      serial += 1;
      put({ id: `a-${String(serial).padStart(4, '0')}`, ip: `198.51.100.${serial}`, pool });
    },
    attachOutside: (addressId, instanceId) => {
      const address = now().addresses.get(addressId);
      if (address !== undefined && now().instances.has(instanceId)) bind(address, instanceId, 'them');
    },
    detachOutside: (addressId) => {
      const address = now().addresses.get(addressId);
      if (address !== undefined) put(free(address));
    },
    addresses: () => [...now().addresses.values()],
    heldBy: (instanceId) => heldBy(instanceId),
    heldSince: (instanceId, at) => {
      const index = history.findLastIndex((moment) => moment.at <= at);
      return history.slice(Math.max(0, index)).map((moment) => heldBy(instanceId, moment)?.ip);
    },
  };
  return cloud;
}

/** The same address, on nothing. */
function free({ id, ip, pool }: Stored): Stored {
  return { id, ip, pool };
}

function done(address: Stored): AttachStep {
  const { attachment } = viewOf(address);
  if (attachment === undefined) throw new Error(`${address.id} is not attached`);
  return { state: 'done', ip: address.ip, attachment };
}

function viewOf({ id, ip, pool, on }: Stored): Address {
  const attachment: Attachment | undefined = on && {
    id: on.id,
    addressId: id,
    ip,
    interfaceId: `eni-${on.instanceId}`,
    privateIp: '10.0.0.1',
    instanceId: on.instanceId,
  };
  return { id, ip, tags: { pool }, location: 'here', attachment };
}

/** One of them, by chance. */
export function pick<T>(items: readonly T[], random: Random): T {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error('nothing to pick from');
  return item;
}
