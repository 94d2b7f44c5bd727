import { parse } from '@humanwhocodes/momoa';
import type { Finding } from './finding.ts';

/**
 * The syntax error of a text as a finding, or undefined for valid JSON. The engine's own parser is the judge, since it is
 * as strict as Go's (the tree parser lets control characters in strings pass); its message usually carries the position,
 * and where it does not, the tree parser's does.
 */
export function locateSyntaxError(text: string, file: string): Finding | undefined {
  const reason = engineError(text);
  if (reason === undefined) return undefined;
  const offset = errorOffset(text, reason);
  const isAtEnd = offset >= text.trimEnd().length;
  const hint = hintAt(text, offset);
  return {
    severity: 'error',
    code: 'invalid-json',
    message: `not valid JSON: ${describe(reason, isAtEnd)}; correct it here`,
    ...(hint === undefined ? {} : { hint }),
    file,
    ...lineAndColumn(text, offset),
    pointer: '',
  };
}

/** Line and column of an offset, both from 1. CRLF counts as one line end, as in every editor. */
function lineAndColumn(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset);
  const line = before.split('\n').length;
  return { line, column: offset - before.lastIndexOf('\n') };
}

function engineError(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function errorOffset(text: string, reason: string): number {
  const position = /at position (\d+)/.exec(reason)?.[1];
  if (position !== undefined) return Number(position);
  if (reason.includes('end of JSON input')) return text.trimEnd().length;
  return treeParserOffset(text) ?? 0;
}

function treeParserOffset(text: string): number | undefined {
  try {
    parse(text, { mode: 'json' });
    return undefined;
  } catch (error) {
    return error instanceof Error && 'offset' in error && typeof error.offset === 'number' ? error.offset : undefined;
  }
}

/** The engine's reason without its own position and without the quoted text, which may be long. */
function describe(reason: string, isAtEnd: boolean): string {
  if (isAtEnd) return 'the text ends too early (truncated?)';
  return reason
    .replace(/ in JSON at position.*$/s, '')
    .replace(/, (\.\.\.)?".*$/s, '')
    .replace(/ (after JSON )?at position.*$/s, '');
}

function hintAt(text: string, offset: number): string | undefined {
  const char = text[offset];
  if (char === '/' || char === '#') return 'comments are not allowed in a CNI file';
  if ((char === '}' || char === ']') && text.slice(0, offset).trimEnd().endsWith(','))
    return 'remove the comma before it';
  return char === "'" ? 'use double quotes' : undefined;
}
