// The development server: a real nats-server with JetStream on loopback, which ends with its parent.
//
// Invariants:
//   BUS-NATS-SERVER-1. The server ends when the parent does, however that ends: its guard waits for the end of a pipe that only the
//       parent holds, and the system closes it even after SIGKILL.
//   BUS-NATS-SERVER-2. Only users who can read the configuration (mode 0600) can connect.
//   BUS-NATS-SERVER-3. A start on the same folder finds the same data and takes the same password.
//   BUS-NATS-SERVER-4. No server opens a store that a newer one may have written: which one is recorded before it begins.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ErrorCode, TransientError, TroupeError } from './errors.ts';
import { type NatsProgramOptions, natsProgram } from './nats-program.ts';
import { compareNats, natsVersion, recordWriter, writtenBy } from './nats-store-version.ts';
import type { Clock } from './time.ts';

/** A start takes a tenth of a second, with a large store a few. */
const START_TIMEOUT_MS = 30_000;
/** nats-server stops within a second; after this long it is killed. */
const STOP_TIMEOUT_MS = 10_000;
const POLL_MS = 20;
/** Objects may have 1.5 MB (etcd's limit); nats-server's default is 1 MiB. */
const MAX_PAYLOAD_BYTES = 4 * 1_048_576;

// The guard starts the server, says its process id, and kills it when its own standard input ends. A background job of
// sh reads /dev/null unless told otherwise, hence descriptor 3.
const GUARD = `
exec 3<&0
"$@" </dev/null 3<&- >/dev/null 2>&1 &
server=$!
echo "$server"
{ cat <&3 >/dev/null; kill "$server" 2>/dev/null; sleep 5; kill -9 "$server" 2>/dev/null; } >/dev/null 2>&1 &
guard=$!
exec 3<&- >&-
wait "$server"
code=$?
kill "$guard" 2>/dev/null
exit "$code"
`;

export interface NatsServerOptions extends Omit<NatsProgramOptions, 'store'> {
  /** Data, configuration and log; made when missing. One server a folder. */
  readonly folder: string;
  /** On 127.0.0.1; by default a free one. */
  readonly port?: number;
  readonly clock: Clock;
}

export interface NatsServer {
  /** With user and password: never log it. */
  readonly url: string;
  readonly pid: number;
  /** The program that runs. */
  readonly program: string;
  /** Resolves when the server has ended, for whatever reason. */
  readonly exited: Promise<void>;
  /** Stops it and waits for its end. Idempotent. */
  close(): Promise<void>;
}

/**
 * Starts nats-server with JetStream on 127.0.0.1. Resolves when it takes connections.
 *
 * @throws {OlderServerError} the store in the folder is of a newer server than any available one
 * @throws {TroupeError} there is no program, or it does not start; the message has its last line
 */
export async function startNatsServer(options: NatsServerOptions): Promise<NatsServer> {
  const { folder, clock } = options;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const writer = await writtenBy(folder);
  const program = await natsProgram({
    ...options,
    // mutant: store-by-any-server drop
    ...(writer !== undefined && { store: { folder, writtenBy: writer } }),
  });
  const version = await natsVersion(program);
  if (version !== undefined && (writer === undefined || compareNats(version, writer) > 0))
    await recordWriter(folder, version);
  await forgetPorts(folder);
  const password = await passwordOf(folder);
  const config = join(folder, 'nats.conf');
  await writeSecret(config, configuration(folder, options.port ?? -1, password));
  // A group of its own: the terminal's Ctrl-C reaches the parent, which stops the server last.
  const guard = spawn('/bin/sh', ['-c', GUARD, 'nats-server', program, '-c', config], {
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true,
  });
  const ended = Promise.withResolvers<void>();
  guard.once('exit', () => ended.resolve());
  guard.once('error', () => ended.resolve());
  guard.stdin?.on('error', () => ended.resolve()); // its end is reported by `exit`
  let running = true;
  const exited = ended.promise.then(() => {
    running = false;
    guard.stdin?.destroy();
  });
  try {
    const pid = await pidFrom(guard, exited);
    const port = await portOf(folder, pid, clock, () => running);
    const close = (): Promise<void> => stop(pid, exited, clock);
    return { url: `nats://troupe:${password}@127.0.0.1:${port}`, pid, program, exited, close };
  } catch (error) {
    guard.stdin?.destroy();
    const line = await lastLogLine(folder);
    throw new TroupeError(ErrorCode.Transient, `'${program}' did not start: ${line}`, { cause: error });
  }
}

