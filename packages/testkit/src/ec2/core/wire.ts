/** A value of an answer, in the names of the wire; undefined is left out, a list is written as repeated elements. */
export type WireValue = string | number | boolean | undefined | WireObject | readonly WireValue[];

/** An element of an answer. EC2 writes a list `xs` as `{ xs: { item: [ … ] } }`. */
export interface WireObject {
  readonly [element: string]: WireValue;
}

/** An EC2 list; an empty one is an empty element, as on the wire. */
export function wireList(items: readonly WireValue[]): WireObject {
  return { item: items };
}

/** An EC2 `tagSet`, sorted by key. */
export function wireTags(tags: Readonly<Record<string, string>>): WireObject | undefined {
  const keys = Object.keys(tags);
  if (keys.length === 0) return undefined;
  return wireList(keys.toSorted().map((key) => ({ key, value: tags[key] })));
}
