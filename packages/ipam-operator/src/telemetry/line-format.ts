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

/** The stack of an error and of its causes, indented. */
function textError(err: unknown, indent = '  '): string {
  if (typeof err !== 'object' || err === null || !('message' in err)) return '';
  const { stack, message, cause, ...fields } = { cause: undefined, stack: undefined, ...err };
  const details = JSON.stringify(fields, redact);
  const text = `${String(redact('', stack ?? message))} ${details}`.replaceAll('\n', `\n${indent}`);
  return `\n${indent}${text}${textError(cause, `${indent}  `)}`;
}
