import { KubeError } from '../errors.ts';
import { isRawObject, memberOf } from '../json/shape.ts';
import type { RawObject } from '../json/shape.ts';
import type { KubeMetadata, OwnerReference } from './object.ts';

/**
 * Reads `metadata` of an object of the API; null counts as absent, as it does for the server.
 * @throws KubeError `protocol` naming the field that has the wrong shape.
 */
export function parseMetadata(raw: unknown): KubeMetadata {
  const metadata = memberOf(raw, 'metadata');
  if (!isRawObject(metadata)) throw wrongShape('metadata', 'an object');
  return {
    name: required(metadata, 'name'),
    uid: required(metadata, 'uid'),
    resourceVersion: required(metadata, 'resourceVersion'),
    ...optionalParts(metadata),
    labels: textMap(metadata, 'labels'),
    annotations: textMap(metadata, 'annotations'),
    finalizers: textList(metadata, 'finalizers'),
    ownerReferences: owners(metadata),
  };
}

type OptionalPart = 'namespace' | 'generation' | 'creationTimestamp' | 'deletionTimestamp';

/** The members that are absent rather than empty. */
function optionalParts(metadata: RawObject): Pick<KubeMetadata, OptionalPart> {
  const namespace = text(metadata, 'namespace');
  const generation = integer(metadata, 'generation');
  const creationTimestamp = text(metadata, 'creationTimestamp');
  const deletionTimestamp = text(metadata, 'deletionTimestamp');
  return {
    ...(namespace === undefined ? {} : { namespace }),
    ...(generation === undefined ? {} : { generation }),
    ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
    ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
  };
}

function wrongShape(field: string, wanted: string): KubeError {
  return new KubeError('protocol', `reading an object: ${field} is not ${wanted}`, { fields: { field } });
}

function text(from: RawObject, key: string): string | undefined {
  const value = memberOf(from, key);
  if (value === undefined || typeof value === 'string') return value;
  throw wrongShape(`metadata.${key}`, 'a string');
}

function required(from: RawObject, key: string): string {
  const value = text(from, key);
  if (value === undefined || value === '') throw wrongShape(`metadata.${key}`, 'a non-empty string');
  return value;
}

function integer(from: RawObject, key: string): number | undefined {
  const value = memberOf(from, key);
  if (value === undefined) return undefined;
  if (typeof value === 'number' && Number.isInteger(value)) return value;
  throw wrongShape(`metadata.${key}`, 'an integer');
}

const NO_TEXTS: Readonly<Record<string, string>> = Object.freeze({});

function textMap(from: RawObject, key: string): Readonly<Record<string, string>> {
  const value = memberOf(from, key);
  if (value === undefined) return NO_TEXTS;
  if (!isRawObject(value)) throw wrongShape(`metadata.${key}`, 'an object');
  const entries = Object.entries(value).map(([name, content]): [string, string] => {
    if (typeof content !== 'string') throw wrongShape(`metadata.${key}.${name}`, 'a string');
    return [name, content];
  });
  return Object.fromEntries(entries);
}

const NONE: readonly never[] = Object.freeze([]);

function textList(from: RawObject, key: string): readonly string[] {
  const value = memberOf(from, key);
  if (value === undefined) return NONE;
  if (!Array.isArray(value)) throw wrongShape(`metadata.${key}`, 'a list');
  return value.map((item: unknown, index) => {
    if (typeof item !== 'string') throw wrongShape(`metadata.${key}[${index}]`, 'a string');
    return item;
  });
}

function owners(metadata: RawObject): readonly OwnerReference[] {
  const value = memberOf(metadata, 'ownerReferences');
  if (value === undefined) return NONE;
  if (!Array.isArray(value)) throw wrongShape('metadata.ownerReferences', 'a list');
  return value.map((item: unknown, index) => owner(item, `metadata.ownerReferences[${index}]`));
}

function owner(item: unknown, field: string): OwnerReference {
  const part = (key: string): string => {
    const value = memberOf(item, key);
    if (typeof value !== 'string') throw wrongShape(`${field}.${key}`, 'a string');
    return value;
  };
  return {
    apiVersion: part('apiVersion'),
    kind: part('kind'),
    name: part('name'),
    uid: part('uid'),
    ...(memberOf(item, 'controller') === true ? { controller: true } : {}),
  };
}
