/** Says what is going on; may be called as often as one likes. */
export type Progress = (text: string) => void;

const QUIET_MS = 10_000;

/**
 * One line that is overwritten where there is a terminal, else a line of its own every ten seconds.
 * `clear` removes the line, so that other output does not begin behind it.
 */
export function createProgress(stream: NodeJS.WriteStream): { readonly show: Progress; readonly clear: () => void } {
  let writtenMs = Number.NEGATIVE_INFINITY;
  const show = (text: string): void => {
    const nowMs = performance.now();
    if (nowMs - writtenMs < (stream.isTTY ? 100 : QUIET_MS)) return;
    writtenMs = nowMs;
    stream.write(stream.isTTY ? `\r\u001b[2K${text}` : `${text}\n`);
  };
  const clear = (): void => {
    if (stream.isTTY) stream.write('\r\u001b[2K');
  };
  return { show, clear };
}
