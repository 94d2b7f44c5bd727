import ipaddr from 'ipaddr.js';

/** True for a dotted quad without anything else; shorthand such as `10.1` is none. */
export function isIpv4(text: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(text);
}

/** True when the block, in CIDR notation, contains the address. Text that is neither is in nothing. */
export function isInBlock(ip: string, block: string): boolean {
  if (!isIpv4(ip) || !ipaddr.IPv4.isValidCIDRFourPartDecimal(block)) return false;
  return ipaddr.IPv4.parse(ip).match(ipaddr.IPv4.parseCIDR(block));
}
