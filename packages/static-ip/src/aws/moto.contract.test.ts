import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ToolUnavailableError, startMoto } from '@static-ip/testkit';
import type { Moto } from '@static-ip/testkit';
import { contractCases } from '../contract/index.ts';
import type { ContractHarness } from '../contract/index.ts';
import { openMotoWorld } from './moto-world.test.fixture.ts';

const NO_FAULTS = 'moto cannot be told to fail';

let moto: Moto | undefined;
let reason = '';

beforeAll(async () => {
  try {
    moto = await startMoto(AbortSignal.timeout(240_000));
  } catch (error) {
    if (!(error instanceof ToolUnavailableError)) throw error;
    reason = error.message;
  }
}, 300_000);

afterAll(() => moto?.close());

const HARNESS: ContractHarness = {
  name: 'moto',
  capabilities: {
    podTargets: true,
    atomicSwap: true,
    createsFromPool: false,
    allocation: true,
    quota: true,
    routes: true,
  },
  abilities: ['addAutomatic', 'addPod', 'closeNetwork', 'loseFence'],
  gaps: {
    addElsewhere: 'moto knows no network border groups',
    addReserved: 'moto has no addresses of services',
    addStarting: 'in moto an instance runs as soon as it is made',
    failHalfway: 'each change of EC2 is one call',
    failNext: NO_FAULTS,
    fillQuota: 'moto has no quota of addresses',
    freshReads: NO_FAULTS,
    hangNext: NO_FAULTS,
    loseReplyOf: NO_FAULTS,
    removeInstance: 'in moto a terminated instance keeps its address',
    staleReads: NO_FAULTS,
    'attached-is-not-released': 'moto releases an address that is in use',
    'gone-is-not-marked': 'moto tags what does not exist',
    'not-displaced-unseen': 'EC2 evicts the address on the target: only the read before protects it',
    'swaps-what-is-expected': 'moto leaves the address that was put off associated as well',
    'two-pods-two-addresses': 'moto associates each address with the primary private address, whatever it is asked',
    'wildcards-are-literal': 'moto does not know the escape of wildcards',
  },
  open: () => {
    if (moto === undefined) throw new Error('moto is not running');
    return openMotoWorld(moto);
  },
};

describe('the aws provider over moto keeps the contract:', () => {
  it('there is a moto to hold it to', () => {
    // On a machine without python this says so in one line; where the pipeline runs it must not be missing.
    if (moto === undefined) process.stderr.write(`moto is not here, so nothing is checked: ${reason}\n`);
    expect(moto !== undefined || process.env['CI'] === undefined).toBe(true);
  });

  for (const { name, run } of contractCases(HARNESS)) it(name, async () => (moto === undefined ? undefined : run()));
});
