// Certificates and whom to trust, on the embedded API server: several processes, one Secret, and objects that others write.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openLog } from '../../../actors/base/log.ts';
import { type ServedWebhooks, startWebhooks } from '../../../actors/webhooks/webhooks.ts';
import type { Webhooks } from '../../../adapters/api/webhooks.ts';
import { type KubeClient, kubeClient } from '../../../adapters/kubernetes/mod.ts';
import { certify, makeAuthority } from '../../../adapters/kubernetes/tls/certificates.ts';
import { startApiServer } from '../../../adapters/simulated/kubernetes/mod.ts';
import type { JsonObject } from '../../../bus/mod.ts';
import { hosts } from '../../adapters/simulated/kubernetes/converter.ts';
import { simulatedClock } from '../../world/clock.ts';

const test = suite('webhooks: certificates on an API server');
const clock = simulatedClock();

const CRD = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/hosts.example.org';
const SECRET = '/api/v1/namespaces/default/secrets/troupe-webhooks';
const WEBHOOKS: Webhooks = {
  conversion: {
    path: '/convert',
    definitions: ['hosts.example.org'],
    convert: () => ({ kind: 'failed', message: 'no' }),
  },
};

interface Scene {
  readonly client: KubeClient;
  readonly folder: string;
  start(files?: { certificate: string; key: string; ca: string }): ServedWebhooks;
  until<Value>(look: () => Promise<Value | undefined> | Value | undefined): Promise<Value>;
  bundle(): Promise<string>;
}

async function scene(run: (scene: Scene) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-webhooks-'));
  const server = await startApiServer({ clock });
  const kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(kubeconfig, server.kubeconfig());
  const client = kubeClient({ clock, kubeconfig });
  const running: ServedWebhooks[] = [];
  const log = openLog({ level: 'silent', readable: false });
  const until: Scene['until'] = async (look) => {
    for (const end = clock.now() + 30_000; ; ) {
      const found = await look();
      if (found !== undefined) return found;
      if (clock.now() > end) throw new Error('it does not come');
      await clock.sleep(20);
    }
  };
  try {
    await run({
      client,
      folder,
      until,
      start(files) {
        const address = { host: '127.0.0.1', port: 0 };
        const service = { namespace: 'default', name: 'troupe-webhooks' };
        const config = { webhooks: { address, service, files, clientCa: undefined }, namespaces: undefined };
        const webhooks = startWebhooks(config, { client, adapters: [{ webhooks: WEBHOOKS }], clock, log });
        if (webhooks === undefined) throw new Error('nothing is served');
        running.push(webhooks);
        return webhooks;
      },
      async bundle() {
        const { body } = await client.call({ method: 'GET', path: CRD });
        const { conversion } = body['spec'] as { conversion: { webhook?: { clientConfig: { caBundle?: string } } } };
        return Buffer.from(conversion.webhook?.clientConfig.caBundle ?? '', 'base64').toString();
      },
    });
  } finally {
    await Promise.all(running.map((each) => each.close()));
    await client.close();
    await server.close();
    rmSync(folder, { recursive: true });
  }
}

const byService = (service: JsonObject): JsonObject => ({
  strategy: 'Webhook',
  webhook: { conversionReviewVersions: ['v1'], clientConfig: { service } },
});
const OURS = { namespace: 'default', name: 'troupe-webhooks', path: '/convert' };

async function define(client: KubeClient, service: JsonObject): Promise<void> {
  const path = `${CRD}?fieldManager=test&force=true`;
  const contentType = 'application/apply-patch+yaml';
  await client.call({ method: 'PATCH', path, contentType, body: hosts(byService(service)) as unknown as JsonObject });
}

const isThere = (text: string): string | undefined => (text === '' ? undefined : text);

