import { describe, expect, it } from '@jest/globals';
import { assert, boolean, property, subarray } from 'fast-check';
import { ShellError } from '@static-ip/shell';
import { OPERATOR_OPTIONS } from './compile-options.ts';
import type { OperatorOptions } from './options.ts';

const OPTIONS = OPERATOR_OPTIONS.all;

interface Given {
  readonly flags?: Readonly<Record<string, string | readonly string[]>>;
  readonly environment?: Readonly<Record<string, string>>;
  readonly mistakes?: readonly string[];
}

function compile({ flags = {}, environment = {}, mistakes = [] }: Given): OperatorOptions {
  return OPERATOR_OPTIONS.compile({ list: OPTIONS, flags, environment, mistakes });
}

/** The lines of the mistakes, without the heading. */
function mistakesOf(given: Given): readonly string[] {
  try {
    compile(given);
  } catch (error) {
    if (error instanceof ShellError && error.code === 'badInput') return error.message.split('\n').slice(1);
    throw error;
  }
  return [];
}

/** For each option a value that is accepted and that is not its default, and one that is refused. */
const SAMPLES: Readonly<Record<string, { readonly good: string; readonly bad: string }>> = {
  kubeconfig: { good: '/etc/kubeconfig', bad: '' },
  provider: { good: './plugin.mjs', bad: '' },
  clusterName: { good: 'prod-1', bad: ' padded ' },
  defaultTags: { good: '{"team":"edge"}', bad: 'team=edge' },
  sources: { good: 'cilium-node', bad: 'cilium-nodes' },
  namespace: { good: 'apps', bad: 'Apps' },
  installCrds: { good: 'true', bad: 'yes' },
  ciliumNodes: { good: 'observe', bad: 'Observe' },
  requireTag: { good: 'team=a', bad: '=a' },
  ec2Rate: { good: 'AssociateAddress=2.5/10', bad: 'AssociateAddress=fast' },
  resyncInterval: { good: '90s', bad: '90' },
  removedTagsGrace: { good: '1h30m', bad: '-5m' },
  unreadyGrace: { good: '2m', bad: 'never' },
  startupTaint: { good: 'node-status', bad: 'remove' },
  startupTaintGiveUp: { good: '10m', bad: 'never' },
  visibilityWindow: { good: '0s', bad: '1.5 days' },
  sweep: { good: 'release', bad: 'on' },
  sweepPeerTags: { good: 'true', bad: 'yes' },
  sweepInterval: { good: '10m', bad: '0s' },
  sweepMinAge: { good: '24h', bad: 'old' },
  quotaInterval: { good: '0s', bad: '25h' },
  workers: { good: '8', bad: '2.5' },
  metricsBindAddress: { good: '127.0.0.1:9000', bad: '127.0.0.1' },
  healthBindAddress: { good: '[::1]:9001', bad: ':port' },
  leaseDuration: { good: '20s', bad: '100ms' },
  leaseNamespace: { good: 'static-ip', bad: 'Static_IP' },
  leaseName: { good: 'one.two', bad: 'one..two' },
  opentelemetryEndpoint: { good: 'https://collector:4317', bad: 'collector:4317' },
  opentelemetryHeaders: { good: '{"x-team":"edge"}', bad: 'x-team=edge' },
  opentelemetryToplevelFields: { good: '{"stage":"prod"}', bad: 'stage=prod' },
  opentelemetryLevelTargets: { good: 'INFO', bad: 'LOUD' },
  opentelemetrySampleRate: { good: '0.5', bad: '5%' },
  logLevel: { good: 'debug', bad: 'trace' },
  logFormat: { good: 'text', bad: 'xml' },
};

const anyOptions = subarray([...OPTIONS]);
const sampleOf = (name: string) => SAMPLES[name] ?? { good: '', bad: '' };
const asFlags = (names: readonly { name: string }[], kind: 'good' | 'bad') =>
  Object.fromEntries(names.map(({ name }) => [name, sampleOf(name)[kind]]));
const asEnvironment = (names: readonly { name: string; environment: string }[], kind: 'good' | 'bad') =>
  Object.fromEntries(names.map(({ name, environment }) => [environment, sampleOf(name)[kind]]));

const both = (address: string): Given => ({ flags: { metricsBindAddress: address, healthBindAddress: address } });

