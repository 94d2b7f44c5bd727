import type { Address, Selection } from './address.ts';
import { assertNever } from './assert-never.ts';
import { StaticIpError } from './errors.ts';

/** What of an address or pool a selection looks at. */
type Selectable = Pick<Address, 'id' | 'tags'>;

/**
 * True when the selection means this address: keys and values are literal and case-sensitive. Every provider applies it
 * to each answer of its cloud, whatever filters it sent.
 */
export function isSelected(selection: Selection, { id, tags }: Selectable): boolean {
  switch (selection.by) {
    case 'tags':
      return Object.entries(selection.tags).every(([key, value]) => hasTag(tags, key, value));
    case 'ids':
      return selection.ids.includes(id);
    case 'tagValues':
      return selection.values.some((value) => hasTag(tags, selection.key, value));
    default:
      return assertNever(selection);
  }
}

/**
 * Refuses an empty tag map, which would match every address of the account, and an empty tag key.
 * @throws StaticIpError `invalid`
 */
export function assertSelective(selection: Selection): void {
  const keys = selectionKeys(selection);
  if (selection.by === 'tags' && keys.length === 0)
    throw new StaticIpError('invalid', 'a selection by tags needs at least one tag: an empty one means every address');
  if (keys.includes('')) throw new StaticIpError('invalid', 'a selection by tags has an empty tag key');
}

/** A key that is equal for selections that mean the same addresses. */
export function selectionKey(selection: Selection): string {
  switch (selection.by) {
    case 'tags':
      return JSON.stringify(['tags', Object.entries(selection.tags).toSorted(([a], [b]) => (a < b ? -1 : 1))]);
    case 'ids':
      return JSON.stringify(['ids', selection.ids.toSorted()]);
    case 'tagValues':
      return JSON.stringify(['tagValues', selection.key, selection.values.toSorted()]);
    default:
      return assertNever(selection);
  }
}

function selectionKeys(selection: Selection): readonly string[] {
  if (selection.by === 'tags') return Object.keys(selection.tags);
  return selection.by === 'tagValues' ? [selection.key] : [];
}

function hasTag(tags: Selectable['tags'], key: string, value: string): boolean {
  return Object.hasOwn(tags, key) && tags[key] === value;
}
