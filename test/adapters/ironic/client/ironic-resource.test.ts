// Where Ironic is, of an `Ironic` resource and its Secrets.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { connectionSource } from '../../../../adapters/ironic/client/connection-source.ts';
import {
  connectionOfResource,
  type IronicResource,
  secretNamesOf,
} from '../../../../adapters/ironic/client/ironic-resource.ts';
import { connectionOptions } from '../../../../adapters/ironic/client/options.ts';
import type { JsonObject } from '../../../../bus/bus.ts';
import { TransientError, WaitingError } from '../../../../bus/errors.ts';
import { selfSigned } from '../../openstack/certificate.ts';

const test = suite('the Ironic resource');

const { certificate } = selfSigned();
const TRUST = { ca: undefined, verify: 'verified' } as const;
const NONE = { credentials: undefined, certificate: undefined };

function resource(spec: JsonObject = {}, ready: JsonObject = {}): IronicResource {
  const condition = { type: 'Ready', status: 'True', observedGeneration: 3, ...ready };
  return {
    metadata: { name: 'ironic', namespace: 'metal', generation: 3 },
    spec,
    status: { conditions: [{ type: 'Other', status: 'True', observedGeneration: 3 }, condition] },
  };
}

function secret(data: Readonly<Record<string, string>>) {
  const encoded = Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')]);
  return { uid: 'u', resourceVersion: '1', data: Object.fromEntries(encoded) as Record<string, string> };
}

const CREDENTIALS = secret({ username: 'admin\n', password: 'hunter22' });
const FULL = { apiCredentialsName: 'api', tls: { certificateName: 'tls' } };

test('without TLS and credentials it is HTTP, and nobody signs in', () => {
  assert.equal(connectionOfResource(resource(), NONE, TRUST), {
    endpoint: 'http://ironic.metal.svc',
    trust: TRUST,
    credentials: undefined,
  });
});

test('with both it is HTTPS, of the certificate that the resource names', () => {
  const client = { certificate: 'c', key: 'k' };
  const secrets = { credentials: CREDENTIALS, certificate: secret({ 'tls.crt': certificate }) };
  assert.equal(connectionOfResource(resource(FULL), secrets, { ca: 'other', verify: 'verified', client }), {
    endpoint: 'https://ironic.metal.svc',
    trust: { ca: certificate, verify: 'verified', client },
    credentials: { username: 'admin', password: 'hunter22' },
  });
});

test('the Secrets that it names, whatever else the resource holds', () => {
  const cases: readonly (readonly [JsonObject, string | undefined, string | undefined])[] = [
    [FULL, 'api', 'tls'],
    [{}, undefined, undefined],
    [{ apiCredentialsName: '', tls: {} }, undefined, undefined],
    [{ apiCredentialsName: null, tls: null }, undefined, undefined],
    [{ apiCredentialsName: 5, tls: ['tls'] }, undefined, undefined],
    [{ tls: { certificateName: '' } }, undefined, undefined],
  ];
  for (const [spec, credentials, name] of cases) {
    assert.equal(secretNamesOf(resource(spec)), { credentials, certificate: name });
  }
  assert.equal(secretNamesOf({ metadata: { name: 'a', namespace: 'b' } }), NONE);
});

test('one that is not ready, or was ready for an older spec, is waited for', () => {
  const bare = resource();
  const cases: readonly (IronicResource | undefined)[] = [
    undefined,
    resource({}, { status: 'False' }),
    resource({}, { status: 'Unknown' }),
    resource({}, { status: true }),
    resource({}, { observedGeneration: 2 }),
    resource({}, { observedGeneration: null }),
    resource({}, { type: 'Available' }),
    { ...bare, status: {} },
    { ...bare, status: { conditions: null } },
    { ...bare, status: { conditions: ['Ready', null, []] } },
    { metadata: bare.metadata },
  ];
  for (const each of cases) {
    assert.throws(
      () => connectionOfResource(each, NONE, TRUST),
      (error: unknown) => error instanceof WaitingError,
      JSON.stringify(each),
    );
  }
});

test('a Secret that is not there is waited for; one that holds something else is said, without what it holds', () => {
  const tls = secret({ 'tls.crt': certificate });
  const cases: readonly (readonly [object, RegExp])[] = [
    [{ credentials: undefined, certificate: tls }, /^Waiting for Secret\/api to be created$/],
    [{ credentials: CREDENTIALS, certificate: undefined }, /^Waiting for Secret\/tls to be created$/],
    [{ credentials: secret({ username: 'a' }), certificate: tls }, /^Secret\/api has no key password$/],
    [{ credentials: secret({ password: 'hunter22' }), certificate: tls }, /^Secret\/api has no key username$/],
    [{ credentials: secret({ username: 'a', password: ' ' }), certificate: tls }, /Secret\/api is empty$/],
    [{ credentials: CREDENTIALS, certificate: secret({}) }, /^Secret\/tls has no key tls\.crt$/],
    [{ credentials: CREDENTIALS, certificate: secret({ 'tls.crt': 'hunter22' }) }, /^tls\.crt of Secret\/tls holds no/],
  ];
  for (const [secrets, expected] of cases) {
    try {
      connectionOfResource(resource(FULL), secrets as Parameters<typeof connectionOfResource>[1], TRUST);
      assert.unreachable(`${expected}`);
    } catch (error) {
      assert.instance(error, TransientError);
      assert.match((error as Error).message, expected);
      assert.not.match((error as Error).message, /hunter22/);
    }
  }
});

test('a source reads the resource and its Secrets in its namespace, and no file with credentials counts', async () => {
  const read: string[] = [];
  const env: Record<string, string> = { IRONIC_NAME: 'ironic', IRONIC_NAMESPACE: 'metal' };
  const options = connectionOptions({
    flag: (name) => ({ name, value: name === 'ironic-insecure' ? 'true' : env[name.toUpperCase().replace('-', '_')] }),
    variable: () => undefined,
  });
  const source = connectionSource(options, {
    readResource: async (namespace, name) => {
      read.push(`${namespace}/${name}`);
      return resource(FULL);
    },
    readSecret: async (namespace, name) => {
      read.push(`${namespace}/${name}`);
      return name === 'api' ? CREDENTIALS : secret({ 'tls.crt': certificate });
    },
    log: { warn: () => undefined },
    files: {
      exists: async () => true,
      read: async (path) => (path.includes('/ironic/') ? 'of a file' : undefined),
    },
  });
  assert.equal(await source(), {
    endpoint: 'https://ironic.metal.svc',
    trust: { ca: certificate, verify: 'unverified' },
    credentials: { username: 'admin', password: 'hunter22' },
  });
  assert.equal(read, ['metal/ironic', 'metal/api', 'metal/tls']);
});

test.run();
