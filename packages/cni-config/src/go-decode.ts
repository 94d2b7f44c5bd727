import { evaluate } from '@humanwhocodes/momoa';
import type { MemberNode, ValueNode } from '@humanwhocodes/momoa';
import { foldFieldName } from './go-field-name.ts';
import { joinPointer } from './json-pointer.ts';
import { resolveShape } from './schema.ts';
import type { Shape } from './schema.ts';

/** Where a decoded value was written: its node, and its JSON pointer in the file's own spelling. */
export type Place = { readonly node: ValueNode; readonly pointer: string };

/** A member that repeats an earlier one of the same object. */
type RepeatedKey = { readonly member: MemberNode; readonly pointer: string };

/** A tree as Go would decode it, with the way back to the text. */
export type Decoded = {
  readonly value: unknown;
  /** JSON pointer in the decoded value → where it was written. */
  readonly places: ReadonlyMap<string, Place>;
  readonly repeated: readonly RepeatedKey[];
  /** Decoded pointers of scalars written as null inside a map or slice, which Go turns into the zero value. */
  readonly nullElements: readonly string[];
};

type Context = { readonly text: string; places: Map<string, Place>; repeated: RepeatedKey[]; nullElements: string[] };
type Slot = { readonly shape: Shape; readonly pointer: string; readonly occurrences: readonly Place[] };

/**
 * Decodes a tree along a shape by the rules of Go's encoding/json (https://pkg.go.dev/encoding/json#Unmarshal): field
 * names without case; a null is no value; repeated members decode into the same variable, so structs and maps merge and
 * scalars take the last; unknown members are left out. One value of the wrong kind fails the whole variable, so it is
 * passed on as written, even if repeated and right elsewhere, for the schema to complain about. Map keys are data: the
 * result has them as own properties, `__proto__` too.
 *
 * Not copied: when a slice is written three times, Go lets elements that the second, shorter one had dropped shine
 * through in the third (https://github.com/golang/go/issues/21092).
 */
export function decodeAsGo(root: ValueNode, shape: Shape, text: string): Decoded {
  const context: Context = { text, places: new Map(), repeated: [], nullElements: [] };
  const value = decode(context, { shape, pointer: '', occurrences: [{ node: root, pointer: '' }] });
  return { value, places: context.places, repeated: context.repeated, nullElements: context.nullElements };
}

/** The name of a member with lone surrogates replaced, as Go does with every string. */
export function memberName(member: MemberNode): string {
  return (member.name.type === 'String' ? member.name.value : member.name.name).toWellFormed();
}

function decode(context: Context, slot: Slot): unknown {
  const shape = resolveShape(slot.shape);
  const misfit = slot.occurrences.find(({ node }) => node.type !== 'Null' && !fits(node, shape, context.text));
  const occurrences = withoutNulls(slot.occurrences, shape);
  const place = misfit ?? occurrences.at(-1);
  if (place === undefined) return undefined;
  context.places.set(slot.pointer, place);
  if (misfit !== undefined) return asWritten(misfit.node, shape, context.text);
  const here = { shape, pointer: slot.pointer, occurrences };
  if (shape.properties !== undefined) return decodeStruct(context, here);
  if (shape.additionalProperties !== undefined) return decodeMap(context, here);
  if (shape.items !== undefined) return decodeSlice(context, here);
  return asWritten(place.node, shape, context.text);
}

/** Null empties a map or slice variable and leaves any other as it was. */
function withoutNulls(occurrences: readonly Place[], shape: Shape): readonly Place[] {
  const isNull = (place: Place): boolean => place.node.type === 'Null';
  const isReset = shape.additionalProperties !== undefined || shape.items !== undefined;
  return isReset ? occurrences.slice(occurrences.findLastIndex(isNull) + 1) : occurrences.filter((o) => !isNull(o));
}

