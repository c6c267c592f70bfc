// long
// own process: it measures the heap
// Webhooks over HTTPS: what is answered, what is refused and how, and certificates that are replaced meanwhile.
import { Agent, request } from 'node:https';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { AnsweredWebhook } from '../../../actors/observability/webhook-metrics.ts';
import { type Certificate, type WebhookServer, webhookServer } from '../../../actors/webhooks/server.ts';
import type { Webhooks } from '../../../adapters/api/webhooks.ts';
import { certify, makeAuthority } from '../../../adapters/kubernetes/tls/certificates.ts';
import { TerminalError } from '../../../bus/mod.ts';
import { simulatedClock } from '../../world/clock.ts';

const test = suite('webhooks: the server');
const clock = simulatedClock();

const WEBHOOKS: Webhooks = {
  conversion: {
    path: '/convert',
    definitions: [],
    convert(object, apiVersion) {
      if ((object as { bad?: boolean }).bad) throw new Error('s3cret');
      return { kind: 'done', object: { ...(object as object), apiVersion } };
    },
  },
  admission: {
    paths: ['/validate'],
    configurations: [],
    manifests: () => [],
    reads: [],
    async review(review) {
      if (review === 'fail') throw new Error('s3cret');
      return { status: 200, body: { answered: true } };
    },
  },
};

interface Reply {
  readonly status: number;
  readonly text: string;
  readonly fingerprint: string;
}

interface Scene {
  readonly server: WebhookServer;
  readonly answered: AnsweredWebhook[];
  readonly logged: object[];
  certificate(): Promise<Certificate>;
  ask(
    path: string,
    body: string | readonly string[],
    options?: { method?: string; type?: string; agent?: Agent },
  ): Promise<Reply>;
}

async function served(run: (scene: Scene) => Promise<void>): Promise<void> {
  const answered: AnsweredWebhook[] = [];
  const logged: object[] = [];
  const server = webhookServer({
    address: { host: '127.0.0.1', port: 0 },
    webhooks: [WEBHOOKS],
    ports: { listObjects: async () => [] },
    clock,
    log: { error: (fields: object) => void logged.push(fields) } as never,
    onAnswered: (one) => void answered.push(one),
  });
  const authority = await makeAuthority('ca', clock.now());
  const certificate = (): Promise<Certificate> => certify(authority, { name: 'x', hosts: [] }, clock.now());
  await server.serve(await certificate());
  const ask: Scene['ask'] = (path, body, { method = 'POST', type = 'application/json', agent } = {}) => {
    const { promise, resolve, reject } = Promise.withResolvers<Reply>();
    const asking = request(`https://127.0.0.1:${server.port}${path}`, {
      method,
      ca: authority.certificate,
      agent: agent ?? false,
      headers: { 'content-type': type },
    });
    asking.on('error', reject);
    asking.on('response', (response) => {
      const { fingerprint256: fingerprint } = (response.socket as import('node:tls').TLSSocket).getPeerCertificate();
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text, fingerprint }));
      response.on('error', reject);
    });
    for (const part of [body].flat()) asking.write(part);
    asking.end();
    return promise;
  };
  try {
    await run({ server, answered, logged, certificate, ask });
  } finally {
    await server.close();
  }
}

const review = (objects: readonly string[], uid = 'u'): string =>
  `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"uid":"${uid}","desiredAPIVersion":"g/v2","objects":[${objects.join()}]}}`;

test('no number changes that a conversion leaves alone', () =>
  served(async ({ ask }) => {
    const { status, text } = await ask(
      '/convert',
      review(['{"a":9007199254740993,"b":-9223372036854775808,"c":1.5,"d":1e21}']),
    );
    assert.is(status, 200);
    assert.match(text, '"a":9007199254740993,"b":-9223372036854775808,"c":1.5,"d":1e+21,"apiVersion":"g/v2"');
  }));

