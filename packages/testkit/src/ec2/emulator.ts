import { once } from 'node:events';
import { createSeededRandom } from '../clock/seeded-random.ts';
import { createCell } from './cell.ts';
import { createControls } from './control/controls.ts';
import type { Controls } from './control/controls.ts';
import { ANONYMOUS } from './ec2-endpoint.ts';
import { MACHINE_CLOCK } from './emulator-clock.ts';
import type { EmulatorClock } from './emulator-clock.ts';
import { createEc2Server } from './http-server.ts';
import { createJournal } from './journal.ts';
import { createPauses } from './pauses.ts';
import { perform } from './perform.ts';
import type { Delivery, Pipeline } from './perform.ts';
import type { QueryParams } from './core/query.ts';
import { patchSettings } from './control/settings-patch.ts';
import type { SettingsPatch } from './control/settings-patch.ts';
import { DEFAULT_SETTINGS, emptyState } from './core/state.ts';

/** How an emulated account begins. */
export interface EmulatorOptions {
  /** @default us-east-1 */
  readonly region?: string;
  /** Decides ids, addresses and the order of answers. @default 1 */
  readonly seed?: number;
  /** @default the machine's clock */
  readonly clock?: EmulatorClock;
  readonly settings?: SettingsPatch;
  /** Calls the journal keeps. @default 100000 */
  readonly journalLimit?: number;
}

/** An emulated EC2 account in one region. */
export interface Emulator extends Controls {
  /** Makes a call without HTTP; faults apply. @default principal `anonymous` */
  call(
    action: string,
    params?: QueryParams,
    options?: { readonly principal?: string; readonly signal?: AbortSignal },
  ): Promise<Delivery>;
  /** Serves EC2 and the controls over HTTP. @returns the endpoint's URL */
  listen(options?: { readonly port?: number; readonly host?: string }): Promise<string>;
  /** The URL since `listen`. @throws Error before */
  endpoint(): string;
  /** Stops serving; calls on their way are reset. */
  close(): Promise<void>;
}

/** Makes an empty account: three zones, no VPC until one is added or needed. */
export function createEmulator(options: EmulatorOptions = {}): Emulator {
  const { region = 'us-east-1', seed = 1, clock = MACHINE_CLOCK, journalLimit = 100_000 } = options;
  const fresh = () => emptyState(region, seed, patchSettings(DEFAULT_SETTINGS, options.settings ?? {}));
  const cell = createCell(fresh(), clock);
  const journal = createJournal(journalLimit);
  const pauses = createPauses();
  const pipeline: Pipeline = { cell, clock, random: createSeededRandom(seed), journal, pauses };
  const controls = createControls({ cell, journal, pauses, now: () => clock.now(), fresh });
  const server = createEc2Server(pipeline, controls);
  let url: string | undefined;
  return {
    ...controls,
    call: (action, params = {}, { principal = ANONYMOUS, signal = new AbortController().signal } = {}) =>
      perform(pipeline, { action, params, principal }, signal),
    async listen({ port = 0, host = '127.0.0.1' } = {}) {
      server.listen(port, host);
      await once(server, 'listening');
      const bound = server.address();
      if (bound === null || typeof bound === 'string') throw new Error('the emulator listens on no port');
      url = `http://${host}:${bound.port}`;
      return url;
    },
    endpoint() {
      if (url === undefined) throw new Error('the emulator is not listening yet: call listen() first');
      return url;
    },
    async close() {
      pauses.releaseAll();
      if (!server.listening) return;
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
