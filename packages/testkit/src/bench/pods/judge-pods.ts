import type { KubeObject } from '../../cluster/kube-object.ts';
import type { WorldSnapshot } from '../../ec2/control/controls.ts';
import type { Address } from '../../ec2/core/model.ts';
import type { Verdict } from '../claimants.ts';
import type { BenchPod } from './pod-places.ts';

/** The fields of an Eip that the judgement is about. */
export interface EipObject extends KubeObject {
  readonly status?: {
    readonly allocationId?: string;
    readonly publicIpAddress?: string;
    readonly privateIpAddress?: string;
    readonly eni?: string;
    readonly resourceId?: string;
  };
}

/** All that the judgement rests on. */
export interface PodEvidence {
  readonly pods: readonly BenchPod[];
  /** By name, as the API server has them. */
  readonly podObjects: ReadonlyMap<string, KubeObject>;
  readonly eips: ReadonlyMap<string, EipObject>;
  readonly addresses: WorldSnapshot['addresses'];
  /** Allocation id by pod name, where a pod is to have the address that it had before. */
  readonly kept?: ReadonlyMap<string, string> | undefined;
}

export const EXTERNAL_DNS = 'external-dns.alpha.kubernetes.io/target';
export const ALLOCATION_ID = 'eip.materialize.cloud/allocation_id';
const EIP_UID = 'eip.materialize.cloud/eip_uid';

/**
 * Right is a pod with an address on its own private one, made for its own Eip, that its annotations and the Eip's status
 * name, and no other pod shows.
 */
export function judgePods(evidence: PodEvidence): Verdict {
  const shown = new Set<string>();
  const right: Verdict['right'][number][] = [];
  const wrong: string[] = [];
  for (const pod of evidence.pods) {
    const { [EXTERNAL_DNS]: ip = '', [ALLOCATION_ID]: allocationId = '' } =
      evidence.podObjects.get(pod.name)?.metadata.annotations ?? {};
    const fault = shown.has(ip) ? `shows ${ip}, as another pod does` : faultOf(pod, { ip, allocationId }, evidence);
    if (fault === undefined) right.push({ name: pod.name, allocationId });
    else wrong.push(`${pod.name} ${fault}`);
    if (ip !== '') shown.add(ip);
  }
  return { right, wrong };
}

interface Shown {
  readonly ip: string;
  readonly allocationId: string;
}

function faultOf(pod: BenchPod, { ip, allocationId }: Shown, evidence: PodEvidence): string | undefined {
  if (ip === '' || allocationId === '') return 'lacks an annotation';
  const address = evidence.addresses.find((one) => one.allocationId === allocationId);
  const eip = evidence.eips.get(pod.name);
  const kept = evidence.kept?.get(pod.name) ?? allocationId;
  if (kept !== allocationId) return `shows ${allocationId}, and had ${kept}`;
  return addressFault(pod, ip, address) ?? eipFault(pod, { ip, allocationId }, { eip, address });
}

function addressFault(pod: BenchPod, ip: string, address: Address | undefined): string | undefined {
  if (address?.publicIp !== ip) return `shows ${ip}, which is not the address that it names`;
  const { privateIp, interfaceId } = address.association ?? {};
  const isThere = privateIp === pod.privateIp && interfaceId === pod.interfaceId;
  return isThere ? undefined : `shows ${ip}, which is on ${privateIp ?? 'nothing'}`;
}

interface Pair {
  readonly eip: EipObject | undefined;
  readonly address: Address | undefined;
}

function eipFault(pod: BenchPod, { ip, allocationId }: Shown, { eip, address }: Pair): string | undefined {
  if (eip === undefined) return 'has no Eip of its name';
  if (address?.tags[EIP_UID] !== eip.metadata.uid) return `shows ${ip}, which was not made for its Eip`;
  const { status = {} } = eip;
  const expected = {
    allocationId,
    publicIpAddress: ip,
    privateIpAddress: pod.privateIp,
    eni: pod.interfaceId,
    resourceId: pod.name,
  };
  const said = new Map<string, unknown>(Object.entries(status));
  const wrong = Object.entries(expected).find(([field, value]) => said.get(field) !== value);
  return wrong && `has an Eip whose status does not say ${wrong[0]} ${wrong[1]}`;
}
