/** The program of a resident: requests as lines of JSON on standard input, answers on standard output. */
import { createSocket } from 'node:dgram';
import type { Socket as UdpSocket } from 'node:dgram';
import { connect, createServer } from 'node:net';
import type { Socket as TcpSocket } from 'node:net';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { startRelay } from './relay.ts';
import type { ResidentAnswer, ResidentRequest } from './resident.ts';

/** A flow in use: sends something and hears what source the far side saw. */
interface Flow {
  readonly again: (timeoutMs: number) => Promise<ResidentAnswer>;
  readonly close: () => void;
}

const TIMEOUT_MS = 1_500;
const kept = new Map<string, Flow>();

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const { id, ...request }: ResidentRequest & { readonly id: number } = JSON.parse(line);
    void answer(request).then((said) => process.stdout.write(`${JSON.stringify({ id, ...said })}\n`));
  })
  .on('close', () => process.exit(0));

async function answer(request: ResidentRequest): Promise<ResidentAnswer> {
  switch (request.op) {
    case 'listen':
      return listen(request.port);
    case 'relay':
      return startRelay(request).then(
        () => ({}),
        (error: Error) => ({ error: error.message }),
      );
    case 'ask': {
      const flow = openFlow(request);
      const said = await flow.again(request.timeoutMs ?? TIMEOUT_MS);
      flow.close();
      return said;
    }
    case 'open': {
      const flow = openFlow(request);
      kept.set(request.key, flow);
      return flow.again(TIMEOUT_MS);
    }
    default:
      return (await kept.get(request.key)?.again(request.timeoutMs ?? TIMEOUT_MS)) ?? { error: 'no such flow' };
  }
}

async function listen(port: number): Promise<ResidentAnswer> {
  const tcp = createServer((socket) => {
    socket.on('error', () => undefined); // a reset is what some tests are about
    socket.on('data', () => socket.write(`${socket.remoteAddress}\n`));
  });
  const udp = createSocket('udp4', (_message, { address, port: from }) => udp.send(`${address}\n`, from, address));
  const { promise, resolve } = Promise.withResolvers<ResidentAnswer>();
  tcp.listen(port, '0.0.0.0', () => udp.bind(port, '0.0.0.0', () => resolve({})));
  return promise;
}

function openFlow({ protocol, host, port }: { protocol: 'tcp' | 'udp'; host: string; port: number }): Flow {
  return protocol === 'tcp' ? tcpFlow(connect(port, host)) : udpFlow(createSocket('udp4'), host, port);
}

type Settle = (answer: ResidentAnswer) => void;

const nobodyWaits: Settle = () => undefined;

/** The next answer, an error, or the timeout, whichever is first. */
function waitFor(ask: (settle: Settle) => void, timeoutMs: number): Promise<ResidentAnswer> {
  const { promise, resolve } = Promise.withResolvers<ResidentAnswer>();
  const timer = setTimeout(() => resolve({ error: 'timeout' }), timeoutMs);
  ask((said) => {
    clearTimeout(timer);
    resolve(said);
  });
  return promise;
}

function tcpFlow(socket: TcpSocket): Flow {
  let settle: Settle = nobodyWaits;
  let failure: string | undefined;
  socket.setNoDelay(true);
  socket.on('data', (data) => settle({ source: data.toString().trim() }));
  socket.on('error', (error: NodeJS.ErrnoException) => {
    failure = error.code ?? error.message;
    settle({ error: failure });
  });
  return {
    again: (timeoutMs) =>
      waitFor((done) => {
        settle = done;
        if (failure === undefined) socket.write('?');
        else done({ error: failure });
      }, timeoutMs),
    close: () => socket.destroy(),
  };
}

function udpFlow(socket: UdpSocket, host: string, port: number): Flow {
  let settle: Settle = nobodyWaits;
  socket.on('message', (data) => settle({ source: data.toString().trim() }));
  socket.on('error', (error: NodeJS.ErrnoException) => settle({ error: error.code ?? error.message }));
  return {
    again: (timeoutMs) =>
      waitFor((done) => {
        settle = done;
        socket.send('?', port, host);
      }, timeoutMs),
    close: () => socket.close(),
  };
}
