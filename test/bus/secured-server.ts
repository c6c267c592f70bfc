// A nats-server with users, keys and certificates as a deployment has them, which a test may change while it runs.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { certify, makeAuthority } from '../../adapters/kubernetes/tls/certificates.ts';
import type { BusUser } from '../../bus/permissions.ts';
import { type KnownUser, newSeed, publicKeyOf, serverUsers } from '../../bus/server-users.ts';
import { clock, until } from './harness.ts';

/** What the configuration of the chart's server says too, but for paths and ports. */
const CONFIGURATION = (folder: string, port: number): string => `
host: 127.0.0.1
port: ${port}
ports_file_dir: ${JSON.stringify(folder)}
log_file: ${JSON.stringify(join(folder, 'nats.log'))}
tls { cert_file: ${JSON.stringify(join(folder, 'tls.crt'))}, key_file: ${JSON.stringify(join(folder, 'tls.key'))} }
max_payload: 4MB
jetstream { store_dir: ${JSON.stringify(join(folder, 'data'))} }
include users.conf
`;

/** What the certificate is for, beside this machine. */
export const SERVER_NAME = 'bus.example.com';

/** As the server logs it; 2.9 has no other words. */
const RELOADED = 'Reloaded server configuration';

export class SecuredServer {
  readonly folder: string;
  readonly caFile: string;
  readonly port: number;
  readonly #process: ChildProcess;

  private constructor(folder: string, process: ChildProcess, port: number) {
    this.folder = folder;
    this.caFile = join(folder, 'ca.crt');
    this.port = port;
    this.#process = process;
  }

  /** With what the folder holds: users.conf, tls.crt, tls.key. The folder goes with it. */
  static async start(program: string, folder: string): Promise<SecuredServer> {
    await writeFile(join(folder, 'nats.conf'), CONFIGURATION(folder, -1));
    const child = spawn(program, ['-c', join(folder, 'nats.conf')], { stdio: 'ignore' });
    let port: number | undefined;
    let hasEnded = false;
    child.once('exit', () => {
      hasEnded = true;
    });
    while (port === undefined) {
      if (hasEnded) throw new Error(`nats-server ended: ${await readFile(join(folder, 'nats.log'), 'utf8')}`);
      const file = (await readdir(folder)).find((name) => name.endsWith(`_${child.pid}.ports`));
      const text = file === undefined ? '' : await readFile(join(folder, file), 'utf8');
      const found = /:\/\/[^"]*:(\d+)"/.exec(text)?.[1];
      if (found !== undefined) port = Number(found);
      else await clock.sleep(10);
    }
    return new SecuredServer(folder, child, port);
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  get url(): string {
    return `tls://localhost:${this.port}`;
  }

  /** The server reads its configuration again, as its reloader has it do. */
  async reload(): Promise<void> {
    const count = async (): Promise<number> => (await this.log()).split(RELOADED).length;
    const before = await count();
    this.#process.kill('SIGHUP');
    let after = before;
    await until('the server to read its configuration', () => {
      void count().then((now) => {
        after = now;
      });
      return after > before;
    });
  }

  log(): Promise<string> {
    return readFile(join(this.folder, 'nats.log'), 'utf8');
  }

  async close(): Promise<void> {
    if (this.#process.exitCode === null && this.#process.signalCode === null) {
      const ended = new Promise((resolve) => this.#process.once('exit', resolve));
      this.#process.kill('SIGKILL');
      await ended;
    }
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** A server with these users; their seeds are in `<name>.nk` of its folder. */
export async function securedServer(program: string, users: readonly BusUser[]): Promise<SecuredServer> {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-secured-'));
  const authority = await makeAuthority('bus', clock.now());
  const { certificate, key } = await certify(authority, { name: 'nats', hosts: [SERVER_NAME] }, clock.now());
  const write = (name: string, text: string): Promise<void> => writeFile(join(folder, name), text, { mode: 0o600 });
  const known: KnownUser[] = [];
  for (const user of users) {
    const seed = newSeed();
    await write(seedFile(user), seed);
    known.push({ ...user, publicKeys: [publicKeyOf(seed)] });
  }
  await write('ca.crt', authority.certificate);
  await write('tls.crt', certificate);
  await write('tls.key', key);
  await write('users.conf', serverUsers(known));
  return SecuredServer.start(program, folder);
}

export function seedFile({ name, node }: Pick<BusUser, 'name' | 'node'>): string {
  return `${[name, ...(node === undefined ? [] : [node])].join('.')}.nk`;
}
