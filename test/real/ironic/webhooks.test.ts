// needs: kube
// A real API server and Troupe's webhooks: what admission refuses, whom the API server is told to trust, and certificates that
// follow each other while it asks. KUBECONFIG.
import { request } from 'node:https';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { RotationTimes } from '../../../actors/webhooks/certificate-book.ts';
import { AbsentError, type JsonObject, toErrorData } from '../../../bus/mod.ts';
import { CONFIGURATIONS, HOSTS_CRD, type Scene, withScene } from './scene.ts';

const MERGE = 'application/merge-patch+json';
const CONFIGURATION = `${CONFIGURATIONS}/troupe-metal3`;
const BMC = { address: 'redfish://bmc/redfish/v1/Systems/1', credentialsName: 'secret' };

function host(name: string, spec: JsonObject, metadata: JsonObject = {}): JsonObject {
  return { apiVersion: 'metal3.io/v1alpha1', kind: 'BareMetalHost', metadata: { name, ...metadata }, spec };
}

/** What the API server says against it. */
async function refusal(attempt: Promise<unknown>): Promise<string> {
  try {
    await attempt;
  } catch (error) {
    return toErrorData(error).message;
  }
  return 'it was taken';
}

/** Specs, and what is said of them. */
const REFUSED: readonly (readonly [what: string, spec: JsonObject, text: string])[] = [
  ['an unknown BMC', { online: true, bmc: { ...BMC, address: 'x://y' } }, 'Unknown BMC type'],
  [
    'old firmware settings',
    { online: true, firmware: { sriovEnabled: true } },
    'the Firmware field is no longer supported',
  ],
  [
    "another namespace's Secret",
    { online: true, userData: { name: 's', namespace: 'elsewhere' } },
    'cross-namespace Secret references are not allowed',
  ],
  [
    'an image without checksum',
    { online: true, image: { url: 'http://images/a.qcow2' } },
    'checksum is required for normal images',
  ],
  ['a host that is kept on, off', { online: false, disablePowerOff: true }, 'power off disabled'],
  [
    'hints that are no device',
    { online: true, rootDeviceHints: { deviceName: 'sda' } },
    'device name of root device hint must be',
  ],
];

const kubeconfig = process.env['KUBECONFIG'];

/** The certificates that the API server is told to trust, by the definition of hosts. */
async function trusted({ client }: Scene): Promise<string> {
  const { body } = await client.call({ method: 'GET', path: HOSTS_CRD });
  const { conversion } = body['spec'] as { conversion: { webhook: { clientConfig: { caBundle?: string } } } };
  return Buffer.from(conversion.webhook.clientConfig.caBundle ?? '', 'base64').toString();
}

/** Asks over a connection of its own. @returns the fingerprint of the certificate @throws it is not trusted */
function asked(url: string, ca: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const asking = request(`${url}/convert`, {
    method: 'POST',
    ca,
    agent: false,
    headers: { 'content-type': 'application/json' },
  });
  asking.on('error', reject);
  asking.on('response', (response) => {
    const { fingerprint256 } = (response.socket as import('node:tls').TLSSocket).getPeerCertificate();
    response
      .resume()
      .on('end', () =>
        response.statusCode === 200 ? resolve(fingerprint256) : reject(new Error(`${response.statusCode}`)),
      );
  });
  const review = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview' };
  asking.end(JSON.stringify({ ...review, request: { uid: 'u', desiredAPIVersion: 'metal3.io/v1beta1', objects: [] } }));
  return promise;
}

