// What a session tells, and what its answers prove, with a transport that answers as the test says.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { TransportRequest, TransportResponse, Trust } from '../../../adapters/http/transport.ts';
import { HttpError, type Session } from '../../../adapters/openstack/client/session.ts';
import { type OwnedSessions, openStackSessions } from '../../../adapters/openstack/client/sessions.ts';
import type { JsonObject } from '../../../bus/bus.ts';
import { TransientError, UnknownOutcomeError } from '../../../bus/errors.ts';
import { secretOf } from '../../world/openstack.ts';
import { rejection } from '../../world/rejection.ts';
import { ManualClock } from '../kubernetes/manual-clock.ts';

const test = suite('OpenStack sessions: answers');

type Reply = Partial<TransportResponse> | Error;

const CATALOG = [{ type: 'network', endpoints: [{ interface: 'public', region: 'R', url: 'http://cloud/network' }] }];

const AUTH: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  password: { username: 'me', password: 'hunter-password', user_domain_name: 'd', project_id: 'p' },
  v3applicationcredential: {
    application_credential_id: 'app',
    application_credential_secret: 'hunter-application',
  },
  v3token: { token: 'hunter-token', project_id: 'p' },
};

interface Tenant {
  readonly clock: ManualClock;
  readonly sessions: OwnedSessions;
  /** What was sent but for authentications. */
  readonly sent: TransportRequest[];
  /** The trusts of the ways that were opened. */
  readonly trusts: Trust[];
  open(): Promise<Session>;
}

async function withAnswers(
  reply: (request: TransportRequest) => Reply,
  run: (tenant: Tenant) => Promise<void>,
  authType = 'password',
): Promise<void> {
  const clock = new ManualClock();
  const sent: TransportRequest[] = [];
  const trusts: Trust[] = [];
  const yaml = (verify: boolean): string =>
    JSON.stringify({
      clouds: {
        c: {
          auth: { auth_url: 'http://cloud/identity/v3', ...AUTH[authType] },
          auth_type: authType,
          verify: String(verify),
        },
      },
    });
  const sessions = openStackSessions({
    clock,
    version: '1',
    readSecret: async (namespace, name) => secretOf(`${yaml(name !== 'unverified')}\n# ${namespace}`),
    transport: (trust) => {
      trusts.push(trust);
      return {
        close: async () => undefined,
        async exchange(request) {
          const isToken = request.url.endsWith('/auth/tokens');
          if (!isToken) sent.push(request);
          const answer = reply(request);
          if (answer instanceof Error) throw answer;
          const token = { catalog: CATALOG, expires_at: new Date(clock.now() + 3_600_000).toISOString() };
          const usual = isToken
            ? { status: 201, body: { token: token as unknown as JsonObject }, subjectToken: 'hunter-issued' }
            : { status: 200, body: {}, subjectToken: undefined };
          return { retryAfterMs: undefined, ...usual, ...answer };
        },
      };
    },
  });
  const ref = { secretName: 'verified', cloudName: 'c' };
  const open = (): Promise<Session> => sessions.open('ns', ref, '1', clock.now() + 10_000);
  try {
    await run({ clock, sessions, sent, trusts, open });
  } finally {
    await sessions.close();
  }
}

const isToken = ({ url }: TransportRequest): boolean => url.endsWith('/auth/tokens');
const networks = (clock: ManualClock, method: 'GET' | 'POST' = 'GET') =>
  ({ service: 'network', method, path: '/networks', deadlineAt: clock.now() + 10_000, traceparent: 't' }) as const;

for (const [authType, secret] of [
  ['password', 'hunter-password'],
  ['v3applicationcredential', 'hunter-application'],
  ['v3token', 'hunter-token'],
  ['password', 'hunter-issued'],
] as const) {
  test(`a service that quotes what it was sent (${secret}) is not quoted, in message or error (HTTP-SECRETS-1)`, () => {
    const body = { error: { message: `policy says no to ${secret}!`, detail: [{ [secret]: secret }] } };
    const reply = (request: TransportRequest): Reply => (isToken(request) ? {} : { status: 403, body });
    return withAnswers(
      reply,
      async ({ clock, open }) => {
        const error = await rejection((await open()).call(networks(clock)));
        assert.match(error.message, 'policy says no to ***!');
        assert.not.match(JSON.stringify([error, error.message, error.stack, String(error.cause)]), 'hunter');
      },
      authType,
    );
  });
}

