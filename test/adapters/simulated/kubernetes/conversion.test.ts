import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../../actors/base/clock.ts';
import type { KubeObject } from '../../../../adapters/simulated/kubernetes/base/kube-object.ts';
import { conversionWebhook } from '../../../../adapters/simulated/kubernetes/conversion/webhook.ts';
import type { JsonMap } from '../../../../adapters/text/json.ts';
import type { Clock } from '../../../../bus/time.ts';
import { APPLY, DEFINITIONS, type Harness, listAt, MERGE, serverChecks, withServer } from '../../../world/api-calls.ts';
import { byWebhook, type Converter, host, hosts, type Spoil, startConverter, V1, V2 } from './converter.ts';

const test = suite('embedded api server: several versions of a definition');
const onServer = serverChecks(test);
const onConverter = (title: string, ...given: Parameters<typeof withConverter>): void =>
  void test(title, withConverter(...given));

/** Runs a test with a server whose hosts a webhook converts, and with that webhook. */
function withConverter(run: (harness: Harness, converter: Converter) => Promise<void>): () => Promise<void> {
  return withServer(async (harness) => {
    const converter = await startConverter();
    try {
      const defined = await harness.call('POST', DEFINITIONS, { body: hosts(byWebhook(converter)) });
      assert.is(defined.code, 201, defined.text);
      await run(harness, converter);
    } finally {
      await converter.close();
    }
  }, 'sockets');
}

onConverter(
  'an object is written and read in any version, and stored in one (KSIM-VERSIONS-1, KSIM-VERSIONS-2)',
  async ({ call }, { reviews }) => {
    const created = await call('POST', V2, { body: host('v2', 'a', { hostname: 'h', port: 7 }) });
    assert.is(created.code, 201, created.text);
    assert.equal(created.body['spec'], { hostname: 'h', port: 7, color: 'blue' }); // v1 has no shade
    assert.equal((await call('GET', `${V1}/a`)).body['spec'], { host: 'h:7', color: 'blue' });
    assert.is(
      (await call('PUT', `${V2}/a`, { body: { ...created.body, spec: { hostname: 'g', port: 8 } } })).code,
      200,
    );
    const patched = await call('PATCH', `${V2}/a`, { type: MERGE, body: { spec: { port: 9 } } });
    assert.is(patched.body['spec']?.['port'], 9);
    const status = await call('PATCH', `${V2}/a/status`, { type: MERGE, body: { status: { seen: true } } });
    assert.equal(status.body['status'], { seen: true });
    const applied = await call('PATCH', `${V2}/b?fieldManager=me`, {
      type: APPLY,
      body: host('v2', 'b', { hostname: 'x', port: 1 }),
    });
    assert.is(applied.code, 201, applied.text);
    assert.equal((await call('GET', `${V1}/b`)).body['spec'], { host: 'x:1', color: 'blue' });
    assert.equal((await call('GET', `${V1}/a`)).body['spec'], { host: 'g:9', color: 'blue' });
    const before = reviews.length;
    assert.is((await call('GET', `${V1}/a`)).code, 200);
    assert.is(reviews.length, before, 'nothing is asked for what is stored in the version of the request');
    assert.is((await call('PUT', `${V2}/a`, { body: { ...created.body, spec: { port: 300 } } })).code, 409);
    assert.is((await call('PATCH', `${V2}/a`, { type: MERGE, body: { spec: { port: 300 } } })).code, 422);
    assert.is((await call('DELETE', `${V2}/a`)).code, 200);
  },
);

onConverter('the objects of a list are converted together, and remembered', async ({ call }, { reviews }) => {
  for (const name of ['a', 'b', 'c']) await call('POST', V1, { body: host('v1', name, { host: `${name}:1` }) });
  const list = await call('GET', V2);
  assert.equal(
    listAt(list.body['items']).map(({ spec }) => spec),
    ['a', 'b', 'c'].map((hostname) => ({ hostname, port: 1, color: 'red' })),
  );
  assert.equal(reviews, [3]);
  await call('GET', `${V2}?limit=2`);
  assert.equal(reviews, [3]);
});

onConverter('a watch shows each change in its version and in order', async ({ call, watch }, converter) => {
  await call('POST', V1, { body: host('v1', 'a', { host: 'a:1' }) });
  const events = await watch(`${V2}?watch=1`);
  assert.equal((await events.next())?.object['spec'], { hostname: 'a', port: 1, color: 'red' });
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  converter.before = () => held; // the first of the next conversions takes long
  await call('POST', V1, { body: host('v1', 'b', { host: 'b:1' }) });
  converter.before = () => Promise.resolve();
  await call('POST', V1, { body: host('v1', 'c', { host: 'c:1' }) });
  release();
  assert.is((await events.next())?.object['metadata']?.['name'], 'b');
  assert.is((await events.next())?.object['metadata']?.['name'], 'c');
  converter.status = 500;
  await call('POST', V1, { body: host('v1', 'd', { host: 'd:1' }) });
  assert.is(await events.next(), undefined, 'a change that cannot be shown ends the watch');
});

