// The contract suite's harness on nats-server: each process behind a proxy of its own.
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from '@nats-io/transport-node';
import * as assert from 'uvu/assert';
import type { Bus } from '../../bus/bus.ts';
import { type NatsBusOptions, natsBus } from '../../bus/nats-bus.ts';
import { type NatsServer, startNatsServer } from '../../bus/nats-server.ts';
import { clock, type Deployment, type Harness } from './harness.ts';
import { startProxy, type TcpProxy } from './proxy.ts';

/** Long enough that a machine under load keeps it, in milliseconds. */
export const LEASE_MS = 3_000;

/** A deployment with a way to the server itself. */
export interface NatsDeployment extends Deployment {
  readonly url: string;
  readonly prefix: string;
  connect(process: string, options?: Partial<NatsBusOptions>): Promise<Bus>;
  /** From now on each connection of the process carries so many bytes a millisecond. */
  throttle(bus: Bus, bytesPerMs: number): void;
  wipeEvents(): Promise<void>;
  /** The process hears no mail any more, and could still speak. Returns the way back. */
  deafen(bus: Bus): () => void;
}

/** One server and the processes on it. */
interface Ground {
  readonly url: string;
  readonly prefix: string;
  readonly interrupt: Deployment['interrupt'];
  readonly snapshot: Deployment['snapshot'];
  close(): Promise<void>;
}

async function deployment(ground: Ground): Promise<NatsDeployment> {
  const { url, prefix } = ground;
  const names = prefix.toUpperCase();
  const proxies = new Map<Bus, TcpProxy>();
  /** What was begun, and how it ends, whatever became of it. */
  const begun: (() => Promise<void>)[] = [];
  const administration = async (
    run: (admin: Awaited<ReturnType<typeof connect>>) => Promise<unknown>,
  ): Promise<void> => {
    const { hostname, port, username, password } = new URL(url);
    const login = username === '' ? {} : { user: username, pass: password };
    const admin = await connect({ servers: `${hostname}:${port || 4222}`, ...login });
    try {
      await run(admin);
    } finally {
      await admin.close();
    }
  };
  const deleted = (stream: string): Promise<void> =>
    administration(async (admin) => {
      const answer = await admin.request(`$JS.API.STREAM.DELETE.${stream}`, '', { timeout: 10_000 });
      assert.is(answer.json<{ success?: boolean }>().success, true);
    });
  return {
    clock,
    leaseMs: LEASE_MS,
    lateEffectMs: 60_000,
    tooLong: 5_000_000,
    url,
    prefix,
    async connect(process, options = {}) {
      const { hostname, port } = new URL(url);
      const proxy = await startProxy(hostname, Number(port || 4222));
      const through = new URL(url);
      through.hostname = '127.0.0.1';
      through.port = String(proxy.port);
      const opening = natsBus({
        url: through.toString(),
        process,
        clock,
        prefix,
        leaseMs: LEASE_MS,
        firstLease: 'immediate',
        ...options,
      });
      begun.push(async () => {
        const bus = await opening.catch(() => undefined); // the test was told
        await bus?.close();
        await proxy.close();
      });
      const bus = await opening;
      proxies.set(bus, proxy);
      return bus;
    },
    throttle(bus, bytesPerMs) {
      proxies.get(bus)?.throttle(bytesPerMs);
    },
    deafen(bus) {
      proxies.get(bus)?.cutNewest();
      return () => proxies.get(bus)?.heal();
    },
    async crash(bus) {
      proxies.get(bus)?.cut();
    },
    async cut(bus) {
      proxies.get(bus)?.cut();
      return async () => proxies.get(bus)?.heal();
    },
    wipeMail: () => deleted(`${names}_MAIL`),
    wipeLeases: () => deleted(`KV_${names}_LEASES`),
    wipeEvents: () => deleted(`${names}_HISTORY`),
    interrupt: ground.interrupt,
    snapshot: ground.snapshot,
    async close() {
      for (const end of begun) await end();
      await ground.close();
    },
  };
}

/** A server of its own for each test. */
export function ownServer(name: string, program: string): Harness & { open(): Promise<NatsDeployment> } {
  return {
    name,
    canInterrupt: true,
    async open() {
      const folder = await mkdtemp(join(tmpdir(), 'troupe-nats-'));
      const data = join(folder, 'server');
      const start = (port?: number): Promise<NatsServer> =>
        startNatsServer({
          program,
          path: '',
          cacheFolder: join(folder, 'cache'),
          fetch: globalThis.fetch,
          onProgress: () => undefined,
          folder: data,
          clock,
          ...(port === undefined ? {} : { port }),
        });
      let server = await start();
      const { url } = server;
      const port = Number(new URL(url).port);
      const kill = async (): Promise<void> => {
        process.kill(server.pid, 'SIGKILL');
        await server.exited;
      };
      const interrupt = async (): Promise<() => Promise<void>> => {
        await kill();
        return async () => {
          server = await start(port);
        };
      };
      return deployment({
        url,
        prefix: 'troupe',
        interrupt,
        async snapshot() {
          await server.close();
          await cp(join(data, 'data'), join(folder, 'copy'), { recursive: true });
          server = await start(port);
          return async () => {
            await kill();
            await rm(join(data, 'data'), { recursive: true });
            await cp(join(folder, 'copy'), join(data, 'data'), { recursive: true });
            server = await start(port);
          };
        },
        async close() {
          await server.close();
          await rm(folder, { recursive: true });
        },
      });
    },
  };
}

/** A server that runs already, shared with others: names of its own for each test, deleted after it. */
export function sharedServer(name: string, url: string): Harness & { open(): Promise<NatsDeployment> } {
  return {
    name,
    canInterrupt: false,
    async open() {
      const prefix = `troupe-test-${Math.floor(clock.random() * 2 ** 32).toString(36)}`;
      const made: NatsDeployment = await deployment({
        url,
        prefix,
        interrupt: undefined,
        snapshot: undefined,
        async close() {
          await made.wipeMail();
          await made.wipeLeases();
          await made.wipeEvents();
        },
      });
      return made;
    },
  };
}
