import { Ec2Error } from './ec2-error.ts';
import type { Tags } from './model.ts';

/** One call's parameters as EC2's Query protocol sends them: `Filter.1.Value.2` → text. */
export type QueryParams = Readonly<Record<string, string>>;

/** The same parameters as a tree: `Filter` → `1` → `Value` → `2` → text. */
export interface QueryNode {
  readonly text: string | undefined;
  readonly children: ReadonlyMap<string, QueryNode>;
}

/** One `Filter.N`, as sent: values may hold wildcards. */
export interface RawFilter {
  readonly name: string;
  readonly values: readonly string[];
}

interface GrowingNode {
  text: string | undefined;
  children: Map<string, GrowingNode>;
}

/** Builds the tree of a call's parameters. */
export function parseQuery(params: QueryParams): QueryNode {
  const root: GrowingNode = { text: undefined, children: new Map() };
  for (const [name, text] of Object.entries(params)) {
    let node = root;
    for (const step of name.split('.')) node = childOf(node, step);
    node.text = text;
  }
  return root;
}

function childOf(node: GrowingNode, step: string): GrowingNode {
  const known = node.children.get(step);
  if (known !== undefined) return known;
  const child: GrowingNode = { text: undefined, children: new Map() };
  node.children.set(step, child);
  return child;
}

/**
 * Refuses a call that has a parameter outside `allowed`, where `#` stands for any list position.
 * @throws Ec2Error UnknownParameter
 */
export function rejectUnknown(params: QueryParams, allowed: ReadonlySet<string>): void {
  for (const name of Object.keys(params)) {
    if (allowed.has(name.replaceAll(/\.\d+(?=\.|$)/g, '.#'))) continue;
    throw new Ec2Error('UnknownParameter', `The parameter ${name} is not recognized`);
  }
}

/** The text of a plain parameter, or undefined when it was not sent. */
export function textOf(query: QueryNode, name: string): string | undefined {
  return query.children.get(name)?.text;
}

/** @throws Ec2Error MissingParameter when it was not sent or is empty. */
export function requiredText(query: QueryNode, name: string): string {
  const text = textOf(query, name);
  if (text !== undefined && text !== '') return text;
  throw new Ec2Error('MissingParameter', `The request must contain the parameter ${name}`);
}

/** true, false, or undefined when it was not sent. @throws Ec2Error InvalidParameterValue on any other text. */
export function flagOf(query: QueryNode, name: string): boolean | undefined {
  const text = textOf(query, name);
  if (text === undefined) return undefined;
  if (text === 'true' || text === 'false') return text === 'true';
  throw new Ec2Error('InvalidParameterValue', `Invalid value '${text}' for ${name}: must be true or false`);
}

/** The texts of `Name.1`, `Name.2`, … in order of their position. */
export function listOf(query: QueryNode, name: string): string[] {
  return nodesOf(query, name).flatMap((node) => (node.text === undefined ? [] : [node.text]));
}

/** The nodes of `Name.1`, `Name.2`, … in order of their position. */
export function nodesOf(query: QueryNode, name: string): QueryNode[] {
  const children = query.children.get(name)?.children;
  if (children === undefined) return [];
  return [...children].toSorted(([left], [right]) => Number(left) - Number(right)).map(([, node]) => node);
}

/** All filters of a call, as sent. */
export function filtersOf(query: QueryNode): RawFilter[] {
  return nodesOf(query, 'Filter').map((node) => ({ name: requiredText(node, 'Name'), values: listOf(node, 'Value') }));
}

/** The tags under `name` (`Tag`); a tag without a value has the empty one. */
export function tagsOf(query: QueryNode, name: string): Tags {
  const entries = nodesOf(query, name).map((node) => [textOf(node, 'Key') ?? '', textOf(node, 'Value') ?? ''] as const);
  return Object.fromEntries(entries);
}
