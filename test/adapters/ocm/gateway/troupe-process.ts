// `troupe` as a process, for tests of what it serves.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { fileURLToPath } from 'node:url';

const CLI = fileURLToPath(new URL('../../../../actors/cli.js', import.meta.url));

export function startTroupe(args: readonly string[], env: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, [CLI, ...args], { env: { PATH: process.env['PATH'], ...env } });
  let text = '';
  const waiting = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (part: string) => {
      text += part;
      for (const wake of waiting) wake();
    });
  }
  const { promise: ended, resolve } = Promise.withResolvers<number | null>();
  child.once('close', (code) => {
    resolve(code);
    for (const wake of waiting) wake();
  });
  let isOver = false;
  void ended.then(() => (isOver = true));
  return {
    /** What the first group of a pattern finds in the output. */
    async find(pattern: RegExp): Promise<string> {
      for (;;) {
        const found = pattern.exec(text)?.[1];
        if (found !== undefined) return found;
        if (isOver) throw new Error(`it ended: ${text}`);
        await new Promise<void>((wake) => waiting.add(wake));
      }
    },
    text: () => text,
    async stop(): Promise<number | null> {
      child.kill('SIGTERM');
      return ended;
    },
    ended,
  };
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
