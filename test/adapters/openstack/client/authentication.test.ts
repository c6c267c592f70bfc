import { createServer } from 'node:http';
import { type AddressInfo, connect, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { identityUrl, parseGrant, tokenRequest } from '../../../../adapters/openstack/client/authentication.ts';
import { type CloudEntry, parseCredentials } from '../../../../adapters/openstack/client/clouds-yaml.ts';
import type { JsonObject } from '../../../../bus/bus.ts';
import { type SimulatedCloud, secretOf, withCloud } from '../../../world/openstack.ts';
import { rejection } from '../../../world/rejection.ts';
import { selfSigned } from '../certificate.ts';

const test = suite('OpenStack authentication');

function entryOf(yaml: string): CloudEntry {
  return parseCredentials(secretOf(`clouds: { test: { ${yaml} } }`), { secretName: 's', cloudName: 'test' }).entry;
}

const URL_LINE = 'auth_url: "http://k:5000/v3"';

test('requests of tokens hold what each kind of credential needs', () => {
  const password = { user: { name: 'u', domain: { name: 'D' }, password: 'p' } };
  const cases: readonly (readonly [auth: string, type: string, identity: JsonObject, scope: JsonObject | undefined])[] =
    [
      ['username: u, password: p, user_domain_name: D', '', { methods: ['password'], password }, undefined],
      [
        'username: u, password: p, domain_name: D, project_name: x',
        'password',
        { methods: ['password'], password },
        { project: { name: 'x', domain: { name: 'D' } } },
      ],
      [
        'username: u, password: p, user_domain_name: D, project_name: x, project_domain_id: e',
        'v3password',
        { methods: ['password'], password },
        { project: { name: 'x', domain: { id: 'e' } } },
      ],
      [
        'username: u, password: p, user_domain_name: D, project_name: x',
        '',
        { methods: ['password'], password },
        { project: { name: 'x', domain: { name: 'D' } } },
      ],
      [
        'user_id: i, password: 0123, project_id: x',
        '',
        { methods: ['password'], password: { user: { id: 'i', password: '0123' } } },
        { project: { id: 'x' } },
      ],
      [
        'username: u, password: p, default_domain: d, system_scope: all, project_id: x',
        '',
        { methods: ['password'], password: { user: { name: 'u', domain: { id: 'd' }, password: 'p' } } },
        { system: { all: true } },
      ],
      [
        'username: u, password: p, domain_id: d',
        '',
        { methods: ['password'], password: { user: { name: 'u', domain: { id: 'd' }, password: 'p' } } },
        { domain: { id: 'd' } },
      ],
      [
        'username: u, password: p, user_domain_name: D, trust_id: t',
        '',
        { methods: ['password'], password },
        { 'OS-TRUST:trust': { id: 't' } },
      ],
      ['token: t, project_id: x', '', { methods: ['token'], token: { id: 't' } }, { project: { id: 'x' } }],
      ['token: t', 'v3token', { methods: ['token'], token: { id: 't' } }, undefined],
      [
        'application_credential_id: a, application_credential_secret: s, project_id: x',
        '',
        { methods: ['application_credential'], application_credential: { id: 'a', secret: 's' } },
        undefined,
      ],
      [
        'application_credential_name: a, application_credential_secret: s, username: u, user_domain_name: D',
        'v3applicationcredential',
        {
          methods: ['application_credential'],
          application_credential: { name: 'a', secret: 's', user: { name: 'u', domain: { name: 'D' } } },
        },
        undefined,
      ],
    ];
  for (const [auth, type, identity, scope] of cases) {
    const request = tokenRequest(entryOf(`auth_type: "${type}", auth: { ${URL_LINE}, ${auth} }`));
    assert.equal(request, { auth: { identity, ...(scope === undefined ? {} : { scope }) } }, auth);
  }
});

test('credentials that lack something say what', () => {
  const cases = [
    ['', 'auth: {}', "'username' is missing in the cloud's 'auth'"],
    ['', 'auth: { username: u, user_domain_id: d }', "'password' is missing in the cloud's 'auth'"],
    [
      '',
      'auth: { username: u, password: p }',
      "'user_domain_name' or 'user_domain_id' is missing in the cloud's 'auth'",
    ],
    [
      '',
      'auth: { user_id: u, password: p, project_name: x }',
      "'project_domain_name' or 'project_domain_id' is missing",
    ],
    ['v3token', 'auth: {}', "'token' is missing"],
    ['v3oidcpassword', 'auth: {}', "this 'auth_type' of the cloud is not supported"],
  ] as const;
  for (const [type, yaml, message] of cases) {
    assert.throws(() => tokenRequest(entryOf(`auth_type: "${type}", ${yaml}`)), message);
  }
});

test("Keystone's URL is found whatever version it names", () => {
  for (const url of [
    'http://k:5000',
    'http://k:5000/',
    'http://k:5000/v3',
    'http://k:5000/v3/',
    'http://k:5000/v2.0',
  ]) {
    assert.is(identityUrl(entryOf(`auth: { auth_url: "${url}" }`)), 'http://k:5000/v3');
  }
  assert.is(identityUrl(entryOf('auth: { auth_url: "https://k/identity" }')), 'https://k/identity/v3');
  for (const url of ['', 'k:5000', 'ftp://k/', 'http://u:hunter2@k/']) {
    assert.throws(
      () => identityUrl(entryOf(`auth: { auth_url: "${url}" }`)),
      (error: Error) => /auth_url/.test(error.message) && !/hunter2/.test(error.message),
    );
  }
});

test("a token's life is measured by the cloud's clock", () => {
  const token = { issued_at: '2020-01-01T00:00:00.000000Z', expires_at: '2020-01-01T01:00:00.000000Z' };
  assert.is(parseGrant('t', { token }, 0).lifetimeMs, 3_600_000);
  assert.throws(() => parseGrant('t', { token: {} }, 0), 'without an end');
  assert.throws(() => parseGrant(undefined, { token }, 0), 'without a token');
});

/** Adds credentials of another kind; the secret holds the given members of `auth`. */
function secretWith({ simulator, secrets }: SimulatedCloud, name: string, auth: JsonObject): void {
  secrets.set(name, secretOf(JSON.stringify({ clouds: { test: { auth: { auth_url: simulator.authUrl, ...auth } } } })));
}

test('application credentials, tokens, trusts and scopes are accepted', () =>
  withCloud(async (cloud) => {
    const { simulator, open, call } = cloud;
    const admin = await open();
    const userId = String(simulator.resources('users')[0]?.['id']);
    const made = await admin.call(
      call(`POST /users/${userId}/application_credentials`, {
        body: { application_credential: { name: 'ac', secret: 's3' } },
      }),
    );
    const id = String((made.body['application_credential'] as JsonObject)['id']);
    const trust = await admin.call(
      call('POST /OS-TRUST/trusts', { body: { trust: { project_id: simulator.projectId } } }),
    );
    const user = { username: 'admin', user_domain_id: 'default', password: 'secret' };
    secretWith(cloud, 'by-id', { application_credential_id: id, application_credential_secret: 's3' });
    secretWith(cloud, 'by-name', {
      application_credential_name: 'ac',
      application_credential_secret: 's3',
      username: 'admin',
      user_domain_name: 'Default',
    });
    secretWith(cloud, 'trust', { ...user, trust_id: String((trust.body['trust'] as JsonObject)['id']) });
    secretWith(cloud, 'system', { ...user, system_scope: 'all' });
    secretWith(cloud, 'domain', { ...user, domain_id: 'default' });
    for (const name of ['by-id', 'by-name', 'trust', 'system', 'domain']) {
      const session = await open(name);
      assert.is((await session.call(call('GET /projects'))).status, 200, name);
      assert.is((await session.call(call('GET /networks'))).status, 200, name);
    }
    secretWith(cloud, 'unscoped', user);
    const unscoped = await open('unscoped');
    assert.match(
      (await rejection(unscoped.call(call('GET /projects')))).message,
      'answered 403: You are not authorized',
    );
    assert.match(
      (await rejection(unscoped.call(call('GET /networks')))).message,
      "has no public endpoint of service 'network'",
    );
  }));

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** Passes bytes between two sockets until one of them ends. */
function join(one: Socket, other: Socket): void {
  one.pipe(other).pipe(one);
  for (const socket of [one, other]) {
    socket.on('error', () => {
      one.destroy();
      other.destroy();
    });
  }
}

test("a cloud is trusted by the secret's CA, or not checked when the entry says so", () =>
  withCloud(
    async (cloud) => {
      const { simulator, secrets, open, call } = cloud;
      const { certificate, key } = selfSigned();
      const simulatorPort = Number(new URL(simulator.authUrl).port);
      const server = createTlsServer({ key, cert: certificate }, (socket) =>
        join(socket, connect(simulatorPort, '127.0.0.1')),
      );
      const yaml = simulator
        .cloudsYaml('test')
        .replace(/auth_url: .*/, `auth_url: https://localhost:${await listening(server)}/identity/v3`);
      try {
        secrets.set('untrusted', secretOf(yaml));
        secrets.set('empty', secretOf(yaml, 'no certificate in here'));
        for (const name of ['untrusted', 'empty']) {
          const error = await rejection((await open(name)).call(call('GET /networks')));
          assert.match(error.message, /failed: self-signed certificate/);
        }
        secrets.set('trusted', secretOf(yaml, certificate));
        secrets.set('unverified', secretOf(yaml.replace('    region_name', '    verify: false\n    region_name')));
        for (const name of ['trusted', 'unverified']) {
          assert.is((await (await open(name)).call(call('GET /networks'))).status, 200, name);
        }
      } finally {
        await cloud.sessions.close();
        await new Promise((resolve) => server.close(resolve));
      }
    },
    { by: 'sockets' },
  ));

test('a proxy is used when one is given, and not for the hosts it is not for', async () => {
  let passed = 0;
  const proxy = createServer();
  proxy.on('connect', (request, socket: Socket) => {
    passed++;
    const [host = '', port] = String(request.url).split(':');
    const upstream = connect(Number(port), host, () => socket.write('HTTP/1.1 200 Connection established\r\n\r\n'));
    join(socket, upstream);
  });
  proxy.on('request', (_request, response) => {
    passed++;
    response.writeHead(502, { 'content-type': 'application/json' }).end('{"message":"the proxy says so"}');
  });
  const httpProxy = `http://127.0.0.1:${await listening(proxy)}`;
  const use = async (settings: { httpProxy: string; noProxy?: string }): Promise<void> => {
    await withCloud(
      async ({ open, call, sessions }) => {
        try {
          await (await open()).call(call('GET /networks'));
        } catch (error) {
          assert.match(String(error), 'authentication answered 502');
        } finally {
          await sessions.close();
        }
      },
      { sessions: { proxy: settings }, by: 'sockets' },
    );
  };
  try {
    await use({ httpProxy, noProxy: '127.0.0.1' });
    assert.is(passed, 0);
    await use({ httpProxy });
    assert.ok(passed > 0);
  } finally {
    proxy.closeAllConnections();
    await new Promise((resolve) => proxy.close(resolve));
  }
});

test.run();
