import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AUTOCREATED, eventually, startChaosProxy, startEipWorld } from '@static-ip/testkit';
import type { ChaosProxy, Ec2Fault, EipWorld, OperatorProcess, RequestMatch } from '@static-ip/testkit';
import { OWNER_TAG } from '@static-ip/provider';
import { ANNOTATION } from '../api/names.ts';

const IP = '10.0.77.1';
const NEXT_IP = '10.0.77.2';
const WEB = '/apis/materialize.cloud/v2/namespaces/default/eips/web';
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';

let world: EipWorld;
let proxy: ChaosProxy;
let kubeconfig: string;
beforeAll(async () => {
  world = await startEipWorld();
  proxy = await startChaosProxy(world.cluster);
  kubeconfig = world.cluster.writeKubeconfig({ server: proxy.url });
}, 90_000);
beforeEach(async () => {
  await proxy.pass();
  await world.reset();
  proxy.clearJournal();
  await world.addPodNode({ name: 'n1', podIps: [IP, NEXT_IP] });
});
afterEach(() => expect(world.ec2.violations()).toEqual([]));
afterAll(async () => {
  await proxy.stop();
  await world.stop();
});

function until(isTrue: () => Promise<boolean> | boolean, timeoutMs = 15_000): Promise<true> {
  return eventually(isTrue, { timeoutMs });
}

/** Less than the ids of the hidden world stay hidden plus a margin; a successor does not look for longer. */
function start(): Promise<OperatorProcess> {
  return world.operator(['--visibility-window', '3s'], { kubeconfig });
}

/** The successor need not wait for the Lease to run out. */
async function killed(operator: OperatorProcess): Promise<void> {
  await operator.kill();
  await world.cluster.api.delete(LEASES);
}

/** Where the process dies. */
type Point =
  | { readonly at: 'cloud'; readonly action: string; readonly point: 'before-effect' | 'after-effect' }
  /** At the `nth` request of this kind: not answered, or not even served. */
  | { readonly at: 'api'; readonly match: RequestMatch; readonly nth: number; readonly action: 'stall' | 'loseReply' };

const cloud = (action: string): readonly Point[] => [
  { at: 'cloud', action, point: 'before-effect' },
  { at: 'cloud', action, point: 'after-effect' },
];

const api = (match: RequestMatch, nth = 1): readonly Point[] => [
  { at: 'api', match, nth, action: 'stall' },
  { at: 'api', match, nth, action: 'loseReply' },
];

/** Arms the point; the result resolves when an operator is there. */
async function arm(point: Point): Promise<() => Promise<() => void>> {
  if (point.at === 'cloud') {
    const fault: Ec2Fault = { kind: 'pause', point: point.point, action: point.action };
    const id = world.ec2.injectFault(fault);
    return async () => {
      await world.ec2.pauseReached({ id, timeoutMs: 15_000 });
      return () => {
        world.ec2.releasePause({ id });
      };
    };
  }
  const { match, nth } = point;
  const before = proxy.requests(match).length;
  if (nth > 1) proxy.fault({ match, action: { type: 'delay', ms: 0 }, times: nth - 1 });
  const disarm = proxy.fault({ match, action: { type: point.action }, times: 1 });
  return async () => {
    await until(() => proxy.requests(match).length >= before + nth);
    return disarm;
  };
}

interface Lifecycle {
  readonly name: string;
  /** Before the operator that dies; what it has done is there. */
  readonly given: () => Promise<void>;
  /** What happens then. */
  readonly when: () => Promise<void>;
  /** How it must end. */
  readonly ends: () => Promise<void>;
  readonly points: readonly Point[];
}

const nothing = async (): Promise<void> => undefined;
const EIP = { method: 'PATCH', resource: 'eips.materialize.cloud' };
const EIP_STATUS = { method: 'PATCH', resource: 'eips.materialize.cloud/status' };
const POD = { method: 'PATCH', resource: 'pods' };

async function addWeb(): Promise<void> {
  await world.addPod({ name: 'web-0', ip: IP });
  await world.addEip('web', { selector: { pod: { podName: 'web-0' } } });
}

async function expectAttached(privateIp: string): Promise<void> {
  const ip = await world.untilAttached('web', privateIp, { timeoutMs: 20_000 });
  await until(async () => (await world.pod('web-0'))?.metadata.annotations?.[ANNOTATION.externalDnsTarget] === ip);
  expect(world.ec2.snapshot().addresses.map(({ publicIp }) => publicIp)).toEqual([ip]);
}

async function expectGone(name: string): Promise<void> {
  await until(async () => (await world.eip(name)) === undefined, 20_000);
  expect(world.ec2.snapshot().addresses).toEqual([]);
}

