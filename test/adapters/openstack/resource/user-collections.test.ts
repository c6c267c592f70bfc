// Whose collections are looked into: that of the user an object refers to, or, where an id is all there is, those of all.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseGrant } from '../../../../adapters/openstack/client/authentication.ts';
import { lookUps } from '../../../../adapters/openstack/client/lookups.ts';
import { poller } from '../../../../adapters/openstack/client/poller.ts';
import { type Call, HttpError } from '../../../../adapters/openstack/client/session.ts';
import { applicationCredential } from '../../../../adapters/openstack/kinds/application-credential.ts';
import { referencesOf } from '../../../../adapters/openstack/resource/references.ts';
import type { JsonObject } from '../../../../bus/bus.ts';
import type { ResourceOperations } from '../../../../machines/external-resource/operations.ts';
import type { OperationRequest } from '../../../../machines/kind.ts';
import { simulatedClock } from '../../../world/clock.ts';
import { withCloud } from '../../../world/openstack.ts';
import { NO_DOWNLOADS } from '../no-downloads.ts';

const test = suite('collections below users');

const clock = simulatedClock({ seed: 1 });

const ID = 'c'.repeat(32);

interface Playing {
  readonly asked: string[];
  readonly operations: ResourceOperations;
}

/** A cloud of a later release, which looks at the user in a path: the credential is `owner`'s. */
function playing(owner: string, users: readonly string[] | HttpError): Playing {
  const asked: string[] = [];
  const looks = lookUps({ clock });
  const answer = ({ path }: Pick<Call, 'path'>): JsonObject | undefined =>
    path.startsWith(`/users/${owner}/application_credentials`) ? { id: ID, name: 'n' } : undefined;
  const operations = applicationCredential.operations({
    sessions: {
      identify: async () => ({ cloud: 'cloud', scope: 'scope', user: 'user' }),
      open: async () => ({
        userId: async () => 'me',
        async list({ path }) {
          asked.push(`LIST ${path}`);
          if (path !== '/users') return [answer({ path }) ?? []].flat();
          if (users instanceof HttpError) throw users;
          return users.map((id) => ({ id }));
        },
        async call({ method, path }) {
          asked.push(`${method} ${path}`);
          const found = answer({ path });
          return found === undefined
            ? { status: 404, body: {} }
            : { status: 200, body: { application_credential: found } };
        },
      }),
    },
    lookUps: looks,
    poller: poller({ clock, lookUps: looks }),
    readSecret: async () => undefined,
    clock,
    downloads: NO_DOWNLOADS,
  });
  return { asked, operations };
}

function request(spec: JsonObject, known: OperationRequest['dependencies'] = {}): OperationRequest {
  return {
    object: {
      apiVersion: 'openstack.k-orc.cloud/v1alpha1',
      kind: 'ApplicationCredential',
      metadata: { name: 'n', namespace: 'ns', uid: 'u', resourceVersion: '1', generation: 1 },
      spec: { cloudCredentialsRef: { secretName: 'clouds', cloudName: 'c' }, ...spec },
    },
    dependencies: known,
    deadlineAt: clock.now() + 10_000,
    traceparent: 't',
  };
}

const byId = { managementPolicy: 'unmanaged', import: { id: ID } };
const managed = { managementPolicy: 'managed', resource: { userRef: 'her', secretRef: 'pass' } };
const HER = { 'User/her': { id: 'her-id', ready: true } };

const at = (user: string): string => `GET /users/${user}/application_credentials/${ID}`;

test('an id is looked for below the user of the credentials, then below every other one (OS-USER-COLLECTIONS-2)', async () => {
  const own = playing('me', ['a', 'me', 'b']);
  assert.is((await own.operations.import(request(byId)))?.id, ID);
  assert.equal(own.asked, [at('me')]);
  const other = playing('b', ['a', 'me', 'b', '../c', 'd']);
  assert.is((await other.operations.observe({ ...request(byId), id: ID }))?.id, ID);
  assert.equal(other.asked, [at('me'), 'LIST /users', at('a'), at('b')]);
});

test('who may not list users has what is his; a list that failed says nothing', async () => {
  const gone = /resource does not exist in OpenStack/;
  for (const [status, message] of [
    [403, gone],
    [500, /^LIST failed$/],
  ] as const) {
    const { operations } = playing('b', new HttpError('LIST failed', { status, body: {} }));
    const error = await operations.import(request(byId)).catch((reason: unknown) => reason);
    assert.match((error as Error).message, message);
  }
});

test('where a user is named nobody else is asked (OS-USER-COLLECTIONS-1), and who is not known yet is waited for', async () => {
  const { asked, operations } = playing('me', ['me', 'b']);
  assert.is(await operations.observe({ ...request(managed, HER), id: ID }), undefined);
  assert.equal((await operations.find(request(managed, HER))).matches, []);
  await operations.remove({ ...request(managed, HER), id: ID });
  assert.equal(asked, [at('her-id'), 'LIST /users/her-id/application_credentials', `DELETE ${at('her-id').slice(4)}`]);
  for (const spec of [managed, { managementPolicy: 'unmanaged', import: { filter: { userRef: 'her', name: 'n' } } }]) {
    const error = await operations.observe({ ...request(spec), id: ID }).catch((reason: unknown) => reason);
    assert.is((error as Error).message, 'no id is known of User/her');
  }
  assert.is(asked.length, 3);
});

test('the user is needed for as long as the object lives; a name is no path', async () => {
  const needs = (spec: JsonObject): unknown =>
    referencesOf(applicationCredential, request(spec).object).map(({ kind, name, neededFor, finalizers }) => [
      `${kind}/${name}`,
      neededFor,
      finalizers.length,
    ]);
  const resource = { ...managed.resource, roleRefs: ['r'], accessRules: [{ serviceRef: 's' }] };
  assert.equal(needs({ ...managed, resource }), [
    ['Secret/clouds', 'always', 1],
    ['User/her', 'always', 1],
    ['Secret/pass', 'create', 0],
    ['Role/r', 'create', 1],
    ['Service/s', 'create', 1],
  ]);
  assert.equal(needs({ managementPolicy: 'unmanaged', import: { filter: { userRef: 'her', name: 'n' } } }), [
    ['Secret/clouds', 'always', 1],
    ['User/her', 'always', 0],
  ]);
  const { asked, operations } = playing('me', []);
  const forged = { 'User/her': { id: '../me', ready: true } };
  const error = await operations.observe({ ...request(managed, forged), id: ID }).catch((reason: unknown) => reason);
  assert.is((error as Error).message, 'the id of User/her is not an id of OpenStack');
  assert.equal(asked, []);
});

test('a session tells whose its credentials are; what is no id is of nobody', () =>
  withCloud(async (cloud) => {
    const session = await cloud.open();
    const call = { deadlineAt: cloud.clock.now() + 10_000, traceparent: '' };
    const { body } = await session.call(cloud.call('GET /users'));
    const [admin] = body['users'] as readonly JsonObject[];
    assert.is(await session.userId(call), admin?.['id']);
    for (const user of [undefined, 'me', {}, { id: '../me' }]) {
      const token = { issued_at: '2026-01-01T00:00:00Z', expires_at: '2026-01-01T01:00:00Z', ...(user && { user }) };
      assert.is(parseGrant('t', { token }, 0).userId, undefined, JSON.stringify(user));
    }
  }));

test.run();