test('an authentication that nobody answered says nothing of the call, which was not sent', () =>
  withAnswers(
    (request) => (isToken(request) ? new UnknownOutcomeError('no answer') : {}),
    async ({ clock, open, sent }) => {
      const error = await rejection((await open()).call(networks(clock, 'POST')));
      assert.instance(error, TransientError);
      assert.not.instance(error, UnknownOutcomeError);
      assert.is(sent.length, 0);
    },
  ));

test('a list that is not found has failed: it is no empty one (OS-OPERATIONS-1)', () =>
  withAnswers(
    (request) => (isToken(request) ? {} : { status: 404, body: { networks: [] } }),
    async ({ clock, open }) => {
      const error = await rejection((await open()).list(networks(clock), 'networks'));
      assert.instance(error, HttpError);
      assert.is((error as HttpError).status, 404);
    },
  ));

test('no answer makes a namespace’s calls wait for more than half a minute', () => {
  let busy = true;
  const reply = (request: TransportRequest): Reply => {
    if (isToken(request) || !busy) return {};
    busy = false;
    return { status: 429, retryAfterMs: 3_600_000 };
  };
  return withAnswers(reply, async ({ clock, open, sent }) => {
    const session = await open();
    await rejection(session.call(networks(clock)));
    const later = session.call({ ...networks(clock), deadlineAt: clock.now() + 30_001 });
    clock.advance(30_000);
    assert.is((await later).status, 200);
    assert.is(sent.length, 2);
  });
});

test('a way that is not verified is nobody else’s', () =>
  withAnswers(
    () => ({}),
    async ({ clock, sessions, trusts, open }) => {
      await open();
      await sessions.open('ns', { secretName: 'unverified', cloudName: 'c' }, '1', clock.now() + 10_000);
      await open();
      assert.equal(
        trusts.map(({ verify }) => verify),
        ['verified', 'unverified'],
      );
    },
  ));

test('a secret of another namespace is another secret, whatever its name and version', async () => {
  const reads: string[] = [];
  const clock = new ManualClock();
  const sessions = openStackSessions({
    clock,
    version: '1',
    readSecret: async (namespace) => {
      reads.push(namespace);
      return secretOf(`clouds: { c: { auth: { auth_url: 'http://${namespace}/v3' } } }`);
    },
  });
  const ref = { secretName: 's', cloudName: 'c' };
  const [one, other] = [
    await sessions.open('one', ref, '1', clock.now() + 1),
    await sessions.open('other', ref, '1', clock.now() + 1),
  ];
  assert.is.not(one, other);
  assert.equal(reads, ['one', 'other']);
  await sessions.close();
});

test('the session of credentials that nobody has any more is gone', async () => {
  const clock = new ManualClock();
  let password = 'a';
  const sessions = openStackSessions({
    clock,
    version: '1',
    readSecret: async () => secretOf(`clouds: { c: { auth: { auth_url: 'http://cloud/v3', password: ${password} } } }`),
  });
  const open = (version: string) =>
    sessions.open('ns', { secretName: 's', cloudName: 'c' }, version, clock.now() + 1_000);
  const first = await open('1');
  password = 'b';
  await open('2');
  password = 'a';
  assert.is.not(await open('3'), first);
  await sessions.close();
});

test('what nobody opened for half an hour goes, connections included, and the rest stays (OS-SESSIONS-4)', async () => {
  const clock = new ManualClock();
  const closed: string[] = [];
  const opened: string[] = [];
  const sessions = openStackSessions({
    clock,
    version: '1',
    readSecret: async (_, name) =>
      secretOf(`clouds: { c: { auth: { auth_url: 'http://${name}/v3' }, verify: ${name === 'kept'} } }`),
    transport: ({ verify }) => {
      opened.push(verify);
      return {
        exchange: () => Promise.reject(new Error('nothing is asked')),
        close: async () => void closed.push(verify),
      };
    },
  });
  const open = (secretName: string): Promise<Session> =>
    sessions.open('ns', { secretName, cloudName: 'c' }, '1', clock.now() + 1_000);
  const [kept, idle] = [await open('kept'), await open('idle')];
  for (let minute = 0; minute < 29; minute++) {
    clock.advance(60_000);
    assert.is(await open('kept'), kept);
  }
  assert.equal([opened, closed], [['verified', 'unverified'], []]);
  assert.is(await open('idle'), idle, 'it was there still');
  for (let minute = 0; minute < 32; minute++) {
    clock.advance(60_000);
    assert.is(await open('kept'), kept);
  }
  assert.equal(closed, ['unverified']);
  assert.is.not(await open('idle'), idle);
  assert.equal(opened, ['verified', 'unverified', 'unverified']);
  await sessions.close();
  assert.equal(closed, ['unverified', 'verified', 'unverified']);
});

test.run();
