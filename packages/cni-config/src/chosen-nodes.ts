import type { ObjectNode, ValueNode } from '@humanwhocodes/momoa';
import { memberName } from './go-decode.ts';
import { isGoField } from './go-field-name.ts';

/** The objects that are decoded together into the chosen entry; more than one only where keys are repeated. */
export function chosenObjects(root: ValueNode, index: number | undefined): readonly ObjectNode[] {
  if (index === undefined) return [root].filter(isObjectNode);
  return listNodes(root).flatMap((plugins) => {
    const entry = plugins.type === 'Array' ? plugins.elements[index]?.value : undefined;
    return entry !== undefined && isObjectNode(entry) ? [entry] : [];
  });
}

/** What the file says for `plugins`, null aside: normally one array. */
export function listNodes(root: ValueNode): readonly ValueNode[] {
  return membersNamed([root].filter(isObjectNode), 'plugins').filter((node) => node.type !== 'Null');
}

/** The `ipam` objects of these objects. */
export function ipamNodes(objects: readonly ObjectNode[]): readonly ObjectNode[] {
  return membersNamed(objects, 'ipam').filter(isObjectNode);
}

function membersNamed(objects: readonly ObjectNode[], field: string): readonly ValueNode[] {
  return objects.flatMap((object) => object.members.filter((m) => isGoField(memberName(m), field)).map((m) => m.value));
}

function isObjectNode(node: ValueNode): node is ObjectNode {
  return node.type === 'Object';
}
