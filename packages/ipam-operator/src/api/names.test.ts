import { describe, expect, it } from '@jest/globals';
import { isManaged, LABEL, wantsAutocreatedEip } from './names.ts';

describe('the label that hands a pod or node to the operator', () => {
  it.each(['true', 'True', '', 'yes'])('means yes with the value %j, as its presence did before', (value) => {
    expect(isManaged({ [LABEL.manage]: value })).toBe(true);
  });

  it.each(['false', 'False', 'FALSE'])('means no with the value %j', (value) => {
    expect(isManaged({ [LABEL.manage]: value })).toBe(false);
  });

  it('means no when it is not there, or only its name of long ago', () => {
    expect(isManaged({ [LABEL.legacyManage]: 'true' })).toBe(false);
  });
});

describe('the label that asks for an Eip of its own', () => {
  it.each([
    ['true', true],
    ['TRUE', true],
    ['false', false],
    ['', false],
    ['yes', false],
  ])('with the value %j means %j', (value, wanted) => {
    expect(wantsAutocreatedEip({ [LABEL.autocreateEip]: value })).toBe(wanted);
  });
});
