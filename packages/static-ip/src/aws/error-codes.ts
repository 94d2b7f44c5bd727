import type { StaticIpErrorCode } from '../errors.ts';
import { isMutating } from './actions.ts';
import type { Ec2Action } from './actions.ts';

/** A fault on EC2's side or on the way is `effectUnknown`: a mutating call may have had its effect, a read had none. */
type Meaning = StaticIpErrorCode | 'effectUnknown';

/**
 * The error codes of EC2, whatever the action. From
 * https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html and, for what a code means for
 * addresses, the pages of the five address actions. A code that is not here is judged by its HTTP status.
 */
const ANY_ACTION: Readonly<Record<string, Meaning>> = {
  // The rate of calls. RequestLimitExceeded comes with status 503.
  RequestLimitExceeded: 'throttled',
  Throttling: 'throttled',
  ThrottlingException: 'throttled',
  ThrottledException: 'throttled',
  RequestThrottled: 'throttled',
  RequestThrottledException: 'throttled',
  EC2ThrottledException: 'throttled',
  SlowDown: 'throttled',
  TooManyRequestsException: 'throttled',
  BandwidthLimitExceeded: 'throttled',

  // EC2's own trouble.
  InternalError: 'effectUnknown',
  InternalFailure: 'effectUnknown',
  ServerInternal: 'effectUnknown',
  ServiceUnavailable: 'effectUnknown',
  Unavailable: 'effectUnknown',
  RequestTimeout: 'effectUnknown',
  RequestTimeoutException: 'effectUnknown',
  // Refused as a whole, because something else is in progress.
  ConcurrentTagAccess: 'unavailable',
  IncorrectState: 'unavailable',

  // Who we are and what we may do. Moto says AccessDenied where EC2 says UnauthorizedOperation.
  AuthFailure: 'denied',
  UnauthorizedOperation: 'denied',
  AccessDenied: 'denied',
  AccessDeniedException: 'denied',
  Blocked: 'denied',
  ExpiredToken: 'denied',
  ExpiredTokenException: 'denied',
  IncompleteSignature: 'denied',
  InvalidClientTokenId: 'denied',
  MissingAuthenticationToken: 'denied',
  // Of a resource that an AWS service manages.
  OperationNotPermitted: 'denied',
  OptInRequired: 'denied',
  PendingVerification: 'denied',
  RequestExpired: 'denied',
  SignatureDoesNotMatch: 'denied',
  UnrecognizedClientException: 'denied',
  CredentialsProviderError: 'denied',
  TokenProviderError: 'denied',

  // Limits.
  AddressLimitExceeded: 'quota',
  InsufficientAddressCapacity: 'exhausted',
  TagLimitExceeded: 'invalid',

  // Addresses, interfaces, instances. What a missing one means is for the call to say: it may be too new to be known,
  // and DisassociateAddress has nothing left to do. ReleaseAddress says InvalidAddress.NotFound also for a wrong
  // network border group, so that only a read proves that an address is gone.
  'InvalidAddress.NotFound': 'notFound',
  'InvalidAddressID.NotFound': 'notFound',
  'InvalidAllocationID.NotFound': 'notFound',
  'InvalidAssociationID.NotFound': 'notFound',
  'InvalidElasticIpID.NotFound': 'notFound',
  'InvalidInstanceID.NotFound': 'notFound',
  'InvalidNetworkInterfaceID.NotFound': 'notFound',
  // Of Service Quotas: no value of this quota was ever set for the account.
  NoSuchResourceException: 'notFound',
  'InvalidAddress.Malformed': 'invalid',
  'InvalidAddressID.Malformed': 'invalid',
  'InvalidAllocationID.Malformed': 'invalid',
  'InvalidAssociationID.Malformed': 'invalid',
  'InvalidInstanceID.Malformed': 'invalid',
  // EC2 writes Id here and ID above.
  'InvalidNetworkInterfaceID.Malformed': 'invalid',
  'InvalidNetworkInterfaceId.Malformed': 'invalid',
  'Resource.AlreadyAssociated': 'conflict',
  'InvalidIPAddress.InUse': 'inUse',
  // A reverse DNS record holds the address: AWS support removes it.
  'InvalidAddress.Locked': 'inUse',
  'InvalidAddress.PtrSet': 'inUse',
  // The instance is `pending`, or on its way out.
  IncorrectInstanceState: 'notReady',
  InvalidInstanceID: 'notReady',
  // The VPC has no internet gateway.
  'Gateway.NotAttached': 'notReady',
  UnsupportedOperation: 'unsupported',

  // Requests that we should not have sent.
  DryRunOperation: 'internal',
  FilterLimitExceeded: 'internal',
  IdempotentParameterMismatch: 'internal',
  InvalidAction: 'internal',
  InvalidFilter: 'internal',
  InvalidParameter: 'internal',
  InvalidParameterCombination: 'internal',
  InvalidParameterValue: 'internal',
  MalformedQueryString: 'internal',
  MissingParameter: 'internal',
  'Resource.AlreadyAssigned': 'internal',
  UnknownParameter: 'internal',
};

