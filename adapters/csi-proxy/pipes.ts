// Where a group version is served: a named pipe on Windows, a Unix socket elsewhere. Nothing above this file and the
// server's listener knows which.
import { connect } from 'node:net';
import { AbsentError, TransientError } from '../../bus/errors.ts';
import type { Clock } from '../../bus/time.ts';

/** What the path of every pipe begins with, unless told. */
export const PIPE_PREFIX = process.platform === 'win32' ? '\\\\.\\pipe\\' : '/run/csi-proxy/';

const SUFFIX = process.platform === 'win32' ? '' : '.sock';

/** How long a pipe is tried, in milliseconds, as the published client does. */
export const PROBE_LIMIT_MS = 2_000;
/** Between two tries while all instances of a pipe are taken. */
const BUSY_PAUSE_MS = 10;

/** Nobody listens there: nothing has the name, or only the file of a server that is gone. */
const ABSENT: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTSOCK', 'ENOTDIR']);

/**
 * @param prefix  what to put before the name: a folder with its separator, or `\\.\pipe\`
 * @returns such as `\\.\pipe\csi-proxy-disk-v1`, or `/run/csi-proxy/csi-proxy-disk-v1.sock`
 */
export function pipePath(group: string, version: string, prefix: string = PIPE_PREFIX): string {
  return `${prefix}csi-proxy-${group}-${version}${SUFFIX}`;
}

/**
 * Opens a pipe and closes it again: it resolves when somebody serves there.
 *
 * @throws {AbsentError} nobody does
 * @throws {TransientError} no answer within `limitMs`, or the system refuses, such as for want of permission
 */
export async function probePipe(
  path: string,
  { clock, limitMs = PROBE_LIMIT_MS }: { clock: Clock; limitMs?: number },
): Promise<void> {
  const until = clock.now() + limitMs;
  for (;;) {
    const outcome = await open(path, Math.max(0, until - clock.now()), clock);
    if (outcome === 'open') return;
    if (outcome !== undefined && ABSENT.has(outcome.code)) {
      throw new AbsentError(
        `no process serves on '${path}' (${outcome.code}): csi-proxy does not run there, or not this version`,
        {
          cause: outcome,
        },
      );
    }
    if (outcome !== undefined && outcome.code !== 'EBUSY' && outcome.code !== 'EAGAIN') {
      throw new TransientError(`'${path}' cannot be opened: ${outcome.message}`, { cause: outcome });
    }
    if (clock.now() >= until) throw new TransientError(`'${path}' was busy for ${limitMs} ms`);
    await clock.sleep(BUSY_PAUSE_MS);
  }
}

/** @returns why not, or undefined when there was no answer in time */
function open(path: string, limitMs: number, clock: Clock): Promise<'open' | NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ path });
    let isOver = false;
    const end = (outcome: 'open' | NodeJS.ErrnoException | undefined): void => {
      if (isOver) return;
      isOver = true;
      clock.clearTimeout(timer);
      // A server that is still busy with this one when the next comes may lose the next.
      if (socket.closed) resolve(outcome);
      else socket.once('close', () => resolve(outcome)).destroy();
    };
    const timer = clock.setTimeout(() => end(undefined), limitMs);
    socket.once('connect', () => end('open'));
    socket.once('error', end);
  });
}
