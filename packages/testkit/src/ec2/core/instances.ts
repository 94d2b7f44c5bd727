import type { Action, ActionContext, ActionOutcome } from './action.ts';
import { instanceNotFound } from './associations.ts';
import { holderOf } from './bindings.ts';
import { applyFilters, FILTER_PARAMS, PAGE_PARAMS, pageOf, selectByIds, wireToken } from './describe.ts';
import type { DueEffect } from './due.ts';
import { Ec2Error } from './ec2-error.ts';
import type { FilterTable } from './filters.ts';
import { interfacesOf, putInstance, STATE_CODES } from './instance-life.ts';
import { privateDnsName, wireInterface } from './interfaces.ts';
import type { Instance, InstanceState, World } from './model.ts';
import { lookUp, valuesOf } from './persistent-map.ts';
import { listOf } from './query.ts';
import { isVisible } from './visibility.ts';
import type { WireObject } from './wire.ts';
import { wireList, wireTags } from './wire.ts';

const FILTERS: FilterTable<Instance> = {
  'availability-zone': (instance) => instance.zone,
  'instance-id': (instance) => instance.id,
  'instance-state-code': (instance) => STATE_CODES[instance.state].toString(),
  'instance-state-name': (instance) => instance.state,
  'ip-address': (instance, world) => publicIpOf(instance, world),
  'network-interface.addresses.private-ip-address': (instance, world) =>
    interfacesOf(world, instance).flatMap((found) => found.privateIps),
  'network-interface.attachment.device-index': (instance, world) =>
    interfacesOf(world, instance).map((found) => String(found.attachment?.deviceIndex)),
  'network-interface.network-interface-id': (instance) => instance.interfaceIds,
  'private-dns-name': (instance, world) => privateDnsName(primaryIpOf(instance, world) ?? ''),
  'private-ip-address': (instance, world) => primaryIpOf(instance, world),
  'reservation-id': (instance) => instance.reservationId,
  'subnet-id': (instance) => instance.subnetId,
  'vpc-id': (instance) => instance.vpcId,
};

/**
 * DescribeInstances: paged; terminated instances linger.
 * Source: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeInstances.html
 */
export const describeInstances: Action = {
  params: ['InstanceId.#', ...FILTER_PARAMS, ...PAGE_PARAMS],
  run: (context) => {
    const see = (found: Instance | undefined) =>
      found !== undefined && isVisible(context.state, found, context.now) ? found : undefined;
    const selected = selectByIds(context, {
      param: 'InstanceId',
      find: (id) => see(lookUp(context.view.instances, id)),
      missing: instanceNotFound,
    });
    const visible = selected ?? valuesOf(context.view.instances).filter((found) => see(found) !== undefined);
    const page = pageOf(context, applyFilters(context, visible, FILTERS), { min: 5, max: 1000 });
    return {
      reply: {
        reservationSet: wireList(page.records.map((instance) => wireReservation(context, instance))),
        ...wireToken(page),
      },
    };
  },
};

function primaryIpOf(instance: Instance, world: World): string | undefined {
  return interfacesOf(world, instance).find((found) => found.attachment?.deviceIndex === 0)?.privateIps[0];
}

function publicIpOf(instance: Instance, world: World): string | undefined {
  const primary = interfacesOf(world, instance).find((found) => found.attachment?.deviceIndex === 0);
  if (primary === undefined) return undefined;
  return holderOf(world, primary.id, primary.privateIps[0] ?? '')?.publicIp ?? primary.autoPublicIp;
}

function wireReservation(context: ActionContext, instance: Instance): WireObject {
  const privateIpAddress = primaryIpOf(instance, context.view);
  const item: WireObject = {
    instanceId: instance.id,
    instanceState: wireState(instance.state),
    privateDnsName: privateIpAddress === undefined ? '' : privateDnsName(privateIpAddress),
    instanceType: 'm7i.large',
    placement: { availabilityZone: instance.zone },
    subnetId: instance.subnetId,
    vpcId: instance.vpcId,
    privateIpAddress,
    ipAddress: publicIpOf(instance, context.view),
    networkInterfaceSet: wireList(interfacesOf(context.view, instance).map((found) => wireInterface(context, found))),
    tagSet: wireTags(instance.tags),
  };
  return {
    reservationId: instance.reservationId,
    ownerId: context.state.accountId,
    groupSet: wireList([]),
    instancesSet: wireList([item]),
  };
}

function wireState(state: InstanceState): WireObject {
  return { code: STATE_CODES[state], name: state };
}

interface Transition {
  readonly from: readonly InstanceState[];
  readonly via: InstanceState;
  readonly to: InstanceState;
}

const NO_CHANGE_IN: Readonly<Record<string, readonly InstanceState[]>> = {
  terminated: ['shutting-down', 'terminated'],
  stopped: ['stopping', 'stopped'],
  running: ['pending', 'running'],
};

/** TerminateInstances: the addresses are free when the instance has terminated, not when the call returns. */
export const terminateInstances = transitionAction(
  { from: ['pending', 'running', 'stopping', 'stopped'], via: 'shutting-down', to: 'terminated' },
  [],
);

/** StopInstances: elastic addresses stay associated, an automatic public address goes. */
export const stopInstances = transitionAction({ from: ['running'], via: 'stopping', to: 'stopped' }, ['Force']);

/** StartInstances. */
export const startInstances = transitionAction({ from: ['stopped'], via: 'pending', to: 'running' }, []);

function transitionAction(transition: Transition, params: readonly string[]): Action {
  return {
    params: ['InstanceId.#', ...params],
    run: (context): ActionOutcome => {
      const ids = listOf(context.query, 'InstanceId');
      if (ids.length === 0) throw new Ec2Error('MissingParameter', 'The request must contain the parameter InstanceId');
      const before = ids.map((id) => {
        const instance = lookUp(context.world.instances, id);
        if (instance === undefined || !isVisible(context.state, instance, context.now)) throw instanceNotFound(id);
        return instance;
      });
      const changed = before.filter((instance) => isChanged(instance, transition));
      const world = changed.reduce(
        (current, instance) => putInstance(current, { ...instance, state: transition.via }),
        context.world,
      );
      const at = context.now + context.state.settings.instanceTransitionMs;
      const due = changed.map(({ id }): DueEffect => ({
        kind: 'instance-state',
        at,
        instanceId: id,
        to: transition.to,
      }));
      return { reply: { instancesSet: wireList(before.map((instance) => wireChange(world, instance))) }, world, due };
    },
  };
}

function isChanged(instance: Instance, transition: Transition): boolean {
  if (transition.from.includes(instance.state)) return true;
  if (NO_CHANGE_IN[transition.to]?.includes(instance.state) === true) return false;
  throw new Ec2Error(
    'IncorrectInstanceState',
    `The instance '${instance.id}' is not in a state from which it can be ${transition.to}.`,
  );
}

function wireChange(world: World, before: Instance): WireObject {
  const after = lookUp(world.instances, before.id) ?? before;
  return { instanceId: before.id, currentState: wireState(after.state), previousState: wireState(before.state) };
}
