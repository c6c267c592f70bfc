// One process a folder: what it starts there (an API server, nats-server) keeps files that two would spoil.
//
// Invariants:
//   FOLDER-LOCK-1. Of those who ask at once, one gets the folder; nothing is looked at first and taken later. (Where only a file can be bound,
//       as on macOS, one that a killed process left is: of two who find it in the same moment both may get it.)
//   FOLDER-LOCK-2. The lock ends with its process, however that ends: it is a socket, and the kernel closes it.
import { createHash } from 'node:crypto';
import { realpath, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { TerminalError } from '../../bus/mod.ts';

/** Maximum time for the holder to identify itself, in milliseconds. */
const ANSWER_MS = 500;

/**
 * Takes a folder for this process.
 *
 * @returns the way to give it back
 * @throws {TerminalError} another process has it
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const socket = await socketOf(folder);
  const server = createServer((asker) => {
    asker.on('error', () => undefined);
    asker.end(String(process.pid));
  });
  server.unref();
  for (const isLast of [false, true]) {
    try {
      await listen(server, socket.path);
      return () => closed(server);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'EADDRINUSE' && code !== 'EACCES') throw error;
      const holder = await holderOf(socket.path);
      if (holder === undefined && !isLast) {
        // It has just ended, or was killed and left the file.
        if (socket.isFile) await rm(socket.path, { force: true });
        continue;
      }
      const who = holder === undefined || holder === '' ? 'another process' : `process ${holder}`;
      throw new TerminalError(`the folder '${folder}' is in use by ${who}: name another one with --data`);
    }
  }
  throw new TerminalError(`the folder '${folder}' cannot be locked: name another one with --data`);
}

/** If only a file can be bound, the file stays when its process is killed. */
async function socketOf(folder: string): Promise<{ readonly path: string; readonly isFile: boolean }> {
  const place = await realpath(folder);
  const { uid = 0 } = typeof process.getuid === 'function' ? { uid: process.getuid() } : {};
  const name = `troupe-${createHash('sha256').update(`${uid}:${place}`).digest('hex').slice(0, 32)}`;
  if (process.platform === 'linux') return { path: `\0${name}`, isFile: false };
  if (process.platform === 'win32') return { path: `\\\\.\\pipe\\${name}`, isFile: false };
  return { path: join(place, 'lock'), isFile: true };
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ path, exclusive: true }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}

/** Identity of the holder; empty: it is alive without one. Undefined: there is none. */
function holderOf(path: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    let said = '';
    const socket = connect({ path });
    socket.setTimeout(ANSWER_MS, () => socket.destroy());
    socket.on('data', (data) => {
      said += data.toString();
    });
    socket.on('error', ({ code }: NodeJS.ErrnoException) => {
      resolve(code === 'ECONNREFUSED' || code === 'ENOENT' ? undefined : '');
    });
    socket.on('close', () => resolve(/^\d+$/.test(said) ? said : ''));
  });
}
