import { describe, expect, it } from '@jest/globals';
import type { StaticIpErrorCode } from '../errors.ts';
import { EC2_ACTIONS, isMutating } from './actions.ts';
import type { Ec2Action } from './actions.ts';
import { knownCodes, meaningOf } from './error-codes.ts';
import { translateError } from './translate-error.ts';

/** What users meet, by action; a code for `all` means the same in each. */
const EXPECTED: readonly (readonly [codes: string, action: Ec2Action | 'all', meaning: StaticIpErrorCode])[] = [
  ['RequestLimitExceeded Throttling ThrottlingException EC2ThrottledException', 'all', 'throttled'],
  ['AuthFailure UnauthorizedOperation AccessDenied OptInRequired PendingVerification Blocked', 'all', 'denied'],
  ['InvalidClientTokenId SignatureDoesNotMatch RequestExpired ExpiredToken ExpiredTokenException', 'all', 'denied'],
  ['OperationNotPermitted', 'all', 'denied'],
  ['UnsupportedOperation', 'all', 'unsupported'],
  ['ConcurrentTagAccess IncorrectState', 'all', 'unavailable'],
  ['FilterLimitExceeded InvalidFilter UnknownParameter MalformedQueryString DryRunOperation', 'all', 'internal'],
  ['InsufficientAddressCapacity', 'AllocateAddress', 'exhausted'],
  ['AddressLimitExceeded', 'AllocateAddress', 'quota'],
  ['TagLimitExceeded InvalidParameterValue InvalidParameterCombination', 'AllocateAddress', 'invalid'],
  ['Resource.AlreadyAssociated InvalidAllocationID.NotFound', 'AssociateAddress', 'conflict'],
  ['InvalidParameterValue InvalidParameter InvalidParameterCombination', 'AssociateAddress', 'conflict'],
  ['IncorrectInstanceState InvalidInstanceID Gateway.NotAttached', 'AssociateAddress', 'notReady'],
  ['InvalidNetworkInterfaceID.NotFound InvalidInstanceID.NotFound', 'AssociateAddress', 'notFound'],
  ['InvalidNetworkInterfaceId.Malformed InvalidInstanceID.Malformed', 'AssociateAddress', 'invalid'],
  ['MissingParameter', 'AssociateAddress', 'internal'],
  ['InvalidAssociationID.NotFound InvalidNetworkInterfaceID.NotFound', 'DisassociateAddress', 'notFound'],
  ['InvalidAllocationID.NotFound InvalidAddressID.NotFound InvalidAddress.NotFound', 'ReleaseAddress', 'notFound'],
  ['InvalidIPAddress.InUse InvalidAddress.Locked', 'ReleaseAddress', 'inUse'],
  ['InvalidAllocationID.NotFound InvalidElasticIpID.NotFound', 'DescribeAddresses', 'notFound'],
  ['InvalidInstanceID.NotFound', 'DescribeNetworkInterfaces', 'notFound'],
];

/** Faults of EC2 and of the way to it. */
const FAULTS = [
  'InternalError',
  'InternalFailure',
  'ServerInternal',
  'ServiceUnavailable',
  'Unavailable',
  'TimeoutError',
];

const cases = EXPECTED.flatMap(([codes, action, meaning]) =>
  codes
    .split(' ')
    .flatMap((awsCode) =>
      (action === 'all' ? EC2_ACTIONS : [action]).map((one) => ({ awsCode, action: one, meaning })),
    ),
);

describe('the meaning of EC2 error codes', () => {
  it.each(cases)('$awsCode of $action is $meaning', ({ awsCode, action, meaning }) => {
    expect(meaningOf({ action, awsCode, httpStatus: 400 })).toBe(meaning);
    if (meaning !== 'internal') expect(knownCodes()).toContain(awsCode);
  });

  it.each(EC2_ACTIONS)('B22: a fault in %s leaves its effect unknown if it could have one', (action) => {
    for (const awsCode of FAULTS) {
      expect(meaningOf({ action, awsCode, httpStatus: 500 })).toBe(isMutating(action) ? 'unknown' : 'unavailable');
    }
    for (const systemCode of ['ECONNRESET', 'EPIPE', 'ETIMEDOUT']) {
      expect(meaningOf({ action, awsCode: 'TimeoutError', systemCode })).toBe(
        isMutating(action) ? 'unknown' : 'unavailable',
      );
    }
  });

  it.each(EC2_ACTIONS)('%s that was never sent had no effect', (action) => {
    for (const systemCode of ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']) {
      expect(meaningOf({ action, awsCode: 'Error', systemCode })).toBe('unavailable');
    }
  });

  it('judges a code that nobody has heard of by its status', () => {
    const action = 'AssociateAddress';
    expect(meaningOf({ action, awsCode: 'NewInvention', httpStatus: 400 })).toBe('internal');
    expect(meaningOf({ action, awsCode: 'NewInvention', httpStatus: 429 })).toBe('throttled');
    expect(meaningOf({ action, awsCode: 'NewInvention', httpStatus: 503 })).toBe('unknown');
    expect(meaningOf({ action, awsCode: 'toString', httpStatus: 400 })).toBe('internal');
  });
});

describe('translateError', () => {
  it('keeps action, code, request id, ids and the message of EC2 as fields, out of our own message', () => {
    const cause = Object.assign(new Error('The allocation eipalloc-1 is taken'), {
      name: 'Resource.AlreadyAssociated',
      $metadata: { httpStatusCode: 400, requestId: 'req-1' },
    });
    const error = translateError(cause, { action: 'AssociateAddress', ids: { allocationId: 'eipalloc-1' } });
    expect(error).toMatchObject({ code: 'conflict', cause, retry: 'now' });
    expect(error.message).not.toContain('eipalloc');
    expect(error.fields).toEqual({
      action: 'AssociateAddress',
      awsCode: 'Resource.AlreadyAssociated',
      awsMessage: 'The allocation eipalloc-1 is taken',
      requestId: 'req-1',
      allocationId: 'eipalloc-1',
    });
  });

  it('takes anything that is thrown', () => {
    for (const thrown of [undefined, null, 'text', 7, {}]) {
      expect(translateError(thrown, { action: 'DescribeAddresses', ids: {} }).code).toBe('unavailable');
    }
  });

  it('B57: says what to do when there are no credentials', () => {
    const cause = Object.assign(new Error('Could not load credentials'), { name: 'CredentialsProviderError' });
    const error = translateError(cause, { action: 'DescribeAddresses', ids: {} });
    expect(error.code).toBe('denied');
    expect(error.message).toContain('AWS_ACCESS_KEY_ID');
  });
});
