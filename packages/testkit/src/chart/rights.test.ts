import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { compareRights, grantsOf, requestsOf } from './rights.ts';
import type { Grant } from './rights.ts';

const ROLE = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'Role',
  metadata: { name: 'r', namespace: 'a' },
  rules: [{ apiGroups: ['g'], resources: ['things', 'things/status'], resourceNames: ['x'], verbs: ['get'] }],
};

const GET: Grant = { verb: 'get', resource: 'g/things', namespace: 'a', name: 'x' };

describe('comparing rights with requests', () => {
  it('takes roles apart into verbs on resources', () => {
    expect(grantsOf([ROLE, { ...ROLE, kind: 'RoleBinding' }])).toEqual([GET, { ...GET, resource: 'g/things/status' }]);
  });

  it('reads the requests of one account from the audit log, and knows a patch that created', () => {
    const event = {
      verb: 'get',
      user: { username: 'system:serviceaccount:ns:me' },
      objectRef: { apiGroup: 'g', resource: 'things', subresource: 'status', namespace: 'a', name: 'x' },
      annotations: { 'authorization.k8s.io/decision': 'allow' },
    };
    const applied = { ...event, verb: 'patch', responseStatus: { code: 201 } };
    const changed = { ...applied, responseStatus: { code: 200 } };
    const others = [
      { ...event, user: { username: 'system:serviceaccount:ns:other' } },
      { ...event, objectRef: undefined },
    ];
    const directory = mkdtempSync(path.join(tmpdir(), 'static-ip-rights-'));
    try {
      const file = path.join(directory, 'audit.log');
      writeFileSync(file, [event, applied, changed, ...others].map((line) => `${JSON.stringify(line)}\n`).join(''));
      expect(requestsOf(file, { namespace: 'ns', name: 'me' })).toEqual(
        ['get', 'patch', 'create', 'patch'].map((verb) => ({
          ...GET,
          verb,
          resource: 'g/things/status',
          decision: 'allow',
        })),
      );
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  it.each([
    ['another verb', { verb: 'list' }],
    ['another resource', { resource: 'g/things/status' }],
    ['another namespace', { namespace: 'b' }],
    ['another name', { name: 'y' }],
    ['a refused request', { decision: 'forbid' }],
  ])('does not count %s as a use', (_what, change) => {
    const { unused } = compareRights([GET], [{ ...GET, decision: 'allow', ...change }]);
    expect(unused).toEqual([GET]);
  });

  it('counts a use within what is granted, and tells what was refused', () => {
    const everywhere = { ...GET, namespace: undefined, name: undefined };
    const refused = { ...GET, verb: 'delete', decision: 'forbid' };
    const result = compareRights([everywhere, GET], [{ ...GET, decision: 'allow' }, refused]);
    expect(result).toEqual({ unused: [], refused: [refused] });
  });
});
