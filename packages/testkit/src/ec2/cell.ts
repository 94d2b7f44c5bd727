import type { EmulatorClock } from './emulator-clock.ts';
import { armFault, hitFaults } from './faults.ts';
import type { ArmedFault, Fault } from './faults.ts';
import { judgeTogether } from './in-flight.ts';
import { parseQuery } from './core/query.ts';
import { advance, historyWith, step } from './core/step.ts';
import type { Ec2Answer, Ec2Call } from './core/step.ts';
import type { Seeded } from './control/seed-networks.ts';
import type { Ec2State } from './core/state.ts';
import { judge } from './core/violations.ts';
import type { Violation } from './core/violations.ts';

/** The one place that holds the changing state; everything else is a function of it. */
export interface Cell {
  readonly state: () => Ec2State;
  /** Applies a change made by the test. */
  readonly apply: <R>(change: (state: Ec2State) => Seeded<R>) => R;
  /** Gives the call its effect now. */
  readonly answer: (call: Ec2Call) => Ec2Answer;
  /** Notes a call that a fault refuses: the rules about its form hold all the same. */
  readonly refuse: (call: Ec2Call) => void;
  /** The faults that hit a call which has just arrived; counts it as on its way. */
  readonly arrive: (call: Ec2Call) => readonly ArmedFault[];
  /** The call is answered or its caller gone. */
  readonly depart: (call: Ec2Call) => void;
  readonly injectFault: (fault: Fault) => string;
  readonly removeFault: (id: string) => void;
  readonly faults: () => readonly ArmedFault[];
  readonly violations: () => readonly Violation[];
  readonly forgetViolations: () => void;
  /** Starts over with a fresh state, no faults and no violations. */
  readonly restart: (state: Ec2State) => void;
}

/** Holds `initial` and what follows from it. */
export function createCell(initial: Ec2State, clock: EmulatorClock): Cell {
  let state = initial;
  let faults: readonly ArmedFault[] = [];
  let violations: Violation[] = [];
  let faultNumber = 0;
  const onTheirWay = new Set<Ec2Call>();
  return {
    state: () => (state = advance(state, clock.now())),
    apply(change) {
      const now = clock.now();
      const current = advance(state, now);
      const [changed, made] = change(current);
      state =
        changed.world === current.world
          ? changed
          : { ...changed, history: historyWith(current, { world: changed.world, now, keepMs: keepMsOf(faults) }) };
      return made;
    },
    answer(call) {
      const result = step(state, { ...call, keepMs: keepMsOf(faults) });
      state = result.state;
      violations.push(...result.violations);
      return result.answer;
    },
    refuse(call) {
      violations.push(
        ...judge({ call, query: parseQuery(call.params), before: state, after: state.world, failed: true }),
      );
    },
    arrive(call) {
      violations.push(...judgeTogether(call, onTheirWay));
      onTheirWay.add(call);
      const { hit, armed } = hitFaults(faults, call);
      faults = armed;
      return hit;
    },
    depart: (call) => void onTheirWay.delete(call),
    injectFault(fault) {
      const id = `fault-${++faultNumber}`;
      faults = [...faults, armFault(id, fault, clock.now())];
      return id;
    },
    removeFault: (id) => void (faults = faults.filter((armed) => armed.id !== id)),
    faults: () => faults,
    violations: () => [...violations],
    forgetViolations: () => void (violations = []),
    restart(fresh) {
      state = fresh;
      faults = [];
      violations = [];
    },
  };
}

function keepMsOf(faults: readonly ArmedFault[]): number {
  return Math.max(0, ...faults.map(({ fault }) => (fault.kind === 'stale' ? fault.ms : 0)));
}