onConverter('no write is lost while conversions are under way (KSIM-PENDING-1)', async ({ call }, converter) => {
  await call('POST', V1, { body: host('v1', 'a', { host: 'a:1' }) });
  const waiting: (() => void)[] = [];
  converter.before = () => new Promise((resolve) => void waiting.push(resolve));
  const label = (version: string, key: string): ReturnType<typeof call> =>
    call('PATCH', `${version}/a`, { type: MERGE, body: { metadata: { labels: { [key]: 'x' } } } });
  const slow = [label(V2, 'one'), label(V2, 'two')];
  while (waiting.length < 2) await call('GET', '/version');
  assert.is((await label(V1, 'three')).code, 200); // changes the object under both
  converter.before = () => Promise.resolve();
  for (const release of waiting) release();
  assert.equal(
    (await Promise.all(slow)).map(({ code }) => code),
    [200, 200],
  );
  const { metadata } = (await call('GET', `${V1}/a`)).body;
  assert.equal(metadata?.['labels'], { one: 'x', two: 'x', three: 'x' });
});

const lies: Record<string, readonly [Spoil, string]> = {
  count: [(response) => ({ ...response, convertedObjects: [] }), 'returned 0 objects, expected 1'],
  refusal: [(response) => ({ ...response, result: { status: 'Failure', message: 'not today' } }), 'failed: not today'],
  review: [(response) => ({ ...response, uid: 'x' }), 'got "x"'],
  uid: [spoilt({ metadata: { uid: 'lie' } }), 'returned invalid object: must have the same UID:'],
  name: [spoilt({ metadata: { name: 'lie' } }), 'returned invalid object: must have the same name: a != lie'],
  kind: [spoilt({ kind: 'Lie' }), 'invalid kind (expected Host, received Lie)'],
  version: [
    spoilt({ apiVersion: 'example.org/v1' }),
    'returned invalid object at index 0: invalid groupVersion (expected example.org/v2, received example.org/v1)',
  ],
  labels: [
    spoilt({ metadata: { labels: { 'a b': 'c' } } }),
    'returned invalid metadata: metadata.labels: Invalid value:',
  ],
};

/** Lays something over every object of the answer. */
function spoilt({ metadata, ...rest }: JsonMap): Spoil {
  return (response, objects) => ({
    ...response,
    convertedObjects: objects.map((object) => ({
      ...object,
      ...rest,
      metadata: Object.assign({}, object['metadata'], metadata),
    })),
  });
}

for (const [what, [spoil, message]] of Object.entries(lies)) {
  test(
    `a webhook that lies about ${what} is not believed, and nothing is stored (KSIM-REVIEW-1)`,
    withConverter(async ({ call }, converter) => {
      await call('POST', V1, { body: host('v1', 'a', { host: 'a:1' }) });
      converter.spoil = spoil;
      const read = await call('GET', `${V2}/a`);
      assert.is(read.code, 500);
      assert.ok(String(read.body['message']).startsWith('conversion webhook for example.org/v1, Kind=Host '));
      assert.ok(String(read.body['message']).includes(message), read.text);
      if (what === 'version') return; // in the other direction it would be true
      assert.is((await call('POST', V2, { body: host('v2', 'a2', { hostname: 'h' }) })).code, 500);
      assert.is((await call('PATCH', `${V2}/a`, { type: MERGE, body: { spec: { port: 5 } } })).code, 500);
      assert.is((await call('DELETE', `${V2}/a`)).code, 500);
      converter.spoil = undefined;
      const { body } = await call('GET', V1);
      assert.equal(
        listAt(body['items']).map(({ spec }) => spec),
        [{ host: 'a:1', color: 'red' }],
      );
    }),
  );
}

onConverter(
  'a webhook changes labels and annotations, and no other metadata (KSIM-REVIEW-1)',
  async ({ call }, converter) => {
    await call('POST', V1, { body: host('v1', 'a', { host: 'a:1' }) });
    converter.spoil = spoilt({ metadata: { labels: { seen: 'yes' }, finalizers: ['a/b'], generation: 77 } });
    const { metadata } = (await call('GET', `${V2}/a`)).body;
    assert.equal(metadata?.['labels'], { seen: 'yes' });
    assert.is(metadata?.['finalizers'], undefined);
    assert.is(metadata?.['generation'], 1);
  },
);

