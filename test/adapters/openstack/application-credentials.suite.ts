// What the operations of application credentials must do, whoever implements the cloud.
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../bus/bus.ts';
import type { Observation } from '../../../machines/external-resource/operations.ts';
import { type Check, type Dependencies, fails, foundNothing, type Tenant } from '../../world/tenant.ts';

/** Types and ids as they are in both clouds: a user may make credentials for himself, with roles that he has. */
interface Cast {
  readonly userId: string;
  readonly role: JsonObject;
  readonly known: Dependencies;
}

async function cast(tenant: Tenant): Promise<Cast> {
  const session = await tenant.session();
  const userId = await session.userId({ deadlineAt: tenant.cloud.clock.now() + 20_000, traceparent: '' });
  const { roles } = await tenant.call('GET', '/roles');
  const role = (roles as readonly JsonObject[]).find(({ name }) => name === 'reader') as JsonObject;
  tenant.secrets.set('pass', { value: 'hunter-1' });
  const type = { type: tenant.name('type') };
  const known = {
    'User/me': userId,
    'Role/reader': String(role['id']),
    'Service/api': { id: 'f'.repeat(32), ready: true, attributes: type },
  };
  return { userId, role, known };
}

const REFS = { userRef: 'me', secretRef: 'pass' };

function mayLogIn(tenant: Tenant, id: string, secret: string): Promise<boolean> {
  return tenant.letsIn({ methods: ['application_credential'], application_credential: { id, secret } });
}

/** Keystone keeps the rules of a credential that is gone. */
async function dropRules(tenant: Tenant, userId: string, { resource }: Observation): Promise<void> {
  for (const { id } of (resource['accessRules'] ?? []) as readonly JsonObject[])
    await tenant.call('DELETE', `/users/${userId}/access_rules/${String(id)}`);
}

