import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { countWrites } from './audit-log.ts';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'static-ip-audit-'));
});

afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

function event(verb: string, resource: string, more: { subresource?: string; second?: number } = {}): string {
  const requestReceivedTimestamp = `2026-01-01T00:00:${String(more.second ?? 30).padStart(2, '0')}.000000Z`;
  const { subresource } = more;
  return JSON.stringify({ verb, requestReceivedTimestamp, objectRef: { resource, subresource } });
}

describe('writes in the audit log', () => {
  it('are counted by verb and resource since the given time, Leases apart', () => {
    const file = path.join(directory, 'audit.log');
    const lines = [
      event('patch', 'ciliumnodes', { subresource: 'status' }),
      event('patch', 'ciliumnodes', { subresource: 'status' }),
      event('create', 'events'),
      event('update', 'leases'),
      event('create', 'events', { second: 10 }),
    ];
    writeFileSync(file, `${lines.join('\n')}\n`);
    expect(countWrites(file, { sinceMs: Date.parse('2026-01-01T00:00:20Z') })).toEqual({
      'patch ciliumnodes/status': 2,
      'create events': 1,
    });
  });
});
