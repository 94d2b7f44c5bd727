import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseCidr } from './cidr.ts';
import { isOurs, ruleKey } from './ip-rule.ts';
import type { IpRule } from './ip-rule.ts';
import type { KernelState } from './kernel-state.ts';
import { applyToModel } from './kernel-model.test.fixture.ts';
import { createPeerRuleTest } from './peer-leftovers.ts';
import { planNoMasquerade } from './plan.ts';
import type { Plan, PlanInput } from './plan.ts';

const VPC = '10.0.0.0/16';
const VPC_CIDRS = [VPC].flatMap((text) => parseCidr(text) ?? []);
/** Few, so that rules meet. */
const ip = fc.integer({ min: 1, max: 4 }).map((n) => `10.0.1.${n}`);

/** Cilium's rule of a pod, in each of its forms; also towards tables that lead nowhere. */
const ciliumRule = fc
  .record({ ip, table: fc.constantFrom(10, 11, 12, 13), form: fc.constantFrom('vpc', 'all') })
  .map(({ ip: pod, table, form }): IpRule => ({
    priority: 111,
    from: `${pod}/32`,
    ...(form === 'vpc' ? { to: VPC } : {}),
    table,
    protocol: 2,
  }));

/** Anything else: leftovers of ours and of the predecessor, rules of users, and all that lies between. */
const otherRule = fc
  .record({
    priority: fc.constantFrom(20, 100, 100, 199, 200, 200, 201, 202),
    from: fc.option(ip, { nil: undefined }),
    to: fc.constantFrom(undefined, undefined, VPC, '169.254.0.0/16'),
    mark: fc.constantFrom(undefined, { value: 1, mask: 0xf }, { value: 0x2000, mask: 0x2000 }, undefined, {
      value: 1,
      mask: 0xff,
    }),
    table: fc.constantFrom(11, 11, 12, 26, 254),
    protocol: fc.constantFrom(0, 2, 3, 201),
    more: fc.constantFrom(undefined, undefined, undefined, true),
  })
  .map(({ from, to, mark, more, ...rest }): IpRule => ({
    ...rest,
    ...(from === undefined ? {} : { from: `${from}/32` }),
    ...(to === undefined ? {} : { to }),
    ...(mark === undefined ? {} : { mark }),
    ...(more === undefined ? {} : { more }),
  }));

const kernel = fc
  .record({
    rules: fc.uniqueArray(fc.oneof(ciliumRule, otherRule), { selector: ruleKey, maxLength: 40 }),
    table: fc.option(
      fc.record({ shape: fc.constantFrom('', 'of an older version'), pods: fc.array(ip).map((ips) => new Set(ips)) }),
      { nil: undefined },
    ),
    marks: fc.boolean(),
  })
  .map(({ rules, table, marks }): KernelState => ({
    rules: rules.toSorted((a, b) => a.priority - b.priority),
    defaultRoutes: [
      { table: 254, interfaceIndex: 2, metric: 0 },
      { table: 254, interfaceIndex: 3, metric: 512 },
      { table: 10, interfaceIndex: 2, metric: 0 },
      { table: 11, interfaceIndex: 3, metric: 0 },
      { table: 12, interfaceIndex: 4, metric: 0 },
    ],
    links: [],
    addresses: [],
    table,
    peerMarks: marks ? [{ backend: 'nft', lines: ['-A CILIUM_PRE_mangle -i lxc+ -j CONNMARK'] }] : [],
  }));

const input = fc.record({
  pods: fc.array(ip),
  kernel,
  nodeWide: fc.boolean(),
  masquerade: fc.constantFrom('iptables', 'bpf', 'off'),
  inside: fc.constant(VPC_CIDRS),
  enis: fc.constant([]),
}) satisfies fc.Arbitrary<PlanInput>;

const isPeers = createPeerRuleTest(VPC_CIDRS);
const isForeign = (rule: IpRule): boolean => !isOurs(rule) && !isPeers(rule);
const foreignOf = ({ rules }: KernelState) => rules.filter(isForeign).map(ruleKey);
const run = (state: KernelState, { steps }: Plan): KernelState => steps.reduce(applyToModel, state);
const changes = ({ steps }: Plan) => steps.filter(({ kind }) => kind !== 'flows');

