import { describe, expect, it } from '@jest/globals';
import { KubeError, objectKey } from '@static-ip/kube';
import type { JsonObject } from '@static-ip/kube';
import { createManualClock } from '@static-ip/testkit';
import type { Plan } from '../no-masquerade/plan.ts';
import { egressVerdict } from './egress-verdict.ts';
import { createVerdicts } from './run-verdicts.ts';
import { verdictPatch, VERDICT_PODS } from './verdict-pod.ts';
import type { VerdictPod } from './verdict-pod.ts';

const TYPE = 'eip.materialize.cloud/egress-verified';
const NOW = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
const clock = { now: () => NOW };

interface NewPod {
  readonly ip?: string;
  readonly holds?: boolean;
  readonly hostNetwork?: boolean;
  readonly condition?: Readonly<Record<string, string>>;
}

/** As the API server sends it. */
function pod({ ip = '10.0.1.5', holds = true, hostNetwork = false, condition }: NewPod = {}): VerdictPod {
  const annotations = holds ? { 'eip.materialize.cloud/allocation_id': 'eipalloc-1' } : {};
  const ours = condition === undefined ? [] : [{ type: TYPE, ...condition }];
  return VERDICT_PODS.parse({
    metadata: { name: 'web', namespace: 'shop', uid: 'u', resourceVersion: '1', annotations },
    spec: { nodeName: 'n1', hostNetwork },
    status: { phase: 'Running', podIP: ip, conditions: [{ type: 'Ready', status: 'True' }, ...ours] },
  });
}

function passed(path: Plan['pods'][number]['path'], state: Plan['state'] = 'active'): Pick<Plan, 'state' | 'pods'> {
  return { state, pods: [{ ip: '10.0.1.5', path, kept: path.kind !== 'unknown' }] };
}

describe('the verdict on a pod', () => {
  it.each([
    ['leads it by its own interface', passed({ kind: 'own' }), 'True', 'SourceKept'],
    ['leads it by a rule of ours', passed({ kind: 'strayed', table: 11 }), 'True', 'SourceKept'],
    ['has no rule for it', passed({ kind: 'unknown', reason: 'NoPodRule' }), 'False', 'NoPodRule'],
    ['masquerades in BPF', { state: 'impossible' as const, pods: [] }, 'False', 'MasqueradeInBpf'],
  ])('is made from what the kernel does: it %s', (_what, plan, status, reason) => {
    expect(egressVerdict(pod(), plan)).toMatchObject({ status, reason });
  });

  it('is none for a pod that holds no address, or has the address of the node, or is not in the pass yet', () => {
    const plan = passed({ kind: 'own' });
    for (const one of [pod({ holds: false }), pod({ hostNetwork: true }), pod({ ip: '10.0.1.6' })])
      expect(egressVerdict(one, plan)).toBeUndefined();
  });

  it('is written when it differs, and its time moves only with its status', () => {
    const wanted = egressVerdict(pod(), passed({ kind: 'own' }));
    const first = verdictPatch(pod(), wanted, clock);
    expect(first).toEqual({
      status: { conditions: [{ type: TYPE, ...wanted, lastTransitionTime: '2026-01-02T03:04:05Z' }] },
    });
    const lastTransitionTime = '2025-01-01T00:00:00Z';
    const before = { lastTransitionTime, reason: 'NoPodRule', message: 'm' };
    expect(verdictPatch(pod({ condition: { ...before, ...wanted } }), wanted, clock)).toBeUndefined();
    const reworded = verdictPatch(pod({ condition: { ...before, status: 'True' } }), wanted, clock);
    expect(reworded).toMatchObject({ status: { conditions: [{ reason: 'SourceKept', lastTransitionTime }] } });
    const moved = verdictPatch(pod({ condition: { ...before, status: 'False' } }), wanted, clock);
    expect(moved).toMatchObject({ status: { conditions: [{ lastTransitionTime: '2026-01-02T03:04:05Z' }] } });
  });

  it('is taken away when the pod holds no address any more', () => {
    const condition = {
      status: 'True',
      reason: 'SourceKept',
      message: 'm',
      lastTransitionTime: '2025-01-01T00:00:00Z',
    };
    expect(verdictPatch(pod({ holds: false, condition }), undefined, clock)).toEqual({
      status: { conditions: [{ $patch: 'delete', type: TYPE }] },
    });
    expect(verdictPatch(pod({ holds: false }), undefined, clock)).toBeUndefined();
  });
});

describe('the writer of verdicts', () => {
  it('writes after a pass, tries again after a failure, and lets go of a pod that is gone', async () => {
    const time = createManualClock({ startMs: NOW });
    const stop = new AbortController();
    const one = pod();
    const written: JsonObject[] = [];
    const answers = [new KubeError('unavailable', 'x'), undefined, new KubeError('notFound', 'x')];
    let failures = 0;
    const verdicts = createVerdicts({
      pods: { list: () => [one], get: (key) => (key === objectKey(one.metadata) ? one : undefined) },
      patchStatus: async (_pod, body) => {
        written.push(body);
        const answer = answers[written.length - 1];
        if (answer !== undefined) throw answer;
      },
      clock: time,
      random: () => 0.5,
      onError: () => void (failures += 1),
    });
    const ended = verdicts.run(stop.signal);
    await time.advance(10_000);
    expect(written).toEqual([]);
    verdicts.passed(passed({ kind: 'own' }));
    await time.advance(10_000);
    expect([written.length, failures]).toEqual([2, 1]);
    verdicts.passed(passed({ kind: 'own' }));
    await time.advance(60_000);
    expect([written.length, failures]).toEqual([3, 1]);
    stop.abort(new Error('stopped by the test'));
    await time.advance(0);
    await ended;
  });
});
