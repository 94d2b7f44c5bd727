import { parseAllDocuments } from 'yaml';
import type { KubeObject } from '../cluster/kube-object.ts';
import { helm } from './helm.ts';
import type { ChartValues } from './helm.ts';
import { CHART } from './repository.ts';

export interface RenderOptions {
  readonly values?: ChartValues;
  /** Default `static-ip`. */
  readonly release?: string;
  /** Default `kube-system`. */
  readonly namespace?: string;
}

/** The objects of the chart as the real helm renders them. @throws Error with helm's words for values it refuses. */
export async function renderChart(options: RenderOptions = {}): Promise<readonly KubeObject[]> {
  const { values = {}, release = 'static-ip', namespace = 'kube-system' } = options;
  const text = await helm(['template', release, CHART, '--namespace', namespace], values);
  return parseAllDocuments(text).flatMap((document) => {
    if (document.errors[0] !== undefined) throw document.errors[0];
    const object: KubeObject | null = document.toJS();
    return object === null ? [] : [object];
  });
}

/** One environment variable of a container. */
export interface EnvironmentVariable {
  readonly name: string;
  readonly value?: string;
}

/** The part of a container that says how the operator runs. */
export interface Container {
  readonly image: string;
  readonly args: readonly string[];
  readonly env?: readonly EnvironmentVariable[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly [field: string]: unknown;
}

interface PodTemplate {
  readonly spec: {
    readonly serviceAccountName: string;
    readonly containers: readonly [Container];
    readonly [field: string]: unknown;
  };
}

/** The part of a Deployment that tests look at. */
export interface Deployment extends KubeObject {
  readonly spec: { readonly replicas: number; readonly template: PodTemplate; readonly [field: string]: unknown };
}

/** The part of a DaemonSet that tests look at. */
export interface DaemonSet extends KubeObject {
  readonly spec: { readonly template: PodTemplate; readonly [field: string]: unknown };
}

/** The operator's Deployment among the rendered objects. @throws Error when there is none. */
export function deploymentOf(objects: readonly KubeObject[]): Deployment {
  const found = objects.find((object): object is Deployment => object.kind === 'Deployment');
  if (found === undefined) throw new Error('the chart rendered no Deployment');
  return found;
}

/** The agent's DaemonSet among the rendered objects. @throws Error when there is none. */
export function daemonSetOf(objects: readonly KubeObject[]): DaemonSet {
  const found = objects.find((object): object is DaemonSet => object.kind === 'DaemonSet');
  if (found === undefined) throw new Error('the chart rendered no DaemonSet: agent.enabled is false');
  return found;
}
