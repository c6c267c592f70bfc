import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Role, readConfig } from '../../../actors/base/config.ts';
import { TerminalError } from '../../../bus/mod.ts';

const test = suite('configuration');

const ADAPTERS = [{ role: 'cloud' }, { role: 'disks' }];

function refusal(env: Record<string, string>, options: Record<string, string> = {}): string {
  try {
    readConfig(env, options, ADAPTERS);
  } catch (error) {
    assert.instance(error, TerminalError);
    return (error as TerminalError).message;
  }
  throw new Error('it was accepted');
}

test('nothing set is fine', () => {
  const { roles, leaseMs, callMs, shards, natsUrl, kubeconfig } = readConfig({});
  assert.equal([...roles], Object.values(Role));
  assert.equal([leaseMs, callMs, shards, natsUrl, kubeconfig], [15_000, 10_000, 64, undefined, undefined]);
});

test('each adapter is a role, and all of them are played unless told', () => {
  assert.equal([...readConfig({}, {}, ADAPTERS).roles], ['watch', 'actors', 'cloud', 'disks']);
  assert.equal([...readConfig({ TROUPE_ROLES: 'disks, watch' }, {}, ADAPTERS).roles], ['watch', 'disks']);
  assert.match(
    refusal({ TROUPE_ROLES: 'openstack' }),
    /TROUPE_ROLES .* watch, actors, cloud, disks, visualizer, webhooks; got 'openstack'/,
  );
});

test('what is done for a node is done where it is named, and in development for the one that there is', () => {
  const adapters = [...ADAPTERS, { role: 'tapes', route: () => 'one' }];
  const usual = readConfig({}, {}, adapters);
  assert.equal([[...usual.roles], usual.nodeName], [['watch', 'actors', 'cloud', 'disks'], undefined]);
  const named = readConfig({ NODE_NAME: 'one' }, { roles: 'tapes' }, adapters);
  assert.equal([[...named.roles], named.nodeName], [['tapes'], 'one']);
  const development = readConfig({}, {}, adapters, 'development');
  assert.ok(development.roles.has('tapes'));
  assert.equal(
    [development.nodeName, readConfig({}, { 'node-name': 'two' }, adapters, 'development').nodeName],
    ['node-1', 'two'],
  );
  assert.not.ok(readConfig({}, { roles: 'watch' }, adapters, 'development').roles.has('tapes'));
});

test('an option goes before its variable', () => {
  const { natsUrl } = readConfig({ NATS_URL: 'nats://one' }, { 'nats-url': 'nats://two' });
  assert.is(natsUrl, 'nats://two');
});

test('events are written unless told', () => {
  assert.is(readConfig({}).events, true);
  assert.is(readConfig({ TROUPE_EVENTS: 'false' }).events, false);
  assert.is(refusal({}, { events: 'no' }), "--events must be true or false; got 'no'");
});

test('what happened is kept for a day and up to 256 MiB unless told', () => {
  assert.equal(readConfig({}).keptEvents, { maxAgeMs: 86_400_000, maxBytes: 268_435_456 });
  const env = { TROUPE_EVENT_MAX_AGE: '90m', TROUPE_EVENT_MAX_BYTES: '1000000' };
  assert.equal(readConfig(env).keptEvents, { maxAgeMs: 5_400_000, maxBytes: 1_000_000 });
  assert.equal(readConfig(env, { 'event-max-age': '2000' }).keptEvents, { maxAgeMs: 2_000, maxBytes: 1_000_000 });
  for (const none of ['0', '0s', '0h']) assert.is(readConfig({ TROUPE_EVENT_MAX_AGE: none }).keptEvents, 'none');
  assert.is(readConfig({}, { 'event-max-bytes': '0' }).keptEvents, 'none');
  assert.match(refusal({ TROUPE_EVENT_MAX_AGE: 'long' }), 'TROUPE_EVENT_MAX_AGE must be a Go duration such as 24h');
  assert.match(refusal({}, { 'event-max-age': '-1h' }), "got '-1h'");
  assert.match(refusal({}, { 'event-max-bytes': '1MB' }), "got '1MB'");
});

