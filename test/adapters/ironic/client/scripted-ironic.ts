// An Ironic on a wire, or with TLS on a socket, that answers what a test says, and keeps what it was asked. It knows no nodes.
import type { IncomingHttpHeaders, IncomingMessage, RequestListener } from 'node:http';
import { createServer, type Server, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { CallRecord } from '../../../../adapters/api/adapter.ts';
import { transportOver } from '../../../../adapters/http/transport.ts';
import { type IronicClient, ironicClient } from '../../../../adapters/ironic/client/client.ts';
import type { Connection } from '../../../../adapters/ironic/client/connection.ts';
import type { Asking, IronicSessionDeps } from '../../../../adapters/ironic/client/session.ts';
import type { Json } from '../../../../bus/bus.ts';
import { simulatedClock } from '../../../world/clock.ts';
import { TRACEPARENT } from '../../../world/ironic.ts';
import { Wire } from '../../../world/wire.ts';

export interface Asked {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Json | undefined;
}

export interface Scripted {
  readonly status?: number;
  readonly body?: Json;
  /** In place of a body. */
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The connection breaks instead. */
  readonly breaks?: true;
  /** Nothing comes until then. */
  readonly until?: Promise<unknown>;
}

export interface Scene {
  readonly client: IronicClient;
  /** Without the looks for version and drivers. */
  readonly asked: Asked[];
  /** All of it. */
  readonly heard: Asked[];
  readonly records: CallRecord[];
  readonly logs: { readonly level: string; readonly fields: object; readonly message: string }[];
  readonly url: string;
  /** Answers anything but version and drivers. */
  answer: (asked: Asked) => Scripted;
  version: string;
  drivers: readonly string[];
  /** Until when a call may take. */
  asking(withinMs?: number): Asking;
}

export interface SceneOptions extends Partial<Omit<IronicSessionDeps, 'clock' | 'log' | 'onCall'>> {
  readonly clock?: IronicSessionDeps['clock'];
  readonly tls?: ServerOptions;
  /** Of the connection, beside the endpoint. */
  readonly with?: Partial<Connection>;
  readonly onRequest?: (request: IncomingMessage) => void;
}

export const REQUEST_ID = 'req-8839f16b-346d-433f-b4e2-bdfbe380263f';

/** As Ironic says a fault. */
export function fault(text: string): Json {
  return { error_message: JSON.stringify({ faultcode: 'Client', faultstring: text, debuginfo: null }) };
}

/** All of them share it: one may be reached by the client of another. */
const WIRE = new Wire();
let opened = 0;

/** Runs a test with a server and a client of it, and closes both. */
export async function withIronic(run: (scene: Scene) => Promise<void>, options: SceneOptions = {}): Promise<void> {
  const clock = options.clock ?? simulatedClock();
  const heard: Asked[] = [];
  const asked: Asked[] = [];
  const listener: RequestListener = (request, response) => {
    options.onRequest?.(request);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const { method = '', url: path = '', headers } = request;
      const one = { method, path, headers, body: text === '' ? undefined : (JSON.parse(text) as Json) };
      heard.push(one);
      const known = knownAnswer(scene, path);
      if (known === undefined) asked.push(one);
      const { status = 200, body, text: plain, headers: given, breaks, until } = known ?? scene.answer(one);
      if (breaks) {
        response.destroy();
        return;
      }
      void Promise.resolve(until).then(() => {
        const type = body === undefined ? {} : { 'content-type': 'application/json' };
        response.writeHead(status, { ...type, 'openstack-request-id': REQUEST_ID, ...given });
        response.end(plain ?? (body === undefined ? '' : JSON.stringify(body)));
      });
    });
  };
  const origin = `http://ironic-${++opened}.test`;
  WIRE.serve(origin, listener);
  const secured = options.tls === undefined ? undefined : await listening(createServer(options.tls, listener));
  const url = secured?.url ?? origin;
  const records: CallRecord[] = [];
  const logs: Scene['logs'] = [];
  const logging = (level: string) => (fields: object, message: string) => void logs.push({ level, fields, message });
  const { tls: _, with: given, clock: __, onRequest: ___, ...deps } = options;
  const trust = { ca: undefined, verify: 'verified' } as const;
  const client = ironicClient({
    clock,
    log: { info: logging('info'), warn: logging('warn') },
    version: '1.2.3',
    connection: async () => ({ endpoint: url, trust, credentials: undefined, ...given }),
    timeoutMs: 5_000,
    cacheTtlMs: 5_000,
    callsInFlight: 16,
    onCall: (record) => void records.push(record),
    ...(secured === undefined && { transport: () => transportOver(WIRE, clock) }),
    ...deps,
  });
  const scene: Scene = {
    client,
    asked,
    heard,
    records,
    logs,
    url,
    answer: () => ({ status: 500 }),
    version: '1.115',
    drivers: ['redfish'],
    asking: (withinMs = 5_000) => ({ namespace: 'ns', deadlineAt: clock.now() + withinMs, traceparent: TRACEPARENT }),
  };
  try {
    await run(scene);
  } finally {
    await client.close();
    WIRE.cut(origin);
    await secured?.close();
  }
}

async function listening(server: Server): Promise<{ readonly url: string; close(): Promise<void> }> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `https://localhost:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function knownAnswer({ version, drivers }: Scene, path: string): Scripted | undefined {
  if (path === '/v1/') return { body: { id: 'v1', version: { id: 'v1', min_version: '1.1', version } } };
  if (path === '/v1/drivers') return { body: { drivers: drivers.map((name) => ({ name })) } };
  return undefined;
}
