import { createManualClock } from '../../clock/manual-clock.ts';
import type { ManualClock } from '../../clock/manual-clock.ts';
import { createEmulator } from '../emulator.ts';
import type { Emulator, EmulatorOptions } from '../emulator.ts';
import { itemsAt, valueAt } from '../query-client.ts';
import type { QueryParams } from './query.ts';
import type { WireObject } from './wire.ts';

/** The access key id of the calls a test makes, unless it says otherwise. */
export const CALLER = 'AKIACALLER';

/** An account on a clock that stands still until the test moves it. */
export interface TestAccount {
  readonly ec2: Emulator;
  readonly clock: ManualClock;
  /** Makes a call that must succeed. @throws Error with the code otherwise */
  ok(action: string, params?: QueryParams, principal?: string): Promise<WireObject>;
  /** Makes a call. @returns its error code, or `OK` */
  code(action: string, params?: QueryParams, principal?: string): Promise<string>;
  /** Associates an address with an interface's private IP as a careful client does. @returns the association id */
  associate(
    allocationId: string,
    target: { readonly id: string; readonly privateIps: readonly string[] },
    change?: Readonly<Record<string, string>>,
  ): Promise<string>;
  /** The allocation ids of DescribeAddresses with one filter, sorted. */
  addressIds(filter?: readonly [name: string, ...values: string[]]): Promise<string[]>;
}

/** Makes an empty account at time 0. */
export function createTestAccount(options: EmulatorOptions = {}): TestAccount {
  const clock = createManualClock({ startMs: 1_000_000 });
  const ec2 = createEmulator({ clock, ...options });
  const ok: TestAccount['ok'] = async (action, params = {}, principal = CALLER) => {
    const delivery = await ec2.call(action, params, { principal });
    if (delivery.kind === 'reply') return delivery.reply;
    throw new Error(
      delivery.kind === 'error' ? `${action}: ${delivery.error.code}: ${delivery.error.message}` : `${action}: reset`,
    );
  };
  return {
    ec2,
    clock,
    ok,
    async code(action, params = {}, principal = CALLER) {
      const delivery = await ec2.call(action, params, { principal });
      if (delivery.kind === 'reset') return 'reset';
      return delivery.kind === 'reply' ? 'OK' : delivery.error.code;
    },
    async associate(allocationId, target, change = {}) {
      const params = {
        AllocationId: allocationId,
        NetworkInterfaceId: target.id,
        PrivateIpAddress: target.privateIps[0] ?? '',
        AllowReassociation: 'false',
        ...change,
      };
      return valueAt(await ok('AssociateAddress', params), 'associationId') ?? '';
    },
    async addressIds(filter) {
      const reply = await ok('DescribeAddresses', filter === undefined ? {} : filterParams(filter));
      return itemsAt(reply, 'addressesSet')
        .flatMap((item) => valueAt(item, 'allocationId') ?? [])
        .toSorted();
    },
  };
}

/** The parameters of filters, each a name and its values. */
export function filterParams(...filters: readonly (readonly [name: string, ...values: string[]])[]): QueryParams {
  const params: Record<string, string> = {};
  for (const [index, [name, ...values]] of filters.entries()) {
    params[`Filter.${index + 1}.Name`] = name;
    for (const [position, value] of values.entries()) params[`Filter.${index + 1}.Value.${position + 1}`] = value;
  }
  return params;
}
