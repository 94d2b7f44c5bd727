import assert from 'node:assert/strict';
import { itemsAt, sendQuery, valueAt } from '@static-ip/testkit';
import type { Moto, MotoInstance } from '@static-ip/testkit';
import type { ContractWorld, InstanceRef, Tags } from '../contract/index.ts';
import type { TargetRef } from '../target.ts';
import { createProvider } from './create-provider.ts';
import { contextFor, realClock } from './test-context.test.fixture.ts';

/** A world of the contract in a moto that forgets everything first: one at a time. */
export async function openMotoWorld(moto: Moto): Promise<ContractWorld> {
  await moto.reset();
  const { endpoint } = moto;
  const { context, loseFence } = contextFor(endpoint);
  const interfaces = new Map<string, string>();
  const networks = new Map<string, Pick<MotoInstance, 'vpcId' | 'subnetId'>>();
  const interfaceOf = (ref: TargetRef): string => interfaces.get(ref.instanceId ?? '') ?? '';
  let pods = 0;

  const addInstance = async (): Promise<InstanceRef> => {
    const [instance] = await moto.addInstances(1);
    assert.ok(instance !== undefined);
    interfaces.set(instance.instanceId, instance.interfaceId);
    networks.set(instance.instanceId, instance);
    return { kind: 'instance', instanceId: instance.instanceId };
  };

  return {
    provider: await createProvider(context),
    elapse: (ms) => realClock.sleep(ms, new AbortController().signal),
    addInstance,
    addSupply: async ({ tags, count }) => {
      for (let n = 0; n < count; n++) await allocate(endpoint, tags);
    },
    occupy: async (ref) => {
      // EC2 puts off what is there by itself; moto would show both.
      await vacate(endpoint, interfaceOf(ref));
      const allocationId = await allocate(endpoint, {});
      await query(endpoint, 'AssociateAddress', { AllocationId: allocationId, NetworkInterfaceId: interfaceOf(ref) });
    },
    vacate: (ref) => vacate(endpoint, interfaceOf(ref)),
    ipOn: async (ref) => {
      const ips = (await holders(endpoint, interfaceOf(ref))).map((address) => valueAt(address, 'publicIp'));
      return ips.length === 0 ? undefined : ips.join(' and ');
    },
    close: async () => {},
    addPod: async (instance) => {
      pods += 1;
      const privateIp = `10.0.14.${pods}`;
      const params = { NetworkInterfaceId: interfaceOf(instance), 'PrivateIpAddress.1': privateIp };
      await query(endpoint, 'AssignPrivateIpAddresses', params);
      return { kind: 'privateIp', instanceId: instance.instanceId, privateIp };
    },
    addAutomatic: async () => {
      // Without a subnet it lands in the default one, which gives public addresses.
      const params = { ImageId: 'ami-12c6146b', MinCount: '1', MaxCount: '1' };
      const body = await query(endpoint, 'RunInstances', params);
      const [instance] = itemsAt(body, 'RunInstancesResponse', 'instancesSet');
      const instanceId = valueAt(instance, 'instanceId') ?? '';
      const [eni] = itemsAt(instance, 'networkInterfaceSet');
      interfaces.set(instanceId, valueAt(eni, 'networkInterfaceId') ?? '');
      return { kind: 'instance', instanceId };
    },
    loseFence,
    closeNetwork: async ({ instanceId }) => {
      const { vpcId = '', subnetId = '' } = networks.get(instanceId) ?? {};
      const body = await query(endpoint, 'CreateRouteTable', { VpcId: vpcId });
      const table = valueAt(body, 'CreateRouteTableResponse', 'routeTable', 'routeTableId') ?? '';
      await query(endpoint, 'AssociateRouteTable', { RouteTableId: table, SubnetId: subnetId });
    },
  };
}

async function allocate(endpoint: string, tags: Tags): Promise<string> {
  const specification = Object.entries(tags).flatMap(([key, value], index) => [
    [`TagSpecification.1.Tag.${index + 1}.Key`, key],
    [`TagSpecification.1.Tag.${index + 1}.Value`, value],
  ]);
  const body = await query(endpoint, 'AllocateAddress', {
    Domain: 'vpc',
    ...(specification.length > 0 && { 'TagSpecification.1.ResourceType': 'elastic-ip' }),
    ...Object.fromEntries(specification),
  });
  return valueAt(body, 'AllocateAddressResponse', 'allocationId') ?? '';
}

async function vacate(endpoint: string, interfaceId: string): Promise<void> {
  for (const address of await holders(endpoint, interfaceId)) {
    await query(endpoint, 'DisassociateAddress', { AssociationId: valueAt(address, 'associationId') ?? '' });
  }
}

async function holders(endpoint: string, interfaceId: string): Promise<readonly unknown[]> {
  const filter = { 'Filter.1.Name': 'network-interface-id', 'Filter.1.Value.1': interfaceId };
  const body = await query(endpoint, 'DescribeAddresses', filter);
  return itemsAt(body, 'DescribeAddressesResponse', 'addressesSet').filter(
    (address) => valueAt(address, 'associationId') !== undefined,
  );
}

async function query(endpoint: string, action: string, params: Readonly<Record<string, string>>): Promise<unknown> {
  const { status, code, body } = await sendQuery(endpoint, action, params);
  assert.equal(status, 200, `moto answers ${action} with ${code ?? 'an error'}`);
  return body;
}
