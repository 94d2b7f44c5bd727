import { spawn } from 'node:child_process';

/**
 * The guard is a shell of its own session, so nothing that happens to the parent, kill -9 included, happens to it.
 * It looks once a second, ends the servers whose process ids are in the directory, and removes that.
 * Arguments: the parent's process id, the directory. A directory that is gone means an orderly stop.
 */
const SCRIPT = `
while [ -d "$2" ] && kill -0 "$1" 2>/dev/null; do sleep 1; done
for file in "$2"/*.pid; do [ -f "$file" ] && kill -9 "$(cat "$file")" 2>/dev/null; done
rm -rf "$2"
`;

/**
 * Makes sure that servers do not outlive this process, however it ends: every process whose id is in `directory/*.pid`
 * is killed, and the directory removed, within a second or two of our death. Ends by itself once the directory is gone.
 */
export function guardOrphans(directory: string): void {
  const guard = spawn('/bin/sh', ['-c', SCRIPT, 'orphan-guard', String(process.pid), directory], {
    detached: true,
    stdio: 'ignore',
    cwd: '/',
  });
  guard.on('error', () => {
    // No /bin/sh: the guard is the net under an orderly stop(), which works without.
  });
  guard.unref();
}
