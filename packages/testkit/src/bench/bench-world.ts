import { readFile } from 'node:fs/promises';
import { ciliumNodeCrd } from '../assets/cilium-crd.ts';
import { inRepository } from '../chart/repository.ts';
import { startCluster } from '../cluster/start-cluster.ts';
import type { Cluster } from '../cluster/start-cluster.ts';
import { installChartAccess } from '../subject/chart-access.ts';
import type { OperatorAccess } from '../subject/chart-access.ts';
import { startCloud } from '../subject/cloud.ts';
import type { Cloud } from '../subject/cloud.ts';
import { clearCluster } from './clear-cluster.ts';
import { addForeignAddresses } from './nodes/world.ts';

/** The servers of a whole run, and how they are set. */
export interface BenchWorld {
  readonly cluster: Cluster;
  readonly emulator: Cloud;
  readonly operatorAccess: OperatorAccess;
  readonly bucketSpeed: number;
  readonly latencyMs: number;
  readonly signal: AbortSignal;
  /** A fresh account with full buckets and an empty cluster. */
  readonly reset: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

export interface BenchWorldOptions {
  readonly bucketSpeed: number;
  readonly latencyMs: number;
  /** Whether Kubernetes writes will be counted. */
  readonly audit: boolean;
  /** Whether the cluster serves Eips. */
  readonly hasEips: boolean;
}

/** More than any run needs: the quota is no part of what is measured. */
const ADDRESS_QUOTA = 100_000;

const EIP_CRD = 'schemas/crd/eips.materialize.cloud.yaml';

/** Starts one API server and one emulator for the whole run. @throws what either throws when it cannot start */
export async function startBenchWorld(
  { bucketSpeed, latencyMs, audit, hasEips }: BenchWorldOptions,
  signal: AbortSignal,
): Promise<BenchWorld> {
  const cluster = await startCluster({ signal, audit });
  try {
    await cluster.api.installCrd((await ciliumNodeCrd({ signal })).yaml);
    if (hasEips) await cluster.api.installCrd(await readFile(inRepository(EIP_CRD), 'utf8'));
    const operatorAccess = await installChartAccess(cluster, { options: { clusterName: 'bench' } });
    const options = { directory: cluster.dataDir, bucketSpeed, addressQuota: ADDRESS_QUOTA };
    const emulator = await startCloud(options);
    const reset = async (): Promise<void> => {
      await emulator.controls.reset();
      if (latencyMs > 0) await emulator.controls.injectFault({ kind: 'delay', ms: latencyMs });
      await addForeignAddresses(emulator.controls);
      await clearCluster(cluster.api, { hasEips });
    };
    const stop = async (): Promise<void> => {
      await emulator.close();
      await cluster.stop();
    };
    return { cluster, emulator, operatorAccess, bucketSpeed, latencyMs, signal, reset, stop };
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}
