import type { Tags } from '@static-ip/cni-config';
import { defineOptions, durationMs, serviceAddresses } from '@static-ip/shell';
import type { Attempt, LogFormat, LogLevel, ServiceAddresses } from '@static-ip/shell';
import { parseCidr } from '../no-masquerade/cidr.ts';
import type { Cidr } from '../no-masquerade/cidr.ts';
import type { PublishMode } from '../publish/plan-publish.ts';
import schema from '../schema/options.schema.json' with { type: 'json' };
import { parseTags } from './parse-tags.ts';

/** What the agent can do on its node. */
export type JobName = 'publish' | 'no-masquerade';

/** Checked against the schema and complete, still in the user's spelling. */
interface GivenAgentOptions {
  readonly nodeName?: string;
  readonly kubeconfig?: string;
  readonly jobs: readonly JobName[];
  readonly cniConfDir: string;
  readonly ipamStaticIpTags?: string;
  readonly publishTags: PublishMode;
  readonly removedTagsGrace: string;
  readonly rereadInterval: string;
  readonly ciliumNamespace: string;
  readonly vpcCidr: readonly string[];
  readonly scope: 'pods' | 'node';
  readonly tcpConnections: 'keep' | 'reset';
  readonly metricsBindAddress: string;
  readonly healthBindAddress: string;
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
}

/** What the agent works with. */
export interface AgentOptions extends ServiceAddresses {
  /** Empty only for a command that does not have the option. */
  readonly nodeName: string;
  /** Undefined: the service account of the pod. */
  readonly kubeconfig: string | undefined;
  readonly jobs: readonly JobName[];
  readonly cniConfDir: string;
  /** Undefined: not given. Empty: no address is wanted. */
  readonly flagTags: Tags | undefined;
  readonly publishTags: PublishMode;
  readonly removedTagsGraceMs: number;
  readonly rereadIntervalMs: number;
  readonly ciliumNamespace: string;
  readonly vpcCidrs: readonly Cidr[];
  readonly nodeWide: boolean;
  readonly resetTcp: boolean;
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
}

/** All options of the agent. */
export const AGENT_OPTIONS = defineOptions<GivenAgentOptions, AgentOptions>({ schema, compile });

function compile(from: GivenAgentOptions, attempt: Attempt<GivenAgentOptions>): AgentOptions {
  const { ipamStaticIpTags: tags } = from;
  return {
    nodeName: attempt('nodeName', () => required(from.nodeName), ''),
    kubeconfig: from.kubeconfig,
    jobs: from.jobs,
    cniConfDir: from.cniConfDir,
    flagTags: attempt('ipamStaticIpTags', () => (tags === undefined ? undefined : parseTags(tags)), undefined),
    publishTags: from.publishTags,
    removedTagsGraceMs: durationMs(from.removedTagsGrace),
    rereadIntervalMs: durationMs(from.rereadInterval),
    ciliumNamespace: from.ciliumNamespace,
    vpcCidrs: attempt('vpcCidr', () => from.vpcCidr.map(network), []),
    nodeWide: from.scope === 'node',
    resetTcp: from.tcpConnections === 'reset',
    ...serviceAddresses(from, attempt),
    logLevel: from.logLevel,
    logFormat: from.logFormat,
  };
}

function required(nodeName: string | undefined): string {
  if (nodeName === undefined) throw new RangeError('it must be given');
  return nodeName;
}

function network(text: string): Cidr {
  const cidr = parseCidr(text);
  if (cidr === undefined) throw new RangeError(`${text} is no network`);
  return cidr;
}
