export { exitCodeOf, ShellError } from './shell-error.ts';
export type { InputErrors, ShellErrorCode } from './shell-error.ts';
export { VERSION } from './version.ts';
export { runService } from './run-service.ts';
export type { LogOptions, Service } from './run-service.ts';

export { defineOptions } from './options/option-set.ts';
export type { Attempt, OptionInput, OptionSet, OptionSetInput } from './options/option-set.ts';
export type { OptionSchema, OptionSpec } from './options/option-list.ts';
export type { OptionSources } from './options/gather-options.ts';
export { durationMs, listenAddress, splitPair, tagMap } from './options/parse-values.ts';
export { serviceAddresses } from './options/service-addresses.ts';
export type { GivenAddresses } from './options/service-addresses.ts';

export { createLogger } from './telemetry/logger.ts';
export type { LogFields, LogFormat, Logger, LoggerOptions, LogLevel } from './telemetry/logger.ts';
export { createHealth } from './telemetry/health.ts';
export type { CheckResult, Health, HealthReport } from './telemetry/health.ts';
export type { ExposedMetrics, ListenAddress, RunningServer } from './telemetry/servers.ts';
export { whileServing } from './telemetry/service-servers.ts';
export type { ServiceAddresses, ServiceState } from './telemetry/service-servers.ts';
export { CALL_BUCKETS, KUBE_METRICS, PROCESS_METRICS } from './telemetry/metric-definition.ts';
export type { MetricDefinition } from './telemetry/metric-definition.ts';
export { createMetricFactory, createRegistry } from './telemetry/registry.ts';
export type { MetricFactory } from './telemetry/registry.ts';
export { createKubeMetrics } from './telemetry/kube-metrics.ts';
export type { KubeMetrics, KubeRequest } from './telemetry/kube-metrics.ts';
export { watchProcess } from './telemetry/process-metrics.ts';

export { dress, runCommandLine } from './cli/run-command-line.ts';
export type { CommandLine } from './cli/run-command-line.ts';
export { addOptions, outputOption, readOptions } from './cli/option-flags.ts';
export { formatTable } from './cli/table.ts';
export { printJson } from './cli/terminal.ts';
export type { Output, Terminal } from './cli/terminal.ts';
