import { isIPv4 } from 'node:net';
import { record, text } from './json.ts';
import { ANNOTATION } from './names.ts';

/**
 * What the annotation of a pod says of its branch interface. It is a claim, not a fact: whoever may write the pod may write
 * it, so its private address must be the pod's own and the cloud must confirm the interface before either is used.
 */
export type PodEni =
  | { readonly eniId: string; readonly privateIp: string }
  /** Present, but unreadable; `problem` says why, as a sentence without a full stop. */
  | { readonly problem: string };

/**
 * Reads the annotation `vpc.amazonaws.com/pod-eni`: a JSON list whose first entry is the pod's branch interface.
 * Absent and "" are no annotation. Shape: https://github.com/aws/amazon-vpc-resource-controller-k8s
 */
export function parsePodEni(annotation: string | undefined): PodEni | undefined {
  if (annotation === undefined || annotation === '') return undefined;
  const list = parseJson(annotation);
  if (!Array.isArray(list)) return { problem: `annotation ${ANNOTATION.podEni} is not a JSON list` };
  const first = record(list[0]);
  const eniId = text(first?.['eniId']);
  if (eniId === undefined || !/^eni-[0-9a-f]+$/.test(eniId)) {
    return { problem: `annotation ${ANNOTATION.podEni}: [0].eniId is not the id of a network interface` };
  }
  const privateIp = text(first?.['privateIp']);
  if (privateIp === undefined || !isIPv4(privateIp)) {
    return { problem: `annotation ${ANNOTATION.podEni}: [0].privateIp is not an IPv4 address` };
  }
  return { eniId, privateIp };
}

function parseJson(from: string): unknown {
  try {
    return JSON.parse(from);
  } catch {
    // Told as a problem of the annotation by the caller, which finds no list.
    return undefined;
  }
}
