import { Ec2Error } from './ec2-error.ts';
import type { Ec2State } from './state.ts';

/** Checks that the caller's key is good. @throws Ec2Error AuthFailure (401) or RequestExpired */
export function checkCredentials(state: Ec2State, principal: string): void {
  const status = state.settings.credentials[principal]?.status;
  if (status === 'invalid')
    throw new Ec2Error('AuthFailure', 'AWS was not able to validate the provided access credentials', 401);
  if (status === 'expired') throw new Ec2Error('RequestExpired', 'Request has expired.');
}

/** Checks that the caller may call the action. @throws Ec2Error UnauthorizedOperation (403) */
export function checkPermission(state: Ec2State, principal: string, action: string): void {
  const credential = state.settings.credentials[principal];
  if (credential === undefined) return;
  if (credential.status !== 'denied' && !credential.deniedActions.includes(action)) return;
  throw unauthorized(principal, action);
}

/** The error of a caller who may not call an action. */
export function unauthorized(principal: string, action: string): Ec2Error {
  const message = `You are not authorized to perform this operation. User: ${principal} is not authorized to perform: ec2:${action} because no identity-based policy allows the ec2:${action} action`;
  return new Ec2Error('UnauthorizedOperation', message, 403);
}