function configuration(folder: string, port: number, password: string): string {
  return [
    'server_name: troupe',
    'host: "127.0.0.1"',
    `port: ${port}`,
    `ports_file_dir: ${JSON.stringify(folder)}`,
    `log_file: ${JSON.stringify(join(folder, 'nats.log'))}`,
    'logfile_size_limit: 10MB',
    `max_payload: ${MAX_PAYLOAD_BYTES}`,
    `authorization: { user: troupe, password: ${JSON.stringify(password)} }`,
    `jetstream: { store_dir: ${JSON.stringify(join(folder, 'data'))} }`,
    '',
  ].join('\n');
}

async function passwordOf(folder: string): Promise<string> {
  const file = join(folder, 'password');
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    const password = randomBytes(24).toString('hex');
    await writeSecret(file, password);
    return password;
  }
}

/** Writes a file that no other user can read, at any instant. */
async function writeSecret(path: string, text: string): Promise<void> {
  const file = await open(path, 'a', 0o600);
  await file.close();
  await chmod(path, 0o600);
  await writeFile(path, text);
}

async function pidFrom(guard: ChildProcess, exited: Promise<void>): Promise<number> {
  const { stdout } = guard;
  if (stdout === null) throw new TransientError('the guard has no output');
  const said = Promise.withResolvers<number>();
  stdout.setEncoding('utf8');
  let text = '';
  stdout.on('data', (part: string) => {
    text += part;
    if (text.includes('\n')) said.resolve(Number.parseInt(text, 10));
  });
  void exited.then(() => said.reject(new TransientError('the guard ended')));
  return said.promise;
}

async function portOf(folder: string, pid: number, clock: Clock, isRunning: () => boolean): Promise<number> {
  const until = clock.now() + START_TIMEOUT_MS;
  while (isRunning() && clock.now() < until) {
    const file = (await readdir(folder)).find((name) => name.endsWith(`_${pid}.ports`));
    const text = file === undefined ? '' : await readFile(join(folder, file), 'utf8');
    const port = /"nats:\/\/[^"]*:(\d+)"/.exec(text)?.[1];
    if (port !== undefined) return Number(port);
    await clock.sleep(POLL_MS);
  }
  throw new TransientError(isRunning() ? `it was not ready within ${START_TIMEOUT_MS} ms` : 'it ended');
}

async function forgetPorts(folder: string): Promise<void> {
  for (const name of await readdir(folder)) if (name.endsWith('.ports')) await rm(join(folder, name), { force: true });
}

async function stop(pid: number, exited: Promise<void>, clock: Clock): Promise<void> {
  let running = true;
  const end = exited.then(() => {
    running = false;
  });
  await Promise.resolve(); // an end that was reported before is processed now
  if (!running) return;
  signal(pid, 'SIGTERM');
  const limit = new AbortController();
  await Promise.race([end, clock.sleep(STOP_TIMEOUT_MS, limit.signal)]);
  limit.abort();
  if (running) signal(pid, 'SIGKILL');
  await end;
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // it has ended meanwhile
  }
}

async function lastLogLine(folder: string): Promise<string> {
  try {
    return (await readFile(join(folder, 'nats.log'), 'utf8')).trim().split('\n').at(-1) ?? 'it wrote no log';
  } catch {
    return 'it wrote no log'; // it ended before it could open its log
  }
}
