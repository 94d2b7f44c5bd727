import type { WireObject, WireValue } from './core/wire.ts';

const NAMESPACE = 'http://ec2.amazonaws.com/doc/2016-11-15/';

/** An answer of EC2's Query protocol. */
export function answerXml(action: string, requestId: string, reply: WireObject): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${action}Response xmlns="${NAMESPACE}"><requestId>${requestId}</requestId>${content(reply)}</${action}Response>`;
}

/** An error of EC2's Query protocol. */
export function errorXml(requestId: string, code: string, message: string): string {
  const errors = { Errors: { Error: { Code: code, Message: message } } };
  return `<?xml version="1.0" encoding="UTF-8"?>\n<Response>${content(errors)}<RequestID>${requestId}</RequestID></Response>`;
}

function content(value: WireObject): string {
  // Joined, not added up: a text made by many additions is a tree that every later copy has to walk.
  return Object.keys(value)
    .map((name) => element(name, value[name]))
    .join('');
}

function element(name: string, value: WireValue): string {
  switch (typeof value) {
    case 'undefined':
      return '';
    case 'string':
      return `<${name}>${escapeText(value)}</${name}>`;
    case 'object':
      return isList(value) ? value.map((item) => element(name, item)).join('') : `<${name}>${nested(value)}</${name}>`;
    default:
      return `<${name}>${value}</${name}>`;
  }
}

// A frozen element will never change, so its text is made once: most of a large answer is as it was last time.
const written = new WeakMap<WireObject, string>();

function nested(value: WireObject): string {
  if (!Object.isFrozen(value)) return content(value);
  const known = written.get(value);
  if (known !== undefined) return known;
  const xml = content(value);
  written.set(value, xml);
  return xml;
}

function isList(value: WireObject | readonly WireValue[]): value is readonly WireValue[] {
  return Array.isArray(value);
}

const NEEDS_ESCAPE = /[<>&\r]/;
const ESCAPES: Readonly<Record<string, string>> = { '<': '&lt;', '>': '&gt;', '&': '&amp;', '\r': '&#13;' };

function escapeText(text: string): string {
  return NEEDS_ESCAPE.test(text) ? text.replaceAll(/[<>&\r]/g, (character) => ESCAPES[character] ?? character) : text;
}
