// How much of an answer is read: on real sockets, since a stream may be cut anywhere.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../actors/base/clock.ts';
import { AnswerMemory, AnswerScan, ListExtent, OversizeError } from '../../../adapters/http/response.ts';
import { httpTransport, type TransportRequest } from '../../../adapters/http/transport.ts';
import { usable } from '../../../adapters/openstack/client/catalog.ts';
import { TransientError, UnknownOutcomeError } from '../../../bus/mod.ts';

const test = suite('answers of a cloud');

const MIB = 1024 * 1024;

interface Asked {
  readonly extent?: 'one' | 'page';
  readonly memory?: AnswerMemory;
}

/** What comes of a request that is answered by `write`: the answer or the error. */
async function asked(write: (response: ServerResponse) => void, options: Asked = {}): Promise<unknown> {
  const { extent = 'one', memory = new AnswerMemory() } = options;
  const clock = systemClock();
  const server = createServer((_, response) => write(response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const transport = httpTransport({ ca: undefined, verify: 'verified' }, undefined, clock);
  const holding = memory.open(['test']);
  const request: TransportRequest = {
    method: 'GET',
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    label: 'GET /things',
    headers: {},
    deadlineAt: clock.now() + 30_000,
    extent,
    holding,
  };
  try {
    return await transport.exchange(request).then(
      ({ body }) => body,
      (error: unknown) => error,
    );
  } finally {
    holding.release();
    await transport.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

const text =
  (content: string, status = 200) =>
  (response: ServerResponse): void =>
    void response.writeHead(status).end(content);

test('an answer within the limits is what was sent, wherever it was cut (HTTP-RESPONSE-3)', async () => {
  const content = JSON.stringify({ name: 'a "[{,"\\ é €', list: [[1], { 'k{': [] }], empty: {} });
  const whole = Buffer.from(content);
  const slowly = (response: ServerResponse): void => {
    for (const byte of whole) response.write(Buffer.from([byte]));
    response.end();
  };
  assert.equal(await asked(text(content)), JSON.parse(content));
  assert.equal(await asked(slowly), JSON.parse(content));
  const [once, bytewise] = [new AnswerScan(), new AnswerScan()];
  once.read(whole);
  for (const byte of whole) bytewise.read(Buffer.from([byte]));
  assert.is(bytewise.weight, once.weight);
  assert.is(once.depth, 4);
});

test('one resource is no longer than a megabyte, a list may be; both say what to do (HTTP-RESPONSE-1)', async () => {
  const long = JSON.stringify({ name: 'x'.repeat(MIB) });
  const error = (await asked(text(long))) as Error;
  assert.instance(error, OversizeError);
  assert.instance(error, TransientError);
  assert.match(error.message, /^GET \/things answered 200 with more than 1 MiB for one resource: .+ see whether/);
  assert.equal(await asked(text(long), { extent: 'page' }), JSON.parse(long));
  assert.match(String(await asked(text(`{"a":"${'x'.repeat(17 * MIB)}"}`), { extent: 'page' })), /more than 16 MiB/);
});

test('nesting is counted before anything is parsed (HTTP-RESPONSE-1)', async () => {
  assert.match(String(await asked(text(`{"a":${'['.repeat(500_000)}`))), /nested deeper than 64 levels/);
  assert.match(String(await asked(text(`${'{"a":'.repeat(65)}1${'}'.repeat(65)}`))), /nested deeper than 64 levels/);
  const deep = `{"a":${'['.repeat(63)}${']'.repeat(63)}}`;
  assert.equal(await asked(text(deep)), JSON.parse(deep));
  // What is in a string is no bracket.
  const name = `{"a":"${'['.repeat(1_000)}\\"${'{'.repeat(1_000)}"}`;
  assert.equal(await asked(text(name)), JSON.parse(name));
});

test('small values that are many are too much before they are long (HTTP-RESPONSE-4)', async () => {
  const empties = `{"a":[${Array(100_000).fill('{}').join()}]}`;
  assert.ok(empties.length < MIB);
  assert.match(String(await asked(text(empties))), /too many values for one resource/);
});

test('an answer that is over a limit is read no further (HTTP-RESPONSE-2)', async () => {
  const closed = Promise.withResolvers<void>();
  const endless = (response: ServerResponse): void => {
    response.on('close', closed.resolve);
    const more = (): void => {
      while (!response.destroyed && response.write(`"${'x'.repeat(65_536)}",`));
      if (!response.destroyed) response.once('drain', more);
    };
    response.write('{"a":[');
    more();
  };
  assert.match(String(await asked(endless, { extent: 'page' })), /more than 16 MiB/);
  await closed.promise;
});

test('a refusal that is long is still a failure, and shorter than a resource may be', async () => {
  const error = await asked(text(`{"error":{"message":"${'x'.repeat(65_536)}"}}`, 409));
  assert.instance(error, OversizeError);
  assert.match(String(error), /answered 409 with more than 64 KiB for a refusal/);
});

test('what there is no memory for now is not parsed, and says so (HTTP-RESPONSE-5)', async () => {
  const error = await asked(text(JSON.stringify({ a: 'x'.repeat(100_000) })), { memory: new AnswerMemory(250_000) });
  assert.instance(error, UnknownOutcomeError);
  assert.match(String(error), /GET \/things was not read: it takes more memory than is free/);
  assert.is((error as TransientError).retryAfterMs, undefined, 'a pause would be everybody’s who uses the cloud');
});

test('however many clouds one namespace has, as much is free for the next one (HTTP-RESPONSE-6)', () => {
  const memory = new AnswerMemory(1_000);
  const hostile = Array.from({ length: 100 }, (_, n) => memory.open(['namespace a', `cloud ${n}`]));
  for (const holding of hostile) greedy(holding.grow);
  assert.is(memory.used, 500);
  const honest = memory.open(['namespace b', 'cloud honest']);
  honest.grow(250);
  for (const holding of hostile) holding.release();
  honest.release();
  assert.is(memory.used, 0);
  // One cloud that many namespaces use has no more than one of them.
  for (const n of Array(100).keys()) greedy(memory.open([`namespace ${n}`, 'cloud a']).grow);
  assert.is(memory.used, 500);
});

test('what was released is free, once (HTTP-RESPONSE-7)', () => {
  const memory = new AnswerMemory(1_000);
  const [one, two] = [memory.open(['a']), memory.open(['b'])];
  one.grow(500);
  two.grow(100);
  one.release();
  one.release();
  assert.is(memory.used, 100);
  two.grow(400);
  assert.is(memory.used, 500);
});

/** Takes what there is to be had, bit by bit. */
function greedy(grow: (bytes: number) => void): void {
  try {
    for (;;) grow(10);
  } catch (error) {
    assert.instance(error, TransientError);
  }
}

test('a list is as long, and has as many pages, as it may have', () => {
  const long = new ListExtent();
  for (let page = 0; page < 16; page++) long.add('GET /things', MIB);
  assert.throws(() => long.add('GET /things', 1), /more than 16 MiB together/);
  const many = new ListExtent();
  for (let page = 1; page < 1_000; page++) many.add('GET /things', 1);
  assert.throws(() => many.add('GET /things', 1), /more than 1000 pages/);
});

test('of a catalog only what the credentials can use is kept, and not more than any cloud has', () => {
  const endpoint = { serviceType: 'network', endpointInterface: 'public', region: 'a', url: 'http://network' };
  const entry = { region: 'a', endpointInterface: 'public' } as const;
  const others = Array.from({ length: 10_000 }, (_, n) => ({ ...endpoint, region: `b${n}` }));
  assert.equal(usable([...others, endpoint], entry), [endpoint]);
  assert.throws(() => usable(others, { ...entry, region: undefined }), /catalog is too long: name a region/);
});

test.run();
