import { readFileSync } from 'node:fs';

/** What a process has used since its start. */
export interface ProcessUsage {
  /** The most memory it ever had resident (VmHWM), in bytes. */
  readonly peakRssBytes: number;
  /** User and system time of all its threads. */
  readonly cpuSeconds: number;
}

/** `USER_HZ`, the unit of the times in /proc/PID/stat: 100 on every architecture Node.js runs on (proc(5), time(7)). */
const TICKS_PER_SECOND = 100;

/**
 * Reads /proc, so Linux only.
 * @throws Error when the process has ended, or there is no /proc
 */
export function readProcessUsage(pid: number): ProcessUsage {
  try {
    return parseProcessUsage({
      status: readFileSync(`/proc/${pid}/status`, 'utf8'),
      stat: readFileSync(`/proc/${pid}/stat`, 'utf8'),
    });
  } catch (cause) {
    throw new Error(`cannot read what process ${pid} used: it has ended, or this is not Linux`, { cause });
  }
}

/** The same from the text of /proc/PID/status and /proc/PID/stat. @throws Error when a field is missing */
export function parseProcessUsage({ status, stat }: { readonly status: string; readonly stat: string }): ProcessUsage {
  const peakKib = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1];
  // The second field is the program's name in parentheses, which may hold blanks and parentheses itself.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [userTicks, systemTicks] = [fields[11], fields[12]];
  if (peakKib === undefined || userTicks === undefined || systemTicks === undefined) {
    throw new Error('no VmHWM, or too few fields in stat');
  }
  return {
    peakRssBytes: Number(peakKib) * 1024,
    cpuSeconds: (Number(userTicks) + Number(systemTicks)) / TICKS_PER_SECOND,
  };
}