describe('the plan, over any state of the kernel', () => {
  it('has nothing left to do after its steps', () => {
    fc.assert(
      fc.property(input, (given) => {
        const after = run(given.kernel, planNoMasquerade(given));
        expect(changes(planNoMasquerade({ ...given, kernel: after }))).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it('B64: touches no rule of anybody else, wherever it is stopped', () => {
    fc.assert(
      fc.property(input, (given) => {
        let state = given.kernel;
        for (const step of planNoMasquerade(given).steps) {
          state = applyToModel(state, step);
          expect(foreignOf(state)).toEqual(foreignOf(given.kernel));
        }
      }),
      { numRuns: 300 },
    );
  });

  it('B64: stopped after any step, a new plan comes to the same end', () => {
    fc.assert(
      fc.property(input, fc.nat({ max: 4 }), (given, survived) => {
        const plan = planNoMasquerade(given);
        const halfway = plan.steps.slice(0, survived).reduce(applyToModel, given.kernel);
        const resumed = run(halfway, planNoMasquerade({ ...given, kernel: halfway }));
        const straight = run(given.kernel, plan);
        expect(resumed.rules.map(ruleKey).toSorted()).toEqual(straight.rules.map(ruleKey).toSorted());
        expect(resumed.table).toEqual(straight.table);
      }),
      { numRuns: 300 },
    );
  });

  it('keeps the source of exactly the pods whose way is known, and leads exactly the strayed ones', () => {
    fc.assert(
      fc.property(input, (given) => {
        const plan = planNoMasquerade(given);
        const after = run(given.kernel, plan);
        const known = plan.pods.filter(({ path }) => path.kind !== 'unknown').map((pod) => pod.ip);
        const kept = given.masquerade === 'iptables' ? known : [];
        expect([...(after.table?.pods ?? [])].toSorted()).toEqual(kept.toSorted());
        const led = plan.pods.flatMap(({ ip: pod, path }) =>
          path.kind === 'strayed' ? [`${pod}/32 ${path.table}`] : [],
        );
        const stays = new Set(plan.ambiguous.map(ruleKey));
        const own = after.rules.filter((rule) => isOurs(rule) && rule.priority === 200 && !stays.has(ruleKey(rule)));
        expect(own.map(({ from, table }) => `${from} ${table}`).toSorted()).toEqual(led.toSorted());
      }),
      { numRuns: 300 },
    );
  });

  it('leaves no moment in which a pod that stays is without its rule or its exemption', () => {
    fc.assert(
      fc.property(input, fc.array(ip), (given, later) => {
        const before = run(given.kernel, planNoMasquerade(given));
        const next = { ...given, kernel: before, pods: later };
        const plan = planNoMasquerade(next);
        const led = plan.pods.filter(({ ip: pod, path }) => path.kind === 'strayed' && given.pods.includes(pod));
        let state = before;
        for (const step of plan.steps) {
          state = applyToModel(state, step);
          for (const { ip: pod, kept } of led) {
            expect(state.rules.some(({ priority, from }) => priority === 200 && from === `${pod}/32`)).toBe(true);
            if (kept) expect(state.table?.pods.has(pod)).toBe(true);
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  it('cleans up to the byte: what is left is what was there without us and the predecessor', () => {
    fc.assert(
      fc.property(input, (given) => {
        const set = run(given.kernel, planNoMasquerade(given));
        const nothing = { ...given, pods: [], nodeWide: false, masquerade: 'off' } as const;
        const plan = planNoMasquerade({ ...nothing, kernel: set });
        const after = run(set, plan);
        const stays = new Set(plan.ambiguous.map(ruleKey));
        expect(after.table).toBeUndefined();
        expect(after.peerMarks).toEqual([]);
        const left = after.rules.map(ruleKey).filter((key) => !stays.has(key));
        expect(left).toEqual(foreignOf(given.kernel));
      }),
      { numRuns: 300 },
    );
  });
});
