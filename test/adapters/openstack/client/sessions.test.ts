import type { IncomingHttpHeaders } from 'node:http';
import { type AddressInfo, createServer as createPlainServer } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CallRecord } from '../../../../adapters/api/adapter.ts';
import type { Transport } from '../../../../adapters/http/transport.ts';
import { HttpError, type Session } from '../../../../adapters/openstack/client/session.ts';
import { TransientError } from '../../../../bus/errors.ts';
import { secretOf, withCloud } from '../../../world/openstack.ts';
import { rejection } from '../../../world/rejection.ts';

const test = suite('OpenStack sessions');

const TOKENS = 'identity POST /auth/tokens';

test('many calls at once authenticate once (OS-CLOUD-SESSION-2)', () =>
  withCloud(async ({ simulator, open, call }) => {
    simulator.setLatency(20);
    const session = await open();
    await Promise.all(Array.from({ length: 40 }, () => session.call(call('GET /networks'))));
    assert.is(simulator.calls()[TOKENS], 1);
    assert.is(simulator.calls()['network GET /networks'], 40);
  }));

test('never more calls are in flight than the option says (HTTP-CONCURRENCY-LIMITER-1)', async () => {
  await withCloud(
    async ({ simulator, open, call }) => {
      const session = await open();
      await session.call(call('GET /networks'));
      simulator.setLatency(10);
      await Promise.all(Array.from({ length: 30 }, () => session.call(call('GET /networks'))));
      assert.is(simulator.mostInFlight(), 3);
    },
    { sessions: { callsInFlight: 3 } },
  );
});

// One at a time, since calls that are in flight together may overtake each other on their connections.
test('calls that wait are served first come, first served (HTTP-CONCURRENCY-LIMITER-2)', async () => {
  const order: string[] = [];
  const onCall = ({ path }: CallRecord): number => order.push(path);
  await withCloud(
    async ({ open, call }) => {
      const session = await open();
      await session.call(call('GET /networks'));
      order.length = 0;
      const ids = Array.from({ length: 30 }, (_, index) => `/networks/${String(index).padStart(2, '0')}`);
      await Promise.all(ids.map((path) => session.call(call(`GET ${path}`))));
      assert.equal(order, ids);
    },
    { sessions: { callsInFlight: 1, onCall } },
  );
});

test('sixteen calls are in flight by default, over all sessions of a cloud', () =>
  withCloud(async ({ simulator, secrets, open, call }) => {
    secrets.set('other', secretOf(simulator.cloudsYaml('test').replace('region_name: RegionOne', '')));
    const sessions = [await open(), await open('other')];
    for (const session of sessions) await session.call(call('GET /networks'));
    assert.is.not(sessions[0], sessions[1]);
    simulator.setLatency(300);
    await Promise.all(Array.from({ length: 64 }, (_, n) => (sessions[n % 2] as Session).call(call('GET /networks'))));
    assert.is(simulator.mostInFlight(), 16);
  }));

test('after 401 all calls go on with one new token', () =>
  withCloud(async ({ simulator, open, call }) => {
    const session = await open();
    await session.call(call('GET /networks'));
    simulator.expireTokens();
    simulator.setLatency(10);
    const answers = await Promise.all(Array.from({ length: 20 }, () => session.call(call('GET /networks'))));
    assert.ok(answers.every(({ status }) => status === 200));
    assert.is(simulator.calls()[TOKENS], 2);
  }));

test('a token that is refused in plain text is renewed too', () =>
  withCloud(async ({ simulator, open, call }) => {
    const session = await open();
    simulator.faults.inject({ match: { path: /^\/networks/ }, status: 401, garbage: 'Authentication required' });
    assert.is((await session.call(call('GET /networks'))).status, 200);
    assert.is(simulator.calls()[TOKENS], 2);
  }));

test('a call that is refused with 401 twice is not tried a third time (OS-CLOUD-SESSION-3)', () =>
  withCloud(async ({ simulator, open, call }) => {
    const session = await open();
    simulator.faults.inject({
      match: { path: /^\/networks/ },
      status: 401,
      body: { error: { message: 'no' } },
      times: 9,
    });
    const error = await rejection(session.call(call('GET /networks')));
    assert.instance(error, HttpError);
    assert.is((error as HttpError).status, 401);
    assert.is(simulator.calls()['network GET /networks'], 2);
    assert.is(simulator.calls()[TOKENS], 2);
  }));

