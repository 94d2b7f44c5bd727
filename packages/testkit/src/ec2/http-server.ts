import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Controls } from './control/controls.ts';
import { asRecord, serveAws } from './ec2-endpoint.ts';
import type { Pipeline } from './perform.ts';

const CONTROL_PREFIX = '/_control/';

/** An HTTP server that is EC2 at `/` and takes the controls at `POST /_control/<name>` with a JSON object of arguments. */
export function createEc2Server(pipeline: Pipeline, controls: Controls): Server {
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => fail(response, error));
  });
  // Clients keep connections for long; one that the server closes while a request is on its way looks like a fault.
  server.keepAliveTimeout = 0;
  return server;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request);
    if (request.url?.startsWith(CONTROL_PREFIX) === true)
      return serveControl(controls, { name: request.url.slice(CONTROL_PREFIX.length), body, response });
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    return serveAws(pipeline, { request, response, body, signal: gone.signal });
  }
}

function bodyOf(request: IncomingMessage): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (chunk: string) => (body += chunk));
  request.once('end', () => resolve(body));
  request.once('error', reject);
  return promise;
}

async function serveControl(
  controls: Controls,
  { name, body, response }: { name: string; body: string; response: ServerResponse },
): Promise<void> {
  try {
    if (!isControl(controls, name))
      throw new Error(`there is no control '${name}': use one of ${Object.keys(controls).join(', ')}`);
    // The arguments come from a test of ours, typed by the client; each control checks the ids it is given.
    const result: unknown = await Reflect.apply(controls[name], undefined, [
      asRecord(JSON.parse(body === '' ? '{}' : body)),
    ]);
    send(response, 200, { result });
  } catch (error) {
    send(response, 400, { error: error instanceof Error ? error.message : String(error) });
  }
}

function isControl(controls: Controls, name: string): name is keyof Controls {
  return Object.hasOwn(controls, name);
}

function send(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

function fail(response: ServerResponse, error: unknown): void {
  if (response.headersSent || response.destroyed) return;
  response
    .writeHead(500, { 'content-type': 'text/plain' })
    .end(`emulator bug: ${error instanceof Error ? error.stack : String(error)}`);
}
