import { KubeError } from '@static-ip/kube';
import { StaticIpError } from '@static-ip/provider';
import { describe, expect, it } from '@jest/globals';
import { exitCodeOf, ShellError } from '@static-ip/shell';
import { INPUT_ERRORS, OperatorError } from './operator-error.ts';

describe('exit codes', () => {
  it.each([
    [new ShellError('badInput', 'x'), 2],
    [new OperatorError('providerUnusable', 'x'), 2],
    [new ShellError('cannotListen', 'x'), 1],
    [new KubeError('config', 'x'), 2],
    [new KubeError('notLeading', 'x'), 1],
    [new KubeError('unavailable', 'x'), 1],
    [new StaticIpError('invalid', 'x'), 2],
    [new StaticIpError('denied', 'x'), 1],
    [new TypeError('bug'), 1],
    ['thrown text', 1],
  ])('are 2 for input to change, else 1: %s', (error, code) => {
    expect(exitCodeOf(error, INPUT_ERRORS)).toBe(code);
  });
});