test('several that begin at once have one certificate, by an authority that the definition names', () =>
  scene(async ({ client, start, until, bundle }) => {
    const all = [start(), start(), start()];
    assert.is(all[0]?.problem, 'the webhooks have no certificate yet');
    await define(client, OURS);
    for (const one of all) await until(() => one.port);
    const said = await until(async () => isThere(await bundle()));
    assert.is(said.split('BEGIN CERTIFICATE').length, 2, 'one authority');
    const { body } = await client.call({ method: 'GET', path: SECRET });
    const book = Buffer.from((body['data'] as Record<string, string>)['book.json'] ?? '', 'base64').toString();
    assert.is((JSON.parse(book) as { current: { authority: string } }).current.authority, said);
    assert.is(book.split('PRIVATE KEY').length - 1, 2, 'the key of the certificate, and of no authority');
    for (const one of all) assert.is(one.problem, undefined);
  }));

test('whoever takes the bundle away has it back, and who leads elsewhere is left alone', () =>
  scene(async ({ client, start, until, bundle }) => {
    start();
    await define(client, OURS);
    const said = await until(async () => isThere(await bundle()));
    const clientConfig = { caBundle: null };
    const body = { spec: { conversion: { webhook: { clientConfig } } } };
    await client.call({ method: 'PATCH', path: CRD, contentType: 'application/merge-patch+json', body });
    assert.is(await until(async () => isThere(await bundle())), said);
    await define(client, { ...OURS, name: 'others' });
    await client.call({ method: 'PATCH', path: CRD, contentType: 'application/merge-patch+json', body });
    await clock.sleep(500);
    assert.is(await bundle(), '');
  }));

test('a Secret that is deleted leads to another certificate, which is trusted first', () =>
  scene(async ({ client, start, until, bundle }) => {
    start();
    await define(client, OURS);
    const said = await until(async () => isThere(await bundle()));
    await client.call({ method: 'DELETE', path: SECRET });
    const both = await until(async () => ((await bundle()) === said ? undefined : await bundle()));
    assert.ok(both.startsWith(said), 'who is served is trusted still');
    assert.is(both.split('BEGIN CERTIFICATE').length, 3);
  }));

test("a Secret that is somebody else's is left as it is, and said", () =>
  scene(async ({ client, start }) => {
    const body = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'troupe-webhooks' }, data: { a: 'Yg==' } };
    await client.call({ method: 'POST', path: '/api/v1/namespaces/default/secrets', body });
    try {
      await start().ended;
      assert.unreachable();
    } catch (error) {
      assert.match(
        (error as Error).message,
        "Secret 'default/troupe-webhooks' is not what Troupe keeps its certificates in",
      );
    }
  }));

test('files are served and trusted beside whoever is trusted already', () =>
  scene(async ({ client, folder, start, until, bundle }) => {
    const authority = await makeAuthority('given', clock.now());
    const other = await makeAuthority('other', clock.now());
    const { certificate, key } = await certify(authority, { name: 'x', hosts: [] }, clock.now());
    const files = { certificate: join(folder, 'tls.crt'), key: join(folder, 'tls.key'), ca: join(folder, 'ca.crt') };
    writeFileSync(files.certificate, certificate);
    writeFileSync(files.key, key);
    writeFileSync(files.ca, authority.certificate);
    await define(client, OURS);
    const body = {
      spec: {
        conversion: { webhook: { clientConfig: { caBundle: Buffer.from(other.certificate).toString('base64') } } },
      },
    };
    await client.call({ method: 'PATCH', path: CRD, contentType: 'application/merge-patch+json', body });
    const webhooks = start(files);
    await until(() => webhooks.port);
    const said = await until(async () => ((await bundle()) === other.certificate ? undefined : await bundle()));
    assert.is(said, authority.certificate + other.certificate);
    writeFileSync(files.key, 'no key');
    try {
      await start(files).ended;
      assert.unreachable();
    } catch (error) {
      assert.match((error as Error).message, 'the certificate and the key of the webhooks cannot be used');
    }
  }));

test.run();
