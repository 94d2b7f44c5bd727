import { describe, expect, it } from '@jest/globals';
import { parseProviderId } from './provider-id.ts';

describe('the instance in a provider id', () => {
  it.each([
    ['aws:///us-east-1a/i-0123456789abcdef0', 'i-0123456789abcdef0'],
    ['aws:////i-0123456789abcdef0', 'i-0123456789abcdef0'],
    ['i-0123456789abcdef0', 'i-0123456789abcdef0'],
    ['gce://project/europe-west1-b/node-1', 'project/europe-west1-b/node-1'],
    [
      'azure:///subscriptions/S/resourceGroups/RG/providers/X/virtualMachines/VM',
      '/subscriptions/s/resourcegroups/rg/providers/x/virtualmachines/vm',
    ],
    ['lab://host-7', 'host-7'],
  ])('reads %s', (providerId, instanceId) => {
    expect(parseProviderId(providerId)).toEqual({ kind: 'instance', instanceId });
  });

  it.each([
    ['aws:///us-east-1a/fargate-ip-10-0-0-1', 'Fargate'],
    ['aws:///us-east-1a/i-*', 'EC2 instance id'],
    ['aws:///us-east-1a/', 'EC2 instance id'],
    ['aws:///us-east-1a/I-0123', 'EC2 instance id'],
    ['just words', '<provider>://<instance>'],
    ['x://', '<provider>://<instance>'],
  ])('refuses %s and says why', (providerId, why) => {
    const identity = parseProviderId(providerId);
    expect(identity).toMatchObject({ kind: 'invalid' });
    expect(identity.kind === 'invalid' && identity.problem).toContain(why);
  });

  it('waits for an id that is not set yet', () => {
    expect(parseProviderId(undefined)).toEqual({ kind: 'unknown' });
    expect(parseProviderId('')).toEqual({ kind: 'unknown' });
  });
});
