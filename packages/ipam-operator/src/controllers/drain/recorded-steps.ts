import { aroundVerbs, toStaticIpError } from '@static-ip/provider';
import type { StaticIpProvider } from '@static-ip/provider';

/** A provider that writes down what it does to addresses, by their ids. */
export interface RecordedSteps {
  readonly provider: StaticIpProvider;
  readonly takenOff: ReadonlySet<string>;
  readonly released: ReadonlySet<string>;
}

/**
 * The same provider, with a record. A call counts unless the cloud refused it: one whose answer was lost had its effect
 * when its claim has ended, since that is read from the cloud.
 */
export function recordSteps(cloud: StaticIpProvider): RecordedSteps {
  const [takenOff, released] = [new Set<string>(), new Set<string>()];
  const plain = aroundVerbs(cloud, ({ run }) => run());
  const release = plain.release?.bind(plain);
  const provider: StaticIpProvider = {
    ...plain,
    detach: (attachment, options) => noted(plain.detach(attachment, options), () => takenOff.add(attachment.addressId)),
    ...(release && {
      release: (address, options) => noted(release(address, options), () => released.add(address.id)),
    }),
  };
  return { provider, takenOff, released };
}

async function noted<T>(call: Promise<T>, note: () => void): Promise<T> {
  try {
    const result = await call;
    note();
    return result;
  } catch (error) {
    if (toStaticIpError(error).code === 'unknown') note();
    throw error;
  }
}