test('a token is renewed before its end', () =>
  withCloud(async ({ clock, simulator, open, call }) => {
    const session = await open();
    await session.call(call('GET /networks'));
    clock.spend(50 * 60_000);
    await session.call(call('GET /networks'));
    assert.is(simulator.calls()[TOKENS], 1);
    clock.spend(5 * 60_000);
    await session.call(call('GET /networks'));
    assert.is(simulator.calls()[TOKENS], 2);
    assert.is(simulator.calls()['network GET /networks'], 3);
  }));

test('refused credentials are not tried again for a while, and say so without the password (OS-CLOUD-SESSION-1)', () =>
  withCloud(async ({ clock, simulator, secrets, open, call }) => {
    secrets.set('wrong', secretOf(simulator.cloudsYaml('test').replace('password: secret', 'password: hunter22')));
    const session = await open('wrong');
    for (let attempt = 0; attempt < 5; attempt++) {
      const error = await rejection(session.call(call('GET /networks')));
      assert.instance(error, TransientError);
      assert.is(error.message, 'authentication answered 401: the identity service refuses the credentials');
    }
    assert.is(simulator.calls()[TOKENS], 1);
    clock.spend(6_000);
    await rejection(session.call(call('GET /networks')));
    assert.is(simulator.calls()[TOKENS], 2);
  }));

test('an absent endpoint of Keystone is no absent resource', () =>
  withCloud(async ({ simulator, open, call }) => {
    simulator.faults.inject({ match: { path: /tokens/ }, status: 404, body: { error: { message: 'no such thing' } } });
    const error = await rejection((await open()).call(call('GET /networks/x')));
    assert.instance(error, TransientError);
    assert.match(error.message, 'authentication answered 404: there is no identity service under the auth_url');
  }));

test('answers: 404 is a value, other refusals are errors that tell all but secrets', () =>
  withCloud(async ({ open, call, simulator }) => {
    const session = await open();
    const absent = await session.call(call('GET /networks/nosuch'));
    assert.is(absent.status, 404);
    const error = await rejection(session.call(call('GET /networks', { query: [['bogus', 'hidden']] })));
    assert.instance(error, HttpError);
    const { status, body, code, message } = error as HttpError;
    assert.is(status, 400);
    assert.is(code, 'transient');
    assert.is(message, "GET /networks of service 'network' answered 400: ['bogus'] is invalid attribute for filtering");
    assert.is((body['NeutronError'] as { type?: string }).type, 'HTTPBadRequest');
    simulator.faults.inject({ status: 500, body: { error: { message: 'the password is secret, really' } } });
    assert.match((await rejection(session.call(call('GET /projects')))).message, 'the password is ***, really');
  }));

test('a refusal that is told in part tells no part of a secret (OS-CLOUD-SESSION-1)', () =>
  withCloud(async ({ open, call, simulator }) => {
    const message = `${'x'.repeat(1_997)}secret`;
    simulator.faults.inject({ match: { path: /networks/ }, status: 500, body: { error: { message } } });
    const { message: reported } = await rejection((await open()).call(call('GET /networks')));
    assert.match(reported, /answered 500: x+/);
    assert.not.match(reported, /xs/);
  }));

test('a token that was replaced while a call was under way is not told either (OS-CLOUD-SESSION-1)', async () => {
  const first = Promise.withResolvers<void>();
  const tokens: string[] = [];
  const transport = (way: () => Transport) => (): Transport => {
    const http = way();
    return {
      close: () => http.close(),
      async exchange(request) {
        const token = request.headers['x-auth-token'];
        if (token === undefined) return http.exchange(request);
        if (tokens.push(token) === 1) await first.promise;
        const body = { error: { message: `no policy for ${token}` } };
        return { status: 500, body, subjectToken: undefined, retryAfterMs: undefined };
      },
    };
  };
  await withCloud(
    async ({ clock, open, call }) => {
      const session = await open();
      const asked = rejection(session.call(call('GET /networks')));
      while (tokens.length === 0) await clock.sleep(1);
      clock.spend(55 * 60_000);
      const later = await rejection(session.call(call('GET /networks')));
      first.resolve();
      assert.is.not(tokens[0], tokens[1]);
      for (const { message } of [later, await asked]) assert.match(message, 'no policy for ***');
    },
    { sessions: (way) => ({ transport: transport(way) }) },
  );
});