test('a list larger than memory may hold is answered while it arrives, and others have their turns', () =>
  served(async ({ server, ask, answered, certificate }) => {
    void certificate;
    const object = JSON.stringify({ text: 'x'.repeat(100_000) });
    const many = 1_000;
    let turns = 0;
    let isDone = false;
    const turn = (): void => {
      turns += 1;
      if (!isDone) setImmediate(turn);
    };
    setImmediate(turn);
    const before = process.memoryUsage().heapUsed;
    let most = 0;
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const asking = request(`https://127.0.0.1:${server.port}/convert`, {
      method: 'POST',
      rejectUnauthorized: false,
      agent: false,
      headers: { 'content-type': 'application/json' },
    });
    asking.on('error', reject);
    asking.on('response', (response) => {
      let bytes = 0;
      response.on('data', (chunk: Buffer) => (bytes += chunk.length));
      response.on('end', () => resolve(bytes));
    });
    const [begin = '', end = ''] = review(['#']).split('#');
    asking.write(begin);
    for (let at = 0; at < many; at++) {
      const { promise: written, resolve: go } = Promise.withResolvers<void>();
      asking.write(`${at > 0 ? ',' : ''}${object}`, () => go());
      await written;
      most = Math.max(most, process.memoryUsage().heapUsed - before);
    }
    asking.end(end);
    const bytes = await promise;
    isDone = true;
    assert.ok(bytes > many * 100_000, `${bytes} bytes`);
    assert.ok(turns > many, `${turns} turns`);
    assert.ok(most < 64 * 2 ** 20, `${most} bytes of heap for ${bytes}`);
    assert.equal(
      answered.map(({ code, objects }) => [code, objects]),
      [[200, many]],
    );
    assert.is((await ask('/convert', review([]))).status, 200);
  }));

test('whoever asks wrongly is told how, and nothing of what he sent', () =>
  served(async ({ ask, answered, logged }) => {
    const said = async (...asked: Parameters<Scene['ask']>): Promise<readonly [number, string]> => {
      const { status, text } = await ask(...asked);
      assert.not.match(text, 's3cret');
      return [status, (JSON.parse(text) as { message: string }).message];
    };
    assert.equal(await said('/other', '{}'), [404, 'there is no webhook at this path']);
    assert.equal(await said('/convert', '', { method: 'GET' }), [405, 'a webhook is asked with POST']);
    assert.equal(await said('/convert', 's3cret', { type: 'text/plain' }), [
      415,
      'a webhook is asked in application/json',
    ]);
    assert.equal(await said('/convert', '{s3cret'), [400, 'the body is no JSON']);
    assert.equal(await said('/validate', '{"a":s3cret}'), [400, 'the body is no JSON']);
    assert.equal(await said('/validate', '"fail"'), [500, 'the webhook failed; its log says how']);
    assert.is(logged.length, 1);
    const [status] = await said('/validate', `"${'x'.repeat(9 * 2 ** 20)}"`).catch(() => [413]);
    assert.is(status, 413);
    assert.ok(answered.some(({ path }) => path === 'other'));
  }));

test('an object that cannot be converted fails the review, by name of no content', () =>
  served(async ({ ask, logged }) => {
    const { status, text } = await ask('/convert', review(['{"a":1}', '{"bad":true}', '{"c":1}']));
    assert.is(status, 200);
    const { response } = JSON.parse(text) as { response: { uid: string; convertedObjects: object[]; result: object } };
    assert.equal(response, {
      convertedObjects: [],
      result: { status: 'Failed', message: 'an object of the review cannot be converted' },
      uid: 'u',
    });
    assert.is(logged.length, 1);
    const large = JSON.stringify({ a: 'x'.repeat(100_000) });
    const late = await ask('/convert', review([large, large, '{"a":}']));
    const answer = JSON.parse(late.text) as { response: { result: object } };
    assert.equal(answer.response.result, { status: 'Failed', message: 'an object of the review is no JSON' });
  }));

test('another certificate is for new connections, and those that there are go on', () =>
  served(async ({ server, certificate, ask }) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    try {
      const before = await ask('/convert', review([]), { agent });
      await server.serve(await certificate());
      assert.is((await ask('/convert', review([]), { agent })).fingerprint, before.fingerprint);
      assert.is.not((await ask('/convert', review([]))).fingerprint, before.fingerprint);
      const { key } = await certificate();
      const { certificate: other } = await certificate();
      try {
        await server.serve({ certificate: other, key });
        assert.unreachable();
      } catch (error) {
        assert.instance(error, TerminalError);
        assert.not.match((error as Error).message, 'PRIVATE');
      }
      assert.is((await ask('/convert', review([]), { agent })).status, 200);
    } finally {
      agent.destroy();
    }
  }));

test('two webhooks at one path are refused', () => {
  const ports = { listObjects: async () => [] };
  const deps = { address: { host: '127.0.0.1', port: 0 }, ports, clock, log: { error: () => undefined } as never };
  assert.throws(
    () => webhookServer({ ...deps, webhooks: [WEBHOOKS, WEBHOOKS] }),
    /two adapters have the webhook '\/convert'/,
  );
});

test.run();
