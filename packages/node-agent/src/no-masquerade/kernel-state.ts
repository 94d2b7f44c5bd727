import type { IpRule } from './ip-rule.ts';

/** A default route: the interface by index, since names may change. */
export interface DefaultRoute {
  readonly table: number;
  readonly interfaceIndex: number;
  readonly metric: number;
}

export interface Link {
  readonly index: number;
  readonly mac: string;
}

export interface InterfaceAddress {
  readonly interfaceIndex: number;
  readonly address: string;
}

/** What is in our nftables table. */
export interface OwnTable {
  /** Everything but handles and the pods' addresses, as one text: equal texts, equal tables. */
  readonly shape: string;
  readonly pods: ReadonlySet<string>;
}

/** Rules that the predecessor's agent left in Cilium's mangle chain, as lines of `iptables-save`. */
export interface PeerMarks {
  readonly backend: IptablesBackend;
  /** Each starts with `-A `. */
  readonly lines: readonly string[];
}

/** iptables has two of everything: rules in nftables, and in its own tables. */
export type IptablesBackend = 'nft' | 'legacy';

/** What the kernel of the node holds, as far as this job reads it. IPv4 only. */
export interface KernelState {
  readonly rules: readonly IpRule[];
  readonly defaultRoutes: readonly DefaultRoute[];
  readonly links: readonly Link[];
  /** Of global scope. */
  readonly addresses: readonly InterfaceAddress[];
  readonly table: OwnTable | undefined;
  readonly peerMarks: readonly PeerMarks[];
}
