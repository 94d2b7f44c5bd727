/** A list kept in order of a rank that an item has for as long as it is in it; ties in order of insertion. */
export interface OrderedList<T> {
  insert(item: T): void;
  /** The first item, taken out. */
  shift(): T | undefined;
  first(): T | undefined;
  remove(item: T): void;
  /** The first `n` items. */
  slice(n: number): readonly T[];
  clear(): void;
  size(): number;
}

/**
 * Makes an empty list. Insertion is a binary search and a move of memory: for some thousands of items that beats a heap,
 * and unlike a heap it can be looked at in order.
 */
export function createOrderedList<T>(compare: (a: T, b: T) => number): OrderedList<T> {
  const items: T[] = [];

  const placeOf = (item: T): number => {
    let low = 0;
    let high = items.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = items[middle];
      if (other !== undefined && compare(other, item) <= 0) low = middle + 1;
      else high = middle;
    }
    return low;
  };

  return {
    insert: (item) => void items.splice(placeOf(item), 0, item),
    shift: () => items.shift(),
    first: () => items[0],
    remove: (item) => {
      const index = items.indexOf(item);
      if (index >= 0) items.splice(index, 1);
    },
    slice: (n) => items.slice(0, n),
    clear: () => void items.splice(0),
    size: () => items.length,
  };
}
