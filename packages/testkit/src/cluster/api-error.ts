/** Thrown when the API server answers a request with an error status. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** HTTP status. */
  readonly status: number;
  /** The `reason` of the Status object, such as `Forbidden` or `AlreadyExists`; empty when there is none. */
  readonly reason: string;
  constructor(request: string, status: number, body: string) {
    const { message, reason } = parseStatus(body);
    super(`${request}: ${status} ${message}`);
    this.status = status;
    this.reason = reason;
  }
}

/** The server answers with a Status object, but for a few errors of its front door, which are plain text. */
function parseStatus(body: string): { readonly message: string; readonly reason: string } {
  try {
    const { message, reason }: { readonly message?: string; readonly reason?: string } = JSON.parse(body);
    return { message: message ?? '', reason: reason ?? '' };
  } catch {
    return { message: body.trim(), reason: '' };
  }
}
