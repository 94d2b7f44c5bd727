import { Command, Option } from 'commander';
import { createEmulator } from './emulator.ts';

const program = new Command('ec2-emulator')
  .description(
    'An EC2 API of its own for tests: prints its endpoint as one line of JSON and serves until it is stopped.',
  )
  .option('--port <port>', 'port to listen on, 0 for a free one', Number, 0)
  .option('--host <host>', 'address to listen on', '127.0.0.1')
  .option('--region <region>', 'region it plays', 'us-east-1')
  .option('--seed <number>', 'decides ids, addresses and orders', Number, 1)
  .option('--address-quota <number>', 'elastic IPs the account may hold', Number, 1000)
  .addOption(new Option('--speed <factor>', 'seconds of API budget per second').argParser(Number).default(1))
  .option('--no-buckets', 'never throttle')
  .parse();

const options = program.opts<{
  port: number;
  host: string;
  region: string;
  seed: number;
  addressQuota: number;
  speed: number;
  buckets: boolean;
}>();
const emulator = createEmulator({
  region: options.region,
  seed: options.seed,
  settings: { addressQuota: options.addressQuota, buckets: { enabled: options.buckets, speed: options.speed } },
});
const endpoint = await emulator.listen({ port: options.port, host: options.host });
process.stdout.write(`${JSON.stringify({ endpoint, pid: process.pid })}\n`);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void emulator.close());