onServer('a webhook that is down, and one that nobody trusts', async ({ call }) => {
  const converter = await startConverter();
  const withoutAuthority = {
    strategy: 'Webhook',
    webhook: { clientConfig: { url: converter.url }, conversionReviewVersions: ['v1'] },
  };
  await call('POST', DEFINITIONS, { body: hosts(withoutAuthority) });
  await call('POST', V1, { body: host('v1', 'a', { host: 'a:1' }) });
  const distrusted = String((await call('GET', `${V2}/a`)).body['message']);
  assert.ok(
    distrusted.endsWith('tls: failed to verify certificate: x509: certificate signed by unknown authority'),
    distrusted,
  );
  await converter.close();
  const down = String((await call('GET', `${V2}/a`)).body['message']);
  const { host: address } = new URL(converter.url);
  assert.ok(down.endsWith(`?timeout=30s": dial tcp ${address}: connect: connection refused`), down);
  assert.is((await call('GET', V2)).code, 500);
  assert.is((await call('GET', V1)).code, 200);
  const definition = (await call('GET', `${DEFINITIONS}/hosts.example.org`)).body;
  const conversion = {
    strategy: 'Webhook',
    webhook: { clientConfig: { service: { name: 'a', namespace: 'b' } }, conversionReviewVersions: ['v1'] },
  };
  const spec = Object.assign({}, definition['spec'], { conversion });
  assert.is((await call('PUT', `${DEFINITIONS}/hosts.example.org`, { body: { ...definition, spec } })).code, 200);
  const service = String((await call('GET', `${V2}/a`)).body['message']);
  assert.ok(service.endsWith('failed: Post "https://a.b.svc:443/?timeout=30s": service "a" not found'), service);
});

test('a webhook that never answers is given up after 30 s', async () => {
  const converter = await startConverter();
  converter.before = () => new Promise(() => undefined);
  let giveUp = (): void => undefined;
  let waitedMs = 0;
  const clock: Clock = {
    ...systemClock(),
    setTimeout(run, delayMs) {
      [giveUp, waitedMs] = [run, delayMs];
      return { id: 1 };
    },
    clearTimeout: () => undefined,
  };
  try {
    const webhook = conversionWebhook(byWebhook(converter), clock, new AbortController().signal);
    const answer = webhook.convert([host('v1', 'a', {}) as KubeObject], 'example.org/v2');
    while (converter.reviews.length === 0) await new Promise((resolve) => setImmediate(resolve));
    giveUp();
    const [outcome] = await answer;
    assert.is(waitedMs, 30_000);
    assert.is(outcome?.kind, 'failed');
    const why = 'net/http: request canceled (Client.Timeout exceeded while awaiting headers)';
    assert.ok(outcome?.kind === 'failed' && outcome.error.message.endsWith(why));
  } finally {
    await converter.close();
  }
});

onServer(
  'without a webhook only apiVersion changes, and what a version does not know goes (KSIM-VERSIONS-2)',
  async ({ call }) => {
    await call('POST', DEFINITIONS, { body: hosts({ strategy: 'None' }) });
    await call('POST', V2, { body: host('v2', 'a', { hostname: 'h', port: 7 }) });
    assert.equal((await call('GET', `${V2}/a`)).body['spec'], { color: 'blue' });
    assert.equal((await call('GET', `${V1}/a`)).body['spec'], { color: 'blue' });
    const definition = (await call('GET', `${DEFINITIONS}/hosts.example.org`)).body;
    const { spec } = hosts({ strategy: 'None' }, 'v2');
    const switched = await call('PUT', `${DEFINITIONS}/hosts.example.org`, { body: { ...definition, spec } });
    assert.is(switched.code, 200, switched.text);
    assert.equal((await call('GET', `${V2}/a`)).body['spec'], { color: 'blue' });
    await call('PATCH', `${V1}/a`, { type: MERGE, body: { metadata: { labels: { touched: 'yes' } } } });
    assert.equal((await call('GET', `${V2}/a`)).body['spec'], { color: 'blue', shade: 'dark' }); // stored in v2 now
    const now = (await call('GET', `${DEFINITIONS}/hosts.example.org`)).body;
    assert.equal(now['status']?.['storedVersions'], ['v1', 'v2']);
    const [, v2] = listAt(now['spec']?.['versions']);
    const without = { ...now, spec: Object.assign({}, now['spec'], { versions: [v2] }) };
    const refused = await call('PUT', `${DEFINITIONS}/hosts.example.org`, { body: without });
    assert.match(
      String(refused.body['message']),
      /status\.storedVersions\[0\]: Invalid value: "v1": missing from spec\.versions/,
    );
  },
);

test.run();
