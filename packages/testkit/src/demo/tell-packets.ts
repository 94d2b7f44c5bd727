import { eventually } from '../cluster/eventually.ts';
import { createNetnsLab } from '../netns/lab.ts';
import type { NetnsLab } from '../netns/lab.ts';
import { NODE_PUBLIC, OUTSIDE, VPC, VPC_HOST } from '../netns/plan-of-lab.ts';
import type { LabPod } from '../netns/plan-of-lab.ts';
import { missingForLab } from '../netns/requirements.ts';
import { createAgentOnNode } from './agent-on-node.ts';
import type { AgentOnNode } from './agent-on-node.ts';
import { PATIENCE_MS } from './cast.ts';
import { claimThat } from './claim-that.ts';
import { addEip, addPod, addPodNode, eipCondition, removeEip, removePod, untilHolding } from './eip-cast.ts';
import type { RunningPod } from './eip-cast.ts';
import type { Scene } from './scene.ts';
import type { Stage } from './stage.ts';

const NODE = 'node-6';

/**
 * Real packets of a pod, in network namespaces: they leave with the pod's own address where the node agent runs. Skipped
 * with a line that says why where there can be no such namespaces.
 */
export async function tellPackets(scene: Scene): Promise<void> {
  const { stage, narrator } = scene;
  narrator.title('Packets of a pod leave with its own address');
  const missing = missingForLab();
  if (missing !== undefined) return narrator.say(`Skipped: ${missing}`);
  const lab = await narrator.tick(
    'a node with 2 ENIs, pods and Cilium’s rules, a cloud router, a partner outside: in network namespaces',
    buildLab,
  );
  let agent: AgentOnNode | undefined;
  try {
    const pod = await tellHolder(scene, lab);
    agent = await createAgentOnNode(stage, NODE, lab.node);
    await tellAgent(scene, lab, agent);
    await removeEip(stage, pod.name);
    await removePod(stage, pod.name);
  } finally {
    await agent?.close();
    await lab.close();
  }
}

async function buildLab(): Promise<NetnsLab> {
  const lab = await createNetnsLab({ subnets: 'several' });
  try {
    await lab.installCilium({ backend: 'nft', egressRule: 'vpc', masquerade: 'ens+' });
    return lab;
  } catch (error) {
    await lab.close();
    throw error;
  }
}

/** The pod of the laboratory gets, by an Eip, the address that the laboratory's router maps to it. */
async function tellHolder({ stage, narrator }: Scene, lab: NetnsLab): Promise<RunningPod> {
  const { name, ip, publicIp = '' } = lab.pods.holder1;
  const pod: RunningPod = { name, ip, node: NODE };
  await narrator.tick(`pod ${name} on ${ip} of the second ENI: an Eip gives it ${publicIp}`, async () => {
    await addLabNode(stage, lab);
    const { allocationId } = await stage.emulator.controls.addAddress({ publicIp });
    await addEip(stage, name, { selector: { pod: { podName: name } }, allocationId });
    await addPod(stage, pod);
    await untilHolding(stage, name, pod);
  });
  return pod;
}

/** The same node in the cloud: its interfaces in subnets of a VPC of their own. */
async function addLabNode(stage: Stage, { enis, pods }: NetnsLab): Promise<void> {
  const { controls } = stage.emulator;
  const vpc = await controls.addVpc({ cidr: VPC });
  const interfaces = await Promise.all(
    enis.map(async ({ index, ip, gateway }) => {
      const subnet = await controls.addSubnet({ vpcId: vpc.id, cidr: gateway.replace(/\d+$/, '0/24') });
      const ofPods = Object.values(pods).filter(({ eni }) => eni === index);
      return { subnetId: subnet.id, privateIp: ip, secondaryIps: ofPods.map((pod) => pod.ip) };
    }),
  );
  await addPodNode(stage, NODE, interfaces);
}

async function tellAgent({ stage, narrator, signal }: Scene, lab: NetnsLab, agent: AgentOnNode): Promise<void> {
  const { holder1: pod, plain1: other } = lab.pods;
  const own = pod.publicIp ?? '';
  const rules = await rulesOf(lab);
  await narrator.tick(`without the agent the partner sees the node’s ${NODE_PUBLIC}`, () =>
    claimSeen(lab, pod, NODE_PUBLIC),
  );
  const running = await narrator.tick(`static-ip-agent run: the partner sees the pod’s own ${own}`, async () => {
    const started = await agent.start(async () => (await seenOutside(lab, pod)).tcp === own, signal);
    await claimSeen(lab, pod, own);
    return started;
  });
  await claimOthersUnchanged(lab, pod, other);
  narrator.say('A pod without an Eip still leaves with the node’s, and hosts of the VPC see private addresses');
  await narrator.tick('the agent’s verdict is on the Eip: EgressVerified', () => untilVerified(stage, pod.name));
  await narrator.tick('kill -9 of the agent: its rules stay, and the partner still sees the pod’s own', async () => {
    process.kill(running.pid, 'SIGKILL');
    await running.stop(0);
    await claimSeen(lab, pod, own);
  });
  await narrator.tick('static-ip-agent cleanup: every rule of ours is gone, the partner sees the node’s', async () => {
    await agent.cleanUp();
    const left = await rulesOf(lab);
    claimThat(left === rules, `the rules are\n${left}\nbut were\n${rules}`);
    await claimSeen(lab, pod, NODE_PUBLIC);
  });
}

interface Seen {
  readonly tcp: string;
  readonly udp: string;
}

/** The source addresses that the host outside saw of new flows of the pod. */
async function seenOutside(lab: NetnsLab, pod: LabPod): Promise<Seen> {
  const from = lab.podNamespace(pod);
  return {
    tcp: await lab.ask(from, 'tcp', { host: OUTSIDE }),
    udp: await lab.ask(from, 'udp', { host: OUTSIDE }),
  };
}

async function claimSeen(lab: NetnsLab, pod: LabPod, wanted: string): Promise<void> {
  const { tcp, udp } = await seenOutside(lab, pod);
  claimThat(tcp === wanted && udp === wanted, `the partner sees ${tcp} by TCP and ${udp} by UDP, not ${wanted}`);
}

async function claimOthersUnchanged(lab: NetnsLab, pod: LabPod, other: LabPod): Promise<void> {
  await claimSeen(lab, other, NODE_PUBLIC);
  const inside = await lab.ask(lab.podNamespace(pod), 'tcp', { host: VPC_HOST });
  claimThat(inside === pod.ip, `a host of the VPC sees ${inside}, not ${pod.ip}`);
}

async function untilVerified(stage: Stage, eip: string): Promise<void> {
  await eventually(
    async () => {
      const verdict = await eipCondition(stage, eip, 'EgressVerified');
      if (verdict !== 'True SourceKept') throw new Error(`EgressVerified of Eip ${eip} is ${verdict ?? 'not there'}`);
    },
    { timeoutMs: PATIENCE_MS, intervalMs: 50 },
  );
}

/** All that decides about the node's packets, without counters. */
function rulesOf({ node }: NetnsLab): Promise<string> {
  return node.run(['sh', '-ec', 'ip -4 -d rule show; ip -4 route show table all; nft -s list ruleset']);
}
