import { describe, expect, it } from '@jest/globals';
import { tooOldNode } from './node-version.ts';

describe('Node version', () => {
  it.each(['22.19.0', '22.20.1', '23.0.0', '24.21.0', '100.0.0'])('accepts %s', (version) => {
    expect(tooOldNode('ipam-operator', version)).toBeUndefined();
  });

  it.each(['20.20.2', '22.18.9', '18.0.0'])('refuses %s in one line that says what is needed', (version) => {
    expect(tooOldNode('ipam-operator', version)).toBe(`ipam-operator needs Node.js 22.19 or newer; this is ${version}`);
  });
});
