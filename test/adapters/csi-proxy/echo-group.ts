// A group for tests of the transport alone: what its calls do is up to the test.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { systemClock } from '../../../actors/base/clock.ts';
import { openLog } from '../../../actors/base/log.ts';
import { pipePath } from '../../../adapters/csi-proxy/base/pipes.ts';
import type { Connection } from '../../../adapters/csi-proxy/client/connection.ts';
import { openConnection } from '../../../adapters/csi-proxy/client/open-connection.ts';
import { type Method, message, one, rpc, secret, text } from '../../../adapters/csi-proxy/codec/mod.ts';
import { CsiProxyServer, type CsiProxyServerDeps } from '../../../adapters/csi-proxy/server/csi-proxy-server.ts';
import { serverMetrics } from '../../../adapters/csi-proxy/server/metrics.ts';
import type { CallContext, RegisteredAPI } from '../../../adapters/csi-proxy/server/runtime.ts';
import { Allowance } from '../../world/speed.ts';

export interface Text {
  text: string;
  path: string;
  password: string;
  error: string;
}

export const clock = systemClock();

/** A test that waits longer than that for something has failed. */
export const DEADLINE_MS = 10_000;

const Text = message<Text>('test.Text', {
  text: one(1, text),
  path: one(2, text),
  password: secret(one(3, text)),
  error: one(4, text),
});

/** `GetEcho` only reads, to go by its name; `Echo` changes something; `Old` is deprecated. */
export function echoMethod(version: string, name: 'Echo' | 'GetEcho' | 'Old'): Method<Text, Text> {
  return rpc(`/${version}.Test/${name}`, Text, Text, { isDeprecated: name === 'Old' });
}

export type EchoHandler = (context: CallContext, request: Text) => Promise<Partial<Text>>;

export function echoGroup(handler: EchoHandler): RegisteredAPI[] {
  return ['v1alpha1', 'v1'].map((version) => ({
    group: 'test',
    version,
    registrant: {
      register(grpcServer) {
        for (const name of ['Echo', 'GetEcho', 'Old'] as const) grpcServer.handle(echoMethod(version, name), handler);
      },
    },
  }));
}

/** A place of its own for pipes: a prefix that nobody else has, or a folder. */
export function freshPrefix(): { readonly prefix: string; remove(): void } {
  if (process.platform === 'win32') {
    return { prefix: `\\\\.\\pipe\\${randomBytes(6).toString('hex')}-`, remove: () => undefined };
  }
  const folder = mkdtempSync(join(tmpdir(), 'pipes-'));
  return { prefix: `${folder}/`, remove: () => rmSync(folder, { recursive: true }) };
}

/** A server of the group that says what it hears; not started. */
export function echoServer(pipePrefix: string): CsiProxyServer {
  return new CsiProxyServer({
    groups: [echoGroup(async (_context, request) => request)],
    pipePrefix,
    clock,
    log: openLog({ level: 'silent', readable: false }),
    metrics: serverMetrics(),
  });
}

export interface World {
  readonly server: CsiProxyServer;
  readonly prefix: string;
  /** What was logged, a line each. */
  readonly lines: () => string[];
  /** Calls `name` of a version on a connection of its own, or of the given one. */
  call(
    name: 'Echo' | 'GetEcho' | 'Old',
    request: Partial<Text>,
    options?: { signal?: AbortSignal; timeoutMs?: number },
    version?: string,
  ): Promise<Text>;
  metrics(): Promise<string>;
}

/** Runs a test on a server of its own, and stops it, whatever happens. */
export function served(
  handler: EchoHandler,
  body: (world: World) => Promise<void>,
  deps: Partial<CsiProxyServerDeps> = {},
): () => Promise<void> {
  return async () => {
    const { prefix, remove } = freshPrefix();
    const lines: string[] = [];
    const destination = new Writable({
      write(chunk, _encoding, done) {
        lines.push(String(chunk));
        done();
      },
    });
    const log = openLog({ level: 'debug', readable: false, destination });
    const metrics = serverMetrics();
    const server = new CsiProxyServer({
      groups: [echoGroup(handler)],
      pipePrefix: prefix,
      clock,
      log,
      metrics,
      ...deps,
    });
    try {
      await server.start();
      const connections = new Map<string, Connection>();
      await body({
        server,
        prefix,
        lines: () => lines,
        async call(name, request, options, version = 'v1') {
          const connection =
            connections.get(version) ?? (await openConnection(pipePath('test', version, prefix), { clock }));
          connections.set(version, connection);
          return connection.call(echoMethod(version, name), request, options);
        },
        metrics: async () => (await metrics.text()).body,
      });
      for (const connection of connections.values()) connection.close();
    } finally {
      await server.stop(0);
      remove();
    }
  };
}

/** Resolves when `condition` holds. */
export async function until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const allowance = new Allowance(clock, DEADLINE_MS);
  while (!(await condition())) {
    if (allowance.canPassivate()) throw new Error(`in ${DEADLINE_MS} ms it did not happen: ${what}`);
    await clock.sleep(5);
  }
}

/** How a call ended that must not end well. */
export async function failureOf(call: Promise<unknown>): Promise<{ readonly code: unknown; readonly message: string }> {
  try {
    await call;
  } catch (error) {
    const { code, message } = error as { code?: unknown; message: string };
    return { code, message };
  }
  throw new Error('the call did not fail');
}
