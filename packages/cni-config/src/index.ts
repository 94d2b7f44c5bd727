export { formatFinding } from './finding.ts';
export type { Finding, FindingCode, Severity } from './finding.ts';
export type { CniConfig, DirectoryResult, IpamSettings, ParseResult, Tags } from './network-config.ts';
