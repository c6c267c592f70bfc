// Guard of one run: kills the processes of the run and deletes its folder when the run ends, also when it is killed itself.
//
// Invariants:
//   TEST-GUARD-1. A process that is being watched ends with the run, also if it is frozen and the run is killed: the guard waits for the
//       end of a pipe that only the run holds, and the system closes that even after SIGKILL.
//   TEST-GUARD-2. No process is killed that has ended before: its id may be another one's by then.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A server that is stopping at that moment may still write into the folder, hence the second attempt. */
const SCRIPT = `
trap '' INT TERM HUP
pids=' '
while read -r what pid; do
  case $what in
    began) pids="$pids$pid " ;;
    ended) pids="\${pids%% $pid *} \${pids#* $pid }" ;;
  esac
done
for pid in $pids; do kill -9 "$pid" 2>/dev/null; done
rm -rf "$1" || { sleep 6; rm -rf "$1"; }
`;

export interface Guard {
  /** Of this run alone, for all its files. */
  readonly folder: string;
  watch(pid: number, exited: Promise<unknown>): void;
  /** Resolves when all that is left of the run is gone. */
  end(): Promise<void>;
}

export async function startGuard(): Promise<Guard> {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-chaos-'));
  // A group of its own: Ctrl-C in a terminal ends the run, and the guard after it.
  const shell = spawn('/bin/sh', ['-c', SCRIPT, 'chaos-guard', folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  await once(shell, 'spawn');
  shell.stdin.on('error', () => undefined); // its end is told by `exit`
  const exited = once(shell, 'exit');
  const report = (line: string): void => void (shell.stdin.writable && shell.stdin.write(`${line}\n`));
  return {
    folder,
    watch(pid, ended) {
      report(`began ${pid}`);
      void ended.then(() => report(`ended ${pid}`));
    },
    async end() {
      shell.stdin.end();
      await exited;
    },
  };
}
