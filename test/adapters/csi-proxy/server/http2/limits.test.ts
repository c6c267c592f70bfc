// long
// Clients that take and do not give: silent ones, requests that never end, bodies that are held. Everybody else is served
// meanwhile, and what they took comes back.
import { type ClientHttp2Session, type ClientHttp2Stream, connect as connectHttp2 } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { pipePath } from '../../../../../adapters/csi-proxy/base/pipes.ts';
import { Code } from '../../../../../adapters/csi-proxy/base/status.ts';
import { SERVER_LIMITS } from '../../../../../adapters/csi-proxy/server/csi-proxy-server.ts';
import { slowness } from '../../../../world/speed.ts';
import { clock, type EchoHandler, served, until, type World } from '../../echo-group.ts';

const test = suite('csi-proxy limits of clients');

const MIB = 2 ** 20;
const echo: EchoHandler = async (_context, request) => request;

const HEADERS = { ':method': 'POST', ':path': '/v1.Test/Echo', 'content-type': 'application/grpc', te: 'trailers' };
const CLIENT_MEMORY_MB = 1_000;
/** What the collector leaves differs by some MiB; a kibibyte of each of 10,000 requests would be more. */
const GROWTH_BYTES = 8 * MIB;
/** Of a message of 3.9 MiB, of which all but the last byte is sent. */
const LONG_BYTES = Math.floor(3.9 * MIB);

/** @param name  of a line, with its labels */
async function figure(world: World, name: string): Promise<number> {
  const line = (await world.metrics()).split('\n').find((each) => each.startsWith(`${name} `));
  return Number(line?.slice(name.length) ?? 0);
}

const closedFor = (world: World, reason: string) =>
  figure(world, `csi_proxy_connections_closed_total{group="test",version="v1",reason="${reason}"}`);
const refusedFor = (world: World, reason: string) =>
  figure(world, `csi_proxy_requests_refused_total{group="test",version="v1",reason="${reason}"}`);

/** What is reachable, of clients and server: both are in this process. */
async function heapBytes(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  // What closes in a later turn of the event loop is collected after it.
  for (let turn = 0; turn < 3; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
    collect();
  }
  return process.memoryUsage().heapUsed;
}

/** Sockets that have heard the server, and say nothing; opened one after another, as a system queues but some hundred. */
async function silent(prefix: string, count: number): Promise<Socket[]> {
  const sockets: Socket[] = [];
  for (let each = 0; each < count; each++) {
    const socket = connect(pipePath('test', 'v1', prefix)).on('error', () => undefined);
    await new Promise((resolve) => socket.once('data', resolve));
    sockets.push(socket.resume());
  }
  return sockets;
}

async function sessions(prefix: string, count: number): Promise<ClientHttp2Session[]> {
  const opened = Array.from({ length: count }, () =>
    connectHttp2('http://localhost', {
      createConnection: () => connect(pipePath('test', 'v1', prefix)),
      // A client of Node takes no answer while more than that waits to be sent.
      maxSessionMemory: CLIENT_MEMORY_MB,
    }),
  );
  for (const session of opened) session.on('error', () => undefined);
  await Promise.all(
    opened.map((session) => new Promise((resolve) => session.once('remoteSettings', resolve).once('close', resolve))),
  );
  return opened;
}

/** A call that was begun, and how it ends. */
function begin(session: ClientHttp2Session): { readonly stream: ClientHttp2Stream; readonly code: Promise<number> } {
  const stream = session.request(HEADERS);
  const { promise: code, resolve } = Promise.withResolvers<number>();
  const note = (headers: Record<string, unknown>): void => {
    if (headers['grpc-status'] !== undefined) resolve(Number(headers['grpc-status']));
  };
  stream
    .on('response', note)
    .on('trailers', note)
    .on('error', () => undefined)
    .resume();
  stream.once('close', () => resolve(-1));
  return { stream, code };
}

function limited(limits: Partial<typeof SERVER_LIMITS>, body: (world: World) => Promise<void>, handler = echo) {
  return served(handler, body, { limits: { ...SERVER_LIMITS, ...limits } });
}

test(
  'a pipe full of silent connections is open to others',
  limited({}, async (world) => {
    await silent(world.prefix, SERVER_LIMITS.connectionsPerPipe);
    assert.is((await world.call('Echo', { text: 'in' })).text, 'in');
    // The probe of the client and its connection: each has the place of one that was silent.
    assert.ok((await closedFor(world, 'full')) >= 1);
    assert.is(await closedFor(world, 'handshake'), 0);
  }),
);

test(
  'silent connections are closed in time',
  limited({ handshakeMs: 500 }, async (world) => {
    const all = await silent(world.prefix, 20);
    await until(() => all.every((socket) => socket.destroyed), 'all are closed');
    await until(async () => (await closedFor(world, 'handshake')) === 20, 'for want of a handshake');
    assert.is((await world.call('Echo', { text: 'still' })).text, 'still');
  }),
);

test(
  'a handshake does not make a silent connection a good one',
  limited({ connectionsPerPipe: 20, idleMs: 1_500, handshakeMs: 60_000, requestMs: 1_000 }, async (world) => {
    const all = await sessions(world.prefix, 20);
    assert.is((await world.call('Echo', { text: 'in' })).text, 'in');
    await until(() => all.every(({ closed }) => closed), 'all are closed');
    assert.ok((await closedFor(world, 'idle')) > 10);
    // The good-bye may cross a call, which is taken all the same.
    assert.is((await world.call('Echo', { text: 'again' })).text, 'again');
  }),
);

