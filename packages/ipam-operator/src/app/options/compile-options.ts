import { OperatorError } from '../operator-error.ts';
import { checkOptions, mistakeLine } from './check-options.ts';
import type { OptionSources } from './gather-options.ts';
import { gatherOptions } from './gather-options.ts';
import type { OptionSpec } from './option-list.ts';
import type { GivenOptions, OperatorOptions, OptionsWithDefaults, SourceName } from './options.ts';
import { durationMs, listenAddress, rateMap, tagMap } from './parse-values.ts';

/** What one command's options are made of. */
export interface OptionInput extends OptionSources {
  readonly list: readonly OptionSpec[];
  /** Mistakes that were found while the command line was taken apart, such as unknown flags. */
  readonly mistakes: readonly string[];
}

/**
 * From what the user gave to what the program works with.
 * @throws OperatorError `badInput` with all mistakes at once, one line each.
 */
export function compileOptions(input: OptionInput): OperatorOptions {
  const given = gatherOptions(input.list, input);
  const checked = checkOptions(input.list, given);
  const compiled = compile(checked.options);
  const later = compiled.mistakes
    .filter(({ name }) => !checked.wrong.has(name))
    .map(({ name, why }) => laterMistake(input.list, given, { name, why }));
  const mistakes = [...input.mistakes, ...checked.mistakes, ...later];
  if (mistakes.length > 0) {
    const count = mistakes.length === 1 ? 'one mistake' : `${mistakes.length} mistakes`;
    throw new OperatorError('badInput', `${count} in the options:\n${mistakes.map((line) => `  ${line}`).join('\n')}`);
  }
  return compiled.options;
}

interface LaterMistake {
  readonly name: string;
  readonly why: string;
}

function laterMistake(list: readonly OptionSpec[], given: GivenOptions, { name, why }: LaterMistake): string {
  const option = list.find((candidate) => candidate.name === name);
  return option === undefined ? `${name}: ${why}` : mistakeLine(option, given[name], why);
}

/** Third stage. What the schema cannot say is checked here; a wrong value is replaced by nothing and told. */
function compile(from: OptionsWithDefaults): {
  readonly options: OperatorOptions;
  readonly mistakes: readonly LaterMistake[];
} {
  const mistakes: LaterMistake[] = [];
  const attempt = <T>(name: keyof OptionsWithDefaults, make: () => T, otherwise: T): T => {
    try {
      return make();
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      mistakes.push({ name, why: error.message });
      return otherwise;
    }
  };
  const metrics = attempt('metricsBindAddress', () => listenAddress(from.metricsBindAddress), undefined);
  const options: OperatorOptions = {
    kubeconfig: from.kubeconfig,
    provider: from.provider,
    clusterName: from.clusterName,
    sources: attempt('sources', () => sourcesOf(from.sources), 'auto'),
    ciliumNodes: from.ciliumNodes,
    requiredTags: attempt('requireTag', () => tagMap(from.requireTag), {}),
    rates: attempt('ec2Rate', () => rateMap(from.ec2Rate), {}),
    resyncIntervalMs: durationMs(from.resyncInterval),
    removedTagsGraceMs: durationMs(from.removedTagsGrace),
    visibilityWindowMs: durationMs(from.visibilityWindow),
    workers: from.workers,
    metricsBindAddress: metrics,
    healthBindAddress: attempt('healthBindAddress', () => healthAddress(from), undefined),
    leaseDurationMs: durationMs(from.leaseDuration),
    leaseNamespace: from.leaseNamespace,
    leaseName: from.leaseName,
    logLevel: from.logLevel,
    logFormat: from.logFormat,
  };
  return { options, mistakes };
}

function sourcesOf(names: readonly ('auto' | SourceName)[]): 'auto' | readonly SourceName[] {
  const named = names.filter((name) => name !== 'auto');
  if (named.length === names.length) return named;
  if (named.length > 0) throw new RangeError('auto already means all kinds: give it alone, or only the others');
  return 'auto';
}

function healthAddress({ healthBindAddress, metricsBindAddress }: OptionsWithDefaults) {
  const address = listenAddress(healthBindAddress);
  const isSame = healthBindAddress === metricsBindAddress && address !== undefined && address.port !== 0;
  if (isSame) throw new RangeError('the same address is given for the metrics');
  return address;
}
