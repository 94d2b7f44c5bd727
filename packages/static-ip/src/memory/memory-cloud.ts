import { StaticIpError } from '../errors.ts';
import type { StaticIpErrorCode } from '../errors.ts';
import type { Verb } from '../decorators/around-verbs.ts';
import type { Clock, Fence } from '../ports.ts';
import type { AttachRequest, CallOptions, StaticIpProvider } from '../provider.ts';
import { underSignals } from '../under-signals.ts';
import type { MemoryControls, Shelf } from './controls.ts';
import type { FaultScript } from './faults.ts';
import { listingOf, resolutionOf } from './inventory.ts';
import type { Seat } from './inventory.ts';

/** A cloud in memory: providers to call it, and controls to be its owner. */
export interface MemoryCloud extends MemoryControls {
  /** A client. Each may have a fence of its own; without one it always may change the cloud. */
  provider(client?: { readonly fence?: Fence | undefined }): StaticIpProvider;
}

/** How a cloud in memory behaves. Time passes only on the clock. */
export interface MemoryCloudOptions {
  readonly clock: Clock;
  /** How many addresses can be allocated. @default 1000 */
  readonly quota?: number | undefined;
  /** How long operations take in clouds that have them, in ms. @default 100 */
  readonly operationMs?: number | undefined;
}

/** What the methods of the kinds of clouds share. */
export interface Server {
  readonly shelf: Shelf;
  /** A call: the right to make it, its faults, and a turn of the event loop, so that concurrent calls interleave. */
  readonly serve: <Result>(verb: Verb, options: CallOptions, effect: () => Result) => Promise<Result>;
}

const READS: ReadonlySet<Verb> = new Set(['listAddresses', 'resolveTargets', 'quota', 'internetRoutes']);
const ALWAYS: Fence = { enter: () => new AbortController().signal };

/** Makes what answers the calls of one client. */
export function createServer(shelf: Shelf, faults: FaultScript, fence: Fence = ALWAYS): Server {
  return {
    shelf,
    serve: async (verb, options, effect) => {
      options.signal.throwIfAborted();
      await Promise.resolve();
      const signals = READS.has(verb) ? [options.signal] : [options.signal, fence.enter()];
      return underSignals(signals, async (signal) => {
        signal.throwIfAborted();
        return faults.run({ verb, signal }, effect);
      });
    },
  };
}

/** The two reads, which are the same in all kinds. `settle` lets operations end whose time has come. */
export function readsOf(
  { shelf, serve }: Server,
  { podTargets, settle = () => {} }: { readonly podTargets: boolean; readonly settle?: () => void },
): Pick<StaticIpProvider, 'listAddresses' | 'resolveTargets'> {
  return {
    listAddresses: (selection, options) =>
      serve('listAddresses', options, () => {
        settle();
        return listingOf(shelf.view(), selection);
      }),
    resolveTargets: (refs, options) =>
      serve('resolveTargets', options, () => {
        settle();
        return refs.map((ref) => resolutionOf(shelf.view(), ref, podTargets));
      }),
  };
}

/** The seat that an attach is for, when it can take an address. @throws StaticIpError `notFound`, `notReady` */
export function readySeat({ shelf }: Server, { target }: AttachRequest): Seat {
  const seat = shelf.inventory.seats.get(target.id);
  if (seat === undefined) throw refusal('notFound', 'the target is gone', target.id);
  if (seat.isPending) throw refusal('notReady', 'the instance is still starting', target.id);
  return seat;
}

/** A refusal of the cloud about one thing. */
export function refusal(code: StaticIpErrorCode, message: string, id: string): StaticIpError {
  return new StaticIpError(code, message, { fields: { id } });
}
