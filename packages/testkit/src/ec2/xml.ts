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
  let xml = '';
  for (const name of Object.keys(value)) xml += element(name, value[name]);
  return xml;
}

function element(name: string, value: WireValue): string {
  switch (typeof value) {
    case 'undefined':
      return '';
    case 'string':
      return `<${name}>${escapeText(value)}</${name}>`;
    case 'object':
      return isList(value) ? value.map((item) => element(name, item)).join('') : `<${name}>${content(value)}</${name}>`;
    default:
      return `<${name}>${value}</${name}>`;
  }
}

function isList(value: WireObject | readonly WireValue[]): value is readonly WireValue[] {
  return Array.isArray(value);
}

const NEEDS_ESCAPE = /[<>&\r]/;
const ESCAPES: Readonly<Record<string, string>> = { '<': '&lt;', '>': '&gt;', '&': '&amp;', '\r': '&#13;' };

function escapeText(text: string): string {
  return NEEDS_ESCAPE.test(text) ? text.replaceAll(/[<>&\r]/g, (character) => ESCAPES[character] ?? character) : text;
}
