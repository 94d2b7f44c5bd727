import { StaticIpError } from '../errors.ts';
import type { CreateProvider } from '../factory.ts';
import type { ProviderContext } from '../ports.ts';
import { layered } from './around-calls.ts';
import { createEc2Provider } from './ec2-provider.ts';
import { connectEc2 } from './ec2-sdk.ts';
import type { Ec2Connection } from './ec2-sdk.ts';
import { concurrencyLimited, deadlined, fenced, instrumented, MAX_IN_FLIGHT, rateLimited } from './layers.ts';
import { ec2Rates } from './rates.ts';

/**
 * The provider for EC2. Region, endpoint and credentials come from the SDK's own environment variables and files.
 * @throws StaticIpError `invalid` for a rate of an unknown action, no region, or an endpoint that is no URL
 */
export const createProvider: CreateProvider = async (context) => {
  const { clock, fence, onCall } = context;
  const rates = ec2Rates(context.rates);
  const calls = layered(await connectEc2(connectionOf(context.env)), [
    rateLimited(clock, (action) => rates[action]),
    concurrencyLimited(),
    fenced(fence),
    instrumented(clock, onCall),
    deadlined(clock),
  ]);
  return createEc2Provider({ calls, clock });
};

/** What the environment says outright; the SDK finds the rest. An empty variable is an absent one. */
function connectionOf(env: ProviderContext['env']): Ec2Connection {
  return {
    region: env['AWS_REGION'] || undefined,
    endpoint: endpointOf(env, 'AWS_ENDPOINT_URL_EC2'),
    quotasEndpoint: endpointOf(env, 'AWS_ENDPOINT_URL_SERVICE_QUOTAS'),
    credentials: credentialsOf(env),
    maxInFlight: MAX_IN_FLIGHT,
  };
}

function endpointOf(env: ProviderContext['env'], own: string): string | undefined {
  const endpoint = env[own] || env['AWS_ENDPOINT_URL'] || undefined;
  if (endpoint === undefined || env['AWS_IGNORE_CONFIGURED_ENDPOINT_URLS'] === 'true') return undefined;
  if (!/^https?:$/.test(URL.parse(endpoint)?.protocol ?? '')) {
    throw new StaticIpError('invalid', `${own} or AWS_ENDPOINT_URL is no http or https URL`, {
      fields: { endpoint },
    });
  }
  return endpoint;
}

/** With a profile named, the SDK prefers the profile to these variables. */
function credentialsOf(env: ProviderContext['env']): Ec2Connection['credentials'] {
  const accessKeyId = env['AWS_ACCESS_KEY_ID'];
  const secretAccessKey = env['AWS_SECRET_ACCESS_KEY'];
  if (!accessKeyId || !secretAccessKey || env['AWS_PROFILE']) return undefined;
  return { accessKeyId, secretAccessKey, sessionToken: env['AWS_SESSION_TOKEN'] || undefined };
}
