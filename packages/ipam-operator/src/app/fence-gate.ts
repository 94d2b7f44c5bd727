import { StaticIpError } from '@static-ip/provider';
import type { Fence } from '@static-ip/provider';

/** A fence that exists before there is a lease: closed until leadership begins, closed again when it ends. */
export interface FenceGate extends Fence {
  /** Lets calls pass as long as `fence` does; returns the way to close. */
  open(fence: Fence): () => void;
}

/** Why a call was not sent. */
const CLOSED = 'not sent: this process does not hold the lease';

/** Makes a closed gate. */
export function createFenceGate(): FenceGate {
  let current: Fence | undefined;
  return {
    enter: () => {
      if (current === undefined) throw new StaticIpError('unavailable', CLOSED);
      try {
        return current.enter();
      } catch (cause) {
        // Nothing was sent. If leadership is over, this process ends; if not, the call is tried again.
        throw new StaticIpError('unavailable', CLOSED, { cause });
      }
    },
    open: (fence) => {
      current = fence;
      return () => {
        if (current === fence) current = undefined;
      };
    },
  };
}
