// needs: kube
// Conversion webhooks: the same requests to a real API server and to the embedded one, with the same webhook behind
// both, honest and lying. Codes, messages and specs are compared.
import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../actors/base/clock.ts';
import { startApiServer } from '../../../adapters/simulated/kubernetes/mod.ts';
import { canonical, dig, type JsonMap } from '../../../adapters/text/json.ts';
import type { Answer } from '../../adapters/kubernetes/conformance/case.ts';
import { type Wire, wire } from '../../adapters/kubernetes/conformance/wire.ts';
import {
  byWebhook,
  type Converter,
  host,
  hosts,
  type Spoil,
  startConverter,
} from '../../adapters/simulated/kubernetes/converter.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const MERGE = 'application/merge-patch+json';
/** Time for a real API server to begin to serve a definition, in milliseconds. */
const SETTLE_MS = 2_000;

const path = process.env['KUBECONFIG'];
const clock = systemClock();

const spoilt =
  (over: JsonMap): Spoil =>
  (response, objects) => ({
    ...response,
    convertedObjects: objects.map((object) => ({
      ...object,
      ...over,
      metadata: Object.assign({}, object['metadata'], over['metadata']),
    })),
  });

const LIES: Readonly<Record<string, Spoil | undefined>> = {
  honest: undefined,
  count: (response) => ({ ...response, convertedObjects: [] }),
  twice: (response, objects) => ({ ...response, convertedObjects: [...objects, ...objects] }),
  refusal: (response) => ({ ...response, result: { status: 'Failure', message: 'not today' } }),
  silence: (response) => ({ ...response, result: { status: 'Failure' } }),
  review: (response) => ({ ...response, uid: 'x' }),
  uid: spoilt({ metadata: { uid: 'lie' } }),
  name: spoilt({ metadata: { name: 'lie' } }),
  namespace: spoilt({ metadata: { namespace: 'lie' } }),
  kind: spoilt({ kind: 'Lie' }),
  labels: spoilt({ metadata: { labels: { seen: 'yes' }, finalizers: ['a/b'] } }),
  'bad labels': spoilt({ metadata: { labels: { 'a b': 'c' } } }),
};

/** What a server answers, step by step. */
async function answers(on: Wire, converter: Converter, group: string): Promise<string[]> {
  const seen: string[] = [];
  const named = (value: unknown): unknown => JSON.parse(JSON.stringify(value).replaceAll('example.org', group));
  const send = (method: string, at: string, body?: unknown, type = 'application/json'): Promise<Answer> =>
    on.send({
      method,
      path: at,
      headers: body === undefined ? {} : { 'content-type': type },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  const step = async (label: string, ...request: Parameters<typeof send>): Promise<void> => {
    const { status, body } = await send(...request);
    const shown = status < 400 ? [dig(body, 'spec'), dig(body, 'metadata', 'labels')] : dig(body, 'message');
    const text = canonical(shown)
      .replaceAll(group, 'G')
      .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UID');
    seen.push(`${label}: ${status} ${text}`);
  };
  const [v1, v2] = ['v1', 'v2'].map((version) => `/apis/${group}/${version}/namespaces/default/hosts`);
  if (v1 === undefined || v2 === undefined) throw new Error('two versions are needed');
  const defined = await send('POST', DEFINITIONS, named(hosts(byWebhook(converter))));
  assert.is(defined.status, 201, JSON.stringify(defined.body));
  try {
    await clock.sleep(SETTLE_MS);
    await step('create v1', 'POST', v1, named(host('v1', 'a', { host: 'h:1' })));
    await step('create v2', 'POST', v2, named(host('v2', 'b', { hostname: 'h', port: 2 })));
    for (const [label, spoil] of Object.entries(LIES)) {
      converter.spoil = spoil;
      await step(`${label}: read`, 'GET', `${v2}/a`);
      await step(`${label}: create`, 'POST', `${v2}?dryRun=All`, named(host('v2', 'c', { hostname: 'h', port: 3 })));
      await step(`${label}: patch`, 'PATCH', `${v2}/b?dryRun=All`, { spec: { port: 9 } }, MERGE);
      await step(`${label}: too much`, 'PATCH', `${v2}/b?dryRun=All`, { spec: { port: 900 } }, MERGE);
      await step(`${label}: stored version`, 'GET', `${v1}/b`);
    }
  } finally {
    converter.spoil = undefined;
    // Without objects the definition needs no webhook to go, whenever that is.
    await send('DELETE', v1);
    await send('DELETE', `${DEFINITIONS}/hosts.${group}`);
  }
  return seen;
}

if (path === undefined) {
  process.stdout.write('skipped: KUBECONFIG is not set\n');
} else {
  const test = suite('conversion webhooks on both API servers');

  test('both answer alike, whatever the webhook says', async () => {
    const converter = await startConverter();
    const server = await startApiServer({ clock });
    const [real, embedded] = [await wire(readFileSync(path, 'utf8')), await wire(server.kubeconfig())];
    const run = Math.floor(clock.random() * 36 ** 5).toString(36);
    try {
      const group = `conversion-${run}.example.org`;
      const expected = await answers(real, converter, group);
      assert.equal(await answers(embedded, converter, group), expected);
      assert.is(expected.length, 2 + 5 * Object.keys(LIES).length);
    } finally {
      real.close();
      embedded.close();
      await server.close();
      await converter.close();
    }
  });

  test.run();
}
