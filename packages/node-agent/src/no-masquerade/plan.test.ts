import { describe, expect, it } from '@jest/globals';
import { parseCidr } from './cidr.ts';
import type { Eni } from './eni.ts';
import { formatRule } from './ip-rule.ts';
import type { IpRule } from './ip-rule.ts';
import type { KernelState } from './kernel-state.ts';
import { desiredShape } from './own-table.ts';
import { planNoMasquerade } from './plan.ts';
import type { PlanInput } from './plan.ts';

const cidrs = (...texts: readonly string[]) => texts.flatMap((text) => parseCidr(text) ?? []);
const VPC = '10.0.0.0/16';
const POD = '10.0.1.40';

const cilium = (changes: Partial<IpRule> = {}): IpRule => ({
  priority: 111,
  from: `${POD}/32`,
  to: VPC,
  table: 11,
  protocol: 2,
  ...changes,
});
/** Towards everything. */
const unconditional = (table: number): IpRule => ({ priority: 111, from: `${POD}/32`, table, protocol: 2 });

/** A node with two interfaces, and one pod on the second. */
function kernel(changes: Partial<KernelState> = {}): KernelState {
  return {
    rules: [cilium()],
    defaultRoutes: [
      { table: 254, interfaceIndex: 3, metric: 512 },
      { table: 254, interfaceIndex: 2, metric: 100 },
      { table: 254, interfaceIndex: 3, metric: 700 },
      { table: 10, interfaceIndex: 2, metric: 0 },
      { table: 11, interfaceIndex: 3, metric: 0 },
    ],
    links: [
      { index: 2, mac: '02:00:00:00:00:05' },
      { index: 3, mac: '02:00:00:00:00:06' },
    ],
    addresses: [
      { interfaceIndex: 2, address: '10.0.0.10' },
      { interfaceIndex: 3, address: '10.0.1.20' },
      { interfaceIndex: 7, address: '10.0.9.9' },
    ],
    table: undefined,
    peerMarks: [],
    ...changes,
  };
}

const plan = (changes: Partial<PlanInput> = {}) =>
  planNoMasquerade({
    pods: [POD],
    kernel: kernel(),
    masquerade: 'iptables',
    nodeWide: false,
    inside: cidrs(VPC),
    enis: [],
    ...changes,
  });

const added = (one: ReturnType<typeof plan>) =>
  one.steps.flatMap((step) => (step.kind === 'ipRules' ? step.add.map(formatRule) : []));
const keeps = (one: ReturnType<typeof plan>) => one.pods.filter(({ kept }) => kept).length > 0;
const RULES = [
  `priority 199 from ${POD}/32 to 169.254.0.0/16 table 254 protocol 201`,
  `priority 200 from ${POD}/32 table 11 protocol 201`,
];

/** The pod's interface, with a delegated prefix. */
const eni = (changes: Partial<Eni>): Eni => ({
  mac: '02:00:00:00:00:06',
  deviceIndex: 1,
  networks: cidrs('10.0.1.32/28'),
  subnet: undefined,
  ...changes,
});

const commandsFor = (table: KernelState['table']) =>
  plan({ kernel: kernel({ table }) }).steps.flatMap((step) => (step.kind === 'nft' ? step.commands : []));

describe('what a pod needs', () => {
  it.each([
    { name: 'secondary interface, rule to the VPC', rules: [cilium()], path: 'strayed', needs: RULES },
    { name: 'secondary, older priority 110', rules: [cilium({ priority: 110 })], path: 'strayed', needs: RULES },
    { name: 'secondary, unconditional', rules: [unconditional(11)], path: 'own', needs: [] },
    { name: 'secondary, both', rules: [cilium(), unconditional(11)], path: 'own', needs: [] },
    { name: 'primary, rule to the VPC', rules: [cilium({ table: 10 })], path: 'primary', needs: [] },
    { name: 'primary, unconditional', rules: [unconditional(10)], path: 'primary', needs: [] },
  ])('$name: $path', ({ rules, path, needs }) => {
    const made = plan({ kernel: kernel({ rules }) });
    expect(made.pods.map((pod) => pod.path.kind)).toEqual([path]);
    expect(keeps(made)).toBe(true);
    expect(added(made)).toEqual(needs);
    expect(made.state).toBe('active');
  });

  it.each([
    { name: 'no rule of Cilium’s', state: { rules: [] }, reason: 'NoPodRule' },
    { name: 'a rule of another protocol', state: { rules: [cilium({ protocol: 3 })] }, reason: 'NoPodRule' },
    { name: 'a rule with a mark', state: { rules: [cilium({ mark: { value: 1, mask: 1 } })] }, reason: 'NoPodRule' },
    { name: 'a rule with an interface', state: { rules: [cilium({ more: true })] }, reason: 'NoPodRule' },
    { name: 'a table that leads nowhere', state: { rules: [cilium({ table: 12 })] }, reason: 'NoDefaultRoute' },
    { name: 'a node without a default route', state: { defaultRoutes: [] }, reason: 'NoDefaultRoute' },
  ])('waits, as it would lose the internet: $name', ({ state, reason }) => {
    const made = plan({ kernel: kernel(state) });
    expect(made.waiting).toEqual([{ ip: POD, reason }]);
    expect(made.steps).toEqual([]);
    expect(made.state).toBe('active');
  });

  it('without Cilium’s rule, the interface is found by its MAC and the table by its device index', () => {
    const ruleless = kernel({ rules: [] });
    expect(added(plan({ kernel: ruleless, enis: [eni({})] }))).toEqual(RULES);
    const primary = plan({ kernel: ruleless, enis: [eni({ mac: '02:00:00:00:00:05', deviceIndex: 0 })] });
    expect(primary.pods[0]?.path.kind).toBe('primary');
    for (const other of [eni({ networks: [] }), eni({ mac: '02:ff:ff:ff:ff:ff' }), eni({ deviceIndex: 2 })]) {
      expect(plan({ kernel: ruleless, enis: [other] }).waiting).toHaveLength(1);
    }
  });

  it('is nothing where BPF masquerades, and nothing where nobody does and it leaves by its own interface', () => {
    expect(plan({ masquerade: 'bpf' })).toMatchObject({ state: 'impossible', steps: [] });
    const own = kernel({ rules: [unconditional(11)] });
    expect(plan({ masquerade: 'off', kernel: own })).toMatchObject({ state: 'notNeeded', steps: [] });
    expect(added(plan({ masquerade: 'off' }))).toEqual(RULES);
    expect(keeps(plan({ masquerade: 'off' }))).toBe(false);
    expect(plan({ pods: [] })).toMatchObject({ state: 'idle', steps: [] });
  });
});

