import { describe, expect, it } from '@jest/globals';
import { desiredShape } from './own-table.ts';
import { parseTable } from './read-kernel.ts';
import { parseIp } from './read-ip.ts';
import { parseFlows } from './flows.ts';

describe('reading ip -json', () => {
  it('knows every attribute that tells rules apart, and says when there are more', () => {
    // As iproute2 6.1 prints it with -N -d.
    const rules = `[{"priority":0,"src":"all","table":"255","protocol":"2"},
      {"priority":100,"src":"10.0.0.5","table":"11","protocol":"0"},
      {"priority":111,"src":"10.0.0.5","dst":"10.0.0.0","dstlen":16,"fwmark":"0x10","fwmask":"0xf","table":"11","protocol":"2"},
      {"priority":150,"src":"10.0.0.0","srclen":24,"fwmark":"0x1","table":"11","protocol":"2"},
      {"priority":200,"src":"10.0.0.5","table":"11","protocol":"201"},
      {"priority":300,"not":null,"src":"all","iif":"eth0","table":"11","protocol":"3"},
      {"priority":400,"src":"all","action":"blackhole","protocol":"3"}]`.replaceAll('\n', '');
    expect(parseIp([rules, '[]', '[]', '[]'].join('\n')).rules).toEqual([
      { priority: 0, table: 255, protocol: 2 },
      { priority: 100, from: '10.0.0.5/32', table: 11, protocol: 0 },
      { priority: 111, from: '10.0.0.5/32', to: '10.0.0.0/16', mark: { value: 16, mask: 15 }, table: 11, protocol: 2 },
      { priority: 150, from: '10.0.0.0/24', mark: { value: 1, mask: 0xffff_ffff }, table: 11, protocol: 2 },
      { priority: 200, from: '10.0.0.5/32', table: 11, protocol: 201 },
      { priority: 300, table: 11, protocol: 3, more: true },
      { priority: 400, table: 0, protocol: 3, more: true },
    ]);
  });

  it('names interfaces by index, and leaves out routes that lead nowhere', () => {
    const lines = [
      '[]',
      '[{"ifindex":2,"ifname":"ens5","address":"02:00:00:00:00:AA"},{"ifindex":9,"ifname":"tun0"}]',
      '[{"ifindex":2,"ifname":"ens5","addr_info":[{"family":"inet","local":"10.0.0.10","prefixlen":24}]}]',
      '[{"dst":"default","gateway":"10.0.0.1","dev":"ens5","flags":[]},{"dst":"default","dev":"ens5","table":"11","metric":7,"flags":[]},{"type":"7","dst":"default","table":"12","flags":[]}]',
    ];
    expect(parseIp(lines.join('\n'))).toEqual({
      rules: [],
      links: [{ index: 2, mac: '02:00:00:00:00:aa' }],
      addresses: [{ interfaceIndex: 2, address: '10.0.0.10' }],
      defaultRoutes: [
        { table: 254, interfaceIndex: 2, metric: 0 },
        { table: 11, interfaceIndex: 2, metric: 7 },
      ],
    });
  });

  it.each(['', '{}', '[1]', 'ip: command failed', '[]\n[]'])('refuses what is no list of objects: %p', (line) => {
    expect(() => parseIp([line, '[]', '[]', '[]'].join('\n'))).toThrow(expect.objectContaining({ code: 'protocol' }));
  });
});

/** As nft 1.0.6 lists the table of two pods. */
function listing(changes: { readonly comment?: string; readonly prio?: number } = {}): string {
  const at = { family: 'ip', table: 'static_ip' };
  const { comment = commentOf(), prio = 90 } = changes;
  return JSON.stringify({
    nftables: [
      { metainfo: { version: '1.0.6' } },
      { table: { family: 'ip', name: 'static_ip', handle: 1 } },
      { set: { ...at, name: 'pods', type: 'ipv4_addr', handle: 3, elem: ['10.0.0.5', '10.0.0.6'] } },
      {
        set: {
          ...at,
          name: 'inside',
          type: 'ipv4_addr',
          handle: 4,
          // Newer versions print one flag as text.
          flags: 'interval',
          elem: [{ prefix: { addr: '10.0.0.0', len: 16 } }],
        },
      },
      { chain: { ...at, name: 'keep_source', handle: 1, type: 'nat', hook: 'postrouting', prio, policy: 'accept' } },
      { rule: { ...at, chain: 'keep_source', handle: 5, comment, expr: ['printed in whatever way'] } },
    ],
  });
}

const DESIRED = { pods: [], inside: [{ address: '10.0.0.0', bits: 16 }], markReplies: false };

function commentOf(): string {
  return /"comment":"(?<comment>[0-9a-f]+)"/.exec(desiredShape(DESIRED))?.groups?.['comment'] ?? '';
}

describe('reading nft -j', () => {
  it('recognises our table, whichever version of nft prints it', () => {
    const { shape, pods } = parseTable(listing());
    expect(shape).toBe(desiredShape(DESIRED));
    expect([...pods]).toEqual(['10.0.0.5', '10.0.0.6']);
  });

  it.each([
    { name: 'a rule that is not ours', text: listing({ comment: '' }) },
    { name: 'another priority', text: listing({ prio: 110 }) },
    { name: 'a missing rule', text: listing().replace(/,\{"rule".*/, ']}') },
    { name: 'other networks inside', text: listing().replace('"len":16', '"len":8') },
  ])('sees $name', ({ text }) => {
    expect(parseTable(text).shape).not.toBe(desiredShape(DESIRED));
  });
});

describe('reading conntrack -o save', () => {
  it('knows where a connection goes, whatever else is on the line', () => {
    const saved = [
      '-A -t 29 -u UNSET -s 10.0.0.5 -d 203.0.113.4 -r 203.0.113.4 -n 10.0.0.9 -p udp --sport 35404 --dport 53',
      '-A -t 9 -u SEEN_REPLY,ASSURED -s 10.0.0.6 -d 203.0.113.9 -r 203.0.113.9 -q 10.0.0.6 -p tcp --sport 1 --dport 2',
      '',
      'no connection',
    ];
    expect(parseFlows(saved.join('\n'))).toEqual([
      { from: '10.0.0.5', to: '203.0.113.4', protocol: 'udp' },
      { from: '10.0.0.6', to: '203.0.113.9', protocol: 'tcp' },
    ]);
  });
});
