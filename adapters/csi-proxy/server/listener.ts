// Listener of one pipe: named on Windows, a Unix socket elsewhere. Every process that can open it can use every call,
// so its permissions are never widened.
import { lstat, mkdir, unlink } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { AbsentError, TerminalError } from '../../../bus/errors.ts';
import type { Clock } from '../../../bus/time.ts';
import { probePipe } from '../base/pipes.ts';

/** Mode of a directory made for sockets. */
const OWNER_ONLY = 0o700;
/** Leaves a socket read and write for its owner. */
const OWNER_ONLY_MASK = 0o177;

export interface ListenerDeps {
  readonly path: string;
  readonly clock: Clock;
  onConnection(socket: Socket): void;
  /** The pipe failed after it was opened; it is closed. */
  onFailure(error: Error): void;
}

export interface Listener {
  readonly path: string;
  /** Stops accepting connections; existing ones stay. */
  close(): void;
}

/** @throws {TerminalError} the name is taken, or the system refuses it */
export async function listen({ path, clock, onConnection, onFailure }: ListenerDeps): Promise<Listener> {
  try {
    if (process.platform !== 'win32') await clear(path, clock);
    const server = createServer(onConnection);
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.once('listening', resolve);
      // Bound within the call: the file is never anybody else's, not even for a moment.
      const mask = process.umask(OWNER_ONLY_MASK);
      try {
        server.listen({ path });
      } finally {
        process.umask(mask);
      }
    });
    server.removeAllListeners('error').on('error', onFailure);
    return {
      path,
      close() {
        server.close();
      },
    };
  } catch (error) {
    if (error instanceof TerminalError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === 'EADDRINUSE' ? 'the name is taken: another csi-proxy runs' : message;
    throw new TerminalError(`'${path}' cannot be served: ${why}`, { cause: error });
  }
}

/** Makes the folder, and removes the file of a server that was killed. A named pipe ends with its process; a socket's file does not. */
async function clear(path: string, clock: Clock): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: OWNER_ONLY });
  try {
    await probePipe(path, { clock });
  } catch (error) {
    if (!(error instanceof AbsentError)) throw error;
    const { code } = error.cause as NodeJS.ErrnoException;
    // A file that is no socket refuses in the same way.
    if (code === 'ECONNREFUSED' && (await lstat(path)).isSocket()) await unlink(path);
    return;
  }
  throw new TerminalError(`'${path}' cannot be served: the name is taken: another csi-proxy runs`);
}