const LIFECYCLES: readonly Lifecycle[] = [
  {
    name: 'obtaining and attaching',
    given: nothing,
    when: addWeb,
    ends: () => expectAttached(IP),
    points: [
      ...cloud('AllocateAddress'),
      ...cloud('AssociateAddress'),
      ...api(EIP),
      ...api(EIP_STATUS, 1),
      ...api(EIP_STATUS, 2),
      ...api(POD, 1),
      ...api(POD, 2),
    ],
  },
  {
    name: 'attaching once the pod has its private address',
    given: async () => {
      await world.addPod({ name: 'web-0' });
      await world.addEip('web', { selector: { pod: { podName: 'web-0' } } });
      await until(async () => (await world.eip('web'))?.status?.['publicIpAddress'] !== undefined);
    },
    when: () => world.setPodStatus('web-0', { phase: 'Running', podIP: IP, podIPs: [{ ip: IP }] }),
    ends: () => expectAttached(IP),
    points: [...cloud('AssociateAddress'), ...api(EIP_STATUS, 1), ...api(EIP_STATUS, 2), ...api(POD, 1)],
  },
  {
    name: 'following a pod that comes back',
    given: async () => {
      await addWeb();
      await world.untilAttached('web', IP);
    },
    when: async () => {
      await world.deletePod('web-0');
      await world.cluster.api.patch('/api/v1/namespaces/default/pods/web-0', { metadata: { finalizers: null } });
      await world.addPod({ name: 'web-0', ip: NEXT_IP });
    },
    ends: () => expectAttached(NEXT_IP),
    points: [...cloud('DisassociateAddress'), ...cloud('AssociateAddress'), ...api(EIP_STATUS, 1)],
  },
  {
    name: 'ending',
    given: async () => {
      await addWeb();
      await world.untilAttached('web', IP);
    },
    when: () => world.deleteEip('web'),
    ends: () => expectGone('web'),
    points: [...cloud('DisassociateAddress'), ...cloud('ReleaseAddress'), ...api(EIP)],
  },
  {
    name: 'ending with an address that is kept',
    given: async () => {
      await addWeb();
      await world.untilAttached('web', IP);
      await world.cluster.api.patch(WEB, { spec: { reclaimPolicy: 'Retain' } });
    },
    when: () => world.deleteEip('web'),
    ends: async () => {
      await until(async () => (await world.eip('web')) === undefined, 20_000);
      const kept = { association: undefined, tags: { [OWNER_TAG.reclaimPolicy]: 'Retain' } };
      expect(world.ec2.snapshot().addresses).toMatchObject([kept]);
    },
    points: [...cloud('CreateTags'), ...api(EIP)],
  },
  {
    name: 'an Eip of the pod’s own',
    given: nothing,
    when: () => world.addPod({ name: 'own', ip: IP, labels: AUTOCREATED }),
    ends: async () => {
      await world.untilAttached('own', IP, { timeoutMs: 20_000 });
      expect(world.ec2.snapshot().addresses).toHaveLength(1);
      await world.deletePod('own');
      await expectGone('own');
      await until(async () => (await world.pod('own')) === undefined);
    },
    points: [...api({ method: 'POST', resource: 'eips.materialize.cloud' }), ...cloud('AllocateAddress')],
  },
];

function nameOf(point: Point): string {
  if (point.at === 'cloud') return `${point.point} of ${point.action}`;
  return `${point.action} at ${point.match.method} ${point.match.resource} #${point.nth}`;
}

const CASES = LIFECYCLES.flatMap((lifecycle) =>
  lifecycle.points.map((point) => [lifecycle.name, nameOf(point), lifecycle, point] as const),
);

describe('an operator that is killed', () => {
  it.each(CASES)('B28: while %s, %s, leaves nothing undone and nothing behind', async (_l, _p, lifecycle, point) => {
    const first = await start();
    await lifecycle.given();
    const reached = await arm(point);
    await lifecycle.when();
    const release = await reached();
    await killed(first);
    release();
    await start();
    await lifecycle.ends();
    // A call that never had an effect is made again.
    const isLost = point.at === 'cloud' && point.action === 'AllocateAddress' && point.point === 'before-effect';
    expect(world.calls('AllocateAddress')).toBe(isLost ? 2 : 1);
  });

  it('B28, B46: after an allocation whose id stays hidden for a while allocates no second time', async () => {
    world.ec2.configure({ visibility: { hideNewMs: 2_000 } });
    await addWeb();
    const reached = await arm({ at: 'cloud', action: 'AllocateAddress', point: 'after-effect' });
    const first = await start();
    const release = await reached();
    await killed(first);
    release();
    await start();
    await expectAttached(IP);
    expect(world.calls('AllocateAddress')).toBe(1);
  });
});
