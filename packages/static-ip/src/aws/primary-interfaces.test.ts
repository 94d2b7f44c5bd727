import { describe, expect, it } from '@jest/globals';
import type { Ec2Calls, Ec2Filter, Ec2Interface } from './ec2-calls.ts';
import { fakeCalls } from './fake-calls.test.fixture.ts';
import { createPrimaryInterfaces } from './primary-interfaces.ts';

const live = new AbortController().signal;

function eni(id: string, instanceId: string, deviceIndex = 0): Ec2Interface {
  return { NetworkInterfaceId: id, Attachment: { InstanceId: instanceId, DeviceIndex: deviceIndex } };
}

/** EC2 with these interfaces; it answers as the filters say, and remembers them. */
function world(initial: readonly Ec2Interface[]) {
  const state = { interfaces: initial };
  const asked: Ec2Filter[] = [];
  const answers = (filters: readonly Ec2Filter[]): Ec2Interface[] =>
    state.interfaces.filter((one) =>
      filters.every(({ name, values }) => {
        const value = name === 'network-interface-id' ? one.NetworkInterfaceId : one.Attachment?.InstanceId;
        return values.includes(value ?? '');
      }),
    );
  const calls: Ec2Calls = {
    ...fakeCalls({}).calls,
    describeNetworkInterfaces: ({ filters }) => {
      asked.push(...filters);
      return Promise.resolve({ items: answers(filters), nextToken: undefined });
    },
  };
  const primaries = createPrimaryInterfaces(calls);
  const read = async (...ids: readonly string[]) =>
    (await primaries.read(ids, live)).map((one) => one.NetworkInterfaceId);
  return { state, asked, read };
}

describe('the primary interfaces of instances', () => {
  it('are looked for among all interfaces once, and then asked for by id', async () => {
    const { asked, read } = world([eni('eni-a', 'i-1'), eni('eni-b', 'i-1', 1), eni('eni-c', 'i-2')]);
    expect(await read('i-1', 'i-2')).toEqual(['eni-a', 'eni-b', 'eni-c']);
    expect(await read('i-1', 'i-2')).toEqual(['eni-a', 'eni-c']);
    expect(asked).toEqual([
      { name: 'attachment.instance-id', values: ['i-1', 'i-2'] },
      { name: 'network-interface-id', values: ['eni-a', 'eni-c'] },
    ]);
  });

  it('cost one call for all while one of them is not known yet', async () => {
    const { asked, read } = world([eni('eni-a', 'i-1'), eni('eni-c', 'i-2')]);
    await read('i-1');
    await read('i-1', 'i-2');
    expect(asked.map(({ name }) => name)).toEqual(['attachment.instance-id', 'attachment.instance-id']);
  });

  it('are looked for again when one is gone, or is somebody else’s now', async () => {
    const { state, asked, read } = world([eni('eni-a', 'i-1'), eni('eni-c', 'i-2')]);
    await read('i-1', 'i-2');
    state.interfaces = [eni('eni-a', 'i-1'), eni('eni-c', 'i-9')];
    expect(await read('i-1', 'i-2')).toEqual(['eni-a', 'eni-c']);
    expect(asked.at(-1)).toEqual({ name: 'attachment.instance-id', values: ['i-2'] });
    state.interfaces = [eni('eni-a', 'i-1'), eni('eni-d', 'i-2')];
    expect(await read('i-1', 'i-2')).toEqual(['eni-a', 'eni-d']);
  });
});
