import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { createNetnsLab, OUTSIDE } from '@static-ip/testkit';
import type { Cilium, LabPod, NetnsLab } from '@static-ip/testkit';
import { cleanUp } from '../clean-up.ts';
import { createCommandRunner } from '../command.ts';
import { formatRule } from '../ip-rule.ts';
import { createNodeKernel } from '../node-kernel.ts';
import { synchronise } from '../synchronise.ts';
import type { KernelPort, PassInput } from '../synchronise.ts';
import { kernelOf, snapshotOf, surroundings } from './agent-in-lab.test.fixture.ts';
import { inLab } from './in-lab.test.fixture.ts';

const NEVER = new AbortController().signal;

/** Rules that look like ours or the predecessor's, and are somebody else's. */
const FOREIGN_RULES = [
  'priority 200 from 10.9.9.9/32 table 99 protocol 3',
  'priority 200 from 10.0.1.40/32 table 99 protocol 3',
  'priority 100 from 10.9.9.9/32 table 11 protocol 0',
  'priority 100 from 10.0.1.40/32 to 192.0.2.0/24 table 12 protocol 0',
  'priority 200 fwmark 0x1/0xff table 11 protocol 0',
  'priority 202 from 10.0.1.40/32 table 99 protocol 201',
];

/** What a thorough pass for these pods looks at. */
const inputFor = (...pods: readonly LabPod[]): PassInput => ({
  ...surroundings,
  pods: pods.map(({ ip }) => ip),
  nodeWide: false,
  thorough: true,
});

/** The rules of one pod on the second interface. */
const setOf = (pod: LabPod): readonly string[] => [
  `priority 199 from ${pod.ip}/32 to 169.254.0.0/16 table 254 protocol 201`,
  `priority 200 from ${pod.ip}/32 table 11 protocol 201`,
];

