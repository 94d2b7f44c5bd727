import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { stringify } from 'yaml';

/** Writes only, with who and what but no bodies; the servers' own work is left out. */
const POLICY = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [
    { level: 'None', users: ['system:apiserver'] },
    { level: 'Metadata', verbs: ['create', 'update', 'patch', 'delete', 'deletecollection'] },
    { level: 'None' },
  ],
};

/** Where kube-apiserver of a cluster in this directory logs writes, if told to. */
export function auditLogFileIn(directory: string): string {
  return path.join(directory, 'audit.log');
}

/** Writes the audit policy and answers the flags of kube-apiserver that put it in force; each line is written at once. */
export function auditArgs(directory: string): readonly string[] {
  const policyFile = path.join(directory, 'audit-policy.yaml');
  writeFileSync(policyFile, stringify(POLICY));
  return [
    `--audit-policy-file=${policyFile}`,
    `--audit-log-path=${auditLogFileIn(directory)}`,
    '--audit-log-mode=blocking',
  ];
}
