import type { Action, ActionContext, ActionOutcome } from './action.ts';
import { addressToWrite, notPermitted } from './addresses.ts';
import { bind, hasPrivateIp, holderOf, unbind } from './bindings.ts';
import type { DueEffect } from './due.ts';
import { Ec2Error } from './ec2-error.ts';
import { instanceOf } from './instance-life.ts';
import type { Address, Association, Instance, NetworkInterface } from './model.ts';
import { lookUp } from './persistent-map.ts';
import { flagOf, requiredText, textOf } from './query.ts';
import { isVisible } from './visibility.ts';

/**
 * AssociateAddress. An address already elsewhere moves unless AllowReassociation is false; an address already on the
 * target's private IP is silently put off it.
 * Source: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_AssociateAddress.html
 */
export const associateAddress: Action = {
  params: ['AllocationId', 'InstanceId', 'NetworkInterfaceId', 'PrivateIpAddress', 'AllowReassociation', 'PublicIp'],
  run: (context): ActionOutcome => {
    const address = addressToWrite(context, requiredText(context.query, 'AllocationId'));
    if (address.serviceManaged !== undefined || address.heldByInterfaceId !== undefined)
      throw notPermitted(address.allocationId);
    const target = targetInterface(context);
    checkTarget(context, target);
    const privateIp = targetPrivateIp(context, target);
    checkBorderGroup(context, address, target);
    const mayMove = flagOf(context.query, 'AllowReassociation') ?? true;
    const repeated = repeat(context, address, { target, privateIp, mayMove });
    if (repeated !== undefined) return { reply: { return: true, associationId: repeated } };
    checkHolders(context, address, { target, privateIp, mayMove });
    const association: Association = {
      id: context.ids.id('eipassoc'),
      interfaceId: target.id,
      privateIp,
      by: context.principal,
    };
    return { reply: { return: true, associationId: association.id }, world: bind(context.world, address, association) };
  },
};

interface Wanted {
  readonly target: NetworkInterface;
  readonly privateIp: string;
  readonly mayMove: boolean;
}

function targetInterface(context: ActionContext): NetworkInterface {
  const interfaceId = textOf(context.query, 'NetworkInterfaceId');
  const instanceId = textOf(context.query, 'InstanceId');
  if (interfaceId !== undefined && instanceId !== undefined) {
    throw new Ec2Error('InvalidParameterCombination', 'You may specify only one of NetworkInterfaceId and InstanceId');
  }
  if (interfaceId !== undefined) return interfaceById(context, interfaceId);
  if (instanceId === undefined)
    throw new Ec2Error('MissingParameter', 'Either NetworkInterfaceId or InstanceId must be specified');
  const instance = lookUp(context.world.instances, instanceId);
  if (instance === undefined || !isVisible(context.state, instance, context.now)) throw instanceNotFound(instanceId);
  return onlyInterface(context, instance);
}

function interfaceById(context: ActionContext, id: string): NetworkInterface {
  const found = lookUp(context.world.interfaces, id);
  if (found !== undefined && isVisible(context.state, found, context.now)) return found;
  throw interfaceNotFound(id);
}

/** The error for an interface id that a call does not know. The two codes do differ in the case of `Id`. */
export function interfaceNotFound(id: string): Ec2Error {
  if (!/^eni-[0-9a-f]+$/.test(id)) return new Ec2Error('InvalidNetworkInterfaceId.Malformed', `Invalid id: "${id}"`);
  return new Ec2Error('InvalidNetworkInterfaceID.NotFound', `The networkInterface ID '${id}' does not exist`);
}

/** The error for an instance id that a call does not know. */
export function instanceNotFound(id: string): Ec2Error {
  if (!/^i-[0-9a-f]+$/.test(id)) return new Ec2Error('InvalidInstanceID.Malformed', `Invalid id: "${id}"`);
  return new Ec2Error('InvalidInstanceID.NotFound', `The instance ID '${id}' does not exist`);
}

function onlyInterface(context: ActionContext, instance: Instance): NetworkInterface {
  if (instance.state === 'pending') throw pendingError(context, instance);
  const [first, ...others] = instance.interfaceIds;
  if (others.length > 0) {
    throw new Ec2Error(
      'InvalidInstanceID',
      `There are multiple interfaces attached to instance '${instance.id}'. Please specify an interface ID for the operation instead.`,
    );
  }
  if (first === undefined) throw wrongState(instance);
  return interfaceById(context, first);
}

function checkTarget(context: ActionContext, target: NetworkInterface): void {
  if (target.requesterManaged) throw notPermitted(target.id);
  const instance = instanceOf(context.world, target);
  if (instance !== undefined) checkInstanceState(context, instance);
  if (lookUp(context.world.vpcs, target.vpcId)?.internetGatewayId !== undefined) return;
  throw new Ec2Error('Gateway.NotAttached', `Network ${target.vpcId} is not attached to any internet gateway`);
}

