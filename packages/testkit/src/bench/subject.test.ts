import { describe, expect, it } from '@jest/globals';
import { parseCommandLine } from './subject.ts';

describe('command line of a subject', () => {
  it('is named by its program', () => {
    expect(parseCommandLine('/opt/peer/bin/operator --kubeconfig {kubeconfig}')).toEqual({
      name: 'operator',
      command: '/opt/peer/bin/operator --kubeconfig {kubeconfig}',
    });
  });

  it('may be given a name', () => {
    expect(parseCommandLine('peer-2=./run --a=b')).toEqual({ name: 'peer-2', command: './run --a=b' });
  });

  it('is refused when empty', () => {
    expect(() => parseCommandLine(' ')).toThrow('--subject-command is empty');
  });
});