export function describeApplicationCredentials(check: Check): void {
  check('an application credential with every field, and what is told of it', async (tenant) => {
    const { userId, role, known } = await cast(tenant);
    const object = tenant.managed('ApplicationCredential', 'full', {
      ...REFS,
      name: tenant.name('renamed'),
      description: 'all of it',
      unrestricted: true,
      expiresAt: '2036-01-02T05:04:05+02:00',
      roleRefs: ['reader'],
      accessRules: [
        { path: '/v3/a', method: 'GET', serviceRef: 'api' },
        { path: '/v3/b/**', method: 'POST', serviceRef: 'api' },
      ],
    });
    const created = await tenant.create(object, known);
    assert.is(created.applied, undefined);
    const { passes, observation } = await tenant.settle(object, created, known);
    assert.equal([passes, observation.available, observation.pollAfterMs], [0, true, undefined]);
    const read = (await tenant.observe(object, created.id, known)) as Observation;
    for (const { resource } of [created, read]) {
      const { projectID, accessRules, roles, ...shown } = resource;
      assert.equal(shown, {
        name: tenant.name('renamed'),
        description: 'all of it',
        unrestricted: true,
        expiresAt: '2036-01-02T03:04:05Z',
      });
      assert.match(String(projectID), /^[0-9a-f]{32}$/);
      assert.equal(roles, [{ id: role['id'], name: 'reader' }]);
      const rules = (accessRules as readonly JsonObject[]).map(({ id, ...rule }) => [typeof id, rule]);
      const service = tenant.name('type');
      assert.equal(
        rules.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1)),
        [
          ['string', { path: '/v3/a', method: 'GET', service }],
          ['string', { path: '/v3/b/**', method: 'POST', service }],
        ],
      );
    }
    assert.is(await mayLogIn(tenant, created.id, 'hunter-2'), false);
    assert.is(await mayLogIn(tenant, created.id, 'hunter-1'), true);
    assert.not.match(JSON.stringify([created, observation, read]), 'hunter');
    await tenant.operations('ApplicationCredential').remove({ ...tenant.request(object, known), id: created.id });
    assert.is(await tenant.observe(object, created.id, known), undefined);
    await dropRules(tenant, userId, created);
  });

  check(
    'an application credential with no field has the roles of the login, and nothing of it is ever changed',
    async (tenant) => {
      const { known } = await cast(tenant);
      const object = tenant.managed('ApplicationCredential', 'bare', REFS);
      const created = await tenant.create(object, known);
      const { name, description, unrestricted, expiresAt, accessRules, roles } = created.resource;
      assert.equal(
        [name, description, unrestricted, expiresAt, accessRules],
        [tenant.name('bare'), undefined, false, undefined, undefined],
      );
      assert.ok((roles as readonly JsonObject[]).length > 0);
      // The API server lets none through; an object that was forged changes nothing.
      const other = tenant.managed('ApplicationCredential', 'bare', {
        ...REFS,
        name: tenant.name('x'),
        description: 'x',
      });
      const edited = { ...other, metadata: { ...other.metadata, generation: 2 } };
      assert.equal(await tenant.update(edited, created, known), { changed: false });
    },
  );

  check('what a credential is made with is waited for, and it is made by nobody but its user', async (tenant) => {
    const { known } = await cast(tenant);
    const { find } = tenant.operations('ApplicationCredential');
    const object = tenant.managed('ApplicationCredential', 'waiting', { ...REFS, secretRef: 'later' });
    await fails(tenant.create(object, known), 'transient', /^Waiting for Secret\/later to be created$/);
    tenant.secrets.set('later', { password: 'x' });
    await fails(
      tenant.create(object, known),
      'transient',
      /^Application credential secret does not contain "value" key$/,
    );
    await fails(find(tenant.request(object)) as Promise<unknown>, 'transient', /^no id is known of User\/me$/);
    foundNothing(await find(tenant.request(object, known)));
    const other = await tenant.outside('User', { name: tenant.name('other') });
    const theirs = tenant.managed('ApplicationCredential', 'theirs', REFS);
    await fails(
      tenant.create(theirs, { ...known, 'User/me': other }),
      'transient',
      /403: You are not authorized to perform the requested action: identity:create_application_credential/,
    );
  });

  check('what is refused is told without what the credential is made with', async (tenant) => {
    const { known } = await cast(tenant);
    const alien = await tenant.outside('Role', { name: tenant.name('alien') });
    for (const [resource, message] of [
      [{ roleRefs: ['alien'] }, /400: Invalid application credential: .*unassigned role/],
      [{ expiresAt: '2001-01-01T00:00:00Z' }, /400: The 'expires_at' must not be before now\./],
      [{ accessRules: [{ method: 'TRACE', path: '/', serviceRef: 'api' }] }, /400: .*'TRACE' does not match/s],
    ] as const) {
      const object = tenant.managed('ApplicationCredential', 'refused', { ...REFS, ...resource });
      const error = await tenant.create(object, { ...known, 'Role/alien': alien }).catch((thrown: Error) => thrown);
      assert.match((error as Error).message, message);
      assert.not.match(JSON.stringify([error, (error as Error).message]), 'hunter');
    }
  });

  check('a rule that is not whole is refused before the cloud is asked', async (tenant) => {
    const { known } = await cast(tenant);
    const whole = { path: '/v3/a', method: 'GET', serviceRef: 'api' } as const;
    for (const missing of Object.keys(whole)) {
      const rule = Object.fromEntries(Object.entries(whole).filter(([name]) => name !== missing));
      const object = tenant.managed('ApplicationCredential', 'partial', { ...REFS, accessRules: [whole, rule] });
      await fails(
        tenant.create(object, known),
        'terminal',
        /^an access rule needs a path, a method and a serviceRef$/,
        'InvalidConfiguration',
      );
      foundNothing(await tenant.operations('ApplicationCredential').find(tenant.request(object, known)));
    }
  });

  check('what an interrupted create left of a credential is found, told from others, and imported', async (tenant) => {
    const { known } = await cast(tenant);
    const other = await tenant.outside('User', { name: tenant.name('other') });
    const { find, import: imports, remove } = tenant.operations('ApplicationCredential');
    const object = tenant.managed('ApplicationCredential', 'lost', { ...REFS, description: 'mine' });
    foundNothing(await find(tenant.request(object, known)));
    const { id } = await tenant.create(object, known);
    const { matches, exact, completedLookup } = await find(tenant.request(object, known));
    assert.equal([matches.map((each) => each.id), exact], [[id], true]);
    const changed = tenant.managed('ApplicationCredential', 'lost', { ...REFS, description: 'other' });
    foundNothing(await find(tenant.request(changed, known)));
    const elsewhere = await find(tenant.request(object, { ...known, 'User/me': other }));
    foundNothing(elsewhere);
    assert.is.not(elsewhere.completedLookup, completedLookup);
    // Its name is taken in the cloud, so that it is not made twice.
    await fails(tenant.create(changed, known), 'terminal', /^invalid configuration creating resource: .*409/);
    for (const [filter, isFound] of [
      [{ userRef: 'me', name: tenant.name('lost') }, true],
      [{ userRef: 'me', name: tenant.name('lost'), description: 'mine' }, true],
      [{ userRef: 'me', name: tenant.name('lost'), description: 'other' }, false],
      [{ userRef: 'me', name: tenant.name('los') }, false],
      [{ userRef: 'other', name: tenant.name('lost') }, false],
    ] as const) {
      const request = tenant.request(tenant.imported('ApplicationCredential', { filter }), {
        ...known,
        'User/other': other,
      });
      const found = await imports(request);
      assert.is(found?.id, isFound ? id : undefined, JSON.stringify(filter));
    }
    const byId = tenant.imported('ApplicationCredential', { id });
    const found = (await imports(tenant.request(byId))) as Observation;
    assert.equal([found.id, found.resource['name']], [id, tenant.name('lost')]);
    assert.is((await tenant.observe(byId, id))?.id, id);
    await remove({ ...tenant.request(object, known), id });
    await remove({ ...tenant.request(object, known), id });
    assert.is(await tenant.observe(object, id, known), undefined);
    await fails(
      imports(tenant.request(byId)),
      'terminal',
      /^referenced resource does not exist in OpenStack$/,
      'UnrecoverableError',
    );
    await fails(
      tenant.observe(byId, id) as Promise<unknown>,
      'terminal',
      /^resource has been deleted from OpenStack$/,
      'UnrecoverableError',
    );
  });

  check('many credentials of a user looked for at once are each found', async (tenant) => {
    const { known } = await cast(tenant);
    const objects = ['a', 'b', 'c', 'd', 'e', 'f'].map((suffix) =>
      tenant.managed('ApplicationCredential', suffix, REFS),
    );
    const ids: string[] = [];
    for (const object of objects) ids.push((await tenant.create(object, known)).id);
    const { find } = tenant.operations('ApplicationCredential');
    const found = await Promise.all(objects.map((object) => find(tenant.request(object, known))));
    assert.equal(
      found.map(({ matches }) => matches.map(({ id }) => id)),
      ids.map((id) => [id]),
    );
  });
}
