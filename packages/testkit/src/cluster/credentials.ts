import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';

/** What a new API server is told about who may do what. */
export interface Credentials {
  readonly adminToken: string;
  readonly tokenFile: string;
  readonly serviceAccountKeyFile: string;
}

/** Makes an administrator's token and a key that signs service account tokens, and writes their files. */
export function writeCredentials(directory: string): Credentials {
  const adminToken = randomBytes(16).toString('hex');
  const tokenFile = path.join(directory, 'tokens.csv');
  writeFileSync(tokenFile, `${adminToken},testkit-admin,testkit-admin,system:masters\n`, { mode: 0o600 });

  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const serviceAccountKeyFile = path.join(directory, 'service-account.key');
  writeFileSync(serviceAccountKeyFile, privateKey.export({ type: 'sec1', format: 'pem' }), { mode: 0o600 });
  return { adminToken, tokenFile, serviceAccountKeyFile };
}
