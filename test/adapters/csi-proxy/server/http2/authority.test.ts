// Clients whose `:authority` is the path of the pipe, byte by byte as Go's gRPC up to 1.56 sends them. Clients that are Go's
// are in test/real/csi-proxy.
import { connect as connectHttp2 } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { pipePath } from '../../../../../adapters/csi-proxy/base/pipes.ts';
import {
  Flag,
  FrameType,
  frame,
  HEAD_BYTES,
  headAt,
  PREFACE,
} from '../../../../../adapters/csi-proxy/server/http2/frames.ts';
import { type EchoHandler, served, until } from '../../echo-group.ts';

const test = suite('csi-proxy authority');

const echo: EchoHandler = async (_context, request) => request;
/** `Text` with the text `hi`, as gRPC frames it. */
const REQUEST = Buffer.from('\0\0\0\0\x04\x0a\x02hi', 'latin1');
const RAW = '\\\\.\\\\pipe\\\\csi-proxy-disk-v1';

/** RFC 7541, section 6.2.1: enters the table of whoever reads it, as entry 62 if it is the last one. */
function indexed(name: string, value: string): Buffer {
  const text = (each: string) => Buffer.concat([Buffer.from([each.length]), Buffer.from(each)]);
  return Buffer.concat([Buffer.from([0x40]), text(name), text(value)]);
}

/** `:method: POST` and `:scheme: http` from the table that both sides have from the start. */
const STATIC = Buffer.from([0x83, 0x86]);

function headers(authority: string): Buffer {
  return Buffer.concat([
    STATIC,
    indexed(':path', '/v1.Test/Echo'),
    indexed(':authority', authority),
    indexed('content-type', 'application/grpc'),
    indexed('te', 'trailers'),
  ]);
}

/** The same four, by their places in the table. */
const REPEATED = Buffer.concat([STATIC, Buffer.from([0xc1, 0xc0, 0xbf, 0xbe])]);

/** A client that sends what it is told, and keeps the frames that come. */
class Client {
  readonly socket: Socket;
  readonly frames: { readonly type: number; readonly flags: number; readonly streamId: number; payload: Buffer }[] = [];
  isClosed = false;
  #rest = Buffer.alloc(0);