if (kubeconfig === undefined) {
  process.stdout.write('skipped: KUBECONFIG is not set\n');
} else {
  const test = suite('ironic: webhooks of a real API server');

  test('what is wrong is refused in the words of the contract, in either version', () =>
    withScene(kubeconfig, async ({ client, define, guard, hosts }) => {
      await define(1);
      await guard();
      for (const [what, spec, text] of REFUSED) {
        const said = await refusal(client.call({ method: 'POST', path: hosts('v1alpha1'), body: host('a', spec) }));
        assert.match(said, text, what);
        assert.match(said, 'admission webhook "baremetalhost.metal3.io" denied the request', what);
      }
      const beta = { ...host('b', { poweredOn: false, disablePowerOff: true }), apiVersion: 'metal3.io/v1beta1' };
      assert.match(
        await refusal(client.call({ method: 'POST', path: hosts('v1beta1'), body: beta })),
        'power off disabled',
      );
      await client.call({ method: 'POST', path: hosts('v1alpha1'), body: host('good', { online: true, bmc: BMC }) });
      const moved = { spec: { bmc: { address: 'redfish://other/redfish/v1/Systems/1' } } };
      const change = client.call({ method: 'PATCH', path: hosts('v1alpha1', 'good'), contentType: MERGE, body: moved });
      assert.match(await refusal(change), 'BMC address can not be changed');
    }));

  test('a host that became invalid lets its finalizers go, also while nobody answers', () =>
    withScene(kubeconfig, async ({ client, define, guard, hosts, until, url }) => {
      await define(0);
      const finalizers = ['example.org/a', 'example.org/b'];
      const invalid = host('old', { online: true, firmware: { sriovEnabled: true } }, { finalizers });
      await client.call({ method: 'POST', path: hosts('v1alpha1'), body: invalid });
      await guard();
      const patch = (body: JsonObject): Promise<unknown> =>
        client.call({ method: 'PATCH', path: hosts('v1alpha1', 'old'), contentType: MERGE, body });
      assert.match(await refusal(patch({ spec: { description: 'x' } })), 'the Firmware field is no longer supported');
      await patch({ metadata: { annotations: { note: 'of no rule' } } });
      // Nobody listens there.
      const { body } = await client.call({ method: 'GET', path: CONFIGURATION });
      const moved = JSON.parse(JSON.stringify(body).replaceAll(url, 'https://127.0.0.1:1')) as JsonObject;
      await client.call({ method: 'PUT', path: CONFIGURATION, body: moved });
      await until('silence', async () =>
        /failed calling webhook/.test(await refusal(patch({ spec: { description: 'y' } }))) ? true : undefined,
      );
      await patch({ metadata: { labels: { a: 'b' }, finalizers: ['example.org/b'] } });
      await client.call({ method: 'DELETE', path: hosts('v1alpha1', 'old') });
      await patch({ metadata: { finalizers: [] } });
      const left = await client
        .call({ method: 'GET', path: hosts('v1alpha1', 'old') })
        .catch((error: unknown) => error);
      assert.instance(left, AbsentError);
    }));

  test('whom to trust is put back when somebody applies objects without it, and nothing else is touched', () =>
    withScene(kubeconfig, async (scene) => {
      const { client, clock, define, guard, until } = scene;
      await define(1);
      await guard();
      const bundle = await trusted(scene);
      for (const path of [HOSTS_CRD, CONFIGURATION]) {
        const { body } = await client.call({ method: 'GET', path });
        const bare = JSON.parse(JSON.stringify(body), (key, value: unknown) =>
          key === 'caBundle' || key === 'managedFields' ? undefined : value,
        ) as JsonObject;
        const written = await client.call({ method: 'PUT', path, body: bare });
        assert.not.match(JSON.stringify(written.body['spec'] ?? written.body['webhooks']), 'caBundle');
        const startedAt = clock.now();
        const restored = await until('the bundle', async () => {
          const now = await client.call({ method: 'GET', path });
          const text = JSON.stringify(now.body['spec'] ?? now.body['webhooks']);
          return text.split('"caBundle"').length ===
            JSON.stringify(body['spec'] ?? body['webhooks']).split('"caBundle"').length
            ? now.body
            : undefined;
        });
        process.stdout.write(`${path.split('/').at(-2)}: put back within ${Math.round(clock.now() - startedAt)} ms\n`);
        assert.equal(restored['spec'] ?? restored['webhooks'], body['spec'] ?? body['webhooks']);
        assert.equal(
          (restored['metadata'] as JsonObject)['annotations'],
          (body['metadata'] as JsonObject)['annotations'],
        );
      }
      assert.is(await trusted(scene), bundle);
    }));

  test('what leads to somebody else is left alone', () =>
    withScene(kubeconfig, async (scene) => {
      const { client, clock, define } = scene;
      await define(1);
      const clientConfig = { url: null, caBundle: null, service: { namespace: 'x', name: 'others', path: '/convert' } };
      const body = { spec: { conversion: { webhook: { clientConfig } } } };
      await client.call({ method: 'PATCH', path: HOSTS_CRD, contentType: MERGE, body });
      await clock.sleep(2_000);
      assert.is(await trusted(scene), '');
    }));

  test('several that begin at once serve by one certificate', () =>
    withScene(kubeconfig, async ({ client, namespace, another, define, ...rest }) => {
      const path = `/api/v1/namespaces/${namespace}/secrets/troupe-webhooks`;
      const more = await Promise.all([another(), another(), another()]);
      await define(1);
      const ca = await trusted({ client, namespace, another, define, ...rest });
      const seen = await Promise.all(more.map(({ port }) => asked(`https://127.0.0.1:${port}`, ca)));
      assert.is(new Set(seen).size, 1);
      const { body } = await client.call({ method: 'GET', path });
      assert.not.match(ca, 'PRIVATE KEY');
      assert.is(Buffer.from((body['data'] as Record<string, string>)['ca.crt'] ?? '', 'base64').toString(), ca);
    }));

  const times: RotationTimes = { validMs: 24_000, renewBeforeMs: 18_000, graceMs: 3_000 };
  test('certificates follow each other while the API server and others ask, and no request fails', () =>
    withScene(
      kubeconfig,
      async (scene) => {
        const { client, clock, define, hosts, url, another } = scene;
        const second = `https://127.0.0.1:${(await another()).port}`;
        await define(1);
        await client.call({ method: 'POST', path: hosts('v1alpha1'), body: host('one', { online: true }) });
        const until = clock.now() + 45_000;
        const failures: string[] = [];
        const certificates = new Set<string>();
        let converted = 0;
        let connected = 0;
        const ask = async (once: () => Promise<void>, pauseMs: number): Promise<void> => {
          while (clock.now() < until) {
            await once().catch((error: unknown) => void failures.push(toErrorData(error).message));
            await clock.sleep(pauseMs);
          }
        };
        const read = async (): Promise<void> => {
          const { body } = await client.call({ method: 'GET', path: hosts('v1beta1', 'one') });
          assert.is((body['spec'] as JsonObject)['poweredOn'], true);
          converted += 1;
        };
        const connect = async (to: string): Promise<void> => {
          // What the API server was told a while ago may be what it still goes by.
          const ca = await trusted(scene);
          await clock.sleep(1_000);
          certificates.add(await asked(to, ca));
          connected += 1;
        };
        await Promise.all([
          ...Array.from({ length: 4 }, () => ask(read, 10)),
          ask(() => connect(url), 50),
          ask(() => connect(url), 75),
          ask(() => connect(second), 50),
        ]);
        process.stdout.write(
          `${converted} objects read, ${connected} connections made, ${certificates.size} certificates\n`,
        );
        assert.equal(failures, []);
        assert.ok(certificates.size >= 3, 'each was followed by another');
        const { body } = await client.call({
          method: 'GET',
          path: `/api/v1/namespaces/${scene.namespace}/secrets/troupe-webhooks`,
        });
        const kept = Buffer.from((body['data'] as Record<string, string>)['ca.crt'] ?? '', 'base64').toString();
        assert.ok(kept.split('BEGIN').length - 1 < certificates.size, 'who has ended is trusted no longer');
      },
      times,
    ));

  test.run();
}
