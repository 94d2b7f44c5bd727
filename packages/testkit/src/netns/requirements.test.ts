import { describe, expect, it } from '@jest/globals';
import { missingForLab } from './requirements.ts';

describe('what is missing for the network laboratory', () => {
  it('is root, for anybody else', () => {
    expect(missingForLab({ isRoot: false, path: '/usr/bin' })).toBe(
      'the network laboratory needs root: run this as root',
    );
  });

  it('are programs, named with the packages that have them', () => {
    expect(missingForLab({ isRoot: true, path: '/nowhere' })).toMatch(
      /^the network laboratory needs ip, nft, .*unshare: apt-get install iproute2 nftables iptables conntrack \S.* util-linux$/,
    );
  });
});
