// long
// What strangers send to the webhooks: how much of it is kept, how long it is waited for, and who is answered meanwhile.
import { createPrivateKey, KeyObject, webcrypto } from 'node:crypto';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { type RequestOptions, request } from 'node:https';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type WebhookServer, type WebhookServerDeps, webhookServer } from '../../../actors/webhooks/server.ts';
import type { Webhooks } from '../../../adapters/api/webhooks.ts';
import { type Authority, certify, makeAuthority } from '../../../adapters/kubernetes/tls/certificates.ts';
import { simulatedClock } from '../../world/clock.ts';

const test = suite('webhooks: bodies');
const clock = simulatedClock();
const MIB = 2 ** 20;

interface Asked {
  readonly asking: ClientRequest;
  /** Undefined: there came none. */
  readonly status: Promise<number | undefined>;
}

interface Scene {
  readonly server: WebhookServer;
  /** Reviews, in the order in which they were read. */
  readonly read: unknown[];
  begin(path: string, options?: RequestOptions): Asked;
  ask(path: string, body: string, options?: RequestOptions): Promise<number | undefined>;
}

async function served(
  run: (scene: Scene) => Promise<void>,
  deps: Partial<WebhookServerDeps> & { readonly clients?: string } = {},
): Promise<void> {
  const { clients, ...others } = deps;
  const read: unknown[] = [];
  const webhooks: Webhooks = {
    conversion: {
      path: '/convert',
      definitions: [],
      convert: (object) => ({ kind: 'done', object: object as object as Record<string, unknown> }),
    },
    admission: {
      paths: ['/validate'],
      configurations: [],
      manifests: () => [],
      reads: [],
      async review(review) {
        read.push(review);
        return { status: 200, body: {} };
      },
    },
  };
  const server = webhookServer({
    address: { host: '', port: 0 },
    webhooks: [webhooks],
    ports: { listObjects: async () => [] },
    clock,
    log: { error: (fields: object) => assert.unreachable(JSON.stringify(fields)) } as never,
    ...others,
  });
  if (clients !== undefined) server.admit(clients);
  const authority = await makeAuthority('ca', clock.now());
  await server.serve(await certify(authority, { name: 'x', hosts: [] }, clock.now()));
  const begin: Scene['begin'] = (path, options = {}) => {
    const asking = request(`https://127.0.0.1:${server.port}${path}`, {
      method: 'POST',
      rejectUnauthorized: false,
      agent: false,
      headers: { 'content-type': 'application/json' },
      ...options,
    });
    const { promise: status, resolve } = Promise.withResolvers<number | undefined>();
    asking.on('error', () => resolve(undefined));
    asking.on('response', (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    return { asking, status };
  };
  try {
    await run({
      server,
      read,
      begin,
      ask(path, body, options) {
        const { asking, status } = begin(path, options);
        asking.end(body);
        return status;
      },
    });
  } finally {
    await server.close();
  }
}

/** What a client of this authority shows. */
async function shownBy({ certificate, key }: Authority): Promise<RequestOptions> {
  const x509 = await import('@peculiar/x509');
  const curve = { name: 'ECDSA', namedCurve: 'P-256' };
  const usages = ['sign', 'verify'] as const;
  const keys = (await webcrypto.subtle.generateKey(curve, true, usages)) as webcrypto.CryptoKeyPair;
  const cert = await x509.X509CertificateGenerator.create({
    issuer: new x509.X509Certificate(certificate).subjectName,
    subject: 'CN=kube-apiserver',
    serialNumber: '01',
    // It is judged by the real time.
    notBefore: new Date(clock.now() - 86_400_000),
    notAfter: new Date(clock.now() + 3_600_000),
    publicKey: keys.publicKey,
    signingKey: createPrivateKey(key).toCryptoKey(curve, false, ['sign']),
    signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' },
    extensions: [new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth])],
  });
  const own = KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' });
  return { cert: cert.toString('pem'), key: own };
}

/** Resolves when it has left. */
const written = (asking: ClientRequest, text: string): Promise<void> =>
  new Promise((resolve) => void asking.write(text, () => resolve()));

