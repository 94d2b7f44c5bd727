import { isStaticIpError } from '@static-ip/provider';
import type { Clock, InternetRoute, StaticIpProvider } from '@static-ip/provider';
import type { Logger } from '@static-ip/shell';
import type { WayOut } from '../../core/way-out.ts';

export interface WatchRoutesDeps {
  /** The provider whose targets are looked at. */
  readonly provider: StaticIpProvider;
  /** Whom to ask for routes: not the watched one, since being refused here is no trouble. */
  readonly routes: Pick<StaticIpProvider, 'internetRoutes'>;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  /** How often to see whether there is anything to ask, ms. */
  readonly intervalMs: number;
}

/** Knows the way to the internet of every interface that was resolved; it never holds up an address. */
export interface WatchedRoutes {
  /** The same provider. In which network its targets are is remembered. */
  readonly provider: StaticIpProvider;
  /** As last asked, of the interface that an address is attached to. */
  readonly of: (interfaceId: string | undefined) => WayOut;
  /** Asks from time to time, all networks at once, until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

/** People change route tables rarely, ms. A network that was not asked about yet does not wait for it. */
const KEEP_MS = 600_000;

/** More interfaces than this are not remembered: the memory starts over. One never changes its network. */
const MAX_REMEMBERED = 50_000;

const UNKNOWN: WayOut = { kind: 'unknown' };

/** Makes the watch; nothing is asked before `run`. */
export function watchRoutes({ provider, routes, clock, logger, intervalMs }: WatchRoutesDeps): WatchedRoutes {
  const networkOf = new Map<string, string>();
  let answers: ReadonlyMap<string, WayOut> = new Map();
  let askedAt = -Infinity;
  let isRefused = false;

  const ask = async (networks: readonly string[], signal: AbortSignal): Promise<void> => {
    try {
      const found = (await routes.internetRoutes?.(networks, { signal })) ?? [];
      answers = new Map([...networks.map((network) => [network, UNKNOWN] as const), ...found.map(answerOf)]);
      isRefused = false;
    } catch (err) {
      signal.throwIfAborted();
      // Whatever else it is, the next look is not far.
      if (!isStaticIpError(err) || err.code !== 'denied') return logger.warn('Cannot read the routes', { err });
      answers = new Map(networks.map((network) => [network, UNKNOWN]));
      if (!isRefused) logger.info('Not looking at routes: the cloud refuses it', { action: err.fields['action'] });
      isRefused = true;
    }
    askedAt = clock.monotonic();
  };

  return {
    provider: {
      ...provider,
      async resolveTargets(refs, options) {
        const resolutions = await provider.resolveTargets(refs, options);
        if (networkOf.size > MAX_REMEMBERED) networkOf.clear();
        for (const resolution of resolutions) {
          if (!('target' in resolution)) continue;
          const { interfaceId, network } = resolution.target;
          if (network !== undefined) networkOf.set(interfaceId, network);
        }
        return resolutions;
      },
    },
    of: (interfaceId) => answers.get(networkOf.get(interfaceId ?? '') ?? '') ?? UNKNOWN,
    async run(signal) {
      while (!signal.aborted) {
        const networks = [...new Set(networkOf.values())].toSorted();
        const isDue = clock.monotonic() - askedAt >= KEEP_MS || networks.some((network) => !answers.has(network));
        // An abort ends the loop; nothing else can fail here.
        if (isDue && networks.length > 0) await ask(networks, signal).catch(() => undefined);
        await clock.sleep(intervalMs, signal).catch(() => undefined);
      }
    },
  };
}

function answerOf(route: InternetRoute): readonly [string, WayOut] {
  return [route.network, route.isOpen ? { kind: 'open' } : { kind: 'closed', why: route.why }];
}
