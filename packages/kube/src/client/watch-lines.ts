import { KubeError } from '../errors.ts';
import type { Attempt } from './api-error.ts';

/** An object is at most about 1.5 MB (etcd's limit); what is far longer is not a line of a watch. */
const LONGEST_LINE_BYTES = 16 * 1024 * 1024;
const NEWLINE = 0x0a;

/**
 * Cuts a stream of bytes into lines of UTF-8, decoding each once it is whole.
 * @throws KubeError `protocol` when the stream ends inside a line, or a line does not end.
 */
export async function* watchLines(
  chunks: AsyncIterable<Buffer>,
  attempt: Attempt,
  onBytes: () => void,
): AsyncGenerator<string> {
  let parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    onBytes();
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      const line = Buffer.concat([...parts, chunk.subarray(from, end)]).toString('utf8');
      parts = [];
      length = 0;
      from = end + 1;
      if (line.trim() !== '') yield line;
    }
    if (from < chunk.length) {
      parts.push(chunk.subarray(from));
      length += chunk.length - from;
    }
    if (length > LONGEST_LINE_BYTES) throw broken('a line does not end', attempt);
  }
  if (length > 0) throw broken('the stream ended inside a line', attempt);
}

function broken(what: string, attempt: Attempt): KubeError {
  return new KubeError('protocol', `${what} while ${attempt.what}`, { fields: attempt.fields });
}
