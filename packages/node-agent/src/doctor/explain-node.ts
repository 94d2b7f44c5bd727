import { formatFinding } from '@static-ip/cni-config';
import { REASONS } from '../api/reasons.ts';
import { formatTags } from '../publish/format-tags.ts';
import { fine, note, problem } from './check.ts';
import type { Line } from './check.ts';
import type { DoctorFacts } from './facts.ts';
import { describeRoute } from './describe-route.ts';

/** What is to be said about the node: its file, its tags and who publishes them, masquerading, its own way out. */
export function explainNode(facts: DoctorFacts): readonly Line[] {
  return [...explainFile(facts), ...explainTags(facts), explainMasquerade(facts), ...explainAddress(facts)];
}

function explainFile({ read, cniConfDir }: DoctorFacts): readonly Line[] {
  const findings = read.findings.map((finding) =>
    finding.severity === 'info'
      ? note('configuration', formatFinding(finding))
      : problem(
          'configuration',
          formatFinding(finding),
          finding.intendedKey === undefined ? 'see the message' : `write ${finding.intendedKey}`,
        ),
  );
  if (read.chosen === undefined) return [note('file', `no usable file in ${cniConfDir}`), ...findings];
  const { file, config } = read.chosen;
  const why =
    config.plugin.type === 'cilium-cni'
      ? "the first with an entry of Cilium's"
      : `the first that the container runtime uses; its entry is ${config.plugin.type ?? 'without type'}`;
  const tags = config.ipam?.staticIpTags;
  const says = tags === undefined ? 'it has no static-ip-tags' : `it has ${formatTags(tags)}`;
  return [fine('file', `${file}: ${why}; ${says}`), ...findings];
}

function explainTags({ cluster, publish }: DoctorFacts): readonly Line[] {
  if (!cluster.ok)
    return [problem('api server', cluster.why, 'check --kubeconfig, the network and the rights of the account')];
  const { ciliumNode } = cluster.value;
  const published = note('published tags', publishedBy(ciliumNode?.tags, ciliumNode?.otherWriters ?? []));
  if (publish === undefined) return [published];
  const found = `${publish.reason}: ${publish.note}`;
  if (publish.step.kind === 'write') {
    return [
      published,
      problem(
        'publishing',
        found.replace('published', 'would publish'),
        'run the job publish on this node, with the right to patch its CiliumNode',
      ),
    ];
  }
  if (REASONS[publish.reason] !== 'Warning') return [published, fine('publishing', found)];
  return [published, problem('publishing', found, 'see the message')];
}

function publishedBy(tags: Readonly<Record<string, string>> | undefined, writers: readonly string[]): string {
  if (Object.keys(tags ?? {}).length === 0) return 'none';
  return `${formatTags(tags)}, written by ${writers.length === 0 ? 'this agent' : writers.join(' and ')}`;
}

function explainMasquerade({ masquerade, knowsInside, kernel }: DoctorFacts): Line {
  const found = { iptables: 'by iptables', bpf: 'by BPF programs of Cilium', off: 'off' }[masquerade];
  if (masquerade === 'bpf') {
    const fix =
      'set enable-bpf-masquerade to false in cilium-config: no rule of the host is asked before the BPF programs';
    return problem('masquerade', `${found}: pods leave with the address of the node`, fix);
  }
  if (!kernel.ok)
    return problem(
      'masquerade',
      `${found}; ${kernel.why}`,
      'run it as root on the node, with iproute2 and nftables installed',
    );
  if (!knowsInside) {
    return problem(
      'masquerade',
      `${found}; no network of the VPC is known`,
      'give --vpc-cidr, or set ipv4-native-routing-cidr in cilium-config',
    );
  }
  const missing = kernel.value.plan.steps.length;
  if (missing === 0) return fine('masquerade', `${found}; rules: ${kernel.value.plan.state}`);
  return problem(
    'masquerade',
    `${found}; the rules of the kernel are not as they should be`,
    'run the job no-masquerade on this node',
  );
}

function explainAddress({ cluster, kernel }: DoctorFacts): readonly Line[] {
  const route = kernel.ok ? [note('route', describeRoute(kernel.value.nodeRoute))] : [];
  if (!cluster.ok) return route;
  const { ciliumNode } = cluster.value;
  const address = ciliumNode?.assignedStaticIp;
  if (address !== undefined) return [...route, fine('public address', address)];
  if (Object.keys(ciliumNode?.tags ?? {}).length === 0) return [...route, note('public address', 'none was asked for')];
  const fix = 'ask the operator: kubectl get events -n default --field-selector involvedObject.kind=CiliumNode';
  return [...route, problem('public address', 'tags are published, and none was assigned yet', fix)];
}
