import { errnoOf, KubeError } from '../errors.ts';
import type { KubeErrorCode } from '../errors.ts';
import { memberOf, numberOf, stringOf } from '../json/shape.ts';

/** What was asked, for the fields of an error. */
export interface Attempt {
  /** E.g. 'patching ciliumnodes/status'. */
  readonly what: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** A failed answer: its HTTP status, its parsed body (a Status object, or anything else) and its Retry-After header. */
export interface FailedAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly retryAfter?: string | undefined;
}

/** HTTP status → code (https://kubernetes.io/docs/reference/using-api/api-concepts/, RFC 9110). 409 is told apart by its reason. */
const CODE_BY_STATUS: Readonly<Record<number, KubeErrorCode>> = {
  401: 'unauthorized',
  403: 'forbidden',
  404: 'notFound',
  409: 'conflict',
  410: 'gone',
  429: 'throttled',
  504: 'timeout',
};

/** Translates an answer that is not a success. */
export function errorFromAnswer(answer: FailedAnswer, attempt: Attempt): KubeError {
  const reason = stringOf(memberOf(answer.body, 'reason')) ?? '';
  const detail = stringOf(memberOf(answer.body, 'message')) ?? shortText(answer.body);
  return new KubeError(codeOf(answer.status, reason), `the API server refused ${attempt.what}`, {
    status: answer.status,
    retryAfterMs: retryAfterMs(answer),
    cause: undefined,
    fields: { ...attempt.fields, ...(reason === '' ? {} : { reason }), ...(detail === '' ? {} : { detail }) },
  });
}

/** Translates the Status object of an ERROR line in a watch. */
export function errorFromStatus(status: unknown, attempt: Attempt): KubeError {
  return errorFromAnswer({ status: numberOf(memberOf(status, 'code')) ?? 500, body: status }, attempt);
}

function codeOf(status: number, reason: string): KubeErrorCode {
  if (status === 409 && reason === 'AlreadyExists') return 'alreadyExists';
  // An expired continue token or version is Expired or Gone; some intermediaries change the status and keep the body.
  if (reason === 'Expired' || reason === 'Gone') return 'gone';
  const known = CODE_BY_STATUS[status];
  if (known !== undefined) return known;
  if (status >= 500) return 'unavailable';
  return status >= 400 ? 'invalid' : 'protocol';
}

function retryAfterMs({ body, retryAfter }: FailedAnswer): number | undefined {
  const seconds = numberOf(memberOf(memberOf(body, 'details'), 'retryAfterSeconds')) ?? Number(retryAfter);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : undefined;
}

function shortText(body: unknown): string {
  return typeof body === 'string' ? body.trim().slice(0, 200) : '';
}

/** Codes by which Node says that the peer's certificate is not to be trusted (https://nodejs.org/api/tls.html#x509-certificate-error-codes). */
const CERTIFICATE =
  /^(CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|INVALID_CA|INVALID_PURPOSE|HOSTNAME_MISMATCH|ERR_TLS_CERT)/;
const TLS = /^(EPROTO|ERR_SSL|ERR_OSSL|ERR_TLS)/;

/** Translates a failure below HTTP: no connection, a cut one, or a certificate that is not trusted. */
export function errorFromSocket(error: unknown, server: string, attempt: Attempt): KubeError {
  const errno = errnoOf(error);
  const details = { cause: error, fields: { ...attempt.fields, server, errno } };
  if (CERTIFICATE.test(errno)) {
    const message =
      "the API server's certificate is not trusted: check certificate-authority, tls-server-name and the server's address in the kubeconfig, and that it has not expired";
    return new KubeError('config', message, details);
  }
  if (TLS.test(errno)) {
    const message =
      'the secure connection to the API server failed: check the client certificate and key in the kubeconfig, and that the server speaks TLS';
    return new KubeError('config', message, details);
  }
  if (errno.startsWith('HPE_')) {
    return new KubeError('protocol', `the answer is not HTTP while ${attempt.what}`, details);
  }
  return new KubeError('unavailable', `cannot reach the API server while ${attempt.what}`, details);
}
