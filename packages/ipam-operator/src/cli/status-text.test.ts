import { describe, expect, it } from '@jest/globals';
import type { ObjectStatus, PoolStatus } from '../controllers/status/object-status.ts';
import { formatAge } from './format-age.ts';
import { statusText } from './status-text.ts';

const NOW = Date.parse('2026-01-01T00:10:00Z');

const READY: ObjectStatus = { kind: 'CiliumNode', name: 'n1', state: 'Ready', address: '198.51.100.1', target: 'i-1' };
const WAITING: ObjectStatus = {
  kind: 'Eip',
  name: 'apps/web',
  state: 'Waiting',
  target: 'Pod/web-0',
  privateIp: '10.0.0.7',
  reason: 'PoolExhausted',
  since: '2026-01-01T00:07:30Z',
  message: 'none is free',
};
const POOL: PoolStatus = {
  kind: 'Pool',
  name: 'pool=a',
  total: 3,
  free: 0,
  attached: 1,
  unclaimed: 1,
  reserved: 1,
  waiting: 1,
};

describe('the text of a status', () => {
  it('has a line for each object and each pool, and a summary', () => {
    const denied = { ...WAITING, reason: 'AccessDenied' };
    const text = statusText({ objects: [WAITING, WAITING, denied, READY], pools: [POOL] }, NOW);
    expect(text.split('\n').map((line) => line.replaceAll(/ {2,}/g, ' | '))).toEqual([
      'STATE | OBJECT | ADDRESS | ON | REASON | SINCE | MESSAGE',
      'Waiting | Eip/apps/web | - | Pod/web-0 10.0.0.7 | PoolExhausted | 2m | none is free',
      'Waiting | Eip/apps/web | - | Pod/web-0 10.0.0.7 | PoolExhausted | 2m | none is free',
      'Waiting | Eip/apps/web | - | Pod/web-0 10.0.0.7 | AccessDenied | 2m | none is free',
      'Ready | CiliumNode/n1 | 198.51.100.1 | i-1 | - | -',
      '',
      'POOL | TOTAL | FREE | ATTACHED | UNCLAIMED | RESERVED | WAITING',
      'pool=a | 3 | 0 | 1 | 1 | 1 | 1',
      '',
      '4 objects: 1 ready, 3 waiting (PoolExhausted 2, AccessDenied 1)',
    ]);
  });

  it('says when it was not compared with the cloud', () => {
    const text = statusText({ objects: [READY], pools: undefined }, NOW);
    expect(text.split('\n').at(-1)).toBe('1 object: 1 ready; not compared with the cloud');
  });

  it('says when there is nothing', () => {
    expect(statusText({ objects: [], pools: [] }, NOW)).toBe('No object asks for an address.');
  });
});

describe('an age', () => {
  it.each([
    [-5_000, '0s'],
    [59_999, '59s'],
    [60_000, '1m'],
    [3_599_999, '59m'],
    [86_399_999, '23h'],
    [200 * 86_400_000, '200d'],
  ])('of %d ms is %s', (ms, text) => expect(formatAge(ms)).toBe(text));
});