inLab('rules of a node on which everything happens', () => {
  let lab: NetnsLab;
  let kernel: KernelPort;
  let cilium: Cilium;

  beforeAll(async () => {
    lab = await createNetnsLab({ subnets: 'several' });
    kernel = kernelOf(lab);
  }, 60_000);
  afterAll(() => lab?.close());
  beforeEach(async () => {
    cilium = await lab.installCilium({ backend: 'nft', egressRule: 'vpc', masquerade: 'ens+' });
  });
  afterEach(async () => {
    await cleanUp(kernel, surroundings, NEVER);
    await cilium.remove();
  });

  const passFor = (...pods: readonly LabPod[]) => synchronise(kernel, inputFor(...pods), NEVER);
  const ipBatch = (lines: readonly string[]) => lab.node.run(['ip', '-batch', '-'], `${lines.join('\n')}\n`);
  /** What is ours in the kernel, in short. */
  const ours = async () => {
    const { rules, table } = await kernel.read({ withPeerMarks: true }, NEVER);
    const own = rules.filter(({ protocol, priority }) => protocol === 201 && priority !== 202);
    return { rules: own.map(formatRule), pods: [...(table?.pods ?? [])].toSorted() };
  };
  const askOutside = (pod: LabPod, protocol: 'tcp' | 'udp' = 'tcp') =>
    lab.ask(lab.podNamespace(pod), protocol, { host: OUTSIDE });

  it.each(['nft', 'legacy'] as const)(
    'no new flow is masqueraded while Cilium rebuilds its chains in iptables-%s',
    async (backend) => {
      await cilium.remove();
      cilium = await lab.installCilium({ backend, egressRule: 'vpc', masquerade: 'ens+' });
      const { holder0, holder1 } = lab.pods;
      await passFor(holder0, holder1);
      const rebuilt = new AbortController();
      const rebuilds = (async () => {
        for (let round = 0; round < 4; round += 1) await cilium.rebuild();
        rebuilt.abort();
      })();
      const sources: string[] = [];
      while (!rebuilt.signal.aborted || sources.length < 200) {
        const flows = [holder0, holder1].flatMap((pod) => [askOutside(pod, 'tcp'), askOutside(pod, 'udp')]);
        sources.push(...(await Promise.all(flows)));
      }
      await rebuilds;
      expect(sources.length).toBeGreaterThanOrEqual(200);
      expect(new Set(sources)).toEqual(new Set([holder0.publicIp, holder1.publicIp]));
    },
    60_000,
  );

  it('B64: after a death at any step, the next run leaves exactly the rules of the pods that are left', async () => {
    const { holder1, plain1, holder0 } = lab.pods;
    await ipBatch(FOREIGN_RULES.map((rule) => `rule add ${rule}`));
    const clean = await snapshotOf(lab);
    const { steps } = await passFor(holder0, holder1, plain1);
    expect(steps.map(({ kind }) => kind)).toEqual(['nft', 'ipRules', 'flows']);
    const all = await ours();
    await cleanUp(kernel, surroundings, NEVER);
    for (let survived = 0; survived <= steps.length; survived += 1) {
      // Dies before step number `survived` of setting up…
      await expect(
        synchronise(dyingAfter(survived, kernel), inputFor(holder0, holder1, plain1), NEVER),
      ).rejects.toThrow('killed');
      // …and a pod goes while nobody looks.
      await passFor(holder0, holder1);
      expect(await ours()).toEqual({ rules: setOf(holder1), pods: [holder0.ip, holder1.ip] });
      await passFor(holder0, holder1, plain1);
      expect(await ours()).toEqual(all);
      await expect(synchronise(dyingAfter(survived, kernel), inputFor(), NEVER)).rejects.toThrow('killed');
      await passFor(holder1);
      expect(await ours()).toEqual({ rules: setOf(holder1), pods: [holder1.ip] });
      await cleanUp(kernel, surroundings, NEVER);
      expect(await snapshotOf(lab)).toBe(clean);
    }
    await ipBatch(FOREIGN_RULES.map((rule) => `rule del ${rule}`));
  }, 60_000);

  it('B64: a second pass over a settled node changes nothing', async () => {
    const { holder0, holder1 } = lab.pods;
    await synchronise(kernel, inputFor(holder0, holder1), NEVER);
    const before = await snapshotOf(lab);
    const { steps } = await synchronise(kernel, { ...inputFor(holder0, holder1), thorough: false }, NEVER);
    expect(steps).toEqual([]);
    // Another process finds it right, too: it recognises what the first one wrote.
    const again = await synchronise(kernel, { ...inputFor(holder0, holder1), thorough: false }, NEVER);
    expect(again.steps).toEqual([]);
    expect(await snapshotOf(lab)).toBe(before);
  });

  it('B64: an address that an unmanaged pod has now is left alone again, and its connections with it', async () => {
    const { holder1 } = lab.pods;
    await passFor(holder1);
    const resident = await lab.podNamespace(holder1).resident();
    const open = { op: 'open', key: 'reused', protocol: 'udp', host: OUTSIDE, port: 8080 } as const;
    expect(await resident.request(open)).toEqual({ source: holder1.publicIp });
    await passFor();
    expect(await ours()).toEqual({ rules: [], pods: [] });
    // The flow that was bound to the pod's own address would be dropped by the cloud for ever.
    expect(await resident.request({ op: 'again', key: 'reused' })).toEqual({ source: '203.0.113.10' });
    expect(await askOutside(holder1)).toBe('203.0.113.10');
  });

  it('a renamed interface changes nothing', async () => {
    const { holder1 } = lab.pods;
    await synchronise(kernel, inputFor(holder1), NEVER);
    await ipBatch(['link set ens6 name renamed0']);
    const { steps } = await synchronise(kernel, { ...inputFor(holder1), thorough: false }, NEVER);
    expect(steps).toEqual([]);
    expect(await askOutside(holder1)).toBe(holder1.publicIp);
    await ipBatch(['link set renamed0 name ens6']);
  });

  it('a pod is not exempt before the interface of its address is there, and is once it is', async () => {
    const { holder0, holder1 } = lab.pods;
    await ipBatch(['route del default table 11']);
    const early = await passFor(holder0, holder1);
    expect(early.waiting).toEqual([{ ip: holder1.ip, reason: 'NoDefaultRoute' }]);
    expect(await ours()).toEqual({ rules: [], pods: [holder0.ip] });
    expect(await askOutside(holder1)).toBe('203.0.113.10');
    await ipBatch([`route add default via ${lab.enis[1].gateway} dev ens6 table 11`]);
    const late = await passFor(holder0, holder1);
    expect(late.waiting).toEqual([]);
    expect(await ours()).toEqual({ rules: setOf(holder1), pods: [holder0.ip, holder1.ip] });
    expect(await askOutside(holder1)).toBe(holder1.publicIp);
  });

  it('a pod for which Cilium has made no rule yet waits', async () => {
    const { holder1 } = lab.pods;
    await cilium.forgetPod(holder1);
    expect((await passFor(holder1)).waiting).toEqual([{ ip: holder1.ip, reason: 'NoPodRule' }]);
    expect(await ours()).toEqual({ rules: [], pods: [] });
    await cilium.addPod(holder1);
    expect((await passFor(holder1)).waiting).toEqual([]);
  });

  it.each(['nft', 'legacy'] as const)(
    'B64: removes what the predecessor’s two schemes left, and nothing that only looks like it: iptables-%s',
    async (backend) => {
      await cilium.remove();
      cilium = await lab.installCilium({ backend, egressRule: 'vpc', masquerade: 'ens+' });
      await ipBatch(FOREIGN_RULES.map((rule) => `rule add ${rule}`));
      const users = [
        '-A CILIUM_PRE_mangle -i eth1 -j CONNMARK --set-xmark 0x1/0xff',
        '-A CILIUM_PRE_mangle -i eth1 -j CONNMARK --set-xmark 0x2/0xf',
        '-A PREROUTING -i eth1 -j CONNMARK --set-xmark 0x1/0xf',
      ];
      const restore = (lines: readonly string[]) =>
        lab.node.run([`iptables-${backend}-restore`, '--noflush'], `*mangle\n${lines.join('\n')}\nCOMMIT\n`);
      await restore(users);
      const clean = await snapshotOf(lab);
      await restore([
        '-A CILIUM_PRE_mangle -i lxc+ -j CONNMARK --restore-mark --nfmask 0xf --ctmask 0xf',
        ...[1, 2, 10].map(
          (n) =>
            `-A CILIUM_PRE_mangle -i eth${n} -m comment --comment "old" -j CONNMARK --set-xmark 0x${n.toString(16)}/0xf`,
        ),
      ]);
      await ipBatch([
        ...[1, 2, 15].map((n) => `rule add priority 200 fwmark ${n}/0xf table ${10 + n} protocol 0`),
        'rule add priority 100 from 10.0.1.40/32 table 11 protocol 0',
        'rule add priority 100 from 10.0.1.77/32 table 11 protocol 0',
      ]);
      expect(await snapshotOf(lab)).not.toBe(clean);
      await passFor();
      expect(await snapshotOf(lab)).toBe(clean);
      await ipBatch(FOREIGN_RULES.map((rule) => `rule del ${rule}`));
    },
  );

  it('a leftover that the kernel would confuse with a user’s rule stays, and is named', async () => {
    const users = 'priority 100 from 10.0.1.40/32 to 192.0.2.0/24 table 11 protocol 3';
    await ipBatch([`rule add ${users}`]);
    const peers = { priority: 100, from: '10.0.1.40/32', table: 11, protocol: 0 };
    await ipBatch([`rule add ${formatRule(peers)}`]);
    const before = await snapshotOf(lab);
    const plan = await passFor();
    expect(plan.ambiguous).toEqual([peers]);
    expect(await snapshotOf(lab)).toBe(before);
    await ipBatch([`rule del ${users}`]);
    expect((await passFor()).ambiguous).toEqual([]);
    expect((await kernel.read({ withPeerMarks: false }, NEVER)).rules).not.toContainEqual(peers);
  });

  it('node-wide: an unmanaged pod’s replies leave by the interface the request came in by, all else as before', async () => {
    const { holder1, plain0 } = lab.pods;
    const inbound = (protocol: 'tcp' | 'udp') =>
      lab.ask(lab.outside, protocol, { host: holder1.publicIp ?? '', timeoutMs: 700 });
    expect(await inbound('tcp')).toBe('none: timeout');
    await synchronise(kernel, { ...inputFor(), nodeWide: true }, NEVER);
    expect(await inbound('tcp')).toBe(OUTSIDE);
    expect(await inbound('udp')).toBe(OUTSIDE);
    await cilium.rebuild();
    expect(await inbound('tcp')).toBe(OUTSIDE);
    expect(await askOutside(holder1)).toBe('203.0.113.10');
    expect(await lab.ask(lab.outside, 'tcp', { host: '203.0.113.10', port: 30080 })).toBe(OUTSIDE);
    expect(await lab.ask(lab.podNamespace(plain0), 'tcp', { host: holder1.ip })).toBe(plain0.ip);
    const again = await synchronise(kernel, { ...inputFor(), nodeWide: true, thorough: false }, NEVER);
    expect(again.steps).toEqual([]);
  });

  it('long UDP flows change over at once; TCP goes on with the node’s address, or is reset when asked to', async () => {
    const { holder1, holder0 } = lab.pods;
    const resident = await lab.podNamespace(holder1).resident();
    const open = async (key: string, protocol: 'tcp' | 'udp', host = OUTSIDE) =>
      resident.request({ op: 'open', key, protocol, host, port: 8080 });
    const again = (key: string) => resident.request({ op: 'again', key });
    const node = { source: '203.0.113.10' };
    expect(await open('udp', 'udp')).toEqual(node);
    expect(await open('tcp', 'tcp')).toEqual(node);
    await open('vpc', 'tcp', holder0.ip);
    await again('udp'); // answered more than once: conntrack calls it assured
    await passFor(holder1);
    expect(await again('udp')).toEqual({ source: holder1.publicIp });
    expect(await again('tcp')).toEqual(node);
    await synchronise(kernelOf(lab, { resetTcp: true }), inputFor(holder1), NEVER);
    expect(await again('tcp')).toEqual({ error: 'ECONNRESET' });
    expect(await again('vpc')).toEqual({ source: holder1.ip });
  });

  it('B60: needs no capability but NET_ADMIN to set up, to drop connections and to clean up', async () => {
    const { holder0, holder1 } = lab.pods;
    const clean = await snapshotOf(lab);
    const only = ['setpriv', '--bounding-set=-all,+net_admin', '--inh-caps=-all', '--no-new-privs'];
    const prefix = [...lab.node.prefix, ...only];
    const limited = createNodeKernel({ prefix, procNet: `/proc/${lab.node.pid}/net`, resetTcp: true });
    const status = await createCommandRunner(prefix)({ program: 'cat', args: ['/proc/self/status'] }, NEVER);
    expect(status.stdout).toMatch(/^CapEff:\s+0000000000001000$/m);
    expect(await askOutside(holder1, 'udp')).toBe('203.0.113.10');
    await synchronise(limited, { ...inputFor(holder0, holder1), nodeWide: true }, NEVER);
    expect(await askOutside(holder1, 'udp')).toBe(holder1.publicIp);
    await cleanUp(limited, surroundings, NEVER);
    expect(await snapshotOf(lab)).toBe(clean);
    expect(await askOutside(holder1, 'udp')).toBe('203.0.113.10');
  });

  it('does nothing where BPF masquerades, and takes back what it did before', async () => {
    const { holder0, holder1 } = lab.pods;
    const clean = await snapshotOf(lab);
    await passFor(holder0, holder1);
    const plan = await synchronise(kernel, { ...inputFor(holder0, holder1), masquerade: 'bpf' }, NEVER);
    expect(plan.state).toBe('impossible');
    expect(await snapshotOf(lab)).toBe(clean);
  });

  it('does nothing where nobody masquerades and every pod leaves by its own interface', async () => {
    const { holder0, holder1 } = lab.pods;
    await cilium.remove();
    cilium = await lab.installCilium({ backend: 'nft', egressRule: 'unconditional', masquerade: undefined });
    const clean = await snapshotOf(lab);
    const plan = await synchronise(kernel, { ...inputFor(holder0, holder1), masquerade: 'off' }, NEVER);
    expect(plan.state).toBe('notNeeded');
    expect(await snapshotOf(lab)).toBe(clean);
    expect([await askOutside(holder0), await askOutside(holder1)]).toEqual([holder0.publicIp, holder1.publicIp]);
  });

  it('where the VPC’s networks are not known, nothing is done', async () => {
    const clean = await snapshotOf(lab);
    const pass = synchronise(kernel, { ...inputFor(lab.pods.holder1), inside: [] }, NEVER);
    await expect(pass).rejects.toMatchObject({ code: 'config' });
    expect(await snapshotOf(lab)).toBe(clean);
  });
});

/** A kernel whose user dies before step number `steps`. */
function dyingAfter(steps: number, kernel: KernelPort): KernelPort {
  let left = steps;
  return {
    read: (options, signal) => kernel.read(options, signal),
    apply: async (step, signal) => {
      if (left === 0) throw new Error('killed');
      left -= 1;
      await kernel.apply(step, signal);
      if (left === 0 && step.kind === 'flows') throw new Error('killed');
    },
  };
}
