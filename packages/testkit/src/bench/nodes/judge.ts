import type { WorldSnapshot } from '../../ec2/control/controls.ts';
import type { Address } from '../../ec2/core/model.ts';
import type { Verdict } from '../claimants.ts';
import type { BenchNode } from './world.ts';
import { isInPool } from './world.ts';

/**
 * Holds every status against the cloud: right is an address of the pool that is associated with an interface of that
 * node's own instance, and that no other status names.
 */
export function judgeStatuses(
  nodes: readonly BenchNode[],
  statuses: ReadonlyMap<string, { readonly address: string }>,
  world: Pick<WorldSnapshot, 'addresses' | 'interfaces'>,
): Verdict {
  const instanceOf = new Map(world.interfaces.map(({ id, attachment }) => [id, attachment?.instanceId]));
  const byPublicIp = new Map(world.addresses.map((address) => [address.publicIp, address]));
  const named = new Set<string>();
  const right: Verdict['right'][number][] = [];
  const wrong: string[] = [];
  for (const { name, instanceId } of nodes) {
    const ip = statuses.get(name)?.address ?? '';
    const address = byPublicIp.get(ip);
    const holder = instanceOf.get(address?.association?.interfaceId ?? '');
    const fault = faultOf({ ip, address, holder, instanceId, isNamed: named.has(ip) });
    if (fault !== undefined) wrong.push(`${name} names ${fault}`);
    else if (address !== undefined) right.push({ name, allocationId: address.allocationId });
    named.add(ip);
  }
  return { right, wrong };
}

interface Held {
  readonly ip: string;
  readonly address: Address | undefined;
  /** The instance that the address is on. */
  readonly holder: string | undefined;
  readonly instanceId: string;
  /** By the status of an earlier node. */
  readonly isNamed: boolean;
}

function faultOf({ ip, address, holder, instanceId, isNamed }: Held): string | undefined {
  if (ip === '') return 'no address';
  if (isNamed) return `${ip}, as another node does`;
  if (address === undefined) return `${ip}, which does not exist`;
  if (holder !== instanceId) return `${ip}, which is on ${holder ?? 'nothing'}`;
  return isInPool(address.tags) ? undefined : `${ip}, which is not of the pool`;
}
