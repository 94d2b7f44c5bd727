import type { Ec2Action } from './actions.ts';
import { translateError } from './translate-error.ts';

/** One request to the SDK. */
interface SdkRequest {
  readonly action: Ec2Action;
  readonly signal: AbortSignal;
  /** What it is about, for the fields of its error. */
  readonly ids: Readonly<Record<string, string>>;
}

/** Sends a request. @throws StaticIpError for any failure of the SDK, the signal's reason when it has aborted */
export async function translated<Answer>(
  { action, signal, ids }: SdkRequest,
  send: (options: { readonly abortSignal: AbortSignal }) => Promise<Answer>,
): Promise<Answer> {
  try {
    return await send({ abortSignal: signal });
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw translateError(error, { action, ids });
  }
}
