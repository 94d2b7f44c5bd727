import { ASSET_NAMES } from './catalogue.ts';
import { ciliumNodeCrd } from './cilium-crd.ts';
import { ensureAsset } from './ensure-asset.ts';

// `npm run assets`: provides everything that tests, demo and benchmark run, so that they start at once.
const abort = new AbortController();
process.once('SIGINT', () => abort.abort(new Error('interrupted')));

try {
  for (const name of ASSET_NAMES) {
    process.stdout.write(`${name}: ${await ensureAsset(name, { signal: abort.signal })}\n`);
  }
  const crd = await ciliumNodeCrd({ signal: abort.signal });
  process.stdout.write(`CiliumNode CRD: ${crd.source === 'cilium' ? crd.detail : `our fallback (${crd.detail})`}\n`);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
