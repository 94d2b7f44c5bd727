import type { Action, ActionContext } from './action.ts';
import { applyFilters, FILTER_PARAMS, PAGE_PARAMS, pageOf, wireToken } from './describe.ts';
import { Ec2Error } from './ec2-error.ts';
import type { FilterTable } from './filters.ts';
import type { Tags, World } from './model.ts';
import { hashText, lookUp, valuesOf, withEntry } from './persistent-map.ts';
import type { QueryNode } from './query.ts';
import { listOf, nodesOf, tagsOf, textOf } from './query.ts';
import { isVisible } from './visibility.ts';
import { wireList } from './wire.ts';

const MAX_TAGS = 50;
const MAX_KEY = 127;
const MAX_VALUE = 256;

/** The tags of a call's TagSpecifications for `resourceType`. @throws Ec2Error for another type, or tags EC2 refuses */
export function tagSpecificationOf(query: QueryNode, resourceType: string): Tags {
  const specifications = nodesOf(query, 'TagSpecification');
  const [first, second] = specifications;
  if (first === undefined) return {};
  const type = textOf(first, 'ResourceType');
  if (second !== undefined || type !== resourceType) {
    throw new Ec2Error('InvalidParameterValue', `'${type}' is not a valid taggable resource type for this operation.`);
  }
  const keys = nodesOf(first, 'Tag').map((node) => textOf(node, 'Key'));
  if (new Set(keys).size < keys.length)
    throw new Ec2Error(
      'InvalidParameterValue',
      'Duplicate tag keys found. Please note that Tag keys are case insensitive.',
    );
  return checkTags(tagsOf(first, 'Tag'));
}

/**
 * The tags as given, if EC2 takes them: keys of 1 to 127 characters not beginning with `aws:`, values up to 256, 50 tags.
 * Source: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/Using_Tags.html#tag-restrictions
 */
function checkTags(tags: Tags): Tags {
  for (const [key, value] of Object.entries(tags)) checkTag(key, value);
  return checkCount(tags);
}

function checkTag(key: string, value: string): void {
  if (key === '') throw new Ec2Error('InvalidParameterValue', 'Tag key cannot be null or empty.');
  if (/^aws:/i.test(key))
    throw new Ec2Error('InvalidParameterValue', `Tag keys starting with 'aws:' are reserved for internal use`);
  if (lengthOf(key) > MAX_KEY)
    throw new Ec2Error('InvalidParameterValue', `Tag key exceeds the maximum length of ${MAX_KEY} characters`);
  if (lengthOf(value) > MAX_VALUE)
    throw new Ec2Error('InvalidParameterValue', `Tag value exceeds the maximum length of ${MAX_VALUE} characters`);
}

function checkCount(tags: Tags): Tags {
  if (Object.keys(tags).filter((key) => !key.startsWith('aws:')).length <= MAX_TAGS) return tags;
  throw new Ec2Error('TagLimitExceeded', `You have exceeded the maximum number of tags (${MAX_TAGS}) for the resource`);
}

/** Length in code points: EC2 counts Unicode characters. */
function lengthOf(text: string): number {
  return Array.from(text).length;
}

/** CreateTags: adds or overwrites. Source: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateTags.html */
export const createTags: Action = {
  params: ['ResourceId.#', 'Tag.#.Key', 'Tag.#.Value'],
  run: (context) => {
    const wanted = checkTags(tagsOf(context.query, 'Tag'));
    if (Object.keys(wanted).length === 0)
      throw new Ec2Error('MissingParameter', 'The request must contain the parameter Tag');
    return { reply: { return: true }, world: retag(context, (tags) => checkCount({ ...tags, ...wanted })) };
  },
};