describe('options', () => {
  it('have a flag in kebab case and a twin in upper snake case, each of its own', () => {
    for (const { flag, environment } of OPTIONS) {
      expect(flag).toMatch(/^--[a-z][a-z0-9]*(-[a-z0-9]+)*$/);
      expect(environment).toBe(flag.slice(2).replaceAll('-', '_').toUpperCase());
    }
    expect(new Set(OPTIONS.map(({ environment }) => environment)).size).toBe(OPTIONS.length);
    expect(Object.keys(SAMPLES)).toEqual(OPTIONS.map(({ name }) => name));
  });

  it('mean the same as flag and as environment variable', () => {
    assert(
      property(anyOptions, (chosen) => {
        const byFlag = compile({ flags: asFlags(chosen, 'good') });
        expect(compile({ environment: asEnvironment(chosen, 'good') })).toEqual(byFlag);
        if (chosen.length > 0) expect(byFlag).not.toEqual(compile({}));
      }),
    );
  });

  it('are taken from the flag before the environment, and an empty variable is none', () => {
    const environment = { RESYNC_INTERVAL: '10s', WORKERS: '3', LOG_LEVEL: '' };
    const options = compile({ flags: { resyncInterval: '5s' }, environment });
    expect(options).toMatchObject({ resyncIntervalMs: 5_000, workers: 3, logLevel: 'info' });
  });

  it('report every mistake at once, each by flag and twin with what was given and what is accepted', () => {
    assert(
      property(anyOptions, boolean(), (chosen, asVariables) => {
        // An empty variable is no mistake.
        const wrong = chosen.filter(({ name }) => !asVariables || sampleOf(name).bad !== '');
        const given = asVariables ? { environment: asEnvironment(wrong, 'bad') } : { flags: asFlags(wrong, 'bad') };
        const lines = mistakesOf(given);
        expect(lines).toHaveLength(wrong.length);
        for (const { name, flag, environment, accepts, isSecret } of wrong) {
          const line = lines.find((one) => one.includes(`${flag} (environment ${environment})`)) ?? '';
          expect(line.includes(JSON.stringify(sampleOf(name).bad))).toBe(!isSecret);
          expect(line).toContain(`accepted: ${accepts}`);
          expect(line.includes('in the environment')).toBe(asVariables);
        }
      }),
    );
  });

  it('report mistakes that the schema cannot see together with all others', () => {
    const lines = mistakesOf({
      mistakes: ['unknown flag --wokers: did you mean --workers?'],
      flags: {
        logLevel: 'loud',
        metricsBindAddress: ':70000',
        sources: ['auto', 'cilium-node'],
        requireTag: ['team=a', 'team=b'],
        ec2Rate: ['AssociateAddress=0/5'],
        defaultTags: '{"team":1}',
      },
    });
    expect(lines.map((line) => line.trim().split(' ')[0])).toEqual([
      'unknown',
      '--log-level',
      '--default-tags',
      '--metrics-bind-address',
      '--sources',
      '--require-tag',
      '--ec2-rate',
    ]);
  });

  it('refuse one address for both servers, except when the system chooses the port', () => {
    expect(mistakesOf(both(':9000'))[0]).toContain('the same address is given for the metrics');
    expect(mistakesOf(both('127.0.0.1:0'))).toEqual([]);
    expect(compile(both('0'))).toMatchObject({ metricsBindAddress: undefined, healthBindAddress: undefined });
  });

  it('become numbers and parts', () => {
    const options = compile({
      flags: {
        removedTagsGrace: '1h30m',
        visibilityWindow: '1.5s',
        healthBindAddress: '[::1]:81',
        requireTag: ['a=b=c', 'empty='],
        ec2Rate: ['DescribeAddresses=2.5/7', 'AssociateAddress=1/1'],
      },
    });
    expect(options).toMatchObject({
      removedTagsGraceMs: 5_400_000,
      visibilityWindowMs: 1_500,
      healthBindAddress: { host: '::1', port: 81 },
      requiredTags: { a: 'b=c', empty: '' },
      rates: { DescribeAddresses: { perSecond: 2.5, burst: 7 }, AssociateAddress: { perSecond: 1, burst: 1 } },
    });
  });

  it('of traces are read as the predecessor read them', () => {
    const flags = {
      opentelemetryEndpoint: 'http://collector:4317',
      opentelemetryHeaders: '{"Authorization":"Bearer abc"}',
      opentelemetryToplevelFields: '{"stage":"prod"}',
      opentelemetryLevelTargets: 'some_crate=trace,INFO',
      opentelemetrySampleRate: '0.25',
    };
    expect(compile({ flags }).traces).toEqual({
      endpoint: 'http://collector:4317',
      headers: { Authorization: 'Bearer abc' },
      fields: { stage: 'prod' },
      level: 'info',
      sampleRate: 0.25,
    });
  });

  it.each([
    ['{"a":1}', 'the value of a must be a text'],
    ['{"a b":"c"}', '"a b" cannot be the name of a header'],
    ['{"key-bin":"c"}', '"key-bin" cannot be the name of a header'],
    ['{"a":"ü"}', 'the value of a has other characters'],
    ['{"a":"secret"', 'accepted: a JSON object'],
    ['{"a":"secret",}', 'it is not valid JSON'],
  ])('refuse the headers %s without showing them', (opentelemetryHeaders, why) => {
    const [line = ''] = mistakesOf({ flags: { opentelemetryHeaders } });
    expect(line).toContain('--opentelemetry-headers (environment OPENTELEMETRY_HEADERS)');
    expect(line).toContain(why);
    expect(line).not.toContain('secret"');
  });

  it('have the published defaults', () => {
    expect(compile({})).toEqual({
      kubeconfig: undefined,
      provider: 'aws',
      clusterName: undefined,
      defaultTags: {},
      sources: 'auto',
      namespace: undefined,
      installCrds: false,
      ciliumNodes: 'auto',
      requiredTags: {},
      rates: {},
      resyncIntervalMs: 60_000,
      removedTagsGraceMs: 300_000,
      unreadyGraceMs: 60_000,
      startupTaint: { mode: 'off', giveUpMs: undefined },
      visibilityWindowMs: 60_000,
      sweep: { mode: 'observe', peerTags: false, intervalMs: 300_000, minAgeMs: 3_600_000 },
      quotaIntervalMs: 60_000,
      workers: 64,
      metricsBindAddress: { host: undefined, port: 8080 },
      healthBindAddress: { host: undefined, port: 8081 },
      leaseDurationMs: 15_000,
      leaseNamespace: undefined,
      leaseName: 'static-ip-ipam-operator',
      traces: { endpoint: undefined, headers: {}, fields: {}, level: 'debug', sampleRate: 0.05 },
      logLevel: 'info',
      logFormat: 'json',
    });
  });

  it('are split by command: what plan does not use it does not have', () => {
    const names = OPERATOR_OPTIONS.of('plan').map(({ name }) => name);
    expect(names).toContain('requireTag');
    expect(names).not.toContain('leaseName');
    expect(OPERATOR_OPTIONS.of('run')).toEqual(OPTIONS);
  });
});