test(
  'connections are limited on all pipes together, too',
  limited({ connections: 8 }, async (world) => {
    await silent(world.prefix, 8);
    assert.is((await world.call('Echo', { text: 'in' }, {}, 'v1alpha1')).text, 'in');
    assert.ok((await closedFor(world, 'full')) >= 1);
    assert.ok((await figure(world, 'csi_proxy_connections')) <= 8);
  }),
);

test(
  'requests that never end make room for others and are ended in time',
  limited({ requestMs: 3_000 * slowness(clock) }, async (world) => {
    const opened = await sessions(world.prefix, 40);
    const calls = opened.flatMap((session) => Array.from({ length: 250 }, () => begin(session)));
    for (const { stream } of calls) stream.write(Buffer.from([0]));
    await until(async () => (await refusedFor(world, 'unfinished')) > 8_000, 'the oldest make room');
    assert.ok((await figure(world, 'csi_proxy_incomplete_requests')) <= SERVER_LIMITS.unfinishedRequests);
    assert.is((await world.call('Echo', { text: 'in' })).text, 'in');
    const codes = await Promise.all(calls.map(({ code }) => code));
    const late = codes.filter((code) => code === Code.DeadlineExceeded).length;
    const full = codes.filter((code) => code === Code.ResourceExhausted).length;
    assert.is(late + full, 10_000, `${late} late, ${full} refused`);
    assert.ok(late > 0 && late <= SERVER_LIMITS.unfinishedRequests);
    assert.is(await figure(world, 'csi_proxy_incomplete_requests'), 0);
    assert.is(await figure(world, 'csi_proxy_buffered_request_bytes'), 0);
    for (const session of opened) session.destroy();
  }),
);

test(
  '33.C7: what 10,000 requests that never end have taken is given back when they have ended',
  limited({ requestMs: 3_000 * slowness(clock) }, async (world) => {
    const storm = async (): Promise<number> => {
      const before = await figure(world, 'csi_proxy_connections');
      const opened = await sessions(world.prefix, 40);
      const calls = opened.flatMap((session) => Array.from({ length: 250 }, () => begin(session)));
      for (const { stream } of calls) stream.write(Buffer.from([0]));
      await Promise.all(calls.map(({ code }) => code));
      for (const session of opened) session.destroy();
      await until(async () => (await figure(world, 'csi_proxy_connections')) <= before, 'all are closed');
      assert.is((await world.call('Echo', { text: 'in' })).text, 'in');
      return heapBytes();
    };
    // The first one leaves what is compiled and pooled, for good.
    const first = await storm();
    const grown = (await storm()) - first;
    assert.ok(grown < GROWTH_BYTES, `${Math.round(grown / MIB)} MiB are left of the second 10,000`);
  }),
);

test(
  'bodies that are held are limited by connection and in all, and others are served',
  limited({ requestMs: 60_000 }, async (world) => {
    const opened = await sessions(world.prefix, 34);
    const calls = opened.flatMap((session) => Array.from({ length: 3 }, () => begin(session)));
    const body = Buffer.alloc(5 + LONG_BYTES - 1);
    body.writeUInt32BE(LONG_BYTES, 1);
    for (const { stream } of calls) stream.write(body);
    await until(async () => (await refusedFor(world, 'bytes')) > 50, 'the oldest make room');
    assert.ok((await figure(world, 'csi_proxy_buffered_request_bytes')) <= SERVER_LIMITS.heldBytes);
    assert.is((await world.call('Echo', { text: 'in' })).text, 'in');
    for (const session of opened) session.destroy();
    // One connection alone may not hold as much as all may.
    const [one] = await sessions(world.prefix, 1);
    if (one === undefined) throw new Error('no session');
    const own = Array.from({ length: 6 }, () => begin(one));
    for (const { stream } of own) stream.write(body);
    assert.is(await Promise.race(own.map(({ code }) => code)), Code.ResourceExhausted);
    one.destroy();
    await until(async () => (await figure(world, 'csi_proxy_buffered_request_bytes')) === 0, 'nothing is held');
  }),
);

test(
  'requests that wait for their turn are held, too',
  limited(
    { callsPerGroup: 1, heldBytes: 3 * MIB },
    async (world) => {
      const [session] = await sessions(world.prefix, 1);
      if (session === undefined) throw new Error('no session');
      const calls = Array.from({ length: 4 }, () => begin(session));
      const body = Buffer.alloc(5 + MIB);
      body.writeUInt32BE(MIB, 1);
      body.writeUInt8(0x12, 5); // `path`
      body.set([0xfc, 0xff, 0x3f], 6); // the 1,048,572 bytes that follow
      for (const { stream } of calls) stream.end(body);
      assert.is(await Promise.race(calls.map(({ code }) => code)), Code.ResourceExhausted);
      session.destroy();
      await until(async () => (await figure(world, 'csi_proxy_buffered_request_bytes')) === 0, 'nothing is held');
    },
    () => new Promise(() => undefined),
  ),
);

test(
  'a client that does not take its answer holds it no longer than its request may take',
  limited({ requestMs: 300 }, async (world) => {
    const session = connectHttp2('http://localhost', {
      createConnection: () => connect(pipePath('test', 'v1', world.prefix)),
      settings: { initialWindowSize: 0 },
    });
    session.on('error', () => undefined);
    const { stream } = begin(session);
    const closed = new Promise((resolve) => stream.once('close', resolve));
    stream.end(Buffer.from('\0\0\0\0\x04\x0a\x02hi', 'latin1'));
    await closed;
    assert.is(await figure(world, 'csi_proxy_buffered_request_bytes'), 0);
    session.destroy();
  }),
);

test.run();
