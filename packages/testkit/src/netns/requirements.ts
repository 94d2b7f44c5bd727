import { spawnSync } from 'node:child_process';
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
  unshare: 'util-linux',
};

/** Who asks, and where that user's programs are. */
export interface LabUser {
  readonly isRoot: boolean;
  /** Folders with colons between. */
  readonly path: string;
}

/** What is missing for the network laboratory, in one line that says what to do; undefined when all is there. */
export function missingForLab(user: LabUser = ourselves()): string | undefined {
  if (!user.isRoot) return 'the network laboratory needs root: run this as root';
  const folders = user.path.split(':');
  const missing = Object.keys(PROGRAMS).filter((name) => !folders.some((folder) => existsSync(join(folder, name))));
  if (missing.length > 0) {
    const packages = [...new Set(missing.map((name) => PROGRAMS[name]))];
    return `the network laboratory needs ${missing.join(', ')}: apt-get install ${packages.join(' ')}`;
  }
  // In a container root may lack the right, and some kernels lack nftables.
  const probe = spawnSync('unshare', ['--net', 'nft', 'list', 'ruleset'], { encoding: 'utf8' });
  if (probe.status === 0) return undefined;
  return `the network laboratory needs network namespaces with nftables: ${probe.stderr.trim()}`;
}

function ourselves(): LabUser {
  return { isRoot: process.getuid?.() === 0, path: process.env['PATH'] ?? '' };
}