test('garbage is transient, and its text is not repeated', () =>
  withCloud(async ({ simulator, open, call }) => {
    const session = await open();
    await session.call(call('GET /networks'));
    const html = '<html>gAAAA-token</html>';
    const cases = [
      [{ garbage: html }, /answered 200 with something that is not JSON \(text\/html/],
      [{ garbage: '{"networks":[{"id"' }, /answered 200 with something that is not JSON/],
      [{ garbage: '[1]' }, /answered 200 with JSON that is not an object/],
      [{ status: 404, garbage: html }, /answered 404 with something that is not JSON/],
      [{ status: 502, garbage: html }, /answered 502 with something that is not JSON/],
      [{ status: 302, headers: { location: 'http://127.0.0.1:1/' } }, /answered 302: redirections are not followed/],
      [{ dropBeforeWork: true }, /GET \/networks of service 'network' failed: /],
      [{ dropAfterWork: true }, /GET \/networks of service 'network' failed: /],
    ] as const;
    for (const [fault, message] of cases) {
      simulator.faults.inject(fault);
      const error = await rejection(session.call(call('GET /networks')));
      assert.instance(error, TransientError);
      assert.match(error.message, message);
      assert.not.match(JSON.stringify([error.message, String(error.cause)]), 'gAAAA');
    }
    for (const body of [{}, { networks: {} }, { networks: [null] }]) {
      simulator.faults.inject({ status: 200, body });
      const error = await rejection(session.list(call('GET /networks'), 'networks'));
      assert.match(error.message, "answered 200 without a list 'networks'");
    }
    simulator.faults.inject({ match: { path: /tokens/ }, status: 201, body: { token: {} } });
    simulator.expireTokens();
    assert.match((await rejection(session.call(call('GET /networks')))).message, 'answered without a token');
  }));

test('Retry-After is passed on, and the namespace leaves the cloud alone for so long (HTTP-CONCURRENCY-LIMITER-3)', () =>
  withCloud(async ({ clock, simulator, open, call }) => {
    const session = await open();
    await session.call(call('GET /networks'));
    simulator.faults.inject({ status: 429, headers: { 'retry-after': '1' } });
    const error = await rejection(session.call(call('GET /networks')));
    assert.is((error as HttpError).retryAfterMs, 1_000);
    const pausedAt = clock.now();
    const soon = await rejection(session.call(call('GET /networks', { deadlineAt: clock.now() + 300 })));
    assert.instance(soon, TransientError);
    assert.ok(Number((soon as TransientError).retryAfterMs) > 500);
    assert.is(simulator.calls()['network GET /networks'], 2);
    await session.call(call('GET /networks'));
    assert.ok(clock.now() - pausedAt >= 950, `waited ${clock.now() - pausedAt} ms`);
    simulator.faults.inject({ status: 503, headers: { 'retry-after': new Date(clock.now() + 5_000).toUTCString() } });
    const dated = await rejection(session.call(call('GET /networks')));
    assert.ok(Number((dated as HttpError).retryAfterMs) > 3_000);
    simulator.faults.inject({ status: 503, garbage: '<html>' });
  }));

test('maintenance of a service stops calls to it for all who reach the cloud, and to no other one; then one probe', () =>
  withCloud(async ({ clock, simulator, secrets, open, call }) => {
    secrets.set('other', secretOf(simulator.cloudsYaml('test').replace('region_name: RegionOne', '')));
    const sessions = [await open(), await open('other')];
    for (const session of sessions) await session.call(call('GET /networks'));
    const network = simulator.calls()['network GET /networks'] ?? 0;
    for (const words of [{ body: {} }, { garbage: '<html>' }]) {
      simulator.faults.inject({
        match: { service: 'network' },
        status: 503,
        headers: { 'retry-after': '300' },
        ...words,
      });
    }
    const reported = async (session: Session | undefined): Promise<TransientError> => {
      const error = (await rejection((session as Session).call(call('GET /networks')))) as TransientError;
      assert.is(error.code, 'transient');
      return error;
    };
    const calls = (): number => (simulator.calls()['network GET /networks'] ?? 0) - network;
    const rests = async (): Promise<void> => {
      for (const session of sessions) {
        const { message, retryAfterMs = 0 } = await reported(session);
        assert.match(message, /^service 'network' returned 503 with Retry-After; pausing its requests until /);
        assert.ok(retryAfterMs > 290_000);
        assert.is((await session.call(call('GET /projects'))).status, 200);
      }
    };
    assert.match((await reported(sessions[0])).message, 'answered 503');
    await rests();
    assert.is(calls(), 1);
    clock.spend(300_000);
    // Its gateway says so this time.
    const answers = await Promise.all(Array.from({ length: 9 }, (_, n) => reported(sessions[n % 2])));
    assert.is(answers.filter(({ message }) => message.includes('answered 503')).length, 1);
    assert.is(calls(), 2);
    await rests();
    clock.spend(300_000);
    assert.is((await (sessions[1] as Session).call(call('GET /networks'))).status, 200);
    for (const session of sessions) assert.is((await session.call(call('GET /networks'))).status, 200);
  }));

test('a deadline ends a call wherever it is: authenticating, waiting for a slot, waiting for the answer', () =>
  withCloud(
    async ({ clock, simulator, open, call }) => {
      const session = await open();
      const late = async (what: string): Promise<void> => {
        const startedAt = clock.now();
        const error = await rejection(session.call(call('GET /networks', { deadlineAt: clock.now() + 100 })));
        assert.instance(error, TransientError);
        assert.match(error.message, what);
        assert.ok(clock.now() - startedAt < 1_000);
      };
      simulator.faults.inject({ match: { path: /tokens/ }, delayMs: 400 });
      await late('authentication took too long');
      await session.call(call('GET /networks'));
      simulator.faults.inject({ delayMs: 600 });
      const slow = session.call(call('GET /networks'));
      await late('the cloud was too busy to take the call before its deadline');
      await slow;
      simulator.faults.inject({ delayMs: 600 });
      await late('was not answered by its deadline');
      const past = await rejection(session.call(call('GET /networks', { deadlineAt: clock.now() - 1 })));
      assert.match(past.message, /its deadline had passed|before its deadline/);
    },
    { sessions: { callsInFlight: 1 } },
  ));

test('lists are read page by page, whatever the service calls the next one', () =>
  withCloud(
    async ({ simulator, open, call }) => {
      const session = await open();
      for (let n = 0; n < 5; n++) {
        await session.call(call('POST /networks', { body: { network: { name: `n${n}` } } }));
        await session.call(call('POST /projects', { body: { project: { name: `p${n}` } } }));
      }
      assert.is((await session.list(call('GET /networks'), 'networks')).length, 5);
      assert.is(simulator.calls()['network GET /networks'], 3);
      assert.is((await session.list(call('GET /projects'), 'projects')).length, 7);
      assert.is(simulator.calls()['identity GET /projects'], 3);
      const circle = {
        networks: [],
        networks_links: [{ rel: 'next', href: 'http://elsewhere.invalid/v2.0/networks?marker=1' }],
      };
      simulator.faults.inject({ match: { path: /networks/ }, status: 200, body: circle, times: 9 });
      const error = await rejection(session.list(call('GET /networks'), 'networks'));
      assert.match(error.message, 'pages that lead in a circle');
      assert.is(simulator.calls()['network GET /networks'], 5);
    },
    { simulator: { networkPageSize: 2, identityPageSize: 3 } },
  ));

test('endpoints are found with and without a version', () =>
  withCloud(
    async ({ simulator, secrets, open, call }) => {
      secrets.set('bare', secretOf(simulator.cloudsYaml('test').replace('/identity/v3', '/identity/')));
      const session = await open('bare');
      assert.is((await session.call(call('GET /networks'))).status, 200);
      assert.is((await session.call(call('GET /projects'))).status, 200);
      secrets.set('elsewhere', secretOf(simulator.cloudsYaml('test').replace('RegionOne', 'RegionTwo')));
      const error = await rejection((await open('elsewhere')).call(call('GET /networks')));
      assert.is(error.message, "the catalog has no public endpoint of service 'network' in region 'RegionTwo'");
    },
    { simulator: { networkUrl: 'versioned' } },
  ));

test('a secret is read again only when its version changes, and equal content is one session (OS-SESSIONS-1, OS-SESSIONS-2)', () =>
  withCloud(async ({ simulator, secrets, sessions, clock, reads, open }) => {
    const first = await open();
    assert.is(await open(), first);
    assert.is(reads(), 1);
    assert.is(await open('cloud', '2'), first);
    assert.is(reads(), 2);
    secrets.set('copy', secretOf(`# another file\n${simulator.cloudsYaml('test')}`));
    assert.is(await open('copy'), first);
    secrets.set('copy', secretOf(simulator.cloudsYaml('test'), '-----BEGIN CERTIFICATE-----\n'));
    assert.is.not(await open('copy', '2'), first);
    const deadlineAt = clock.now() + 1_000;
    const before = reads();
    const ref = { secretName: 'cloud', cloudName: 'test' };
    await sessions.open('ns', ref, undefined, deadlineAt);
    await sessions.open('ns', ref, undefined, deadlineAt);
    assert.is(reads(), before + 2);
    await Promise.all(Array.from({ length: 9 }, () => open('cloud', '3')));
    assert.is(reads(), before + 3);
  }));

test('what one version of a secret holds is parsed once, whoever asks and whatever comes of it (OS-SESSIONS-3)', () =>
  withCloud(async ({ secrets, open }) => {
    let parsed = 0;
    const counted = (text: string): void => {
      const { data, ...secret } = secretOf(text);
      secrets.set('counted', {
        ...secret,
        get data() {
          parsed++;
          return data;
        },
      });
    };
    counted('{{');
    const messages = await Promise.all(
      Array.from({ length: 3 }, async (_, n) => (await rejection(open('counted', String(n)))).message),
    );
    const once = parsed;
    assert.ok(once > 0);
    assert.is(new Set(messages).size, 1);
    await rejection(open('counted', 'later'));
    assert.is(parsed, once);
    counted('{[');
    await rejection(open('counted', 'changed'));
    assert.is(parsed, 2 * once);
  }));

test('failures to read credentials are told in the words of the contract, and not kept (OS-SESSIONS-3)', () =>
  withCloud(async ({ simulator, secrets, open }) => {
    assert.is((await rejection(open('late'))).message, 'Waiting for Secret/late to be created');
    secrets.set('late', { uid: 'u', resourceVersion: '1', data: {} });
    assert.is(
      (await rejection(open('late'))).message,
      'OpenStack credentials secret late did not contain key clouds.yaml',
    );
    secrets.set('late', secretOf(simulator.cloudsYaml('other')));
    assert.is((await rejection(open('late'))).message, 'no cloud named: test, in the provided config');
    secrets.set('late', secretOf(simulator.cloudsYaml('test')));
    assert.ok(await open('late'));
  }));

test('a secret that takes too long to read is waited for until the deadline', () =>
  withCloud(
    async ({ sessions, clock }) => {
      const ref = { secretName: 'cloud', cloudName: 'test' };
      const error = await rejection(sessions.open('ns', ref, '1', clock.now() + 50));
      assert.instance(error, TransientError);
      assert.is(error.message, "credentials secret 'cloud' was not read by the deadline");
    },
    { sessions: { readSecret: () => new Promise(() => undefined) } },
  ));

test('every request is traced and introduces itself', async () => {
  const records: CallRecord[] = [];
  const seen: IncomingHttpHeaders[] = [];
  await withCloud(
    async ({ wire, simulator, secrets, open, call }) => {
      wire.serve('http://recorder.test', (request, response) => {
        seen.push(request.headers);
        response.writeHead(500, { 'content-type': 'application/json' }).end('{}');
      });
      const yaml = simulator.cloudsYaml('test').replace(/auth_url: .*/, 'auth_url: http://recorder.test');
      secrets.set('recorder', secretOf(yaml));
      const session = await open('recorder');
      await rejection(
        session.call(call('GET /networks', { traceparent: '00-0123456789abcdef0123456789abcdef-0123456789abcdef-01' })),
      );
      assert.is(seen[0]?.['user-agent'], 'troupe/1.2.3');
      assert.is(seen[0]?.['x-openstack-request-id'], 'req-01234567-89ab-cdef-0123-456789abcdef');
      assert.is(seen[0]?.['x-auth-token'], undefined);
      const [{ durationMs = -1, ...record } = {}] = records;
      assert.equal(record, {
        service: 'identity',
        method: 'POST',
        path: '/auth/tokens',
        status: 500,
        traceparent: '00-0123456789abcdef0123456789abcdef-0123456789abcdef-01',
      });
      assert.ok(durationMs >= 0);
      await (await open()).call(call('GET /networks', { query: [['name', 'hidden']] }));
      assert.is(records.at(-1)?.path, '/networks');
      assert.not.match(JSON.stringify(records), 'hidden');
    },
    { sessions: { onCall: (record) => records.push(record) } },
  );
});

test('no connection is a transient error that names the request only', () =>
  withCloud(
    async ({ simulator, secrets, open, call }) => {
      const closed = createPlainServer();
      await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
      const { port } = closed.address() as AddressInfo;
      await new Promise((resolve) => closed.close(resolve));
      secrets.set(
        'closed',
        secretOf(simulator.cloudsYaml('test').replace(/auth_url: .*/, `auth_url: http://127.0.0.1:${port}`)),
      );
      const error = await rejection((await open('closed')).call(call('GET /networks')));
      assert.instance(error, TransientError);
      assert.match(error.message, /^POST \/auth\/tokens of service 'identity' failed: .*ECONNREFUSED/);
    },
    { by: 'sockets' },
  ));

test.run();