for (const [path, head] of [
  ['/validate', '"'],
  ['/convert', '{"request":{"desiredAPIVersion":"g/v1","objects":["'],
] as const) {
  test(`33.C4a: bodies that stop hold a bounded part of the memory, and are waited for 5 s: ${path}`, () =>
    served(async ({ begin, ask }) => {
      const startedAt = clock.now();
      const piece = 'x'.repeat(MIB);
      const idle = Array.from({ length: 8 }, () => begin(path));
      // HOOK-SERVER-3: more is refused while those that came first hold what they have.
      const sent = Promise.all(
        idle.map(async ({ asking }) => {
          await written(asking, head);
          for (let at = 0; at < 7; at++) await Promise.race([written(asking, piece), clock.sleep(60_000)]);
        }),
      );
      const answers = await Promise.all(idle.map(({ status }) => status));
      assert.ok(answers.filter((status) => status === 503 || status === undefined).length >= 3, `${answers}`);
      // HOOK-SERVER-4
      assert.ok(answers.includes(408), `${answers}`);
      assert.ok(clock.now() - startedAt < 30_000, `${clock.now() - startedAt} ms`);
      assert.is(await ask('/validate', '{}'), 200);
      for (const { asking } of idle) asking.destroy();
      await sent;
    }));
}

test('33.C4a: who asks from another address finds as much free as one may hold', () =>
  served(async ({ begin, ask }) => {
    const idle = Array.from({ length: 5 }, () => begin('/validate', { localAddress: '127.0.0.2' }));
    for (const { asking } of idle) {
      asking.write('"');
      for (let at = 0; at < 7; at++) asking.write('x'.repeat(MIB));
    }
    // Some of them are refused at once, which shows that the others hold all that they may.
    await Promise.race(idle.map(({ status }) => status));
    assert.is(await ask('/validate', `"${'x'.repeat(7 * MIB)}"`), 200);
    for (const { asking } of idle) asking.destroy();
  }));

test('33.C4b: what would take long to read is refused unread', () =>
  served(async ({ ask, read }) => {
    assert.is(await ask('/validate', `[1234567890123456${',{}'.repeat(2 * MIB)}]`), 413);
    assert.equal(read, []);
    assert.is(await ask('/validate', `[1234567890123456${',{}'.repeat(1_000)}]`), 200);
  }));

test('33.C4b: large bodies of one address are read in turn with those of another', () =>
  served(async ({ begin, ask, read }) => {
    const many = Array.from({ length: 12 }, () => begin('/validate', { localAddress: '127.0.0.2' }));
    for (const { asking } of many) asking.write(`[1234567890123456${',1'.repeat(200_000)}`);
    // All there but their ends: then they and another's come to be read at once.
    await clock.sleep(1_000);
    for (const { asking } of many) asking.end(']');
    assert.is(await ask('/validate', '"other"'), 200);
    const before = read.length;
    await Promise.all(many.map(({ status }) => status));
    // HOOK-SERVER-5
    assert.ok(before < many.length, `${before} were read before it`);
  }));

test('33.C4a: who takes no answer is waited for a minute', () =>
  served(async ({ begin, ask }) => {
    const startedAt = clock.now();
    const { asking } = begin('/convert');
    asking.on('response', (response: IncomingMessage) => response.pause());
    const object = JSON.stringify('x'.repeat(100_000));
    const isClosed = new Promise<void>((resolve) => void asking.on('close', resolve));
    asking.write('{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview",');
    asking.write(`"request":{"uid":"u","desiredAPIVersion":"g/v2","objects":[${object}`);
    for (let at = 0; at < 400; at++) asking.write(`,${object}`);
    await isClosed;
    assert.ok(clock.now() - startedAt <= 90_000);
    assert.is(await ask('/validate', '{}'), 200);
  }));

test('33.C4c: with an authority of clients a review is answered to its clients alone, before anything is read', async () => {
  const [authority, other] = await Promise.all([
    makeAuthority('clients', clock.now()),
    makeAuthority('o', clock.now()),
  ]);
  await served(
    async ({ ask, server, begin }) => {
      // HOOK-SERVER-6
      assert.is(await ask('/validate', '{}', await shownBy(authority)), 200);
      assert.is(await ask('/validate', '{}', await shownBy(other)), 401);
      const stranger = begin('/validate');
      stranger.asking.write('{');
      assert.is(await stranger.status, 401);
      stranger.asking.destroy();
      // Kubernetes has no way to show one for a conversion.
      assert.is(await ask('/convert', '{"request":{}}'), 400);
      server.admit(other.certificate);
      assert.is(await ask('/validate', '{}', await shownBy(other)), 200);
      assert.is(await ask('/validate', '{}', await shownBy(authority)), 401);
    },
    { areClientsChecked: true, clients: authority.certificate },
  );
});

test.run();
