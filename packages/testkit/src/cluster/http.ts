import { readFileSync } from 'node:fs';
import { Agent, request } from 'undici';
import { ApiError } from './api-error.ts';

interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path and query. */
  readonly path: string;
  readonly body?: unknown;
  /** Default `application/json`. */
  readonly contentType?: string;
}

export interface HttpOptions {
  readonly url: string;
  readonly caFile: string;
  readonly token: string;
  /** Sent with every request: to impersonate somebody, for example. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Requests and JSON answers of one API server as one user. */
export interface HttpClient {
  /**
   * The type argument is the caller's word for what the server answers.
   * @throws ApiError for an error status; the errors of undici when there is no answer within 30 s.
   */
  readonly send: <T>(httpRequest: HttpRequest) => Promise<T>;
  readonly close: () => Promise<void>;
}

export function createHttpClient({ url, caFile, token, headers = {} }: HttpOptions): HttpClient {
  const dispatcher = new Agent({
    connect: { ca: readFileSync(caFile) },
    headersTimeout: 30_000,
    bodyTimeout: 30_000,
  });
  return {
    send: async <T>({ method, path, body, contentType = 'application/json' }: HttpRequest) => {
      const response = await request(`${url}${path}`, {
        method,
        dispatcher,
        headers: {
          authorization: `Bearer ${token}`,
          accept: 'application/json',
          ...headers,
          ...(body === undefined ? {} : { 'content-type': contentType }),
        },
        body: body === undefined ? null : JSON.stringify(body),
      });
      const text = await response.body.text();
      if (response.statusCode >= 400) throw new ApiError(`${method} ${path}`, response.statusCode, text);
      const answer: T = JSON.parse(text);
      return answer;
    },
    // Not close(): that would wait for keep-alive connections to a server that may be gone already.
    close: () => dispatcher.destroy(),
  };
}
