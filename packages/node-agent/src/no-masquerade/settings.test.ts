import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createMatcher, formatCidr, joinCidrs, parseCidr } from './cidr.ts';
import { readCiliumSettings } from './cilium-config.ts';
import { eniOf, readEnis } from './eni.ts';
import { peerMarkLines } from './peer-leftovers.ts';

describe('Cilium’s settings', () => {
  it.each([
    { data: {}, masquerade: 'iptables' },
    { data: { 'enable-ipv4-masquerade': 'true' }, masquerade: 'iptables' },
    { data: { 'enable-ipv4-masquerade': 'true', 'enable-bpf-masquerade': 'true' }, masquerade: 'bpf' },
    { data: { 'enable-ipv4-masquerade': 'false', 'enable-bpf-masquerade': 'true' }, masquerade: 'off' },
    { data: { masquerade: 'false' }, masquerade: 'off' },
  ])('$data: $masquerade', ({ data, masquerade }) => {
    expect(readCiliumSettings(data).masquerade).toBe(masquerade);
  });

  it('name the native routing network, if it is one', () => {
    expect(readCiliumSettings({ 'ipv4-native-routing-cidr': '10.2.0.0/16' }).nativeRouting.map(formatCidr)).toEqual([
      '10.2.0.0/16',
    ]);
    expect(readCiliumSettings({ 'ipv4-native-routing-cidr': 'auto' }).nativeRouting).toEqual([]);
  });
});

describe('the interfaces of a CiliumNode', () => {
  it('are known by MAC; the primary one has no number', () => {
    const enis = readEnis({
      status: {
        eni: {
          enis: {
            'eni-1': { mac: '02:AA:00:00:00:01', addresses: ['10.0.0.30'], subnet: { cidr: '10.0.0.0/24' } },
            'eni-2': { mac: '02:aa:00:00:00:02', number: 1, prefixes: ['10.0.1.32/28'], subnet: {} },
            'eni-3': { number: 2 },
            'eni-4': { mac: '02:aa:00:00:00:04', number: 'three' },
          },
        },
      },
    });
    expect(enis.map(({ mac, deviceIndex }) => `${mac} ${deviceIndex}`)).toEqual([
      '02:aa:00:00:00:01 0',
      '02:aa:00:00:00:02 1',
    ]);
    expect(eniOf('10.0.1.40', enis)?.deviceIndex).toBe(1);
    expect(eniOf('10.0.1.48', enis)).toBeUndefined();
    expect(readEnis({})).toEqual([]);
    expect(readEnis(undefined)).toEqual([]);
  });
});

describe('marks of the predecessor', () => {
  it('are told from all others by interface, mark and mask together', () => {
    const marks = [
      '-A CILIUM_PRE_mangle -i lxc+ -j CONNMARK --restore-mark --nfmask 0xf --ctmask 0xf',
      '-A CILIUM_PRE_mangle -i eth10 -m comment --comment "x" -j CONNMARK --set-xmark 0xa/0xf',
    ];
    const others = [
      '-A PREROUTING -i eth1 -j CONNMARK --set-xmark 0x1/0xf',
      '-A CILIUM_PRE_mangle -i eth1 -j CONNMARK --set-xmark 0x2/0xf',
      '-A CILIUM_PRE_mangle -i eth1 -j CONNMARK --set-xmark 0x1/0xff',
      '-A CILIUM_PRE_mangle -i lxc+ -j CONNMARK --restore-mark --nfmask 0x80 --ctmask 0x80',
      ':CILIUM_PRE_mangle - [0:0]',
    ];
    expect(peerMarkLines([...others, ...marks].join('\n'))).toEqual(marks);
  });
});

describe('networks', () => {
  const cidr = fc.tuple(fc.ipV4(), fc.integer({ min: 0, max: 32 })).map(([ip, bits]) => `${ip}/${bits}`);

  it('that are joined match exactly what they matched apart, and none lies within another', () => {
    fc.assert(
      fc.property(fc.array(cidr, { maxLength: 8 }), fc.ipV4(), (texts, ip) => {
        const cidrs = texts.flatMap((text) => parseCidr(text) ?? []);
        const joined = joinCidrs(cidrs);
        expect(createMatcher(joined)(ip)).toBe(createMatcher(cidrs)(ip));
        for (const { address } of joined) expect(joined.filter((one) => createMatcher([one])(address))).toHaveLength(1);
      }),
    );
  });

  it.each(['', '10.0.0.0/33', '10.0.0/8', '10.0.0.0/8/8', 'fd00::/8', '10.0.0.0/', '10.0.0.0/-1', 'auto'])(
    'are none: %p',
    (text) => expect(parseCidr(text)).toBeUndefined(),
  );

  it('lose their host bits, as in the kernel', () => {
    expect(
      ['10.1.2.3/16', '10.1.2.3', '255.255.255.255/1'].map((text) =>
        formatCidr(parseCidr(text) ?? { address: '', bits: 0 }),
      ),
    ).toEqual(['10.1.0.0/16', '10.1.2.3/32', '128.0.0.0/1']);
  });
});
