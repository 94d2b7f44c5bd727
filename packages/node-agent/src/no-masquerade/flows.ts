import { createMatcher } from './cidr.ts';
import type { FlowStep } from './plan.ts';

/** What to do about connections, beyond UDP and ICMP. */
export interface FlowOptions {
  /**
   * Also end masqueraded TCP connections of pods that now keep their address (the far side answers with one reset). Else
   * they go on with the node's address for as long as they live.
   */
  readonly resetTcp: boolean;
}

/** A connection as `conntrack -o save` lists it: where it went from and to before any translation, and its protocol. */
export interface Flow {
  readonly from: string;
  readonly to: string;
  readonly protocol: string;
}

/** Reads `conntrack -L -o save`: a line of options for each connection. */
export function parseFlows(saved: string): readonly Flow[] {
  return saved.split('\n').flatMap((line) => {
    const words = line.split(' ');
    const option = (name: string): string | undefined => {
      const at = words.indexOf(name);
      return at < 0 ? undefined : words[at + 1];
    };
    const from = option('-s');
    const to = option('-d');
    const protocol = option('-p');
    return from === undefined || to === undefined || protocol === undefined ? [] : [{ from, to, protocol }];
  });
}

/**
 * Commands for `conntrack --load-file` that delete masqueraded connections of pods that keep their address from now on;
 * `flows` are those with a translated source. One command for each pod, protocol and interface address.
 */
export function deleteMasqueraded(
  { masqueraded }: FlowStep,
  flows: readonly Flow[],
  { resetTcp }: FlowOptions,
): readonly string[] {
  const pods = new Set(masqueraded.pods);
  const wanted = new Set(resetTcp ? ['udp', 'icmp', 'tcp'] : ['udp', 'icmp']);
  const keys = flows
    .filter(({ from, protocol }) => pods.has(from) && wanted.has(protocol))
    .map(({ from, protocol }) => `-p ${protocol} --orig-src ${from}`);
  return [...new Set(keys)].flatMap((key) =>
    masqueraded.to.map((address) => `-D -f ipv4 ${key} --reply-dst ${address}`),
  );
}

/**
 * Commands that delete connections of pods that keep their address no longer, of every protocol: those bound to it, to
 * destinations that are not `inside`. The cloud drops their packets from now on. They carry no mark of a translation, so the
 * destination decides.
 */
export function deleteBound({ bound, inside }: FlowStep, flows: readonly Flow[]): readonly string[] {
  const pods = new Set(bound);
  const isInside = createMatcher(inside);
  const outward = flows.filter(({ from, to }) => pods.has(from) && !isInside(to));
  return [
    ...new Set(outward.map(({ from, to }) => `-D -f ipv4 --orig-src ${from} --orig-dst ${to} --reply-dst ${from}`)),
  ];
}
