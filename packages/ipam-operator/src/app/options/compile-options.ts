import { validateTags } from '@static-ip/cni-config';
import { defineOptions, durationMs, serviceAddresses, tagMap } from '@static-ip/shell';
import type { Attempt } from '@static-ip/shell';
import schema from '../../schema/options.schema.json' with { type: 'json' };
import type { OperatorOptions, OptionsWithDefaults, SourceName } from './options.ts';
import { rateMap } from './rate-map.ts';
import { textMap } from './text-map.ts';
import { traceOptions } from './trace-options.ts';

/** All options of the operator. */
export const OPERATOR_OPTIONS = defineOptions<OptionsWithDefaults, OperatorOptions>({ schema, compile });

function compile(from: OptionsWithDefaults, attempt: Attempt<OptionsWithDefaults>): OperatorOptions {
  return {
    kubeconfig: from.kubeconfig,
    provider: from.provider,
    clusterName: from.clusterName,
    defaultTags: attempt('defaultTags', () => tagsOf(from.defaultTags), {}),
    ...serviceAddresses(from, attempt),
    sources: attempt('sources', () => sourcesOf(from.sources), 'auto'),
    namespace: from.namespace,
    installCrds: from.installCrds,
    ciliumNodes: from.ciliumNodes,
    requiredTags: attempt('requireTag', () => tagMap(from.requireTag), {}),
    rates: attempt('ec2Rate', () => rateMap(from.ec2Rate), {}),
    resyncIntervalMs: durationMs(from.resyncInterval),
    removedTagsGraceMs: durationMs(from.removedTagsGrace),
    unreadyGraceMs: durationMs(from.unreadyGrace),
    startupTaint: {
      mode: from.startupTaint,
      giveUpMs: from.startupTaintGiveUp === undefined ? undefined : durationMs(from.startupTaintGiveUp),
    },
    visibilityWindowMs: durationMs(from.visibilityWindow),
    sweep: {
      mode: from.sweep,
      peerTags: from.sweepPeerTags,
      intervalMs: durationMs(from.sweepInterval),
      minAgeMs: durationMs(from.sweepMinAge),
    },
    quotaIntervalMs: durationMs(from.quotaInterval),
    workers: from.workers,
    leaseDurationMs: durationMs(from.leaseDuration),
    leaseNamespace: from.leaseNamespace,
    leaseName: from.leaseName,
    traces: traceOptions(from, attempt),
    logLevel: from.logLevel,
    logFormat: from.logFormat,
  };
}

function sourcesOf(names: readonly ('auto' | SourceName)[]): 'auto' | readonly SourceName[] {
  const named = names.filter((name) => name !== 'auto');
  if (named.length === names.length) return named;
  if (named.length > 0) throw new RangeError('auto already means all kinds: give it alone, or only the others');
  return 'auto';
}

/** @throws RangeError saying what is wrong with the tags. */
function tagsOf(json: string | undefined): Readonly<Record<string, string>> {
  const tags = textMap(json);
  const [problem] = validateTags(tags, { use: 'write' });
  if (problem !== undefined) throw new RangeError(problem.message);
  return tags;
}
