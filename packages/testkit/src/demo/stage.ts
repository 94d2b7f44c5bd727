import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { ciliumNodeCrd } from '../assets/cilium-crd.ts';
import { daemonSetOf } from '../chart/render-chart.ts';
import { inRepository } from '../chart/repository.ts';
import type { ServerProcess } from '../cluster/server-process.ts';
import { startCluster } from '../cluster/start-cluster.ts';
import type { Cluster } from '../cluster/start-cluster.ts';
import { installChartAccess } from '../subject/chart-access.ts';
import { startCloud } from '../subject/cloud.ts';
import type { Cloud } from '../subject/cloud.ts';
import { subjectEnvironment } from '../subject/environment.ts';
import { startOperatorProcess } from '../subject/operator-process.ts';
import type { Narrator } from './narrator.ts';

/** All that the story plays on. */
export interface Stage {
  readonly cluster: Cluster;
  readonly emulator: Cloud;
  /** Environment of the operator: kubeconfig, cloud endpoint, credentials. */
  readonly environment: Readonly<Record<string, string>>;
  /** Runs the operator's binary for a command that ends by itself. @throws Error with what it said when it fails */
  readonly runOperator: (...args: readonly string[]) => Promise<string>;
  /** Starts `ipam-operator run` as a process. @throws ServerStartError with its log */
  readonly startOperator: () => Promise<ServerProcess>;
  /** Whom the chart's node agent runs as. */
  readonly agentAccount: { readonly namespace: string; readonly name: string };
  readonly stop: () => Promise<void>;
}

export interface StageOptions {
  readonly bundle: string;
  readonly narrator: Narrator;
}

/** Seconds between two comparisons of the cloud with what is wanted: short, since somebody is watching. */
export const RESYNC_SECONDS = 2;

/** In the marks of addresses that are allocated. */
export const CLUSTER_NAME = 'demo';

/** For a command that ends by itself, on a slow machine. */
const COMMAND_TIMEOUT_MS = 20_000;

/** Starts the servers, one after the other, each announced. */
export async function setStage({ bundle, narrator }: StageOptions, signal: AbortSignal): Promise<Stage> {
  const cluster = await narrator.tick('etcd and kube-apiserver, RBAC on', () => startCluster({ signal, audit: true }));
  try {
    const crd = await ciliumNodeCrd({ signal });
    const publisher = crd.source === 'cilium' ? `as published by ${crd.detail}` : `our minimal one (${crd.detail})`;
    await narrator.tick(`CiliumNode CRD, ${publisher}`, () => cluster.api.installCrd(crd.yaml));
    await narrator.tick('Eip CRD, ours', async () =>
      cluster.api.installCrd(await readFile(inRepository('schemas/crd/eips.materialize.cloud.yaml'), 'utf8')),
    );
    const values = { options: { clusterName: CLUSTER_NAME }, agent: { enabled: true } };
    const access = await installChartAccess(cluster, values);
    narrator.say(`The operator will run with the rights of: ${access.rights}`);
    const emulator = await narrator.tick('EC2 emulator with the published request limits', () =>
      startCloud({ directory: cluster.dataDir }),
    );
    const environment = subjectEnvironment(access.kubeconfig, emulator);
    const flags = [
      `--cluster-name=${CLUSTER_NAME}`,
      `--lease-namespace=${access.namespace}`,
      `--resync-interval=${RESYNC_SECONDS}s`,
    ];
    const started: ServerProcess[] = [];
    return {
      cluster,
      emulator,
      environment,
      agentAccount: {
        namespace: access.namespace,
        name: daemonSetOf(access.objects).spec.template.spec.serviceAccountName,
      },
      runOperator: async (...args) => {
        // A program that spins does not hear SIGTERM.
        const options = { env: environment, signal, timeout: COMMAND_TIMEOUT_MS, killSignal: 'SIGKILL' } as const;
        return (await promisify(execFile)(process.execPath, [bundle, ...args], options)).stdout;
      },
      startOperator: async () => {
        const options = { bundle, flags, environment, directory: cluster.dataDir };
        const operator = await startOperatorProcess(options, signal);
        started.push(operator);
        return operator;
      },
      stop: async () => {
        for (const operator of started) await operator.stop(5_000);
        await emulator.close();
        await cluster.stop();
      },
    };
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}
