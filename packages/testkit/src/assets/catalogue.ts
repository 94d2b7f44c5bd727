import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { AssetError } from './asset-error.ts';

/** The programs the test kit can provide. */
export const ASSET_NAMES = ['etcd', 'kube-apiserver', 'kubectl', 'helm'] as const;
export type AssetName = (typeof ASSET_NAMES)[number];

/** What is built: a Go package out of one of our wrapper modules, whose go.mod names the version. */
export interface WrappedProgram {
  /** Absolute path of the wrapper module. */
  readonly directory: string;
  readonly goPackage: string;
  /** Version of the wrapped module, such as `v3.7.3`. */
  readonly version: string;
  readonly linkerFlags: string;
  /** Changes with every source of the wrapper and every build setting: the cache key. */
  readonly hash: string;
}

interface ProgramSource {
  readonly wrapper: string;
  readonly wrappedModule: string;
  readonly goPackage: string;
  readonly linkerFlags?: (version: string) => string;
}

/** Kubernetes reports the version that the linker is given, and v0.0.0-master without. */
function kubernetesVersionFlags(version: string): string {
  const [major = '', minor = ''] = version.replace(/^v/, '').split('.');
  const settings = { gitVersion: version, gitMajor: major, gitMinor: minor };
  return Object.entries(settings)
    .map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`)
    .join(' ');
}

const kubernetes = {
  wrapper: 'kubernetes',
  wrappedModule: 'k8s.io/kubernetes',
  linkerFlags: kubernetesVersionFlags,
} as const;

const SOURCES = {
  etcd: {
    wrapper: 'etcd',
    wrappedModule: 'go.etcd.io/etcd/server/v3',
    goPackage: 'go.etcd.io/etcd/server/v3',
  },
  'kube-apiserver': { ...kubernetes, goPackage: 'k8s.io/kubernetes/cmd/kube-apiserver' },
  kubectl: { ...kubernetes, goPackage: 'k8s.io/kubernetes/cmd/kubectl' },
  helm: { wrapper: 'helm', wrappedModule: 'helm.sh/helm/v4', goPackage: 'helm.sh/helm/v4/cmd/helm' },
  'cilium-crds': { wrapper: 'cilium-crds', wrappedModule: 'github.com/cilium/cilium', goPackage: '.' },
} as const satisfies Record<AssetName | 'cilium-crds', ProgramSource>;

/** @throws AssetError when the wrapper's go.mod does not require the wrapped module. */
export function wrappedProgram(name: keyof typeof SOURCES): WrappedProgram {
  const source: ProgramSource = SOURCES[name];
  const directory = fileURLToPath(new URL(`../../assets/${source.wrapper}/`, import.meta.url));
  const version = requiredVersion(path.join(directory, 'go.mod'), source.wrappedModule);
  const linkerFlags = ['-s -w', source.linkerFlags?.(version)].filter(Boolean).join(' ');
  const hash = createHash('sha256').update(JSON.stringify([source.goPackage, linkerFlags]));
  for (const file of ['go.mod', 'go.sum', 'main.go'].map((base) => path.join(directory, base))) {
    if (existsSync(file)) hash.update(readFileSync(file));
  }
  return { directory, goPackage: source.goPackage, version, linkerFlags, hash: hash.digest('hex').slice(0, 12) };
}

function requiredVersion(goModFile: string, module: string): string {
  for (const line of readFileSync(goModFile, 'utf8').split('\n')) {
    const [first, second, third] = line.trim().split(/\s+/);
    if (first === 'require' && second === module && third !== undefined) return third;
    if (first === module && second?.startsWith('v') === true) return second;
  }
  throw new AssetError(`${goModFile} has no requirement on ${module}`);
}
