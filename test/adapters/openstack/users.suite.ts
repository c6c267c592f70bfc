// What the operations of users must do, whoever implements the cloud.
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../bus/bus.ts';
import type { Observation } from '../../../machines/external-resource/operations.ts';
import type { KubeObject } from '../../../machines/object.ts';
import { type Check, fails, foundNothing, type Tenant } from '../../world/tenant.ts';

/** As the runtime records it. */
function recorded(object: KubeObject, applied: JsonObject | undefined): KubeObject {
  return { ...object, status: { resource: { ...applied } } };
}

/** Whether Keystone lets somebody in. */
function mayLogIn(tenant: Tenant, id: string, password: string): Promise<boolean> {
  return tenant.letsIn({ methods: ['password'], password: { user: { id, password } } });
}

export function describeUsers(check: Check): void {
  check('a user with every field, updated and restored', async (tenant) => {
    const domain = await tenant.create(tenant.managed('Domain', 'dom'));
    const project = await tenant.outside('Project', { name: tenant.name('home'), domain_id: domain.id });
    const known = { 'Domain/dom': domain.id, 'Project/home': project };
    tenant.secrets.set('pass', { password: 'hunter-1' });
    const fixed = { domainRef: 'dom', defaultProjectRef: 'home', passwordRef: 'pass' };
    const full = { ...fixed, name: tenant.name('renamed'), description: 'all of it', enabled: false };
    const object = tenant.managed('User', 'full', full);
    const created = await tenant.create(object, known);
    assert.equal(created.applied, { appliedPasswordRef: 'pass' });
    const { passes, observation } = await tenant.settle(recorded(object, created.applied), created, known);
    assert.equal([passes, observation.available], [0, true]);
    const { passwordExpiresAt: _, ...shown } = observation.resource;
    assert.equal(shown, {
      name: tenant.name('renamed'),
      description: 'all of it',
      domainID: domain.id,
      defaultProjectID: project,
      enabled: false,
    });
    const bare = recorded(tenant.managed('User', 'full', fixed), created.applied);
    const restored = await tenant.settle(bare, observation, known);
    assert.is(restored.passes, 1);
    const { name, description, enabled } = restored.observation.resource;
    assert.equal([name, description, enabled], [tenant.name('full'), undefined, true]);
    assert.is(await mayLogIn(tenant, created.id, 'hunter-1'), true);
    assert.not.match(JSON.stringify([created, observation, restored]), 'hunter');
  });

  check('a user without a password has none, and is given one; another one takes another Secret', async (tenant) => {
    const bare = tenant.managed('User', 'plain');
    const created = await tenant.create(bare);
    assert.is(created.applied, undefined);
    let { observation } = await tenant.settle(bare, created);
    let applied: JsonObject | undefined;
    for (const [passwordRef, password] of [
      ['first', 'hunter-1'],
      ['second', 'hunter-2'],
    ] as const) {
      const object = recorded(tenant.managed('User', 'plain', { passwordRef }), applied);
      assert.equal(await tenant.update(object, observation), {
        changed: false,
        waiting: [`Waiting for Secret/${passwordRef} to be created`],
      });
      tenant.secrets.set(passwordRef, { other: 'x' });
      assert.equal(await tenant.update(object, observation), {
        changed: false,
        waiting: ['Password secret does not contain "password" key'],
      });
      tenant.secrets.set(passwordRef, { password });
      const outcome = await tenant.update(object, observation);
      assert.equal(outcome, {
        changed: true,
        fields: ['passwordRef'],
        applied: { appliedPasswordRef: passwordRef },
      });
      ({ applied } = outcome);
      observation = (await tenant.observe(object, created.id)) as Observation;
      assert.is(await mayLogIn(tenant, created.id, password), true);
      // What changes in a Secret is not looked at.
      tenant.secrets.set(passwordRef, { password: 'hunter-3' });
      assert.is((await tenant.update(recorded(object, applied), observation)).changed, false);
    }
    assert.is(await mayLogIn(tenant, created.id, 'hunter-1'), false);
    assert.is(await mayLogIn(tenant, created.id, 'hunter-3'), false);
  });

  check('a password that is not there is waited for, and nothing is made', async (tenant) => {
    const object = tenant.managed('User', 'waiting', { passwordRef: 'pass' });
    await fails(tenant.create(object), 'transient', /^Waiting for Secret\/pass to be created$/);
    tenant.secrets.set('pass', { value: 'x' });
    await fails(tenant.create(object), 'transient', /^Password secret does not contain "password" key$/);
    foundNothing(await tenant.operations('User').find(tenant.request(object)));
  });

  check('a password is applied though another field is refused meanwhile', async (tenant) => {
    const name = tenant.name('taken');
    await tenant.outside('User', { name });
    const created = await tenant.create(tenant.managed('User', 'both'));
    tenant.secrets.set('pass', { password: 'hunter-1' });
    const object = tenant.managed('User', 'both', { name, passwordRef: 'pass' });
    const { changed, applied } = await tenant.update(object, created);
    assert.equal([changed, applied], [true, { appliedPasswordRef: 'pass' }]);
    await fails(
      tenant.update(recorded(object, applied), created),
      'terminal',
      /^invalid configuration updating resource: .*409/,
    );
  });

  check('what an interrupted create left of a user is found, and users are imported', async (tenant) => {
    const domain = await tenant.create(tenant.managed('Domain', 'dom'));
    const known = { 'Domain/dom': domain.id };
    const object = tenant.managed('User', 'lost', { domainRef: 'dom' });
    const { find, import: imports, remove } = tenant.operations('User');
    foundNothing(await find(tenant.request(object, known)));
    const { id } = await tenant.create(object, known);
    assert.is((await find(tenant.request(object, known))).matches[0]?.id, id);
    for (const [filter, isFound] of [
      [{ name: tenant.name('lost') }, true],
      [{ name: tenant.name('lost'), domainRef: 'dom' }, true],
      [{ name: tenant.name('los'), domainRef: 'dom' }, false],
    ] as const) {
      const found = await imports(tenant.request(tenant.imported('User', { filter }), known));
      assert.is(found?.id, isFound ? id : undefined, JSON.stringify(filter));
    }
    assert.is((await imports(tenant.request(tenant.imported('User', { id }))))?.id, id);
    await remove({ ...tenant.request(object, known), id });
    assert.is(await tenant.observe(object, id), undefined);
  });
}
