import { parse } from '@humanwhocodes/momoa';
import type { ValueNode } from '@humanwhocodes/momoa';
import type { Finding } from './finding.ts';
import { locateSyntaxError } from './syntax-error.ts';

/**
 * Largest text looked at, in UTF-16 units: a network configuration is a few kilobytes, and some of the work on a hostile
 * one grows with the square of its size (half a second at this limit, minutes at a mebibyte).
 */
export const MAX_TEXT_LENGTH = 65_536;

/** Deepest nesting looked at. Go stops at 10,000; a CNI file needs about ten, and our own tree walks are recursive. */
const MAX_DEPTH = 200;

/** A parsed file: its tree with positions, and the text the positions point into. */
export type JsonDocument = { readonly root: ValueNode; readonly text: string };

/** A document with remarks, or the one error that made it unreadable. Never throws. */
export type JsonResult =
  | { readonly ok: true; readonly document: JsonDocument; readonly findings: readonly Finding[] }
  | { readonly ok: false; readonly findings: readonly Finding[] };

/** Parses strict JSON (RFC 8259, as Go does) into a tree with positions. A leading byte order mark is dropped with a warning. */
export function parseJson(source: string, file: string): JsonResult {
  const at = { file, line: 1, column: 1, pointer: '' };
  const text = source.startsWith('\uFEFF') ? source.slice(1) : source;
  if (text.length > MAX_TEXT_LENGTH) {
    const message = `larger than ${MAX_TEXT_LENGTH} characters: not read; a network configuration is a few kilobytes`;
    return { ok: false, findings: [{ ...at, severity: 'error', code: 'too-large', message }] };
  }
  if (nestingDepth(text) > MAX_DEPTH) {
    const message = `nested deeper than ${MAX_DEPTH} levels: not read; a network configuration needs about ten`;
    return { ok: false, findings: [{ ...at, severity: 'error', code: 'too-deep', message }] };
  }
  const syntaxError = locateSyntaxError(text, file);
  if (syntaxError !== undefined) return { ok: false, findings: [syntaxError] };
  const root = parse(text, { mode: 'json', ranges: true }).body;
  return { ok: true, document: { root, text }, findings: text === source ? [] : [byteOrderMark(file)] };
}

function byteOrderMark(file: string): Finding {
  const message =
    'starts with a byte order mark, which Cilium and the container runtimes refuse: save as UTF-8 without one';
  return { severity: 'warning', code: 'byte-order-mark', message, file, line: 1, column: 1, pointer: '' };
}

/** Brackets open at once outside of strings; an upper bound for text that is not valid JSON. */
function nestingDepth(text: string): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let index = 0; index < text.length; index += 1) {
    const char = text[index];
    if (inString && char === '\\') index += 1;
    else if (char === '"') inString = !inString;
    else if (!inString) {
      depth += bracketStep(char);
      deepest = Math.max(deepest, depth);
    }
  }
  return deepest;
}

function bracketStep(char: string | undefined): number {
  if (char === '{' || char === '[') return 1;
  return char === '}' || char === ']' ? -1 : 0;
}
