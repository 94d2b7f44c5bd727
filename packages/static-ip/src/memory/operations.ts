import type { Clock } from '../ports.ts';

/** A change that the cloud has accepted and not finished. */
interface Operation {
  readonly kind: 'add' | 'delete';
  readonly addressId: string;
  /** The effect, in case it succeeds. */
  readonly finish: () => void;
  /** What it leaves in case it fails. */
  readonly fail?: (() => void) | undefined;
}

/** The operations of a cloud, at most one on each seat. */
export interface Operations {
  /** @returns how long it takes, in ms */
  start(seatId: string, operation: Operation): number;
  /** ms until the operation on the seat ends; undefined when there is none. */
  leftMs(seatId: string): number | undefined;
  /** True while an operation puts the address on the seat. */
  isAdding(seatId: string, addressId: string): boolean;
  /** Ends the operations whose time has come, in the order in which they were started. */
  readonly settle: () => void;
  /** The next operations to end do so without their effect. */
  failNext(times: number): void;
}

/** Makes a cloud without operations; each will take `operationMs` on the clock. */
export function createOperations(clock: Clock, operationMs: number): Operations {
  const underWay = new Map<string, Operation & { readonly doneAtMs: number }>();
  let failures = 0;

  const settle = (): void => {
    for (const [seatId, { doneAtMs, finish, fail }] of underWay) {
      if (doneAtMs > clock.monotonic()) continue;
      underWay.delete(seatId);
      if (failures === 0) finish();
      else fail?.();
      failures = Math.max(0, failures - 1);
    }
  };

  return {
    settle,
    start: (seatId, operation) => {
      underWay.set(seatId, { ...operation, doneAtMs: clock.monotonic() + operationMs });
      return operationMs;
    },
    leftMs: (seatId) => {
      settle();
      const operation = underWay.get(seatId);
      return operation && operation.doneAtMs - clock.monotonic();
    },
    isAdding: (seatId, addressId) => {
      const operation = underWay.get(seatId);
      return operation?.kind === 'add' && operation.addressId === addressId;
    },
    failNext: (times) => {
      failures = times;
    },
  };
}
