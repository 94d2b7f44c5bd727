import type { Cidr } from './cidr.ts';
import { createMatcher } from './cidr.ts';
import type { IpRule } from './ip-rule.ts';
import { EGRESS_PRIORITY, ENI_TABLE_BASE, UNSPECIFIED_PROTOCOL } from './names.ts';

/** The predecessor's first scheme put its rules here; Cilium's local table and users' rules can be here, too. */
const OLD_POD_PRIORITY = 100;
/** An instance has at most 16 interfaces in that scheme's reckoning. */
const MAX_DEVICE_INDEX = 15;
const OLD_MASK = 0xf;

/**
 * Whether a rule was made by the k8s-eip-operator's agent, which named no protocol:
 * - first scheme: `100: from POD lookup 10+N`, told from a user's rule by the pod's address being one of this node's;
 * - second: `200: from all fwmark N/0xf lookup 10+N`.
 *
 * `podNetworks` are the networks of the node's pods.
 */
export function createPeerRuleTest(podNetworks: readonly Cidr[]): (rule: IpRule) => boolean {
  const isPodAddress = createMatcher(podNetworks);
  return (rule) => {
    if (rule.protocol !== UNSPECIFIED_PROTOCOL || rule.to !== undefined || rule.more === true) return false;
    const deviceIndex = rule.table - ENI_TABLE_BASE;
    if (deviceIndex < 0 || deviceIndex > MAX_DEVICE_INDEX) return false;
    return isOldPodRule(rule, isPodAddress) || isOldMarkRule(rule, deviceIndex);
  };
}

function isOldPodRule({ priority, from, mark }: IpRule, isPodAddress: (ip: string) => boolean): boolean {
  if (priority !== OLD_POD_PRIORITY || mark !== undefined || from?.endsWith('/32') !== true) return false;
  return isPodAddress(from.slice(0, -'/32'.length));
}

function isOldMarkRule({ priority, from, mark }: IpRule, deviceIndex: number): boolean {
  if (priority !== EGRESS_PRIORITY || from !== undefined || mark === undefined || deviceIndex === 0) return false;
  return mark.mask === OLD_MASK && mark.value === deviceIndex;
}

/** `-i ethN … -j CONNMARK --set-xmark 0xN/0xf`: the connection is marked with the interface it came in by. */
const SET_MARK =
  /^-A CILIUM_PRE_mangle (?:.* )?-i eth(?<name>\d+) (?:.* )?-j CONNMARK --set-xmark 0x(?<mark>[0-9a-f])\/0xf$/;
/** `-i lxc+ … -j CONNMARK --restore-mark`: and the mark is given to what the pod answers. */
const RESTORE_MARK =
  /^-A CILIUM_PRE_mangle (?:.* )?-i lxc\+ (?:.* )?-j CONNMARK --restore-mark --nfmask 0xf --ctmask 0xf$/;

/** The lines of `iptables-save -t mangle` that the predecessor's second scheme added to Cilium's chain. */
export function peerMarkLines(saved: string): readonly string[] {
  return saved
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => {
      const { name, mark } = SET_MARK.exec(line)?.groups ?? {};
      const sets = name !== undefined && mark !== undefined && Number(name) === Number.parseInt(mark, 16);
      return sets || RESTORE_MARK.test(line);
    });
}
