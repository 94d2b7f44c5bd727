import { describe, it } from '@jest/globals';
import type { SettingsPatch } from '@static-ip/testkit';
import { contractCases } from '../contract/index.ts';
import type { Ability, ContractHarness } from '../contract/index.ts';
import { openEmulatorWorld } from './emulator-world.test.fixture.ts';

const ABILITIES: readonly Ability[] = [
  'addAutomatic',
  'addElsewhere',
  'addPod',
  'addReserved',
  'addStarting',
  'closeNetwork',
  'failNext',
  'fillQuota',
  'freshReads',
  'hangNext',
  'loseFence',
  'loseReplyOf',
  'removeInstance',
  'staleReads',
];

function harness(name: string, settings: SettingsPatch, gaps: ContractHarness['gaps']): ContractHarness {
  return {
    name,
    capabilities: {
      podTargets: true,
      atomicSwap: true,
      createsFromPool: false,
      allocation: true,
      quota: true,
      routes: true,
    },
    abilities: ABILITIES,
    gaps: { failHalfway: 'each change of EC2 is one call', ...gaps },
    open: () => openEmulatorWorld(settings),
  };
}

/** What AWS does not document is emulated either way: the provider must not depend on it. */
describe.each([
  harness(
    'EC2 as documented',
    {},
    { 'not-displaced-unseen': 'EC2 evicts the address on the target: only the read before protects it' },
  ),
  harness(
    'EC2 of the other answers',
    {
      reassociationProtectsTarget: true,
      repeatedAssociation: 'already-associated',
      goneAssociation: 'ok',
      pendingCode: 'InvalidInstanceID',
    },
    {},
  ),
])('the aws provider over the emulator, $name, keeps the contract:', (aws) => {
  for (const { name, run } of contractCases(aws)) it(name, run);
});
