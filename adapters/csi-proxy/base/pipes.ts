// Address of a group version: a named pipe on Windows, a Unix socket elsewhere. Only this file and the server's
// listener distinguish them.
import { connect } from 'node:net';
import { AbsentError, TransientError } from '../../../bus/errors.ts';
import type { Clock } from '../../../bus/time.ts';

/** Default prefix of the path of every pipe. */
export const PIPE_PREFIX = process.platform === 'win32' ? '\\\\.\\pipe\\' : '/run/csi-proxy/';

const SUFFIX = process.platform === 'win32' ? '' : '.sock';

/** Timeout of a probe in milliseconds, that of the published client. */
export const PROBE_LIMIT_MS = 2_000;
/** Between two tries while all instances of a pipe are taken. */
const BUSY_PAUSE_MS = 10;

/** No listener: the name does not exist, or is the file of an ended server. */
const ABSENT: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTSOCK', 'ENOTDIR']);

/**
 * @param prefix  what to put before the name: a folder with its separator, or `\\.\pipe\`
 * @returns such as `\\.\pipe\csi-proxy-disk-v1`, or `/run/csi-proxy/csi-proxy-disk-v1.sock`
 */
export function pipePath(group: string, version: string, prefix: string = PIPE_PREFIX): string {
  return `${prefix}csi-proxy-${group}-${version}${SUFFIX}`;
}

/**
 * Opens a pipe and closes it again: it resolves if a process serves there.
 *
 * @throws {AbsentError} no process does
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
