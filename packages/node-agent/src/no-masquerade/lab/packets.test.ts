import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { createNetnsLab, IMDS, NODE_PORT, NODE_PUBLIC, OUTSIDE, SERVICE, VPC_HOST } from '@static-ip/testkit';
import type { Cilium, CiliumOptions, LabPod, NetnsLab } from '@static-ip/testkit';
import { cleanUp } from '../clean-up.ts';
import { createSynchroniser } from '../synchronise.ts';
import { kernelOf, snapshotOf, surroundings } from './agent-in-lab.ts';
import { inLab } from './in-lab.ts';

const NEVER = new AbortController().signal;

/** What one row of the scheme's table must show: whether the pod's rule is needed, and what happens without an agent. */
interface Row extends Omit<CiliumOptions, 'backend'> {
  readonly needsRule: boolean;
  /** The source the outside sees of the pods that hold an address, without the agent; undefined: nothing arrives. */
  readonly before: { readonly holder0: 'node'; readonly holder1: 'node' | 'own' | undefined };
}

const ROWS: readonly Row[] = [
  {
    egressRule: 'vpc',
    masquerade: 'ens+',
    needsRule: true,
    before: { holder0: 'node', holder1: 'node' },
  },
  {
    egressRule: 'vpc',
    masquerade: 'ens5',
    needsRule: true,
    before: { holder0: 'node', holder1: 'node' },
  },
  {
    egressRule: 'unconditional',
    masquerade: 'ens+',
    needsRule: false,
    before: { holder0: 'node', holder1: undefined },
  },
  {
    egressRule: 'unconditional',
    masquerade: 'ens5',
    needsRule: false,
    before: { holder0: 'node', holder1: 'own' },
  },
];

/** The sources that the far sides saw, by what was tried. */
type Sources = Readonly<Record<string, string>>;

const targets = { vpc: VPC_HOST, imds: IMDS, node: '10.0.0.10' };

/** What must not change: everything but what the pods with an address say to the outside. */
async function observeOthers(lab: NetnsLab): Promise<Sources> {
  const { holder0, holder1, plain0, plain1 } = lab.pods;
  const from = (pod: LabPod) => lab.podNamespace(pod);
  const tries = [
    ...Object.values(lab.pods).flatMap((pod) =>
      Object.entries(targets).map(([name, host]) => [`${pod.name} → ${name}`, from(pod), 'tcp', { host }] as const),
    ),
    ['holder1 → holder0', from(holder1), 'udp', { host: holder0.ip }] as const,
    ['holder1 → plain1', from(holder1), 'tcp', { host: plain1.ip }] as const,
    ['plain0 → holder1', from(plain0), 'tcp', { host: holder1.ip }] as const,
    ['vpc → holder1', lab.vpcHost, 'tcp', { host: holder1.ip }] as const,
    ['node → holder1', lab.node, 'tcp', { host: holder1.ip }] as const,
    ['plain0 → outside', from(plain0), 'tcp', { host: OUTSIDE }] as const,
    ['plain1 → outside', from(plain1), 'udp', { host: OUTSIDE, timeoutMs: 500 }] as const,
    ['service', from(plain0), 'tcp', { host: SERVICE }] as const,
    ['hairpin', from(holder1), 'tcp', { host: SERVICE }] as const,
    ['node port', lab.outside, 'tcp', { host: NODE_PUBLIC, port: NODE_PORT }] as const,
  ];
  const seen = await Promise.all(
    tries.map(async ([name, ns, protocol, to]) => [name, await lab.ask(ns, protocol, to)]),
  );
  return Object.fromEntries(seen);
}

/** What the outside sees of the pods with an address, and whether it reaches them. */
async function observeHolders(lab: NetnsLab, timeoutMs = 1_500): Promise<Sources> {
  const { holder0, holder1 } = lab.pods;
  await lab.cloud.forget();
  const asked = await Promise.all(
    [holder0, holder1].flatMap((pod) => [
      ...(['tcp', 'udp'] as const).map(async (protocol) => {
        const source = await lab.ask(lab.podNamespace(pod), protocol, { host: OUTSIDE, timeoutMs });
        return [`${pod.name} ${protocol}`, source];
      }),
      lab.ping(lab.podNamespace(pod), OUTSIDE).then(() => []),
    ]),
  );
  const pings = (await lab.cloud.seen()).filter(({ to, protocol }) => to === OUTSIDE && protocol === 'icmp');
  const icmp = pings.map(({ from, eni }) => [`icmp from ${from}`, `eni ${eni}`]);
  return Object.fromEntries([...asked.filter((one) => one.length > 0), ...icmp]);
}

const inbound = (lab: NetnsLab, pod: LabPod, protocol: 'tcp' | 'udp' = 'tcp'): Promise<string> =>
  lab.ask(lab.outside, protocol, { host: pod.publicIp ?? '' });

for (const subnets of ['same', 'several'] as const) {
  inLab(`packets of a node with two interfaces, subnets: ${subnets}`, () => {
    let lab: NetnsLab;
    beforeAll(async () => {
      lab = await createNetnsLab({ subnets });
    }, 60_000);
    afterAll(() => lab?.close());
    let cilium: Cilium | undefined;
    afterEach(async () => {
      await cleanUp(kernelOf(lab), surroundings, NEVER);
      await cilium?.remove();
    });

    const cases = ROWS.flatMap((row) => (['nft', 'legacy'] as const).map((backend) => ({ ...row, backend })));

    it.each(cases)(
      'B21: leave with the pods’ own addresses: rule 111 $egressRule, MASQUERADE -o $masquerade, iptables-$backend',
      async ({ needsRule, before, ...options }) => {
        const { holder0, holder1 } = lab.pods;
        cilium = await lab.installCilium(options);
        const clean = await snapshotOf(lab);
        const others = await observeOthers(lab);
        const expected = { node: NODE_PUBLIC, own: holder1.publicIp, none: 'none: timeout' };
        expect(await observeHolders(lab, before.holder1 === undefined ? 500 : undefined)).toMatchObject({
          'holder0 tcp': NODE_PUBLIC,
          'holder1 tcp': expected[before.holder1 ?? 'none'],
          'holder1 udp': expected[before.holder1 ?? 'none'],
        });

        const kernel = kernelOf(lab);
        const input = { ...surroundings, pods: [holder0.ip, holder1.ip], nodeWide: false, thorough: true };
        const plan = await createSynchroniser(kernel).pass(input, NEVER);
        expect(plan.state).toBe('active');
        const own = (await kernel.read({ withPeerMarks: false }, NEVER)).rules.filter(
          ({ protocol }) => protocol === 201,
        );
        expect(own.map(({ from }) => from)).toEqual(needsRule ? [`${holder1.ip}/32`, `${holder1.ip}/32`] : []);

        expect(await observeHolders(lab)).toEqual({
          'holder0 tcp': holder0.publicIp,
          'holder0 udp': holder0.publicIp,
          'holder1 tcp': holder1.publicIp,
          'holder1 udp': holder1.publicIp,
          [`icmp from ${holder0.ip}`]: 'eni 0',
          [`icmp from ${holder1.ip}`]: 'eni 1',
        });
        for (const pod of [holder0, holder1]) {
          expect(await inbound(lab, pod)).toBe(OUTSIDE);
          expect(await inbound(lab, pod, 'udp')).toBe(OUTSIDE);
        }
        expect(await lab.cloud.dropped()).toEqual([]);
        expect(await observeOthers(lab)).toEqual(others);

        await cleanUp(kernel, surroundings, NEVER);
        expect(await snapshotOf(lab)).toBe(clean);
      },
      60_000,
    );
  });
}
