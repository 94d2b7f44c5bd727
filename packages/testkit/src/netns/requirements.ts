import { existsSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

/** Programs the laboratory runs, and the Debian package of each. */
const PROGRAMS: Readonly<Record<string, string>> = {
  ip: 'iproute2',
  nft: 'nftables',
  'iptables-nft': 'iptables',
  'iptables-legacy': 'iptables',
  conntrack: 'conntrack',
  ipset: 'ipset',
  ping: 'iputils-ping',
  nsenter: 'util-linux',
  setpriv: 'util-linux',
};

/** What is missing for the network laboratory, in one line that says what to do; undefined when all is there. */
export function missingForLab(): string | undefined {
  if (process.getuid?.() !== 0) return 'the network laboratory needs root: run the tests as root';
  const folders = (process.env['PATH'] ?? '').split(':');
  const missing = Object.keys(PROGRAMS).filter((name) => !folders.some((folder) => existsSync(join(folder, name))));
  if (missing.length === 0) return undefined;
  const packages = [...new Set(missing.map((name) => PROGRAMS[name]))];
  return `the network laboratory needs ${missing.join(', ')}: apt-get install ${packages.join(' ')}`;
}
