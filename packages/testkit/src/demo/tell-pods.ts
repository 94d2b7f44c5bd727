import { stringify } from 'yaml';
import { kubectl } from '../cluster/kubectl.ts';
import { AUTOCREATED } from '../world/eip-world.ts';
import { claimThat } from './claim-that.ts';
import {
  addEip,
  addPod,
  addPodNode,
  ALLOCATION_ID,
  EXTERNAL_DNS,
  removeEip,
  removePod,
  untilHolding,
  untilNoEip,
} from './eip-cast.ts';
import type { RunningPod } from './eip-cast.ts';
import type { Scene } from './scene.ts';
import type { Stage } from './stage.ts';

const NODE = 'node-5';
/** On the second interface of the node's instance. */
const [IP_1, IP_2, IP_3] = ['10.0.77.1', '10.0.77.2', '10.0.77.3'] as const;

/** Pods get, keep and release addresses. Afterwards the account holds exactly what it held before. */
export async function tellPods(scene: Scene): Promise<void> {
  const { stage } = scene;
  await addPodNode(stage, NODE, [{}, { secondaryIps: [IP_1, IP_2, IP_3] }]);
  const before = await allocated(stage);
  await tellAutocreated(scene, before);
  await tellFollowing(scene, before);
}

/** A pod that needs nothing but a label. */
async function tellAutocreated({ stage, narrator }: Scene, before: readonly string[]): Promise<void> {
  narrator.title('A pod gets an address of its own');
  const web: RunningPod = { name: 'web', node: NODE, ip: IP_1, labels: AUTOCREATED };
  const { allocationId, publicIp } = await narrator.tick(
    `pod web, labelled for it, on ${IP_1} of an ENI: allocated and associated`,
    async () => {
      await addPod(stage, web);
      return untilHolding(stage, web.name, web);
    },
  );
  narrator.show(await kubectl(stage.cluster, ['get', 'eips']), 'kubectl get eips');
  narrator.show(stringify({ annotations: { [ALLOCATION_ID]: allocationId, [EXTERNAL_DNS]: publicIp } }), 'on the pod');
  await narrator.tick('the pod goes: its Eip goes with it, and the address is released', async () => {
    await removePod(stage, web.name);
    await untilNoEip(stage, web.name);
    await claimAllocated(stage, before);
  });
}

/** An address that outlives the pods that have it. */
async function tellFollowing({ stage, narrator }: Scene, before: readonly string[]): Promise<void> {
  narrator.title('An Eip keeps its address while its pods come and go');
  const first: RunningPod = { name: 'mail', node: NODE, ip: IP_2 };
  const { publicIp } = await narrator.tick(`Eip mail names the pod mail, on ${first.ip}: associated`, async () => {
    await addEip(stage, 'mail', { selector: { pod: { podName: first.name } } });
    await addPod(stage, first);
    return untilHolding(stage, 'mail', first);
  });
  const next: RunningPod = { ...first, ip: IP_3 };
  const again = await narrator.tick(`the pod is created again, on ${next.ip}: the address follows`, async () => {
    await removePod(stage, first.name);
    await addPod(stage, next);
    return untilHolding(stage, 'mail', next);
  });
  claimThat(again.publicIp === publicIp, `mail has ${again.publicIp}, but had ${publicIp} before`);
  narrator.show(await kubectl(stage.cluster, ['get', 'eips']), 'kubectl get eips');
  await narrator.tick('the Eip is deleted: released, and no address of ours is left in the account', async () => {
    await removeEip(stage, 'mail');
    await claimAllocated(stage, before);
  });
  await removePod(stage, next.name);
}

async function claimAllocated(stage: Stage, wanted: readonly string[]): Promise<void> {
  const left = await allocated(stage);
  claimThat(
    left.join(' ') === wanted.join(' '),
    `the account holds the addresses ${left.join(', ')}, but held ${wanted.join(', ')} before`,
  );
}

/** The account's addresses, by their ids. */
async function allocated({ emulator }: Stage): Promise<readonly string[]> {
  const { addresses } = await emulator.controls.snapshot();
  return addresses.map(({ allocationId }) => allocationId).toSorted();
}
