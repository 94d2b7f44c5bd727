import type { Ec2Calls, Ec2Interface } from './ec2-calls.ts';
import { listInterfaces } from './interfaces.ts';

/** More instances than this are not remembered: the memory starts over. */
const MAX_REMEMBERED = 50_000;

/**
 * Reads the primary interfaces of instances. Which interface that is never changes while an instance lives
 * (https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/using-eni.html), so it is looked for once, among all interfaces of
 * the instance, and then asked for by its own id: a node of the VPC CNI has several, with dozens of addresses each.
 */
export interface PrimaryInterfaces {
  /** At least the primary interface of each instance that has one now. */
  read(instanceIds: readonly string[], signal: AbortSignal): Promise<readonly Ec2Interface[]>;
}

/** Makes the reader; nothing is remembered yet. */
export function createPrimaryInterfaces(calls: Ec2Calls): PrimaryInterfaces {
  const idOf = new Map<string, string>();

  const lookFor = async (instanceIds: readonly string[], signal: AbortSignal): Promise<readonly Ec2Interface[]> => {
    const found = await listInterfaces(calls, { name: 'attachment.instance-id', values: instanceIds }, signal);
    if (idOf.size > MAX_REMEMBERED) idOf.clear();
    for (const one of found.filter(isPrimary)) {
      if (one.Attachment?.InstanceId !== undefined && one.NetworkInterfaceId !== undefined) {
        idOf.set(one.Attachment.InstanceId, one.NetworkInterfaceId);
      }
    }
    return found;
  };

  return {
    async read(instanceIds, signal) {
      const known = instanceIds.flatMap((id) => idOf.get(id) ?? []);
      // One that is not known costs the call anyway, and it may as well answer for all.
      if (known.length < instanceIds.length) return lookFor(instanceIds, signal);
      const found = await listInterfaces(calls, { name: 'network-interface-id', values: known }, signal);
      const seen = new Set(found.filter(isPrimary).map(({ Attachment }) => Attachment?.InstanceId));
      const gone = instanceIds.filter((id) => !seen.has(id));
      for (const id of gone) idOf.delete(id);
      return gone.length === 0 ? found : [...found, ...(await lookFor(gone, signal))];
    },
  };
}

/** Device index 0 on network card 0: other cards count their own devices from 0. */
export function isPrimary({ Attachment }: Ec2Interface): boolean {
  return Attachment?.DeviceIndex === 0 && (Attachment.NetworkCardIndex ?? 0) === 0;
}