test('namespaces are those of the variable that other operators have, where nothing else is said', () => {
  const others = { WATCH_NAMESPACE: 'metal, racks' };
  assert.equal(readConfig(others).namespaces, ['metal', 'racks']);
  assert.is(readConfig({ WATCH_NAMESPACE: '' }).namespaces, undefined);
  assert.equal(readConfig({ ...others, TROUPE_NAMESPACES: 'shop' }).namespaces, ['shop']);
  assert.equal(readConfig(others, { namespace: 'lab' }).namespaces, ['lab']);
  assert.match(refusal({ WATCH_NAMESPACE: 'Metal' }), 'WATCH_NAMESPACE must be the name of a namespace');
  assert.match(
    refusal({}, { namespace: '' }),
    "--namespace must be the name of a namespace, or several separated by commas; got ''",
  );
  assert.is(readConfig({ TROUPE_NAMESPACES: '' }).namespaces, undefined);
});

test('the visualizer is a role where it has an address, and no part of what objects need', () => {
  const place = { address: { host: '127.0.0.1', port: 8090 }, port: 'this one', tokenFile: undefined };
  const option = { 'visualizer-bind-address': '127.0.0.1:8090' };
  assert.is(readConfig({}, {}, ADAPTERS).visualizer, undefined);
  assert.equal(readConfig({}, option, ADAPTERS).visualizer, place);
  assert.equal([...readConfig({}, option, ADAPTERS).roles], ['watch', 'actors', 'cloud', 'disks', 'visualizer']);
  assert.equal(readConfig({}, { ...option, roles: 'visualizer' }, ADAPTERS).visualizer, place);
  const others = readConfig({}, { ...option, roles: 'watch' }, ADAPTERS);
  assert.equal([others.visualizer, [...others.roles]], [undefined, ['watch']]);
  assert.match(refusal({}, { roles: 'watch,visualizer' }), "the role 'visualizer' needs --visualizer-bind-address");
  assert.match(
    refusal({ TROUPE_VISUALIZER_BIND_ADDRESS: 'here' }),
    'TROUPE_VISUALIZER_BIND_ADDRESS must be an address',
  );
});

test('webhooks are a role where they have an address, and need nothing else', () => {
  assert.equal(
    [readConfig({}, {}, ADAPTERS).webhooks, readConfig({}, {}, ADAPTERS).roles.has('webhooks')],
    [undefined, false],
  );
  const option = { 'webhook-address': '127.0.0.1:9443' };
  const address = { host: '127.0.0.1', port: 9443 };
  const own = { namespace: undefined, name: 'troupe-webhooks' };
  assert.equal(readConfig({}, option, ADAPTERS).webhooks, {
    address,
    service: own,
    files: undefined,
    clientCa: undefined,
  });
  assert.ok(readConfig({}, option, ADAPTERS).roles.has('webhooks'));
  assert.equal([...readConfig({}, { ...option, roles: 'webhooks' }, ADAPTERS).roles], ['webhooks']);
  assert.is(readConfig({}, { ...option, roles: 'watch' }, ADAPTERS).webhooks, undefined);
  assert.match(refusal({}, { roles: 'webhooks' }), "the role 'webhooks' needs --webhook-address, such as");
});

