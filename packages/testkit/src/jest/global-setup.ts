import { AssetError } from '../assets/asset-error.ts';
import { ciliumCrd } from '../assets/cilium-crd.ts';
import { ensureAsset } from '../assets/ensure-asset.ts';

/**
 * Runs once before any test: builds what is missing, with progress, so that no test's time-out pays for it. Where it
 * cannot be built the unit tests still run; those that need a server fail with the same advice.
 */
export default async function globalSetup(): Promise<void> {
  try {
    for (const name of ['etcd', 'kube-apiserver', 'kubectl', 'helm'] as const) await ensureAsset(name);
  } catch (error) {
    if (!(error instanceof AssetError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return;
  }
  await ciliumCrd('ciliumnodes');
  await ciliumCrd('ciliumegressgatewaypolicies');
}
