import { ruleKey } from './ip-rule.ts';
import type { IpRule } from './ip-rule.ts';
import type { KernelState } from './kernel-state.ts';
import type { NftObject } from './own-table.ts';
import type { Step } from './plan.ts';
import { parseTable } from './read-kernel.ts';
import { isRaw } from './shape.ts';

/**
 * What the kernel does with one step, by its own rules: deleting an ip rule takes the first one that has what was asked for,
 * and an nftables transaction that deletes what is not there fails as a whole.
 */
export function applyToModel(state: KernelState, step: Step): KernelState {
  switch (step.kind) {
    case 'ipRules': {
      const added = step.add.reduce(addRule, state.rules);
      return { ...state, rules: step.remove.reduce(deleteRule, added) };
    }
    case 'nft':
      return { ...state, table: applyNft(state.table, step.commands) };
    case 'peerMarks':
      return { ...state, peerMarks: state.peerMarks.filter(({ backend }) => backend !== step.marks.backend) };
    default:
      return state;
  }
}

function addRule(rules: readonly IpRule[], rule: IpRule): readonly IpRule[] {
  if (rules.some((other) => ruleKey(other) === ruleKey(rule))) throw new Error(`File exists: ${ruleKey(rule)}`);
  const at = rules.findIndex(({ priority }) => priority > rule.priority);
  return at < 0 ? [...rules, rule] : rules.toSpliced(at, 0, rule);
}

function deleteRule(rules: readonly IpRule[], asked: IpRule): readonly IpRule[] {
  const at = rules.findIndex(
    (rule) =>
      rule.priority === asked.priority &&
      rule.table === asked.table &&
      (asked.from === undefined || asked.from === rule.from) &&
      (asked.to === undefined || asked.to === rule.to) &&
      (asked.mark === undefined || JSON.stringify(asked.mark) === JSON.stringify(rule.mark)) &&
      (asked.protocol === 0 || asked.protocol === rule.protocol),
  );
  if (at < 0) throw new Error(`No such file or directory: ${ruleKey(asked)}`);
  return rules.toSpliced(at, 1);
}

/** The table while a transaction runs; `objects` are those of a table made in it. */
interface Draft {
  readonly shape: string;
  readonly pods: ReadonlySet<string>;
  readonly objects?: readonly NftObject[];
}

function applyNft(before: KernelState['table'], commands: readonly NftObject[]): KernelState['table'] {
  const draft = commands.reduce<Draft | undefined>(applyCommand, before);
  if (draft === undefined) return undefined;
  const { objects, shape, pods } = draft;
  return { shape: objects === undefined ? shape : listedShape(objects), pods };
}

/** One command, `{verb: {kind: value}}`. */
function applyCommand(draft: Draft | undefined, command: NftObject): Draft | undefined {
  const [verb, parts] = entryOf(command);
  const [kind, value] = entryOf(parts);
  if (kind === 'table') return verb === 'delete' ? deleteTable(draft) : (draft ?? newTable(parts));
  if (draft === undefined) throw new Error('No such file or directory: the table');
  if (kind === 'element') return { ...draft, pods: changeElements(draft.pods, verb, textsOf(value['elem'])) };
  return { ...draft, objects: [...(draft.objects ?? []), parts] };
}

function newTable(parts: NftObject): Draft {
  return { shape: '', pods: new Set(), objects: [parts] };
}

function deleteTable(draft: Draft | undefined): undefined {
  if (draft === undefined) throw new Error('No such file or directory: the table');
}

function changeElements(pods: ReadonlySet<string>, verb: string, ips: readonly string[]): ReadonlySet<string> {
  if (verb === 'add') return new Set([...pods, ...ips]);
  const missing = ips.filter((ip) => !pods.has(ip));
  if (missing.length > 0) throw new Error(`No such file or directory: ${missing.join(', ')}`);
  return new Set([...pods].filter((ip) => !ips.includes(ip)));
}

/** As `nft -j list table` would show the objects. */
function listedShape(objects: readonly NftObject[]): string {
  const handles = objects.map((one, handle) => {
    const [kind, value] = entryOf(one);
    return { [kind]: { handle, ...value } };
  });
  return parseTable(JSON.stringify({ nftables: [{ metainfo: { version: '1.0.6' } }, ...handles] })).shape;
}

function entryOf(object: NftObject): readonly [string, NftObject] {
  const [[key, value] = ['', {}]] = Object.entries(object);
  if (!isRaw(value)) throw new Error(`${key} is no object`);
  return [key, value];
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
