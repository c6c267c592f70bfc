// A PowerDNS of its own on loopback: the programs of Debian's pdns-server and pdns-backend-sqlite3, installed, or unpacked in the folder
// that TROUPE_PDNS names.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';

const ROOT = process.env['TROUPE_PDNS'] ?? '/';
const LIBRARIES = join(ROOT, 'usr/lib/x86_64-linux-gnu');
const PROGRAM = join(ROOT, 'usr/sbin/pdns_server');
const SCHEMA = join(ROOT, 'usr/share/pdns-backend-sqlite3/schema/schema.sqlite3.sql');
const START_MS = 20_000;

export const API_KEY = 'key-of-the-test';
export const isInstalled = existsSync(PROGRAM) && existsSync(SCHEMA);

export interface PowerDnsServer {
  readonly url: string;
  /** Asks it as somebody outside does. */
  ask(method: string, path: string, body?: object): Promise<unknown>;
  start(): Promise<void>;
  stop(): Promise<void>;
  close(): Promise<void>;
}

export async function startPowerDns(): Promise<PowerDnsServer> {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-pdns-'));
  const database = join(folder, 'pdns.sqlite3');
  const db = new DatabaseSync(database);
  db.exec(readFileSync(SCHEMA, 'utf8'));
  db.close();
  const [api, dns] = [await freePort(), await freePort()];
  const settings = {
    launch: 'gsqlite3',
    'gsqlite3-database': database,
    'module-dir': join(LIBRARIES, 'pdns'),
    'socket-dir': folder,
    'local-address': '127.0.0.1',
    'local-port': dns,
    api: 'yes',
    'api-key': API_KEY,
    webserver: 'yes',
    'webserver-address': '127.0.0.1',
    'webserver-port': api,
    daemon: 'no',
    guardian: 'no',
    // Zones are written at most once a moment, and read at once.
    'zone-cache-refresh-interval': 0,
    'query-cache-ttl': 0,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  await writeFile(join(folder, 'pdns.conf'), `${lines.join('\n')}\n`);
  const url = `http://127.0.0.1:${api}`;
  let child: ChildProcess | undefined;
  const server: PowerDnsServer = {
    url,
    async ask(method, path, body) {
      const response = await fetch(new URL(`/api/v1/servers/localhost${path}`, url), {
        method,
        headers: { 'x-api-key': API_KEY },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      if (!response.ok && response.status !== 404) throw new Error(`${method} ${path}: ${response.status} ${text}`);
      return response.ok && text !== '' ? JSON.parse(text) : undefined;
    },
    async start() {
      const env = { ...process.env, LD_LIBRARY_PATH: LIBRARIES };
      child = spawn(PROGRAM, [`--config-dir=${folder}`], { env, stdio: 'ignore' });
      const endsAt = Date.now() + START_MS;
      for (;;) {
        try {
          await server.ask('GET', '');
          return;
        } catch (error) {
          if (Date.now() > endsAt || child.exitCode !== null)
            throw new Error('PowerDNS did not start', { cause: error });
          await sleep(50);
        }
      }
    },
    async stop() {
      const ending = child;
      child = undefined;
      if (ending === undefined || ending.exitCode !== null) return;
      const ended = once(ending, 'exit');
      ending.kill('SIGKILL');
      await ended;
    },
    async close() {
      await server.stop();
      await rm(folder, { recursive: true });
    },
  };
  await server.start();
  return server;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
