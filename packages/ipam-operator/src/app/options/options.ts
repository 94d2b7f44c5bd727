import type { RateLimit } from '@static-ip/provider';
import type { ListenAddress, LogFormat, LogLevel } from '@static-ip/shell';
import type { TraceOptions } from '../../telemetry/trace-options.ts';

/** Second stage: checked against the schema and complete, still in the user's spelling. */
export interface OptionsWithDefaults {
  readonly kubeconfig?: string;
  readonly provider: string;
  readonly clusterName?: string;
  readonly defaultTags?: string;
  readonly sources: readonly ('auto' | SourceName)[];
  readonly namespace?: string;
  readonly installCrds: boolean;
  readonly ciliumNodes: CiliumNodesMode;
  readonly requireTag: readonly string[];
  readonly ec2Rate: readonly string[];
  readonly resyncInterval: string;
  readonly removedTagsGrace: string;
  readonly unreadyGrace: string;
  readonly startupTaint: StartupTaintMode;
  readonly startupTaintGiveUp?: string;
  readonly visibilityWindow: string;
  readonly sweep: SweepMode;
  readonly sweepPeerTags: boolean;
  readonly sweepInterval: string;
  readonly sweepMinAge: string;
  readonly quotaInterval: string;
  readonly workers: number;
  readonly metricsBindAddress: string;
  readonly healthBindAddress: string;
  readonly leaseDuration: string;
  readonly leaseNamespace?: string;
  readonly leaseName: string;
  readonly opentelemetryEndpoint?: string;
  readonly opentelemetryHeaders?: string;
  readonly opentelemetryToplevelFields?: string;
  readonly opentelemetryLevelTargets: string;
  readonly opentelemetrySampleRate: number;
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
}

/** A kind of object that may ask for an address. */
export type SourceName = 'cilium-node' | 'eip';

/** What to do about CiliumNodes. */
type CiliumNodesMode = 'auto' | 'act' | 'observe';

/** When the start-up taint of nodes goes. */
type StartupTaintMode = 'off' | 'confirmed' | 'node-status';

/** What to do about leaked addresses. */
type SweepMode = 'off' | 'observe' | 'release';

/** How leaked addresses are looked for. */
interface SweepOptions {
  readonly mode: SweepMode;
  /** Addresses that carry the cluster's name only count, too. */
  readonly peerTags: boolean;
  readonly intervalMs: number;
  /** An address must have been seen without a claim for so long. */
  readonly minAgeMs: number;
}

/** What is done about the start-up taint of nodes. */
export interface StartupTaintOptions {
  readonly mode: StartupTaintMode;
  /** So long after the Node's creation the taint goes without an address; undefined: never. */
  readonly giveUpMs: number | undefined;
}

/** Third stage, what the program works with: times are numbers of milliseconds, texts are taken apart. */
export interface OperatorOptions {
  /** Undefined: the service account of the pod. */
  readonly kubeconfig: string | undefined;
  readonly provider: string;
  readonly clusterName: string | undefined;
  /** On every address that is allocated, beside the marks of its owner. */
  readonly defaultTags: Readonly<Record<string, string>>;
  /** `auto`: whatever is served; a list: these, and each must be served. */
  readonly sources: 'auto' | readonly SourceName[];
  /** Of the Eips and pods that are served; undefined: all. */
  readonly namespace: string | undefined;
  readonly installCrds: boolean;
  readonly ciliumNodes: CiliumNodesMode;
  /** Every request must contain all of these tags. */
  readonly requiredTags: Readonly<Record<string, string>>;
  /** Limits by action of the cloud; actions not named keep the provider's own. */
  readonly rates: Readonly<Record<string, RateLimit>>;
  readonly resyncIntervalMs: number;
  readonly removedTagsGraceMs: number;
  readonly unreadyGraceMs: number;
  readonly startupTaint: StartupTaintOptions;
  readonly visibilityWindowMs: number;
  readonly sweep: SweepOptions;
  /** 0: the quota is not looked at. */
  readonly quotaIntervalMs: number;
  readonly workers: number;
  /** Undefined: not served. */
  readonly metricsBindAddress: ListenAddress | undefined;
  readonly healthBindAddress: ListenAddress | undefined;
  readonly leaseDurationMs: number;
  /** Undefined: the pod's own namespace, or `default` outside a cluster. */
  readonly leaseNamespace: string | undefined;
  readonly leaseName: string;
  readonly traces: TraceOptions;
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
}
