import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { stringify } from 'yaml';

/** What the audit log holds: nothing, writes, or every request. */
export type Audit = boolean | 'all';

const WRITES = ['create', 'update', 'patch', 'delete', 'deletecollection'];

/** Who and what but no bodies; the servers' own work is left out. */
function policyOf(audit: Exclude<Audit, false>): object {
  return {
    apiVersion: 'audit.k8s.io/v1',
    kind: 'Policy',
    omitStages: ['RequestReceived'],
    rules: [
      { level: 'None', users: ['system:apiserver'] },
      { level: 'Metadata', ...(audit === 'all' ? {} : { verbs: WRITES }) },
      { level: 'None' },
    ],
  };
}

/** Where kube-apiserver of a cluster in this directory keeps its audit log, if told to. */
export function auditLogFileIn(directory: string): string {
  return path.join(directory, 'audit.log');
}

/** Writes the audit policy and answers the flags of kube-apiserver that put it in force; each line is written at once. */
export function auditArgs(directory: string, audit: Audit): readonly string[] {
  if (audit === false) return [];
  const policyFile = path.join(directory, 'audit-policy.yaml');
  writeFileSync(policyFile, stringify(policyOf(audit)));
  return [
    `--audit-policy-file=${policyFile}`,
    `--audit-log-path=${auditLogFileIn(directory)}`,
    '--audit-log-mode=blocking',
  ];
}