describe('the steps', () => {
  it('exempt before they lead, and drop connections last; the other way round when they take back', () => {
    const forth = plan();
    expect(forth.steps.map(({ kind }) => kind)).toEqual(['nft', 'ipRules', 'flows']);
    const rules = [...kernel().rules, ...forth.steps.flatMap((step) => (step.kind === 'ipRules' ? step.add : []))];
    const inside = cidrs(VPC, '169.254.0.0/16');
    const shape = desiredShape({ pods: [POD], inside, markReplies: false });
    const set = kernel({ rules, table: { shape, pods: new Set([POD]) } });
    expect(plan({ kernel: set }).steps).toEqual([]);
    const back = plan({ kernel: set, pods: [] });
    expect(back.steps.map(({ kind }) => kind)).toEqual(['ipRules', 'nft', 'flows']);
    expect(back.steps.at(-1)).toMatchObject({ masqueraded: { pods: [] }, bound: [POD], inside });
  });

  it('look for connections masqueraded to the cloud’s interfaces only', () => {
    expect(plan().steps.at(-1)).toMatchObject({ masqueraded: { pods: [POD], to: ['10.0.0.10', '10.0.1.20'] } });
  });

  it('take Cilium’s own networks as inside, too, and none twice', () => {
    const made = plan({
      kernel: kernel({ rules: [cilium(), cilium({ to: '10.9.0.0/16' })] }),
      inside: cidrs('10.0.0.0/8'),
    });
    expect(made.steps.at(-1)).toMatchObject({ inside: cidrs('10.0.0.0/8', '169.254.0.0/16') });
  });

  it('replace a table of another shape as a whole, and change only elements of a right one', () => {
    const inside = cidrs(VPC, '169.254.0.0/16');
    const shape = desiredShape({ pods: [], inside, markReplies: false });
    expect(
      commandsFor({ shape: 'another', pods: new Set([POD]) })
        .slice(0, 3)
        .map((one) => Object.keys(one)[0]),
    ).toEqual(['add', 'delete', 'add']);
    const at = { family: 'ip', table: 'static_ip', name: 'pods' };
    expect(commandsFor({ shape, pods: new Set(['10.0.1.9', '10.0.1.8']) })).toEqual([
      { delete: { element: { ...at, elem: ['10.0.1.8', '10.0.1.9'] } } },
      { add: { element: { ...at, elem: [POD] } } },
    ]);
  });

  it('a pod that moved to another interface gets its new rule before the old one goes', () => {
    const old = { priority: 200, from: `${POD}/32`, table: 12, protocol: 201 };
    const step = plan({ kernel: kernel({ rules: [cilium(), old] }) }).steps.find(({ kind }) => kind === 'ipRules');
    expect(step).toMatchObject({ remove: [old] });
    expect(step?.kind === 'ipRules' && step.add.map(formatRule)).toEqual(RULES);
  });

  it('node-wide, mark the replies of every strayed pod but those led anyway', () => {
    const others = ['10.0.1.41', '10.0.1.42'].map((ip) => cilium({ from: `${ip}/32` }));
    const made = plan({
      nodeWide: true,
      kernel: kernel({ rules: [cilium(), ...others, cilium({ from: '10.0.0.30/32', table: 10 })] }),
    });
    expect(added(made)).toEqual([
      ...RULES,
      'priority 201 from 10.0.1.41/32 fwmark 0x2000/0x2000 table 11 protocol 201',
      'priority 201 from 10.0.1.42/32 fwmark 0x2000/0x2000 table 11 protocol 201',
    ]);
  });

  it('leave alone a rule with our number that has more to it than ours', () => {
    const foreign = { priority: 200, from: '10.0.1.9/32', table: 11, protocol: 201, more: true };
    expect(plan({ pods: [], kernel: kernel({ rules: [foreign] }) }).steps).toEqual([]);
  });
});
