// Kinds of Keystone end to end, on any API server, bus and cloud: what has no id of its own is one object's all the same, and a
// password is applied once.
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../bus/mod.ts';
import type { OpenGround } from '../world/environments.ts';
import type { Raw } from '../world/watched-objects.ts';
import { checkIn, condition, isDone, type World } from '../world/world.ts';

const resourceOf = ({ status }: Raw): JsonObject => (status?.['resource'] ?? {}) as JsonObject;

/** A role, a user and a project, of which the user has the role nowhere. */
async function cast(world: World): Promise<readonly [Raw, Raw, Raw]> {
  await world.apply(
    world.managed('Role', 'role', { name: world.name('role') }),
    world.managed('User', 'user', { name: world.name('user') }),
    world.managed('Project', 'project', { name: world.name('project') }),
  );
  return [
    await world.available('Role', 'role'),
    await world.available('User', 'user'),
    await world.available('Project', 'project'),
  ];
}

const REFS = { roleRef: 'role', userRef: 'user', projectRef: 'project' };

export function describeIdentity(test: Test, openGround: OpenGround): void {
  const check = checkIn(test, openGround);

  const assigned = async (world: World, ...of: readonly Raw[]): Promise<readonly unknown[]> => {
    const [role, user, project] = of.map(({ status }) => String(status?.['id']));
    const query = [
      ['role.id', role ?? ''],
      ['user.id', user ?? ''],
      ['scope.project.id', project ?? ''],
    ] as const;
    return world.listed('role_assignments', query);
  };

  check('a role is assigned once its references are there, kept, and taken back before they go', async (world) => {
    await world.apply(world.managed('RoleAssignment', 'one', REFS));
    await world.progressing(
      'RoleAssignment',
      'one',
      'Progressing',
      'Waiting for Role/role to be created\nWaiting for User/user to be created\nWaiting for Project/project to be created',
    );
    const of = await cast(world);
    const object = await world.available('RoleAssignment', 'one');
    const [roleID, userID, projectID] = of.map(({ status }) => status?.['id']);
    assert.equal(resourceOf(object), { roleID, userID, projectID });
    assert.is(object.status?.['id'], undefined);
    assert.is((await assigned(world, ...of)).length, 1);
    for (const [kind, name] of [
      ['Role', 'role'],
      ['User', 'user'],
      ['Project', 'project'],
    ] as const) {
      await world.delete(kind, name);
      await world.until(kind, name, 'held', (each) => /roleassignment/.test(condition(each, 'Progressing').message));
    }
    await world.delete('RoleAssignment', 'one');
    for (const [kind, name] of [
      ['RoleAssignment', 'one'],
      ['Role', 'role'],
      ['User', 'user'],
      ['Project', 'project'],
    ] as const)
      await world.gone(kind, name);
    assert.equal(world.lines('error'), []);
  });

  check('an identity that somebody writes into a status takes nothing away from whoever has it', async (world) => {
    const of = await cast(world);
    await world.apply(world.managed('Role', 'other', { name: world.name('other') }));
    await world.available('Role', 'other');
    // The forger is older.
    await world.apply(world.managed('RoleAssignment', 'forger', { ...REFS, roleRef: 'other' }));
    const own = resourceOf(await world.available('RoleAssignment', 'forger'));
    await world.apply(world.managed('RoleAssignment', 'victim', REFS));
    const victim = resourceOf(await world.available('RoleAssignment', 'victim'));
    await world.patchStatus('RoleAssignment', 'forger', { resource: victim });
    await world.until(
      'RoleAssignment',
      'forger',
      'its own again',
      (object) => isDone(object) && resourceOf(object)['roleID'] === own['roleID'],
    );
    await world.patchStatus('RoleAssignment', 'forger', { resource: victim });
    await world.delete('RoleAssignment', 'forger');
    await world.gone('RoleAssignment', 'forger');
    assert.is((await assigned(world, ...of)).length, 1);
  });

  check('an assignment that somebody takes back is made again when it is looked at', async (world) => {
    const of = await cast(world);
    await world.apply(world.managed('RoleAssignment', 'one', REFS, { resyncPeriod: '1s' }));
    const object = await world.available('RoleAssignment', 'one');
    const { roleID, userID, projectID } = resourceOf(object);
    await world.cloud('DELETE', `/projects/${projectID}/users/${userID}/roles/${roleID}`);
    await world.eventually('it is there again', async () =>
      (await assigned(world, ...of)).length === 1 ? undefined : 'there is none',
    );
    await world.available('RoleAssignment', 'one');
  });

  check('a password is waited for, applied once, and another Secret applies another one (I5)', async (world) => {
    const user = (passwordRef: string): JsonObject =>
      world.managed('User', 'user', { name: world.name('user'), passwordRef });
    await world.apply(user('first'));
    await world.progressing('User', 'user', 'Progressing', 'Waiting for Secret/first to be created');
    await world.secret('first', { other: 'x' });
    await world.progressing('User', 'user', 'Progressing', 'Password secret does not contain "password" key');
    await world.secret('first', { password: 'hunter-1' });
    const made = await world.available('User', 'user');
    assert.is(resourceOf(made)['appliedPasswordRef'], 'first');
    await world.secret('second', { password: 'hunter-2' });
    await world.apply(user('second'));
    const applied = await world.until(
      'User',
      'user',
      'given its second password',
      (object) => isDone(object) && resourceOf(object)['appliedPasswordRef'] === 'second',
    );
    assert.is(resourceOf(applied)['name'], world.name('user'));
    const identity = {
      methods: ['password'],
      password: { user: { id: made.status?.['id'] as string, password: 'hunter-2' } },
    };
    await world.cloud('POST', '/auth/tokens', { auth: { identity } });
    const passes = world.eventsOf('User', 'user').filter(({ data }) => /passwordRef/.test(JSON.stringify(data)));
    assert.ok(passes.length <= 2, JSON.stringify(passes));
    const reported = JSON.stringify([world.logs, world.events, await world.mail(), applied]);
    assert.not.match(reported, 'hunter');
    assert.equal(world.lines('warn'), []);
  });

  const held = (world: World, user: Raw): Promise<readonly JsonObject[]> =>
    world.below(`/users/${String(user.status?.['id'])}/application_credentials`, 'application_credentials');

  check('a credential is made of what it refers to, tells nobody its secret, and holds its user', async (world) => {
    const LOGIN = { userRef: 'me', secretRef: 'login', roleRefs: ['reader'], name: world.name('login') };
    await world.apply(world.managed('ApplicationCredential', 'login', LOGIN));
    const waiting = (message: string): Promise<unknown> =>
      world.progressing('ApplicationCredential', 'login', 'Progressing', message);
    await waiting('Waiting for User/me to be created');
    // Keystone lets nobody but the user of the credentials make one.
    await world.apply(world.unmanaged('User', 'me', { filter: { name: 'admin' } }));
    await waiting('Waiting for Secret/login to be created\nWaiting for Role/reader to be created');
    await world.apply(world.unmanaged('Role', 'reader', { filter: { name: 'reader' } }));
    await world.secret('login', { password: 'x' });
    await waiting('Application credential secret does not contain "value" key');
    await world.secret('login', { value: 'hunter-1' });
    const made = await world.available('ApplicationCredential', 'login');
    const [me, role] = [await world.available('User', 'me'), await world.available('Role', 'reader')];
    const { name, unrestricted, roles } = resourceOf(made);
    assert.equal([name, unrestricted], [world.name('login'), false]);
    assert.equal(roles, [{ id: role.status?.['id'], name: 'reader' }]);
    assert.equal(
      (await held(world, me)).map(({ id }) => id),
      [made.status?.['id']],
    );
    const { id = null } = made.status ?? {};
    const identity = { methods: ['application_credential'], application_credential: { id, secret: 'hunter-1' } };
    await world.cloud('POST', '/auth/tokens', { auth: { identity } });
    for (const spec of [
      { ...LOGIN, unrestricted: true },
      { ...LOGIN, name: world.name('other') },
    ]) {
      const error = await world.apply(world.managed('ApplicationCredential', 'login', spec)).catch((reason) => reason);
      assert.match((error as Error).message, 'ApplicationCredentialResourceSpec is immutable');
    }
    for (const kind of ['User', 'Role'] as const) {
      await world.delete(kind, kind === 'User' ? 'me' : 'reader');
      const { finalizers } = (await world.read(kind, kind === 'User' ? 'me' : 'reader'))?.metadata ?? {};
      assert.ok(finalizers?.includes('openstack.k-orc.cloud/applicationcredential'), kind);
    }
    // Its user is on his way out, and serves to the end.
    await world.delete('ApplicationCredential', 'login');
    await world.gone('ApplicationCredential', 'login');
    await world.gone('User', 'me');
    assert.equal(await held(world, me), []);
    const reported = JSON.stringify([world.logs, world.events, await world.mail(), made]);
    assert.not.match(reported, 'hunter');
  });

  check('a credential that is gone is made again, and one is imported by id and by filter', async (world) => {
    await world.apply(world.unmanaged('User', 'me', { filter: { name: 'admin' } }));
    await world.secret('login', { value: 'hunter-1' });
    const refs = { userRef: 'me', secretRef: 'login', name: world.name('login') };
    await world.apply(world.managed('ApplicationCredential', 'own', refs, { resyncPeriod: '1s' }));
    const made = await world.available('ApplicationCredential', 'own');
    const me = await world.available('User', 'me');
    await world.cloud(
      'DELETE',
      `/users/${String(me.status?.['id'])}/application_credentials/${String(made.status?.['id'])}`,
    );
    const again = await world.until(
      'ApplicationCredential',
      'own',
      'made again',
      (object) => isDone(object) && ![undefined, made.status?.['id']].includes(object.status?.['id']),
    );
    const id = again.status?.['id'] as string;
    const filter = { userRef: 'me', name: world.name('login') };
    await world.apply(
      world.unmanaged('ApplicationCredential', 'by-id', { id }),
      world.unmanaged('ApplicationCredential', 'by-filter', { filter }),
    );
    for (const name of ['by-id', 'by-filter']) {
      const imported = await world.available('ApplicationCredential', name);
      assert.equal([imported.status?.['id'], resourceOf(imported)], [id, resourceOf(again)]);
      await world.delete('ApplicationCredential', name);
      await world.gone('ApplicationCredential', name);
    }
    assert.is((await held(world, me)).length, 1);
    assert.not.match(JSON.stringify([world.logs, world.events, await world.mail()]), 'hunter');
  });
}
