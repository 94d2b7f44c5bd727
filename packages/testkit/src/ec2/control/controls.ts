import { drawsOf } from '../core/buckets.ts';
import type { Cell } from '../cell.ts';
import type { ArmedFault, Fault } from '../faults.ts';
import type { CallCounts, Journal, JournalEntry } from '../journal.ts';
import type { DueEffect } from '../core/due.ts';
import { finishTransition, putInstance } from '../core/instance-life.ts';
import type {
  Address,
  Association,
  Instance,
  InstanceState,
  NetworkInterface,
  RouteTable,
  Subnet,
  Vpc,
  Zone,
} from '../core/model.ts';
import type { PausedCall, Pauses } from '../pauses.ts';
import { lookUp, valuesOf } from '../core/persistent-map.ts';
import {
  associateOutside,
  changeAddress,
  disassociateOutside,
  dropAddress,
  movePrivateIp,
  seedAddress,
  setPrivateIps,
} from './seed-addresses.ts';
import type { NewAddress, OutsideAssociation } from './seed-addresses.ts';
import { seedInstance, seedInterface } from './seed-instances.ts';
import type { NewInstance, NewInterface, SeededInstance } from './seed-instances.ts';
import { seedRouteTable, seedSubnet, seedVpc, seedZone } from './seed-networks.ts';
import type { NewRouteTable, NewSubnet, NewVpc, Seeded } from './seed-networks.ts';
import { createIdSource } from '../core/seeded-ids.ts';
import { patchSettings } from './settings-patch.ts';
import type { SettingsPatch } from './settings-patch.ts';
import type { Ec2Settings, Ec2State } from '../core/state.ts';
import type { Violation } from '../core/violations.ts';

/** Everything in the account, each list sorted by id. */
export interface WorldSnapshot {
  readonly zones: readonly Zone[];
  readonly vpcs: readonly Vpc[];
  readonly subnets: readonly Subnet[];
  readonly routeTables: readonly RouteTable[];
  readonly instances: readonly Instance[];
  readonly interfaces: readonly NetworkInterface[];
  readonly addresses: readonly Address[];
  /** Associations that AssociateAddress made since the start, repeats without effect not counted. */
  readonly remaps: number;
}

/**
 * What a test can do to the emulated account, the same in its process and over HTTP. Nothing of it counts as an EC2
 * call: no token is drawn, nothing is journalled.
 */
export interface Controls {
  addZone(zone: Partial<Zone> & { readonly name: string }): Zone;
  addVpc(vpc: NewVpc): Vpc;
  addSubnet(subnet: NewSubnet): Subnet;
  addRouteTable(table: NewRouteTable): RouteTable;
  addInstance(instance: NewInstance): SeededInstance;
  addInterface(networkInterface: NewInterface & { readonly zone?: string }): NetworkInterface;
  addAddress(address: NewAddress): Address;
  changeAddress(change: NewAddress & { readonly allocationId: string }): Address;
  dropAddress(which: { readonly allocationId: string }): undefined;
  associate(association: OutsideAssociation): Association;
  disassociate(which: { readonly allocationId: string }): undefined;
  setPrivateIps(ips: {
    readonly interfaceId: string;
    readonly privateIps?: readonly string[];
    readonly prefixes?: readonly string[];
  }): NetworkInterface;
  movePrivateIp(move: { readonly from: string; readonly to: string; readonly privateIp: string }): undefined;
  /** Puts an instance into a state at once; `terminated` also takes its interfaces away. */
  setInstanceState(change: { readonly instanceId: string; readonly state: InstanceState }): undefined;
  /** Terminates an instance: shutting down now, gone after `afterMs` (the setting `instanceTransitionMs` if absent). */
  terminate(which: { readonly instanceId: string; readonly afterMs?: number }): undefined;
  configure(patch: SettingsPatch): Ec2Settings;
  /** Another tool of the account uses up an action's tokens: all of them, or as many as given. */
  drain(what: { readonly action: string; readonly tokens?: number }): undefined;
  /** @returns the fault's id */
  injectFault(fault: Fault): string;
  removeFault(which: { readonly id: string }): undefined;
  faults(): readonly ArmedFault[];
  /** Resolves when a call waits at the pause with this fault id. */
  pauseReached(which: { readonly id: string; readonly timeoutMs?: number }): Promise<PausedCall>;
  /** Lets the calls that wait at the pause go on, and removes it. */
  releasePause(which: { readonly id: string }): undefined;
  journal(which?: { readonly action?: string; readonly code?: string }): readonly JournalEntry[];
  counts(): CallCounts;
  violations(): readonly Violation[];
  snapshot(): WorldSnapshot;
  /** Forgets calls and violations, and keeps the world. */
  forget(): undefined;
  /** Starts over: an empty account, the settings it began with, no faults. */
  reset(): undefined;
}

