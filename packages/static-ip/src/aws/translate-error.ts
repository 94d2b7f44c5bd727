import { StaticIpError } from '../errors.ts';
import type { StaticIpErrorCode } from '../errors.ts';
import type { Ec2Action } from './actions.ts';
import { meaningOf } from './error-codes.ts';

const MESSAGES: Readonly<Record<StaticIpErrorCode, string>> = {
  throttled: 'EC2 refused the call for its rate',
  unavailable: 'EC2 could not be reached or failed',
  unknown: 'EC2 gave no usable answer: the call may have had its effect',
  internal: 'EC2 gave an answer that was not expected',
  conflict: 'the address or its target changed since it was read',
  exhausted: 'EC2 has no address left to give',
  quota: 'the quota of Elastic IP addresses of this account and region is reached',
  denied: 'EC2 refused the credentials, or they do not permit this call',
  inUse: 'the address is in use or locked',
  notReady: 'the target cannot take an address yet',
  notFound: 'EC2 does not know the resource, or not yet',
  invalid: 'EC2 can never accept this request',
  unsupported: 'EC2 does not support this for the resource',
};

/**
 * Any failure of the SDK as a StaticIpError with the fields `action`, `awsCode`, `awsMessage`, `requestId` and those of
 * `ids`. Messages are only kept for people; nothing here or above decides by them.
 */
export function translateError(
  error: unknown,
  { action, ids }: { readonly action: Ec2Action; readonly ids: Readonly<Record<string, string>> },
): StaticIpError {
  const seen = failureOf(error);
  const code = meaningOf({ action, ...seen });
  const fields = { action, awsCode: seen.awsCode, awsMessage: seen.message, requestId: seen.requestId, ...ids };
  return new StaticIpError(code, messageFor(code, seen.awsCode), { cause: error, fields: withoutEmpty(fields) });
}

function messageFor(code: StaticIpErrorCode, awsCode: string): string {
  if (awsCode === 'CredentialsProviderError') {
    return 'no AWS credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile, or give the pod or node a role';
  }
  return MESSAGES[code];
}

interface Failure {
  readonly awsCode: string;
  readonly systemCode: string | undefined;
  readonly httpStatus: number | undefined;
  readonly requestId: string;
  readonly message: string;
}

/** Reads what the SDK's errors carry; what it throws is not typed. */
function failureOf(error: unknown): Failure {
  const { name, code, message, $metadata } = asRecord(error);
  const { httpStatusCode, requestId } = asRecord($metadata);
  return {
    awsCode: textOr(name, 'Error'),
    systemCode: typeof code === 'string' ? code : undefined,
    httpStatus: typeof httpStatusCode === 'number' ? httpStatusCode : undefined,
    requestId: textOr(requestId, ''),
    message: textOr(message, String(error)),
  };
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise;
}

function withoutEmpty(fields: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''));
}