function checkInstanceState(context: ActionContext, instance: Instance): void {
  if (instance.state === 'pending') throw pendingError(context, instance);
  if (instance.state === 'shutting-down' || instance.state === 'terminated') throw wrongState(instance);
}

function pendingError(context: ActionContext, instance: Instance): Ec2Error {
  const code = context.state.settings.pendingCode;
  if (code === 'IncorrectInstanceState') return wrongState(instance);
  return new Ec2Error(code, `The pending instance '${instance.id}' is not in a valid state for this operation`);
}

function wrongState(instance: Instance): Ec2Error {
  return new Ec2Error(
    'IncorrectInstanceState',
    `The instance '${instance.id}' is ${instance.state}: not in a valid state for this operation`,
  );
}

function targetPrivateIp(context: ActionContext, target: NetworkInterface): string {
  const wanted = textOf(context.query, 'PrivateIpAddress') ?? target.privateIps[0] ?? '';
  if (hasPrivateIp(target, wanted)) return wanted;
  // The code is not documented; InvalidParameterValue is what users report.
  throw new Ec2Error(
    'InvalidParameterValue',
    `Invalid value '${wanted}' for PrivateIpAddress. Address is not mapped to the interface ${target.id}`,
  );
}

function checkBorderGroup(context: ActionContext, address: Address, target: NetworkInterface): void {
  const borderGroup = context.world.zones.find((zone) => zone.name === target.zone)?.borderGroup;
  if (borderGroup === address.borderGroup) return;
  // Documented as impossible, without a code.
  throw new Ec2Error(
    'InvalidParameterCombination',
    `The network border group of ${address.allocationId} (${address.borderGroup}) is not that of ${target.id} (${borderGroup})`,
  );
}

function repeat(context: ActionContext, address: Address, wanted: Wanted): string | undefined {
  const { association } = address;
  const isSame = association?.interfaceId === wanted.target.id && association.privateIp === wanted.privateIp;
  const how = context.state.settings.repeatedAssociation;
  return isSame && (how === 'same-id' || (how === 'already-associated' && wanted.mayMove)) ? association.id : undefined;
}

function checkHolders(context: ActionContext, address: Address, wanted: Wanted): void {
  if (wanted.mayMove) return;
  if (address.association !== undefined && !isRepeatAllowed(context, address.association, wanted)) {
    throw alreadyAssociated(address.allocationId, address.association);
  }
  const holder = holderOf(context.world, wanted.target.id, wanted.privateIp);
  if (holder?.association === undefined || holder.allocationId === address.allocationId) return;
  if (context.state.settings.reassociationProtectsTarget) throw alreadyAssociated(wanted.target.id, holder.association);
}

function isRepeatAllowed(context: ActionContext, association: Association, wanted: Wanted): boolean {
  const isSame = association.interfaceId === wanted.target.id && association.privateIp === wanted.privateIp;
  return isSame && context.state.settings.repeatedAssociation === 'new-id';
}

function alreadyAssociated(id: string, association: Association): Ec2Error {
  return new Ec2Error(
    'Resource.AlreadyAssociated',
    `resource ${id} is already associated with associate-id ${association.id}`,
  );
}

/**
 * DisassociateAddress.
 * Source: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DisassociateAddress.html
 */
export const disassociateAddress: Action = {
  params: ['AssociationId', 'PublicIp'],
  run: (context): ActionOutcome => {
    const associationId = requiredText(context.query, 'AssociationId');
    const address = lookUp(context.world.addresses, lookUp(context.world.associations, associationId) ?? '');
    if (address?.association === undefined) return goneAssociation(context, associationId);
    if (address.serviceManaged !== undefined) throw notPermitted(address.allocationId);
    return {
      reply: { return: true },
      world: unbind(context.world, address),
      due: autoPublicIpLater(context, address.association),
    };
  },
};

function goneAssociation(context: ActionContext, associationId: string): ActionOutcome {
  if (context.state.settings.goneAssociation === 'ok') return { reply: { return: true } };
  throw new Ec2Error('InvalidAssociationID.NotFound', `The association ID '${associationId}' does not exist`);
}

function autoPublicIpLater(context: ActionContext, association: Association): readonly DueEffect[] {
  const afterMs = context.state.settings.autoPublicIpReturnMs;
  const target = lookUp(context.world.interfaces, association.interfaceId);
  const instance = target === undefined ? undefined : instanceOf(context.world, target);
  if (afterMs === undefined || instance?.autoPublicIp !== true) return [];
  return [{ kind: 'auto-public-ip', at: context.now + afterMs, interfaceId: association.interfaceId }];
}
