import type { MemberNode, ObjectNode, ValueNode } from '@humanwhocodes/momoa';
import { distance } from 'fastest-levenshtein';
import type { Finding } from './finding.ts';
import { memberName } from './go-decode.ts';
import { isGoField } from './go-field-name.ts';
import { joinPointer } from './json-pointer.ts';

/** The one key this package is about. */
export const TAGS_KEY = 'static-ip-tags';

/** Edits between two spellings, punctuation aside, that still count as the same word: a lost letter, a swapped pair. */
const NEAR = 2;

/** Deepest object looked into: `plugins` → entry → `ipam` → key, with room for one block more. */
const DEPTH = 5;

export type KeySearch = {
  readonly file: string;
  /** The `ipam` objects that are read; the key is at home in these and nowhere else. */
  readonly homes: ReadonlySet<ValueNode>;
  /** JSON pointer of the place to write the tags, for the hint. */
  readonly home: string;
};

/** Finds keys that somebody meant to be `static-ip-tags`: misspelt ones anywhere, and right ones where nobody reads them. */
export function findLostTags(root: ValueNode, search: KeySearch): readonly Finding[] {
  const findings: Finding[] = [];
  visit(root, '', DEPTH);
  return findings;

  function visit(node: ValueNode, pointer: string, depth: number): void {
    if (depth === 0) return;
    if (node.type === 'Array')
      node.elements.forEach((e, index) => visit(e.value, joinPointer(pointer, index), depth - 1));
    if (node.type !== 'Object') return;
    for (const member of node.members) visitMember(member, node, { pointer, depth });
  }

  function visitMember(member: MemberNode, parent: ObjectNode, at: { pointer: string; depth: number }): void {
    const name = memberName(member);
    const pointer = joinPointer(at.pointer, name);
    if (isNearTagsKey(name)) {
      const finding = describeLost({ name, member, pointer, isHome: search.homes.has(parent) }, search);
      if (finding !== undefined) findings.push(finding);
    } else if (!isFreeForm(name)) visit(member.value, pointer, at.depth - 1);
  }
}

type NearKey = {
  readonly name: string;
  readonly member: MemberNode;
  readonly pointer: string;
  readonly isHome: boolean;
};

function describeLost({ name, member, pointer, isHome }: NearKey, { file, home }: KeySearch): Finding | undefined {
  const isExact = isGoField(name, TAGS_KEY);
  if (isExact && (isHome || member.value.type === 'Null')) return undefined;
  const { line, column } = member.loc.start;
  const target = joinPointer(home, TAGS_KEY);
  const shared = { severity: 'warning', file, line, column, pointer, intendedKey: TAGS_KEY } as const;
  if (isExact) {
    const message = `${JSON.stringify(name)} is not read here: move it into the ipam block, to ${target}`;
    return { ...shared, code: 'misplaced-tags', message };
  }
  const message = `unknown key ${JSON.stringify(name)} is ignored: write "${TAGS_KEY}"`;
  return { ...shared, code: 'misspelt-tags-key', message, ...(isHome ? {} : { hint: `and move it to ${target}` }) };
}

function isNearTagsKey(name: string): boolean {
  return name.length <= 2 * TAGS_KEY.length && distance(withoutPunctuation(name), withoutPunctuation(TAGS_KEY)) <= NEAR;
}

function withoutPunctuation(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}

/** Maps whose keys are the user's own words, and what a runtime recorded: nothing in them is a misspelt setting. */
function isFreeForm(name: string): boolean {
  return name.endsWith('-tags') || isGoField(name, 'prevResult') || isGoField(name, 'capabilities');
}
