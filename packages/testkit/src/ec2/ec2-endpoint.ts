import type { IncomingMessage, ServerResponse } from 'node:http';
import { answerServiceQuotas } from './core/account.ts';
import { Ec2Error } from './core/ec2-error.ts';
import { perform } from './perform.ts';
import type { Delivery, IncomingCall, Pipeline } from './perform.ts';
import { answerXml, errorXml } from './xml.ts';

/** The principal of a request without a signature. */
export const ANONYMOUS = 'anonymous';

/** One request with its whole body, and the signal that aborts when the caller hangs up. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: string;
  readonly signal: AbortSignal;
}

/** Answers a request in EC2's Query protocol, or in Service Quotas' JSON protocol when its target header says so. */
export async function serveAws(pipeline: Pipeline, exchange: Exchange): Promise<void> {
  const target = exchange.request.headers['x-amz-target'];
  if (typeof target === 'string') return serveServiceQuotas(pipeline, exchange, target);
  const { Action: action = '', Version: _version, ...params } = Object.fromEntries(formOf(exchange));
  const call: IncomingCall = { action, params, principal: principalOf(exchange.request) };
  const delivery = await perform(pipeline, call, exchange.signal);
  deliver(exchange, delivery, {
    type: 'text/xml;charset=UTF-8',
    write: (answer) =>
      answer.kind === 'reply'
        ? answerXml(action, answer.requestId, answer.reply)
        : errorXml(answer.requestId, answer.error.code, answer.error.message),
  });
  return undefined;
}

function formOf({ request, body }: Exchange): URLSearchParams {
  return request.method === 'GET'
    ? new URL(request.url ?? '/', 'http://emulator').searchParams
    : new URLSearchParams(body);
}

/** The access key id in a SigV4 Authorization header; the signature itself is not checked. */
function principalOf(request: IncomingMessage): string {
  return /Credential=([^/,\s]+)\//.exec(request.headers.authorization ?? '')?.[1] ?? ANONYMOUS;
}

interface Encoding {
  readonly type: string;
  readonly write: (answer: Exclude<Delivery, { kind: 'reset' }>) => string;
}

function deliver({ request, response }: Exchange, delivery: Delivery, encoding: Encoding): void {
  if (delivery.kind === 'reset') {
    request.socket.resetAndDestroy();
    return;
  }
  const text = encoding.write(delivery);
  const status = delivery.kind === 'reply' ? 200 : delivery.error.status;
  response.writeHead(status, {
    'content-type': encoding.type,
    'content-length': Buffer.byteLength(text),
    'x-amzn-requestid': delivery.requestId,
  });
  response.end(text);
}

async function serveServiceQuotas(pipeline: Pipeline, exchange: Exchange, target: string): Promise<void> {
  const operation = target.split('.').at(-1) ?? '';
  const input = asRecord(JSON.parse(exchange.body === '' ? '{}' : exchange.body));
  const answered = answerQuotas(pipeline, { operation, input, principal: principalOf(exchange.request) });
  deliver(exchange, answered, {
    type: 'application/x-amz-json-1.1',
    write: (answer) =>
      JSON.stringify(
        answer.kind === 'reply'
          ? answer.reply
          : { __type: answer.error.code, Message: answer.error.message, message: answer.error.message },
      ),
  });
}

function answerQuotas(
  { cell, journal, clock }: Pipeline,
  call: { operation: string; input: Record<string, unknown>; principal: string },
): Exclude<Delivery, { kind: 'reset' }> {
  const params = Object.fromEntries(Object.entries(call.input).map(([name, value]) => [name, String(value)]));
  const number = journal.open({ action: call.operation, params, principal: call.principal, at: clock.now() });
  const requestId = `quota-${number}`;
  try {
    const { settings } = cell.state();
    const credential = settings.credentials[call.principal];
    if (credential?.status === 'denied' || credential?.deniedActions.includes(call.operation) === true)
      throw new Ec2Error('AccessDeniedException', `not authorized to perform: servicequotas:${call.operation}`);
    const reply = answerServiceQuotas(call.operation, call.input, settings);
    journal.close(number, { at: clock.now(), code: 'OK', status: 200 });
    return { kind: 'reply', requestId, reply };
  } catch (error) {
    if (!(error instanceof Ec2Error)) throw error;
    journal.close(number, { at: clock.now(), code: error.code, status: error.status });
    return { kind: 'error', requestId, error };
  }
}

/** The properties of a JSON object. @throws Error when it is something else */
export function asRecord(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error('the body must be a JSON object');
  return { ...value };
}
