import { eniOf } from './eni.ts';
import type { Eni } from './eni.ts';
import type { IpRule } from './ip-rule.ts';
import type { DefaultRoute, KernelState } from './kernel-state.ts';
import { CILIUM_EGRESS_PRIORITIES, ENI_TABLE_BASE, KERNEL_PROTOCOL, MAIN_TABLE } from './names.ts';

/**
 * How what a pod sends to the internet leaves the node, if nobody masquerades it:
 * - `primary`: by the node's primary interface, which the pod's address belongs to.
 * - `own`: already by the pod's own, secondary interface.
 * - `strayed`: by the primary interface, where the cloud drops it; a rule to `table` leads it to its own.
 */
export type PodPath =
  | { readonly kind: 'primary' }
  | { readonly kind: 'own' }
  | { readonly kind: 'strayed'; readonly table: number }
  | { readonly kind: 'unknown'; readonly reason: UnknownReason };

/** Cilium has made no rule for the pod yet; or the table it names leads nowhere. */
export type UnknownReason = 'NoPodRule' | 'NoDefaultRoute';

/** Cilium's rules of one pod: the table they lead to, and whether they do so for every destination. */
export interface CiliumRule {
  readonly table: number;
  readonly unconditional: boolean;
}

/** Answers for many pods over one state of the kernel. */
export interface PodPaths {
  readonly of: (ip: string) => PodPath;
  /** Addresses of all pods that Cilium routes. */
  readonly ciliumPods: readonly string[];
  /** Networks that Cilium leads by the pods' own interface without masquerading. */
  readonly insideNetworks: readonly string[];
  /** Interfaces with a default route: those of the cloud. */
  readonly cloudInterfaces: ReadonlySet<number>;
}

/** Reads Cilium's rules and the default routes of a state. `enis` help where Cilium made no rule for a pod. */
export function readPodPaths(state: KernelState, enis: readonly Eni[]): PodPaths {
  const ciliumRules = new Map<string, CiliumRule>();
  const insideNetworks = new Set<string>();
  for (const { from = '', to, table } of state.rules.filter(isPodRule)) {
    const ip = from.slice(0, -'/32'.length);
    // An unconditional rule wins: whatever the others say, it catches what they leave.
    if (to === undefined || !ciliumRules.has(ip)) ciliumRules.set(ip, { table, unconditional: to === undefined });
    if (to !== undefined) insideNetworks.add(to);
  }
  const routes = preferredRoutes(state.defaultRoutes);
  const tableOf = (ip: string): CiliumRule | undefined => ciliumRules.get(ip) ?? eniTable(ip, state, { enis, routes });
  return {
    of: (ip) => pathOf(tableOf(ip), routes),
    ciliumPods: [...ciliumRules.keys()],
    insideNetworks: [...insideNetworks],
    cloudInterfaces: new Set([...routes.values()].map(({ interfaceIndex }) => interfaceIndex)),
  };
}

/** Whether a rule is Cilium's for what one pod sends. */
function isPodRule({ priority, protocol, from, mark, more }: IpRule): boolean {
  if (protocol !== KERNEL_PROTOCOL || !CILIUM_EGRESS_PRIORITIES.includes(priority)) return false;
  return from?.endsWith('/32') === true && mark === undefined && more !== true;
}

/** The default route of each table that is used: that of the lowest metric. */
function preferredRoutes(routes: readonly DefaultRoute[]): ReadonlyMap<number, DefaultRoute> {
  const preferred = new Map<number, DefaultRoute>();
  for (const route of routes) {
    const known = preferred.get(route.table);
    if (known === undefined || route.metric < known.metric) preferred.set(route.table, route);
  }
  return preferred;
}

function pathOf(rule: CiliumRule | undefined, routes: ReadonlyMap<number, DefaultRoute>): PodPath {
  if (rule === undefined) return { kind: 'unknown', reason: 'NoPodRule' };
  const primary = routes.get(MAIN_TABLE);
  const route = rule.table === MAIN_TABLE ? primary : routes.get(rule.table);
  if (route === undefined || primary === undefined) return { kind: 'unknown', reason: 'NoDefaultRoute' };
  // An interface is known by its index within one state: its name may be anything, and may change.
  if (route.interfaceIndex === primary.interfaceIndex) return { kind: 'primary' };
  return rule.unconditional ? { kind: 'own' } : { kind: 'strayed', table: rule.table };
}

/** The table by the interface the cloud gave the pod's address to, found by its MAC: 10 + device index. */
function eniTable(
  ip: string,
  { links }: KernelState,
  { enis, routes }: { readonly enis: readonly Eni[]; readonly routes: ReadonlyMap<number, DefaultRoute> },
): CiliumRule | undefined {
  const eni = eniOf(ip, enis);
  const link = eni === undefined ? undefined : links.find(({ mac }) => mac === eni.mac);
  if (eni === undefined || link === undefined) return undefined;
  const table = ENI_TABLE_BASE + eni.deviceIndex;
  // The primary interface needs no table of its own.
  if (routes.get(MAIN_TABLE)?.interfaceIndex === link.index) return { table: MAIN_TABLE, unconditional: false };
  // A table that leads to another interface is not this one's, whatever its number.
  return routes.get(table)?.interfaceIndex === link.index ? { table, unconditional: false } : undefined;
}
