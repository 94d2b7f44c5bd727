import type { ErrorObject } from 'ajv/dist/2020.js';
import type { Finding, FindingCode, Severity } from './finding.ts';
import type { Decoded, Place } from './go-decode.ts';
import { joinPointer, splitPointer } from './json-pointer.ts';
import { TAGS_KEY } from './misspelt-keys.ts';
import { violations } from './schema.ts';
import type { View } from './schema.ts';

export type StructureContext = {
  readonly file: string;
  readonly view: View;
  readonly decoded: Decoded;
  /** Decoded pointer of the object whose ipam block is read, or undefined when this view has none. */
  readonly chosen: string | undefined;
  /** Whether tags were read, that is, whether there is something for Cilium to lose. */
  readonly hasTags: boolean;
};

type Verdict = { readonly code: FindingCode; readonly severity: Severity; readonly message: string };

/** Everything the schema has against a decoded file, each at its place in the text. */
export function structuralFindings(context: StructureContext): readonly Finding[] {
  return violations(context.view, context.decoded.value)
    .filter((error) => error.keyword !== '$ref')
    .map((error) => toFinding(error, context));
}

function toFinding(error: ErrorObject, context: StructureContext): Finding {
  const place = context.decoded.places.get(error.instancePath);
  const verdict = error.keyword === 'type' ? judgeType(error, place, context) : judgeOther(error);
  const start = place?.node.loc.start ?? { line: 1, column: 1 };
  const pointer = place?.pointer ?? error.instancePath;
  return { ...verdict, file: context.file, line: start.line, column: start.column, pointer };
}

/** A wrong type costs something different in each place: our tags, Cilium's tags, or nothing. */
function judgeType(error: ErrorObject, place: Place | undefined, context: StructureContext): Verdict {
  const found = `${nameOf(error)} is ${kindOf(place)}, not ${expected(error)}`;
  const own = tagsVerdict(error, context, found);
  if (own !== undefined) return own;
  const inEntry = context.view === 'list' && error.instancePath.startsWith('/plugins/');
  if (inEntry && error.data === null && splitPointer(error.instancePath).length === 2) {
    return warning('null-plugin', `${found}: ignored here, but Cilium's reader crashes on it; remove it`);
  }
  if (inEntry && context.hasTags) {
    const loss = `Cilium then fails to read the list and silently loses ${TAGS_KEY}, which are kept here`;
    return warning('cilium-drops-tags', `${found}: ${loss}; correct the type or leave it out`);
  }
  if (context.view === 'single' && context.hasTags) {
    return warning(
      'cilium-refuses-file',
      `${found}: Cilium refuses the whole file, the tags are kept here; correct the type`,
    );
  }
  return warning('wrong-type', `${found}: correct the type`);
}

/** Type errors on the way to the tags, which make them unreadable for everybody. */
function tagsVerdict(error: ErrorObject, { chosen }: StructureContext, found: string): Verdict | undefined {
  if (chosen === undefined) return undefined;
  const ipam = joinPointer(chosen, 'ipam');
  const tags = joinPointer(ipam, TAGS_KEY);
  const consequence = 'no tags were read';
  if (error.instancePath === ipam) {
    return { severity: 'error', code: 'ipam-not-object', message: `${found}: ${consequence}; write an object` };
  }
  if (error.instancePath === tags) {
    const form = 'write an object such as {"pool": "pool-a"}';
    return { severity: 'error', code: 'tags-not-object', message: `${found}: ${consequence}; ${form}` };
  }
  if (!error.instancePath.startsWith(`${tags}/`)) return undefined;
  return {
    severity: 'error',
    code: 'tag-value-not-string',
    message: `${found}: ${consequence}; put it in double quotes`,
  };
}

function judgeOther(error: ErrorObject): Verdict {
  if (error.keyword === 'required') {
    const field = String(error.params['missingProperty']);
    return warning('missing-field', `${JSON.stringify(field)} is missing: add it`);
  }
  return warning('bad-value', `${nameOf(error)} ${error.message ?? 'is not allowed'}: correct it`);
}

function warning(code: FindingCode, message: string): Verdict {
  return { severity: 'warning', code, message };
}

function nameOf(error: ErrorObject): string {
  const key = splitPointer(error.instancePath).at(-1);
  if (key === undefined) return 'the file';
  return /^\/plugins\/[0-9]+$/.test(error.instancePath) ? `entry ${key}` : JSON.stringify(shorten(key));
}

function expected(error: ErrorObject): string {
  const type = String(error.params['type']);
  if (type === 'integer') return 'an integer in plain digits';
  return `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`;
}

function kindOf(place: Place | undefined): string {
  const kind = (place?.node.type ?? 'Null').toLowerCase();
  if (kind === 'null') return 'null';
  return `${/^[aeiou]/.test(kind) ? 'an' : 'a'} ${kind}`;
}

/** A key as it may stand in a message: tag keys come from the file and can be of any length. */
export function shorten(key: string): string {
  return key.length <= 60 ? key : `${key.slice(0, 57)}...`;
}