/** Where a code means something else in one action. */
const BY_ACTION: Readonly<Partial<Record<Ec2Action, Readonly<Record<string, Meaning>>>>> = {
  AssociateAddress: {
    // The address went away since it was read, or is too new to be known everywhere: look again, take another.
    'InvalidAllocationID.NotFound': 'conflict',
    'InvalidAddress.NotFound': 'conflict',
    // Undocumented which of them says that the private address left the interface, or that border groups differ.
    InvalidParameter: 'conflict',
    InvalidParameterCombination: 'conflict',
    InvalidParameterValue: 'conflict',
  },
  AllocateAddress: {
    InvalidParameter: 'invalid',
    InvalidParameterCombination: 'invalid',
    InvalidParameterValue: 'invalid',
    // A pool that the user named.
    'InvalidAddressPoolID.NotFound': 'invalid',
    'InvalidPublicIpv4PoolID.NotFound': 'invalid',
  },
};

/** Failures of the network before a request was sent: surely without effect. Names of Node.js system errors. */
const NOT_SENT = new Set(['EAI_AGAIN', 'ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND']);

/** What can be known of a failed request. */
export interface Ec2Failure {
  readonly action: Ec2Action;
  /** EC2's error code, or the SDK's name of its own error. */
  readonly awsCode: string;
  /** Node's code of a failed connection. */
  readonly systemCode?: string | undefined;
  readonly httpStatus?: number | undefined;
}

/**
 * The meaning of a failure. Unknown codes go by their status: 5xx is EC2's fault, 4xx an answer nobody expected; without
 * a status, no answer came.
 */
export function meaningOf({ action, awsCode, systemCode, httpStatus }: Ec2Failure): StaticIpErrorCode {
  if (systemCode !== undefined && NOT_SENT.has(systemCode)) return 'unavailable';
  const known = own(BY_ACTION[action], awsCode) ?? own(ANY_ACTION, awsCode);
  const meaning = known ?? byStatus(httpStatus);
  if (meaning !== 'effectUnknown') return meaning;
  return isMutating(action) ? 'unknown' : 'unavailable';
}

/** The codes of the tables above, for a test that compares them with the documentation. */
export function knownCodes(): readonly string[] {
  return [...new Set([ANY_ACTION, ...Object.values(BY_ACTION)].flatMap((table) => Object.keys(table)))].toSorted();
}

function byStatus(httpStatus: number | undefined): Meaning {
  if (httpStatus === undefined || httpStatus >= 500) return 'effectUnknown';
  return httpStatus === 429 ? 'throttled' : 'internal';
}

function own(table: Readonly<Record<string, Meaning>> | undefined, code: string): Meaning | undefined {
  return table !== undefined && Object.hasOwn(table, code) ? table[code] : undefined;
}
