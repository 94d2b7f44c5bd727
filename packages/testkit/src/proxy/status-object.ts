/** Reasons of https://github.com/kubernetes/apimachinery/blob/master/pkg/apis/meta/v1/types.go for the codes used here. */
const REASONS: Readonly<Record<number, string>> = {
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  410: 'Expired',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

/** The body of an error answer, and the object of an ERROR event. */
export function statusObject(code: number): object {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: code === 410 ? 'too old resource version: injected' : 'injected by the chaos proxy',
    reason: REASONS[code] ?? '',
    code,
  };
}

/** A line of a watch stream. */
export function errorEventLine(code: number): string {
  return `${JSON.stringify({ type: 'ERROR', object: statusObject(code) })}\n`;
}
