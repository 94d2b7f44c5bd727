import type { ValueNode } from '@humanwhocodes/momoa';
import { chosenObjects, ipamNodes, listNodes } from './chosen-nodes.ts';
import type { Finding } from './finding.ts';
import { memberName } from './go-decode.ts';
import type { Decoded } from './go-decode.ts';
import type { JsonDocument } from './json-document.ts';
import { joinPointer } from './json-pointer.ts';
import { findLostTags } from './misspelt-keys.ts';
import { shorten, structuralFindings } from './structure.ts';

/** The type of the entry Cilium takes its settings from, compared exactly. */
export const CILIUM_PLUGIN = 'cilium-cni';

/** A file decoded both ways, and the way that counts. */
export type ParsedConfig = {
  readonly file: string;
  readonly document: JsonDocument;
  readonly list: Decoded;
  readonly single: Decoded;
  /** Index of Cilium's entry in the list, or undefined when the top level is read. */
  readonly index: number | undefined;
};

/** Everything worth saying about a file that was read, in no order. `hasTags` tells whether Cilium has something to lose. */
export function findingsOn(parsed: ParsedConfig, hasTags: boolean): readonly Finding[] {
  const { file, document, list, single, index } = parsed;
  const isRead = index === undefined ? single : list;
  const views = isList(parsed) && index === undefined ? [list, single] : [isRead];
  const entry = index === undefined ? '' : `/plugins/${index}`;
  const homes = new Set<ValueNode>(ipamNodes(chosenObjects(document.root, index)));
  return [
    ...structure(parsed, hasTags),
    ...repeatedKeys(views, file),
    ...nullValues(isRead, file),
    ...findLostTags(document.root, { file, homes, home: joinPointer(entry, 'ipam') }),
  ];
}

/** Whether the file is meant to be a list: it has `plugins`, or its name says so. */
function isList({ document, file }: ParsedConfig): boolean {
  return listNodes(document.root).length > 0 || file.endsWith('.conflist');
}

function structure(parsed: ParsedConfig, hasTags: boolean): readonly Finding[] {
  const { file, list, single, index } = parsed;
  if (!isList(parsed)) return structuralFindings({ file, view: 'single', decoded: single, chosen: '', hasTags });
  const context = { file, view: 'list', decoded: list } as const;
  if (index !== undefined) return structuralFindings({ ...context, chosen: `/plugins/${index}`, hasTags });
  const inList = structuralFindings({ ...context, chosen: undefined, hasTags: false });
  return [...inList, ...topLevelFindings(parsed, hasTags)];
}

/** A list without `cilium-cni` is read like a single file, so what is wrong on the way to its tags matters, too. */
function topLevelFindings({ file, single, document }: ParsedConfig, hasTags: boolean): readonly Finding[] {
  const { line, column } = document.root.loc.start;
  const message = `no entry of type ${CILIUM_PLUGIN}: the ipam block at the top level is read instead, if any`;
  const note: Finding = { severity: 'info', code: 'no-cilium-plugin', message, file, line, column, pointer: '' };
  const top = structuralFindings({ file, view: 'single', decoded: single, chosen: '', hasTags });
  return [note, ...top.filter((finding) => finding.severity === 'error' || finding.code === 'cilium-refuses-file')];
}

function repeatedKeys(views: readonly Decoded[], file: string): readonly Finding[] {
  const repeated = new Map(views.flatMap((view) => view.repeated).map((key) => [key.member, key.pointer]));
  return [...repeated].map(([member, pointer]) => {
    const name = JSON.stringify(shorten(memberName(member)));
    const message = `${name} is there twice: objects are merged, of other values the last counts; keep one`;
    const { line, column } = member.loc.start;
    return { severity: 'warning', code: 'duplicate-key', message, file, line, column, pointer };
  });
}

function nullValues({ nullElements, places }: Decoded, file: string): readonly Finding[] {
  return nullElements.flatMap((decodedPointer): Finding[] => {
    const place = places.get(decodedPointer);
    if (place === undefined || !/\/ipam\/static-ip-tags\/[^/]*$/.test(decodedPointer)) return [];
    const { line, column } = place.node.loc.start;
    const message = 'null is read as the empty value, as Cilium does: write ""';
    return [{ severity: 'warning', code: 'null-tag-value', message, file, line, column, pointer: place.pointer }];
  });
}
