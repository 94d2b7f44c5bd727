/**
 * Bundles the programs: `npm run build [-- --analyze] [-- --outdir DIR]`. A program is a package with `src/main.ts`; the bundle
 * is its `dist/main.js` (or DIR/<package>/main.js) with the chunks that it loads when it needs them, and needs no
 * node_modules. Types are apart: `npm run types`.
 */
import { chmod, cp, mkdir, readFile, readdir, rm } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { analyzeMetafile, build } from 'esbuild';
import type { BuildResult } from 'esbuild';
import { cutKubeModels } from './cut-kube-models.ts';
import { cutSchemas } from './cut-schemas.ts';
import { cutUndici } from './cut-undici.ts';
import { joinGrpc } from './join-grpc.ts';

interface Program {
  readonly folder: string;
  /** Folders under `schemas/` that the program's users need beside it. */
  readonly schemas: readonly string[];
}

const ROOT = join(import.meta.dirname, '..');

const PROGRAMS: readonly Program[] = [
  { folder: 'ipam-operator', schemas: ['operator', 'cli', 'cni'] },
  { folder: 'node-agent', schemas: ['agent', 'cli', 'cni'] },
];

/** CommonJS libraries call `require` for Node's own modules, which an ES module does not have by itself. */
const REQUIRE = `import { createRequire as __createRequire } from 'node:module';
const require = __createRequire(import.meta.url);`;

const { values } = parseArgs({ options: { analyze: { type: 'boolean' }, outdir: { type: 'string' } } });

for (const program of PROGRAMS.filter(({ folder }) => existsSync(entryOf(folder)))) {
  const outdir =
    values.outdir === undefined ? join(ROOT, 'packages', program.folder, 'dist') : join(values.outdir, program.folder);
  const startMs = performance.now();
  const { metafile } = await bundle(program, outdir);
  const outputs = Object.values(metafile.outputs).filter(({ inputs }) => Object.keys(inputs).length > 0);
  const kibibytes = outputs.reduce((sum, { bytes }) => sum + bytes, 0) / 1024;
  const took = Math.round(performance.now() - startMs);
  console.log(`${program.folder}: ${kibibytes.toFixed(0)} KiB in ${outputs.length} files, ${took} ms`);
  if (values.analyze === true) console.log(await analysis(metafile));
}

function entryOf(folder: string): string {
  return join(ROOT, 'packages', folder, 'src/main.ts');
}

async function bundle({ folder, schemas }: Program, outdir: string): Promise<BuildResult<{ metafile: true }>> {
  const manifest: unknown = JSON.parse(await readFile(join(ROOT, 'packages', folder, 'package.json'), 'utf8'));
  await mkdir(outdir, { recursive: true });
  const result = await build({
    entryPoints: [entryOf(folder)],
    outdir,
    // A dynamic import becomes a file of its own. In one file esbuild would wrap such modules and could not cut them to
    // what is used: the whole EC2 client instead of six calls.
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    absWorkingDir: ROOT,
    bundle: true,
    platform: 'node',
    target: 'node22',
    format: 'esm',
    // Our packages resolve to their sources; the libraries to their ES modules, which can be cut to what is used.
    conditions: ['source', 'module'],
    mainFields: ['module', 'main'],
    banner: { js: `#!/usr/bin/env node\n${REQUIRE}` },
    define: { PACKAGE_VERSION: JSON.stringify(versionOf(manifest)) },
    // Names stay: they are in stack traces and logs.
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    sourcemap: 'external',
    metafile: true,
    plugins: [cutSchemas, cutKubeModels, cutUndici, joinGrpc],
    logLevel: 'warning',
  });
  await chmod(join(outdir, 'main.js'), 0o755);
  await removeOldChunks(outdir, Object.keys(result.metafile.outputs));
  await rm(join(outdir, 'schemas'), { recursive: true, force: true });
  for (const name of schemas) await cp(join(ROOT, 'schemas', name), join(outdir, 'schemas', name), { recursive: true });
  return result;
}

/** Chunks are named for their content: those of earlier builds would stay for ever. */
async function removeOldChunks(outdir: string, outputs: readonly string[]): Promise<void> {
  const current = new Set(outputs.map((file) => basename(file)));
  const folder = join(outdir, 'chunks');
  if (!existsSync(folder)) return;
  const old = (await readdir(folder)).filter((name) => !current.has(name));
  for (const name of old) await rm(join(folder, name), { force: true });
}

function versionOf(manifest: unknown): string {
  if (typeof manifest === 'object' && manifest !== null && 'version' in manifest) return String(manifest.version);
  throw new Error('a package.json has no version');
}

/** Bytes in the bundle by package, the largest first, and the longest way to each of the largest files. */
async function analysis(metafile: BuildResult<{ metafile: true }>['metafile']): Promise<string> {
  const byPackage = new Map<string, number>();
  const inputs = Object.values(metafile.outputs).flatMap((output) => Object.entries(output.inputs));
  for (const [file, { bytesInOutput }] of inputs) {
    const name = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? file.split('/').slice(0, 2).join('/');
    byPackage.set(name, (byPackage.get(name) ?? 0) + bytesInOutput);
  }
  const rows = [...byPackage].toSorted(([, a], [, b]) => b - a).slice(0, 40);
  const lines = rows.map(([name, bytes]) => `${(bytes / 1024).toFixed(1).padStart(9)} KiB  ${name}`);
  const files = (await analyzeMetafile(metafile))
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(1, 26);
  return [...lines, '', ...files].join('\n');
}