function decodeStruct(context: Context, { shape, pointer, occurrences }: Slot): unknown {
  const fields = new Map(Object.keys(shape.properties ?? {}).map((name) => [foldFieldName(name), name]));
  const found = new Map<string, Place[]>();
  for (const occurrence of occurrences) {
    for (const [name, place] of membersOf(context, occurrence, (key) => fields.get(foldFieldName(key)))) {
      const places = found.get(name);
      if (places === undefined) found.set(name, [place]);
      else places.push(place);
    }
  }
  const entries = [...found].map(([name, places]): [string, unknown] => {
    const field = shape.properties?.[name] ?? {};
    return [name, decode(context, { shape: field, pointer: joinPointer(pointer, name), occurrences: places })];
  });
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

function decodeMap(context: Context, { shape, pointer, occurrences }: Slot): unknown {
  const elementShape = resolveShape(shape.additionalProperties ?? {});
  const found = new Map<string, Place>();
  for (const occurrence of occurrences) {
    for (const [name, place] of membersOf(context, occurrence, (key) => key)) {
      const before = found.get(name);
      const isMisfit =
        before !== undefined && before.node.type !== 'Null' && !fits(before.node, elementShape, context.text);
      if (!isMisfit) found.set(name, place);
    }
  }
  return Object.fromEntries(
    [...found].map(([name, place]) => {
      const slot = { shape: elementShape, pointer: joinPointer(pointer, name), occurrences: [place] };
      return [name, decode(context, slot) ?? zeroValue(context, slot)];
    }),
  );
}

function decodeSlice(context: Context, { shape, pointer, occurrences }: Slot): unknown {
  let elements: Place[][] = [];
  for (const { node, pointer: written } of occurrences) {
    if (node.type !== 'Array') continue;
    const before = elements;
    elements = node.elements.map(({ value }, index) => {
      const places = value.type === 'Null' ? [] : (before[index] ?? []);
      places.push({ node: value, pointer: joinPointer(written, index) });
      return places;
    });
  }
  return elements.map((places, index) => {
    const slot = { shape: shape.items ?? {}, pointer: joinPointer(pointer, index), occurrences: places };
    return decode(context, slot) ?? zeroValue(context, slot);
  });
}

/** The members of one object that have a field, under the field's name; repetitions are noted. */
function membersOf(
  context: Context,
  { node, pointer }: Place,
  fieldOf: (key: string) => string | undefined,
): readonly (readonly [string, Place])[] {
  if (node.type !== 'Object') return [];
  const seen = new Set<string>();
  return node.members.flatMap((member) => {
    const key = memberName(member);
    const field = fieldOf(key);
    if (field === undefined) return [];
    const place = { node: member.value, pointer: joinPointer(pointer, key) };
    if (seen.has(field)) context.repeated.push({ member, pointer: place.pointer });
    seen.add(field);
    return [[field, place] as const];
  });
}

function zeroValue(context: Context, slot: Slot): unknown {
  const place = slot.occurrences.at(-1);
  if (place !== undefined) context.places.set(slot.pointer, place);
  if (resolveShape(slot.shape).type !== 'string') return null;
  context.nullElements.push(slot.pointer);
  return '';
}

/** Whether Go would store a value in a variable of this shape. */
function fits(node: ValueNode, shape: Shape, text: string): boolean {
  if (shape.type === undefined) return true;
  if (shape.type === 'integer') return node.type === 'Number' && isGoInteger(literal(node, text));
  return node.type.toLowerCase() === shape.type;
}

/** Go takes only plain digits for an integer: `1.0` and `1e3`, integers for a JSON Schema, are type errors. */
function isGoInteger(digits: string): boolean {
  return /^-?[0-9]+$/.test(digits) && BigInt.asIntN(64, BigInt(digits)) === BigInt(digits);
}

/** A number that is no integer for Go is passed on as text, so that the schema complains as Go does. */
function asWritten(node: ValueNode, shape: Shape, text: string): unknown {
  if (node.type === 'String') return node.value.toWellFormed();
  const isOdd = node.type === 'Number' && shape.type === 'integer' && !isGoInteger(literal(node, text));
  if (isOdd) return literal(node, text);
  return evaluate(node);
}

function literal(node: ValueNode, text: string): string {
  return text.slice(node.loc.start.offset, node.loc.end.offset);
}