test('how webhooks are reached, and whose certificate they have, is told with them', () => {
  const env = {
    TROUPE_WEBHOOK_ADDRESS: ':9443',
    TROUPE_WEBHOOK_SERVICE: 'ops/hooks',
    TROUPE_WEBHOOK_CERT: '/tls.crt',
    TROUPE_WEBHOOK_KEY: '/tls.key',
    TROUPE_WEBHOOK_CLIENT_CA: '/clients.crt',
  };
  const { service, files, clientCa } = readConfig(env).webhooks ?? {};
  assert.is(clientCa, '/clients.crt');
  assert.equal(service, { namespace: 'ops', name: 'hooks' });
  assert.equal(files, { certificate: '/tls.crt', key: '/tls.key', ca: undefined });
  assert.match(
    refusal({ ...env, TROUPE_WEBHOOK_SERVICE: 'a/b/c' }),
    /TROUPE_WEBHOOK_SERVICE .* NAMESPACE\/NAME; got 'a\/b\/c'/,
  );
  assert.match(refusal({ ...env, TROUPE_WEBHOOK_KEY: '' }), '--webhook-cert and --webhook-key go together');
  assert.match(refusal({ TROUPE_WEBHOOK_CA: '/ca.crt' }), '--webhook-ca goes with them');
});

test('in development the visualizer is served at once, and not if told so', () => {
  const { visualizer, roles } = readConfig({}, {}, ADAPTERS, 'development');
  assert.equal([visualizer?.address, visualizer?.port], [{ host: '127.0.0.1', port: 8090 }, 'or later']);
  assert.ok(roles.has('visualizer'));
  const off = readConfig({ TROUPE_VISUALIZER_BIND_ADDRESS: '0' }, {}, ADAPTERS, 'development');
  assert.equal([off.visualizer, off.roles.has('visualizer')], [undefined, false]);
  const given = readConfig({}, { 'visualizer-bind-address': '[::1]:9000' }, ADAPTERS, 'development').visualizer;
  assert.equal([given?.address, given?.port], [{ host: '::1', port: 9000 }, 'this one']);
});

test('what is reached from elsewhere needs a token', () => {
  for (const address of [':8090', '0.0.0.0:8090', '10.0.0.1:8090', '[::]:8090', '127.example.com:8090']) {
    const options = { 'visualizer-bind-address': address };
    assert.match(refusal({}, options), '--visualizer-token-file', address);
    const env = { TROUPE_VISUALIZER_TOKEN_FILE: '/token' };
    assert.is(readConfig(env, options).visualizer?.tokenFile, '/token');
    assert.is(readConfig({}, { ...options, roles: 'watch' }).visualizer, undefined, 'nobody serves it');
  }
  for (const address of ['127.0.0.1:1', '127.1.2.3:1', 'localhost:1', '[::1]:1'])
    assert.ok(readConfig({}, { 'visualizer-bind-address': address }).visualizer);
});

test('a call never outlasts a lease (P10)', () => {
  assert.is(readConfig({ TROUPE_LEASE_MS: '2000' }).callMs, 1_400);
});

test('a deployment of its own on a shared NATS server', () => {
  assert.is(readConfig({ TROUPE_NATS_PREFIX: 'blue' }).natsPrefix, 'blue');
  assert.is(readConfig({ TROUPE_NATS_PREFIX: '' }).natsPrefix, undefined);
});

test('a refusal names the variable, the rule and what it got', () => {
  assert.is(
    refusal({ TROUPE_LEASE_MS: 'soon' }),
    "TROUPE_LEASE_MS must be a whole number of milliseconds, at least 1000; got 'soon'",
  );
  assert.match(
    refusal({}, { roles: 'watch,everything' }),
    "--roles must be a comma-separated list of watch, actors, cloud, disks, visualizer, webhooks; got 'everything'",
  );
  assert.match(refusal({ TROUPE_LOG_LEVEL: 'loud' }), 'TROUPE_LOG_LEVEL must be one of');
});

test('a pod is told where the API server is', () => {
  assert.is(readConfig({}).inCluster, undefined);
  const env = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '6443' };
  assert.is(readConfig(env).inCluster, 'https://10.0.0.1:6443');
  assert.is(readConfig({ KUBERNETES_SERVICE_HOST: 'fd00::1' }).inCluster, 'https://[fd00::1]:443');
});

test.run();
