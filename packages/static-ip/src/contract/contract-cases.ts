import assert from 'node:assert/strict';
import type { Capabilities } from '../provider.ts';
import { ALLOCATION_CASES } from './allocation-cases.ts';
import { ATTACH_CASES } from './attach-cases.ts';
import type { CaseDefinition, Feature } from './contract-case.ts';
import { DETACH_CASES } from './detach-cases.ts';
import { FAILURE_CASES } from './failure-cases.ts';
import type { Ability, ContractHarness } from './harness.ts';
import { LISTING_CASES } from './listing-cases.ts';
import { RACE_CASES } from './race-cases.ts';
import { ROUTE_CASES } from './route-cases.ts';
import { SWAP_CASES } from './swap-cases.ts';
import { TARGET_CASES } from './target-cases.ts';

/** One case, ready for any test runner. */
export interface ContractCase {
  readonly id: string;
  /** A sentence of behaviour; of a gap, with its reason. */
  readonly name: string;
  /** Why it is known not to hold. */
  readonly gap: string | undefined;
  /**
   * Runs it in a world of its own. A gap is run too, and must fail: so that none outlives its reason.
   * @throws AssertionError when the provider breaks the contract, or keeps it where a gap is declared
   */
  readonly run: () => Promise<void>;
}

const CASES: readonly CaseDefinition[] = [
  ...LISTING_CASES,
  ...TARGET_CASES,
  ...ATTACH_CASES,
  ...SWAP_CASES,
  ...RACE_CASES,
  ...DETACH_CASES,
  ...ALLOCATION_CASES,
  ...ROUTE_CASES,
  ...FAILURE_CASES,
];

/**
 * The cases for a provider: all of them but those that need what its cloud cannot do.
 * A runner needs one line: `for (const { name, run } of contractCases(harness)) it(name, run)`.
 * @throws Error when the harness can do neither what a case needs nor says why, or declares a gap that does not exist
 */
export function contractCases(harness: ContractHarness): readonly ContractCase[] {
  const applicable = CASES.filter((one) => (one.features ?? []).every((feature) => has(harness.capabilities, feature)));
  assertGapsExist(harness);
  return applicable.map((definition) => {
    const { id, name } = definition;
    const gap = gapOf(harness, definition);
    if (gap === undefined) return { id, name, gap, run: () => runCase(harness, definition) };
    return { id, name: `not so: ${name} (${gap})`, gap, run: () => mustFail(harness, definition) };
  });
}

async function runCase(harness: ContractHarness, { abilities = [], run }: CaseDefinition): Promise<void> {
  const missing = abilities.filter((ability) => !harness.abilities.includes(ability));
  assert.deepEqual(missing, [], 'the world can do what the case needs');
  const world = await harness.open();
  try {
    await run(world);
  } finally {
    await world.close();
  }
}

async function mustFail(harness: ContractHarness, definition: CaseDefinition): Promise<void> {
  await assert.rejects(runCase(harness, definition), 'a declared gap that holds is none: remove it');
}

function gapOf(harness: ContractHarness, { id, abilities = [] }: CaseDefinition): string | undefined {
  const missing = abilities.filter((ability) => !harness.abilities.includes(ability));
  const undeclared = missing.filter((ability) => !Object.hasOwn(harness.gaps, ability));
  if (undeclared.length > 0) {
    throw new Error(`${harness.name}: the case ${id} needs ${undeclared.join(', ')}: offer it, or say why not in gaps`);
  }
  return harness.gaps[id] ?? missing.map((ability) => harness.gaps[ability])[0];
}

function assertGapsExist({ name, gaps, abilities }: ContractHarness): void {
  const known = new Set<string>([
    ...CASES.map(({ id }) => id),
    ...CASES.flatMap((one): readonly Ability[] => one.abilities ?? []),
  ]);
  const unknown = Object.keys(gaps).filter((gap) => !known.has(gap));
  if (unknown.length > 0) throw new Error(`${name}: no case and no ability is called ${unknown.join(', ')}`);
  const both = abilities.filter((ability) => Object.hasOwn(gaps, ability));
  if (both.length > 0) throw new Error(`${name}: ${both.join(', ')} cannot be offered and be a gap`);
}

function has(capabilities: Capabilities, feature: Feature): boolean {
  switch (feature) {
    case 'noPodTargets':
      return !capabilities.podTargets;
    case 'addresses':
      return !capabilities.createsFromPool;
    case 'pools':
      return capabilities.createsFromPool;
    case 'podTargets':
    case 'allocation':
    case 'quota':
    case 'routes':
      return capabilities[feature];
    default:
      return false;
  }
}