/** What the controls act on. */
export interface ControlDeps {
  readonly cell: Cell;
  readonly journal: Journal;
  readonly pauses: Pauses;
  readonly now: () => number;
  readonly fresh: () => Ec2State;
}

/** The controls of one emulator. */
export function createControls({ cell, journal, pauses, now, fresh }: ControlDeps): Controls {
  const on =
    <A, R>(change: (state: Ec2State, args: A) => Seeded<R>) =>
    (args: A) =>
      cell.apply((state) => change(state, args));
  const release = (id: string): undefined => {
    cell.removeFault(id);
    pauses.release(id);
  };
  return {
    addZone: on(seedZone),
    addVpc: on(seedVpc),
    addSubnet: on(seedSubnet),
    addRouteTable: on(seedRouteTable),
    addInstance: on(seedInstance),
    addInterface: on(seedInterface),
    addAddress: on(seedAddress),
    changeAddress: on(changeAddress),
    dropAddress: on(dropAddress),
    associate: on(associateOutside),
    disassociate: on(disassociateOutside),
    setPrivateIps: on(setPrivateIps),
    movePrivateIp: on(movePrivateIp),
    setInstanceState: on(setInstanceState),
    terminate: on((state, which) => terminate(state, which, now())),
    configure: on((state, patch) => configure(state, patch)),
    drain: on((state, what) => drain(state, what, now())),
    injectFault: (fault) => cell.injectFault(fault),
    removeFault: ({ id }) => release(id),
    faults: () => cell.faults(),
    pauseReached: ({ id, timeoutMs = 10_000 }) => pauses.reached(id, timeoutMs),
    releasePause: ({ id }) => release(id),
    journal: (which = {}) =>
      journal
        .entries()
        .filter(
          (entry) => (which.action ?? entry.action) === entry.action && (which.code ?? entry.code) === entry.code,
        ),
    counts: () => journal.counts(),
    violations: () => cell.violations(),
    snapshot: () => snapshotOf(cell.state()),
    forget() {
      journal.clear();
      cell.forgetViolations();
    },
    reset() {
      pauses.releaseAll();
      cell.restart(fresh());
      journal.clear();
    },
  };
}

function knownInstance(state: Ec2State, id: string): Instance {
  const instance = lookUp(state.world.instances, id);
  if (instance === undefined) throw new Error(`instance ${id} is unknown`);
  return instance;
}

function setInstanceState(
  state: Ec2State,
  change: { readonly instanceId: string; readonly state: InstanceState },
): Seeded<undefined> {
  const instance = knownInstance(state, change.instanceId);
  const ids = createIdSource(state.seed, state.serial);
  const world = finishTransition(
    putInstance(state.world, instance),
    { instanceId: instance.id, to: change.state },
    ids,
  );
  return [{ ...state, world, serial: ids.serial() }, undefined];
}

function terminate(
  state: Ec2State,
  which: { readonly instanceId: string; readonly afterMs?: number },
  now: number,
): Seeded<undefined> {
  const instance = knownInstance(state, which.instanceId);
  const afterMs = which.afterMs ?? state.settings.instanceTransitionMs;
  const effect: DueEffect = { kind: 'instance-state', at: now + afterMs, instanceId: instance.id, to: 'terminated' };
  return [
    { ...state, world: putInstance(state.world, { ...instance, state: 'shutting-down' }), due: [...state.due, effect] },
    undefined,
  ];
}

function configure(state: Ec2State, patch: SettingsPatch): Seeded<Ec2Settings> {
  const settings = patchSettings(state.settings, patch);
  return [{ ...state, settings }, settings];
}

function drain(
  state: Ec2State,
  what: { readonly action: string; readonly tokens?: number },
  now: number,
): Seeded<undefined> {
  const { speed, phaseMs } = state.settings.buckets;
  const [draw] = drawsOf(state.settings.buckets, what.action, { MaxResults: '5' });
  if (draw === undefined) return [state, undefined];
  const second = Math.floor((now * speed - phaseMs) / 1000);
  const left =
    what.tokens === undefined
      ? 0
      : Math.max(0, (state.buckets[draw.bucket]?.tokens ?? draw.limit.capacity) - what.tokens);
  return [{ ...state, buckets: { ...state.buckets, [draw.bucket]: { tokens: left, second } } }, undefined];
}

function snapshotOf({ world, remaps }: Ec2State): WorldSnapshot {
  return {
    remaps,
    zones: world.zones,
    vpcs: byId(valuesOf(world.vpcs)),
    subnets: byId(valuesOf(world.subnets)),
    routeTables: byId(valuesOf(world.routeTables)),
    instances: byId(valuesOf(world.instances)),
    interfaces: byId(valuesOf(world.interfaces)),
    addresses: valuesOf(world.addresses).toSorted((left, right) => left.allocationId.localeCompare(right.allocationId)),
  };
}

function byId<R extends { readonly id: string }>(records: readonly R[]): R[] {
  return records.toSorted((left, right) => left.id.localeCompare(right.id));
}
