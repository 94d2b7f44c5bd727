import { describe, expect, it } from '@jest/globals';
import { parseApiRequest } from './api-request.ts';

describe('API request', () => {
  it.each([
    ['/api/v1/nodes', 'nodes'],
    ['/api/v1/nodes/n1/status', 'nodes/status'],
    ['/api/v1/namespaces', 'namespaces'],
    ['/api/v1/namespaces/n/status', 'namespaces/status'],
    ['/api/v1/namespaces/n/pods', 'pods'],
    ['/api/v1/namespaces/n/pods/p/status', 'pods/status'],
    ['/apis/cilium.io/v2/ciliumnodes/n1/status', 'ciliumnodes.cilium.io/status'],
    ['/apis/coordination.k8s.io/v1/namespaces/n/leases/l', 'leases.coordination.k8s.io'],
    ['/apis/cilium.io/v2', ''],
    ['/readyz', ''],
  ])('takes %s for a request to %j', (path, resource) => {
    expect(parseApiRequest('GET', path).resource).toBe(resource);
  });

  it('knows a watch by its query, in both spellings', () => {
    expect(parseApiRequest('GET', '/api/v1/nodes?watch=true&resourceVersion=5')).toMatchObject({
      path: '/api/v1/nodes',
      watch: true,
      query: { resourceVersion: '5' },
    });
    expect(parseApiRequest('GET', '/api/v1/nodes?watch=1').watch).toBe(true);
    expect(parseApiRequest('GET', '/api/v1/nodes?watch=false').watch).toBe(false);
    expect(parseApiRequest('POST', '/api/v1/nodes?watch=1').watch).toBe(false);
  });
});
