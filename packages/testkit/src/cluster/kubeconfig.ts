import { writeFileSync } from 'node:fs';
import { stringify } from 'yaml';

export interface KubeconfigOptions {
  readonly file: string;
  readonly server: string;
  readonly caFile: string;
  readonly token: string;
}

/** Writes a kubeconfig with one context, readable by the owner alone since it holds a token. */
export function writeKubeconfigFile({ file, server, caFile, token }: KubeconfigOptions): void {
  const name = 'testkit';
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server, 'certificate-authority': caFile } }],
    users: [{ name, user: { token } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  };
  writeFileSync(file, stringify(config), { mode: 0o600 });
}