  constructor(prefix: string) {
    this.socket = connect(pipePath('test', 'v1', prefix));
    this.socket
      .on('error', () => undefined)
      .once('close', () => {
        this.isClosed = true;
      });
    this.socket.on('data', (chunk) => {
      this.#rest = Buffer.concat([this.#rest, chunk]);
      while (this.#rest.length >= HEAD_BYTES) {
        const { length, ...head } = headAt(this.#rest, 0);
        if (this.#rest.length < HEAD_BYTES + length) break;
        this.frames.push({ ...head, payload: this.#rest.subarray(HEAD_BYTES, HEAD_BYTES + length) });
        this.#rest = this.#rest.subarray(HEAD_BYTES + length);
      }
    });
  }

  send(...pieces: Uint8Array[]): void {
    this.socket.write(Buffer.concat(pieces));
  }

  /** Settings, and the answer to the server's: what a client does that waits for them. */
  async shakeHands(): Promise<void> {
    this.send(PREFACE, frame(FrameType.Settings, 0, 0, Buffer.alloc(0)));
    await until(() => this.frames.length > 0, 'the settings of the server');
    this.send(frame(FrameType.Settings, Flag.Ack, 0, Buffer.alloc(0)));
  }

  call(streamId: number, block: Buffer): Buffer {
    return Buffer.concat([
      frame(FrameType.Headers, Flag.EndHeaders, streamId, block),
      frame(FrameType.Data, Flag.EndStream, streamId, REQUEST),
    ]);
  }

  async answered(streamId: number): Promise<void> {
    const isOfStream = (type: number) => this.frames.some((each) => each.streamId === streamId && each.type === type);
    await until(() => isOfStream(FrameType.Data) || isOfStream(3) || this.isClosed, `an answer on ${streamId}`);
    const answer = this.frames.find((each) => each.streamId === streamId && each.type === FrameType.Data);
    assert.equal(answer?.payload, REQUEST, JSON.stringify(this.frames));
  }
}

function withClient(body: (client: Client, world: Parameters<Parameters<typeof served>[1]>[0]) => Promise<void>) {
  return served(echo, async (world) => {
    const client = new Client(world.prefix);
    try {
      await body(client, world);
    } finally {
      client.socket.destroy();
    }
  });
}

test(
  'the raw path of a pipe is an authority, call after call, and is told once',
  withClient(async (client, { lines, metrics }) => {
    await client.shakeHands();
    client.send(client.call(1, headers(RAW)));
    await client.answered(1);
    // Refers to the table of the connection, which the session behind has never seen.
    client.send(client.call(3, REPEATED), client.call(5, REPEATED));
    await client.answered(3);
    await client.answered(5);
    assert.is(lines().filter((line) => line.includes('an authority that is none')).length, 1);
    assert.match(await metrics(), 'csi_proxy_repaired_connections_total{group="test",version="v1"} 1\n');
  }),
);

test(
  'every byte may come alone, in blocks of several frames, with padding and a priority',
  withClient(async (client) => {
    await client.shakeHands();
    const block = headers('/var/lib/kubelet/csi-proxy.sock');
    const padded = Buffer.concat([Buffer.from([3, 0, 0, 0, 0, 16]), block.subarray(0, 7), Buffer.from('\0\0\0')]);
    const all = Buffer.concat([
      frame(FrameType.Headers, Flag.Padded | Flag.Priority, 1, padded),
      frame(FrameType.Continuation, 0, 1, block.subarray(7, 20)),
      frame(FrameType.Continuation, Flag.EndHeaders, 1, block.subarray(20)),
      frame(FrameType.Data, Flag.EndStream, 1, REQUEST),
    ]);
    for (const byte of all) {
      client.send(Buffer.from([byte]));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await client.answered(1);
  }),
);

test(
  'who sends all at once, and answers settings late or never, is served, lawful or not',
  withClient(async (client, { prefix }) => {
    const lawful = new Client(prefix);
    for (const [each, authority] of [
      [client, RAW],
      [lawful, 'localhost'],
    ] as const) {
      each.send(PREFACE, frame(FrameType.Settings, 0, 0, Buffer.alloc(0)), each.call(1, headers(authority)));
      await each.answered(1);
      each.send(frame(FrameType.Settings, Flag.Ack, 0, Buffer.alloc(0)));
      each.send(frame(FrameType.Settings, Flag.Ack, 0, Buffer.alloc(0)), each.call(3, REPEATED));
      await each.answered(3);
    }
    lawful.socket.destroy();
  }),
);

test(
  'a first request that is long comes whole',
  served(echo, async ({ prefix }) => {
    const session = connectHttp2('http://localhost', {
      createConnection: () => connect(pipePath('test', 'v1', prefix)),
    });
    await new Promise((resolve) => session.once('remoteSettings', resolve));
    const text = Buffer.alloc(3_000_000, 'x');
    const stream = session.request({
      ':method': 'POST',
      ':path': '/v1.Test/Echo',
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    let bytes = 0;
    stream.on('data', (chunk) => {
      bytes += chunk.length;
    });
    // Field 1, of the length 3,000,000.
    const message = Buffer.concat([Buffer.from([0x0a, 0xc0, 0x8d, 0xb7, 0x01]), text]);
    const prefixOf = Buffer.alloc(5);
    prefixOf.writeUInt32BE(message.length, 1);
    stream.end(Buffer.concat([prefixOf, message]));
    await new Promise((resolve) => stream.once('close', resolve));
    assert.is(bytes, message.length + 5);
    session.destroy();
  }),
);

test(
  'who asks before the first request whether anybody is there is answered',
  withClient(async (client) => {
    await client.shakeHands();
    client.send(frame(FrameType.Ping, 0, 0, Buffer.alloc(8, 'p')));
    await until(
      () => client.frames.some(({ type, flags }) => type === FrameType.Ping && flags === Flag.Ack),
      'an answer',
    );
    client.send(client.call(1, headers(RAW)));
    await client.answered(1);
  }),
);

for (const [what, bytes] of Object.entries({
  'no preface': Buffer.from('GET / HTTP/1.1\r\n\r\n'),
  'a reference to nothing': frame(FrameType.Headers, Flag.EndHeaders, 1, Buffer.from([0xff, 0x7f])),
  'headers that unpack to far more': frame(
    FrameType.Headers,
    Flag.EndHeaders,
    1,
    Buffer.concat([
      Buffer.from([0x40, 1, 0x61, 0x7f, 0xd1, 0x0e]),
      Buffer.alloc(2_000, 'x'),
      Buffer.alloc(5_000, 0xbe),
    ]),
  ),
  'a frame that is too long': Buffer.from([0x40, 0x00, 0x01, 1, 4, 0, 0, 0, 1]),
  'a frame within a block': Buffer.concat([
    frame(FrameType.Headers, 0, 1, STATIC),
    frame(FrameType.Data, 0, 1, Buffer.alloc(1)),
  ]),
})) {
  test(
    `${what}: the connection is closed, counted and told, and the next is served`,
    withClient(async (client, { call, lines, metrics }) => {
      if (what !== 'no preface') await client.shakeHands();
      client.send(bytes);
      await until(() => client.isClosed, 'the connection is closed');
      assert.match(
        await metrics(),
        'csi_proxy_connections_closed_total{group="test",version="v1",reason="protocol"} 1',
      );
      assert.is(lines().filter((line) => line.includes('connection closed') && line.includes('"level":40')).length, 1);
      assert.is((await call('Echo', { text: 'alive' })).text, 'alive');
    }),
  );
}

test.run();
