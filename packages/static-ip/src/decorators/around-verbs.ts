import type { StaticIpProvider } from '../provider.ts';

/** The methods of a provider, as words for metrics and limits. */
export type Verb =
  | 'listAddresses'
  | 'resolveTargets'
  | 'attach'
  | 'detach'
  | 'allocate'
  | 'release'
  | 'mark'
  | 'quota'
  | 'internetRoutes';

/** One call on its way to the provider. */
interface VerbCall<Result> {
  readonly verb: Verb;
  readonly signal: AbortSignal;
  readonly run: () => Promise<Result>;
}

/** What a decorator does around every call. It may wait, refuse, or observe; it must not call `run` twice. */
export type Around = <Result>(call: VerbCall<Result>) => Promise<Result>;

/** The same provider with `around` between each method and its caller. Optional methods stay optional. */
export function aroundVerbs(provider: StaticIpProvider, around: Around): StaticIpProvider {
  return {
    name: provider.name,
    capabilities: provider.capabilities,
    listAddresses: (selection, options) =>
      around({ verb: 'listAddresses', ...options, run: () => provider.listAddresses(selection, options) }),
    resolveTargets: (refs, options) =>
      around({ verb: 'resolveTargets', ...options, run: () => provider.resolveTargets(refs, options) }),
    attach: (request, options) => around({ verb: 'attach', ...options, run: () => provider.attach(request, options) }),
    detach: (attachment, options) =>
      around({ verb: 'detach', ...options, run: () => provider.detach(attachment, options) }),
    ...aroundAllocation(provider, around),
    ...aroundQuestions(provider, around),
  };
}

function aroundAllocation(
  provider: StaticIpProvider,
  around: Around,
): Pick<StaticIpProvider, 'allocate' | 'release' | 'mark'> {
  const allocate = provider.allocate?.bind(provider);
  const release = provider.release?.bind(provider);
  const mark = provider.mark?.bind(provider);
  return {
    ...(allocate && {
      allocate: (request, options) => around({ verb: 'allocate', ...options, run: () => allocate(request, options) }),
    }),
    ...(release && {
      release: (address, options) => around({ verb: 'release', ...options, run: () => release(address, options) }),
    }),
    ...(mark && {
      mark: (address, tags, options) => around({ verb: 'mark', ...options, run: () => mark(address, tags, options) }),
    }),
  };
}

function aroundQuestions(
  provider: StaticIpProvider,
  around: Around,
): Pick<StaticIpProvider, 'quota' | 'internetRoutes'> {
  const quota = provider.quota?.bind(provider);
  const internetRoutes = provider.internetRoutes?.bind(provider);
  return {
    ...(quota && {
      quota: (options) => around({ verb: 'quota', ...options, run: () => quota(options) }),
    }),
    ...(internetRoutes && {
      internetRoutes: (networks, options) =>
        around({ verb: 'internetRoutes', ...options, run: () => internetRoutes(networks, options) }),
    }),
  };
}
