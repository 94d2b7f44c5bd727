import process from 'node:process';
import { Command } from 'commander';
import { runAgent } from './no-masquerade/command-line.ts';

const stop = new AbortController();
for (const name of ['SIGTERM', 'SIGINT'] as const)
  process.once(name, () => stop.abort(new Error(`stopped by ${name}`)));

const say = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);
const program = new Command('static-ip-agent');
for (const job of ['no-masquerade', 'cleanup'] as const) {
  program
    .command(job)
    .option('--node-name <name>', 'this node', process.env['NODE_NAME'])
    .option('--vpc-cidr <cidrs>', 'networks that are reached without masquerading, by commas', process.env['VPC_CIDR'])
    .option('--cilium-namespace <namespace>', 'where cilium-config is', 'kube-system')
    .option('--kubeconfig <path>', 'default: the service account of the pod', process.env['KUBECONFIG'])
    .option('--node-wide', 'also lead replies of pods without an address of their own', false)
    .option('--reset-connections', 'end masqueraded TCP connections when a pod gets an address', false)
    .action((options: unknown) => runAgent({ job, options, say }, stop.signal));
}

try {
  await program.parseAsync();
  process.exit(0);
} catch (error) {
  process.stderr.write(`static-ip-agent: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
