import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { ensurePythonTool, MOTO, ToolUnavailableError } from '../python/ensure-python-tool.ts';
import { itemsAt, sendQuery, valueAt } from '../ec2/query-client.ts';

/** A running moto_server: an independent, less exact EC2, to check our own against. */
export interface Moto {
  readonly endpoint: string;
  /** Makes a VPC with a route to an internet gateway, a subnet and running instances of one interface each. */
  addInstances(count: number): Promise<readonly MotoInstance[]>;
  /** Forgets everything. */
  reset(): Promise<void>;
  close(): Promise<void>;
}

/** An instance in moto. */
export interface MotoInstance {
  readonly instanceId: string;
  readonly interfaceId: string;
  readonly privateIp: string;
  readonly vpcId: string;
  readonly subnetId: string;
}

/**
 * Starts moto_server on a free port and waits until it answers.
 * @throws ToolUnavailableError when there is none, or when it does not come up
 */
export async function startMoto(
  signal: AbortSignal,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Promise<Moto> {
  const command = await ensurePythonTool(MOTO, environment, signal);
  const port = await freePort();
  const child = spawn(command, ['-H', '127.0.0.1', '-p', String(port)], { stdio: ['ignore', 'ignore', 'pipe'] });
  const endpoint = `http://127.0.0.1:${port}`;
  try {
    await untilUp(child, endpoint, signal);
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
  return {
    endpoint,
    addInstances: (count) => addInstances(endpoint, count),
    reset: async () => void (await fetch(`${endpoint}/moto-api/reset`, { method: 'POST' })),
    async close() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    },
  };
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const bound = probe.address();
  probe.close();
  await once(probe, 'close');
  if (bound === null || typeof bound === 'string') throw new ToolUnavailableError('no free port for moto_server');
  return bound.port;
}

async function untilUp(child: ChildProcess, endpoint: string, signal: AbortSignal): Promise<void> {
  let complaint = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (complaint = (complaint + chunk).slice(-2000)));
  let failure: Error | undefined;
  child.once('error', (error) => (failure = error));
  for (let attempt = 0; attempt < 300; attempt++) {
    if (await answers(endpoint)) return;
    if (failure !== undefined || child.exitCode !== null) break;
    await wait(100, undefined, { signal });
  }
  throw new ToolUnavailableError(`moto_server did not come up: ${failure?.message ?? complaint.trim()}`, {
    cause: failure,
  });
}

async function answers(endpoint: string): Promise<boolean> {
  try {
    return (await fetch(`${endpoint}/moto-api/data.json`)).ok;
  } catch {
    // Refused: it is still starting.
    return false;
  }
}

async function addInstances(endpoint: string, count: number): Promise<readonly MotoInstance[]> {
  const vpcId = await made(endpoint, 'CreateVpc', {
    params: { CidrBlock: '10.0.0.0/16' },
    path: ['CreateVpcResponse', 'vpc', 'vpcId'],
  });
  const gatewayId = await made(endpoint, 'CreateInternetGateway', {
    params: {},
    path: ['CreateInternetGatewayResponse', 'internetGateway', 'internetGatewayId'],
  });
  await sendQuery(endpoint, 'AttachInternetGateway', { VpcId: vpcId, InternetGatewayId: gatewayId });
  await routeToGateway(endpoint, vpcId, gatewayId);
  const subnetId = await made(endpoint, 'CreateSubnet', {
    params: { VpcId: vpcId, CidrBlock: '10.0.0.0/20' },
    path: ['CreateSubnetResponse', 'subnet', 'subnetId'],
  });
  const params = { ImageId: 'ami-12c6146b', MinCount: String(count), MaxCount: String(count), SubnetId: subnetId };
  const { body } = await sendQuery(endpoint, 'RunInstances', params);
  return itemsAt(body, 'RunInstancesResponse', 'instancesSet').map((instance) => ({
    instanceId: text(instance, 'instanceId'),
    interfaceId: text(instance, 'networkInterfaceSet', 'item', 0, 'networkInterfaceId'),
    privateIp: text(instance, 'privateIpAddress'),
    vpcId,
    subnetId,
  }));
}

/** In the VPC's main table, which is that of every subnet without one of its own. */
async function routeToGateway(endpoint: string, vpcId: string, gatewayId: string): Promise<void> {
  const filters = { 'Filter.1.Name': 'vpc-id', 'Filter.1.Value.1': vpcId };
  const { body } = await sendQuery(endpoint, 'DescribeRouteTables', filters);
  const [main] = itemsAt(body, 'DescribeRouteTablesResponse', 'routeTableSet');
  const route = { DestinationCidrBlock: '0.0.0.0/0', GatewayId: gatewayId };
  await sendQuery(endpoint, 'CreateRoute', { RouteTableId: text(main, 'routeTableId'), ...route });
}

async function made(
  endpoint: string,
  action: string,
  { params, path }: { params: Record<string, string>; path: readonly string[] },
): Promise<string> {
  const { body } = await sendQuery(endpoint, action, params);
  return text(body, ...path);
}

function text(value: unknown, ...path: readonly (string | number)[]): string {
  const found = valueAt(value, ...path);
  if (found === undefined) throw new Error(`moto answered without ${path.join('.')}`);
  return found;
}
