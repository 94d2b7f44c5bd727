import { describe, expect, it } from '@jest/globals';
import type { KernelState } from './kernel-state.ts';
import { synchronise } from './synchronise.ts';
import type { PassInput } from './synchronise.ts';

const EMPTY: KernelState = { rules: [], defaultRoutes: [], links: [], addresses: [], table: undefined, peerMarks: [] };
const { signal } = new AbortController();

function input(over: Partial<PassInput>): PassInput {
  return { pods: [], nodeWide: false, thorough: true, masquerade: 'iptables', inside: [], enis: [], ...over };
}

const kernel = { read: () => Promise.resolve(EMPTY), apply: () => Promise.reject(new Error('nothing is to be done')) };

describe('a pass that knows no network of the VPC', () => {
  it('is idle while no pod holds an address', async () => {
    expect(await synchronise(kernel, input({}), signal)).toMatchObject({ steps: [] });
  });

  it.each([
    ['a pod holds one', { pods: ['10.0.1.40'] }],
    ['replies of all pods are to be kept', { nodeWide: true }],
  ])('says what to give when %s', async (_when, over) => {
    await expect(synchronise(kernel, input(over), signal)).rejects.toMatchObject({
      code: 'config',
      message: expect.stringContaining('--vpc-cidr'),
    });
  });
});
