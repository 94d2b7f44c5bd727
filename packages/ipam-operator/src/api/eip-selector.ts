import { record, text, textMap } from './json.ts';
import type { RawRecord } from './json.ts';

/** Whose the address of an Eip shall be. */
export type EipSelector =
  | { readonly kind: 'pod'; readonly podName: string }
  /** One of the managed pods with these labels. */
  | { readonly kind: 'podLabels'; readonly labels: Readonly<Record<string, string>> }
  /** One of the managed nodes with these labels. */
  | { readonly kind: 'node'; readonly labels: Readonly<Record<string, string>> }
  /** Nobody's: `problem` says what to change, as a sentence without a full stop. */
  | { readonly kind: 'invalid'; readonly problem: string };

const CHOICES = 'spec.podName, spec.selector.pod.podName, spec.selector.pod.labels and spec.selector.node.selector';

/**
 * Reads the selector out of an Eip's spec, of either version. The server's rules refuse the invalid ones; but objects
 * that an older CRD admitted are stored as they were.
 * @throws TypeError for a label whose value is no text.
 */
export function parseEipSelector(spec: RawRecord): EipSelector {
  const selector = record(spec['selector']);
  const pod = record(selector?.['pod']);
  const found = [
    podNamed(spec['podName']),
    podNamed(pod?.['podName']),
    labelled('podLabels', pod?.['labels'], 'spec.selector.pod.labels'),
    labelled('node', record(selector?.['node'])?.['selector'], 'spec.selector.node.selector'),
  ].filter((choice) => choice !== undefined);
  const [only, ...others] = found;
  if (only === undefined) return { kind: 'invalid', problem: `set one of ${CHOICES}` };
  if (others.length > 0) return { kind: 'invalid', problem: `set only one of ${CHOICES}` };
  return only;
}

function podNamed(value: unknown): EipSelector | undefined {
  const podName = text(value);
  return podName === undefined ? undefined : { kind: 'pod', podName };
}

function labelled(kind: 'podLabels' | 'node', value: unknown, path: string): EipSelector | undefined {
  const labels = textMap(value, path);
  if (labels === undefined) return undefined;
  if (Object.keys(labels).length > 0) return { kind, labels };
  return { kind: 'invalid', problem: `${path} is empty and would match everything: name at least one label` };
}