/** DeleteTags: a key alone removes the tag, a key with a value only if it has that value; no tag at all removes all. */
export const deleteTags: Action = {
  params: ['ResourceId.#', 'Tag.#.Key', 'Tag.#.Value'],
  run: (context) => {
    const unwanted = nodesOf(context.query, 'Tag').map((node) => ({
      key: textOf(node, 'Key'),
      value: textOf(node, 'Value'),
    }));
    const isUnwanted = (key: string, value: string) =>
      unwanted.length === 0 ||
      unwanted.some((tag) => tag.key === key && (tag.value === undefined || tag.value === value));
    const remaining = (tags: Tags) =>
      Object.fromEntries(
        Object.entries(tags).filter(([key, value]) => key.startsWith('aws:') || !isUnwanted(key, value)),
      );
    return { reply: { return: true }, world: retag(context, remaining) };
  },
};

function retag(context: ActionContext, change: (tags: Tags) => Tags): World {
  const ids = listOf(context.query, 'ResourceId');
  if (ids.length === 0) throw new Ec2Error('MissingParameter', 'The request must contain the parameter ResourceId');
  if (ids.length > 1000)
    throw new Ec2Error('InvalidParameterValue', 'At most 1000 resources can be tagged in one call');
  return ids.reduce((world, id) => retagOne(context, world, { id, change }), context.world);
}

function retagOne(
  context: ActionContext,
  world: World,
  { id, change }: { id: string; change: (tags: Tags) => Tags },
): World {
  const address = lookUp(world.addresses, id);
  if (address !== undefined && isVisible(context.state, address, context.now)) {
    return { ...world, addresses: withEntry(world.addresses, id, { ...address, tags: change(address.tags) }) };
  }
  const instance = lookUp(world.instances, id);
  if (instance !== undefined)
    return { ...world, instances: withEntry(world.instances, id, { ...instance, tags: change(instance.tags) }) };
  const found = lookUp(world.interfaces, id);
  if (found !== undefined)
    return { ...world, interfaces: withEntry(world.interfaces, id, { ...found, tags: change(found.tags) }) };
  throw resourceNotFound(id);
}

function resourceNotFound(id: string): Ec2Error {
  const codes = {
    'eipalloc-': 'InvalidAllocationID.NotFound',
    'i-': 'InvalidInstanceID.NotFound',
    'eni-': 'InvalidNetworkInterfaceID.NotFound',
  };
  const [, code] = Object.entries(codes).find(([prefix]) => id.startsWith(prefix)) ?? ['', 'InvalidID'];
  return new Ec2Error(code, `The ID '${id}' is not valid`);
}

interface TagRow {
  readonly resourceId: string;
  readonly resourceType: string;
  readonly key: string;
  readonly value: string;
  readonly order: number;
  readonly tags: Tags;
}

const TAG_FILTERS: FilterTable<TagRow> = {
  key: (row) => row.key,
  value: (row) => row.value,
  'resource-id': (row) => row.resourceId,
  'resource-type': (row) => row.resourceType,
};

/** DescribeTags. Source: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeTags.html */
export const describeTags: Action = {
  params: [...FILTER_PARAMS, ...PAGE_PARAMS],
  run: (context) => {
    const page = pageOf(context, applyFilters(context, rowsOf(context.view), TAG_FILTERS), { min: 5, max: 1000 });
    const items = page.records.map(({ resourceId, resourceType, key, value }) => ({
      resourceId,
      resourceType,
      key,
      value,
    }));
    return { reply: { tagSet: wireList(items), ...wireToken(page) } };
  },
};

function rowsOf(world: World): TagRow[] {
  return [
    ...valuesOf(world.addresses).flatMap(({ allocationId, tags }) => rows(allocationId, 'elastic-ip', tags)),
    ...valuesOf(world.instances).flatMap(({ id, tags }) => rows(id, 'instance', tags)),
    ...valuesOf(world.interfaces).flatMap(({ id, tags }) => rows(id, 'network-interface', tags)),
  ];
}

function rows(resourceId: string, resourceType: string, tags: Tags): TagRow[] {
  return Object.entries(tags).map(([key, value]) => ({
    resourceId,
    resourceType,
    key,
    value,
    tags: { [key]: value },
    order: rowOrder(`${resourceId} ${key}`),
  }));
}

/** 52 bits, so that two rows practically never share a place. */
function rowOrder(text: string): number {
  return hashText(text) * 2 ** 20 + (hashText(`${text} `) % 2 ** 20);
}
