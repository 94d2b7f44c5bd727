import type { Clock } from '../clock/clock.ts';
import type { KubeClient } from './kube-client.ts';

export interface KubeClientOptions {
  /** Path of a kubeconfig file. Unset: the service account mounted into the pod. */
  readonly kubeconfig?: string | undefined;
  /** Context of the kubeconfig; default: its current context. */
  readonly context?: string | undefined;
  readonly userAgent: string;
  /** Default field manager of all writes. */
  readonly fieldManager: string;
  readonly clock: Clock;
  /** Deadline of each call but a watch, in milliseconds. Default 30 s. */
  readonly requestTimeoutMs?: number | undefined;
  /** Writes under way at once, at most. Default 8. */
  readonly maxConcurrentWrites?: number | undefined;
}

/**
 * A client for one API server. Reads the kubeconfig at once, but does not connect yet.
 * @throws KubeError `config` naming the file and what to do.
 */
export function createKubeClient(options: KubeClientOptions): KubeClient {
  throw new Error(`not implemented ${options.userAgent}`);
}
