import picocolors from 'picocolors';
import winston from 'winston';
import { errorFields } from './error-fields.ts';
import { redact } from './redact.ts';

const { combine, json, printf } = winston.format;

const COLOURS: Readonly<Record<string, (text: string) => string>> = {
  error: picocolors.red,
  warn: picocolors.yellow,
  info: picocolors.green,
  debug: picocolors.gray,
};

/** winston itself copies an error's message over the line's and drops its stack: `err` is turned into data first. */
const errorsAsData = winston.format((info) => ('err' in info ? { ...info, err: errorFields(info['err']) } : info));

/** The two forms of a line. */
export const LINE_FORMATS = {
  /** One object a line; `deterministic: false` keeps the keys in the order of writing. */
  json: combine(errorsAsData(), json({ replacer: redact, deterministic: false })),
  /** For people at a terminal: time, level, message, `key=value`, and the stack below. */
  text: combine(errorsAsData(), printf(textLine)),
} as const;

function textLine(info: winston.Logform.TransformableInfo): string {
  const { time, level, message, err, ...fields } = info;
  const colour = COLOURS[level] ?? String;
  const pairs = Object.entries(fields).map(([key, value]) => ` ${picocolors.dim(`${key}=`)}${textValue(key, value)}`);
  return `${String(time).slice(11, 23)} ${colour(level.toUpperCase().padEnd(5))} ${String(message)}${pairs.join('')}${textError(err)}`;
}

function textValue(key: string, value: unknown): string {
  const shown = redact(key, value);
  if (typeof shown === 'string' && /^[^\s"=]+$/.test(shown)) return shown;
  return JSON.stringify(shown, redact) ?? String(shown);
}

/** An error and its causes, indented. What has a code is expected to happen: only a bug shows its stack. */
function textError(err: unknown, indent = '  '): string {
  if (typeof err !== 'object' || err === null || !('message' in err)) return '';
  const { stack, message, cause, name, ...fields } = { cause: undefined, stack: undefined, name: '', ...err };
  const isBug = !('code' in fields) && stack !== undefined;
  const details = Object.keys(fields).length === 0 ? '' : ` ${JSON.stringify(fields, redact)}`;
  const title = isBug ? String(stack) : `${name}: ${String(message)}`;
  const text = `${String(redact('', title))}${details}`.replaceAll('\n', `\n${indent}`);
  return `\n${indent}${text}${textError(cause, `${indent}  `)}`;
}
