// What the operations of users must do, whoever implements the cloud.
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../bus/bus.ts';
import type { Observation } from '../../../machines/external-resource/operations.ts';
import type { KubeObject } from '../../../machines/object.ts';
import { type Check, fails, foundNothing, type Scene } from './scene.ts';

/** As the runtime records it. */
function recorded(object: KubeObject, applied: JsonObject | undefined): KubeObject {
  return { ...object, status: { resource: { ...applied } } };
}

/** Whether Keystone lets somebody in. */
function mayLogIn(scene: Scene, id: string, password: string): Promise<boolean> {
  return scene.letsIn({ methods: ['password'], password: { user: { id, password } } });
}

export function describeUsers(check: Check): void {
  check('a user with every field, updated and restored', async (scene) => {
    const domain = await scene.create(scene.managed('Domain', 'dom'));
    const project = await scene.outside('Project', { name: scene.name('home'), domain_id: domain.id });
    const known = { 'Domain/dom': domain.id, 'Project/home': project };
    scene.secrets.set('pass', { password: 'hunter-1' });
    const fixed = { domainRef: 'dom', defaultProjectRef: 'home', passwordRef: 'pass' };
    const full = { ...fixed, name: scene.name('renamed'), description: 'all of it', enabled: false };
    const object = scene.managed('User', 'full', full);
    const created = await scene.create(object, known);
    assert.equal(created.applied, { appliedPasswordRef: 'pass' });
    const { passes, observation } = await scene.settle(recorded(object, created.applied), created, known);
    assert.equal([passes, observation.available], [0, true]);
    const { passwordExpiresAt: _, ...shown } = observation.resource;
    assert.equal(shown, {
      name: scene.name('renamed'),
      description: 'all of it',
      domainID: domain.id,
      defaultProjectID: project,
      enabled: false,
    });
    const bare = recorded(scene.managed('User', 'full', fixed), created.applied);
    const restored = await scene.settle(bare, observation, known);
    assert.is(restored.passes, 1);
    const { name, description, enabled } = restored.observation.resource;
    assert.equal([name, description, enabled], [scene.name('full'), undefined, true]);
    assert.is(await mayLogIn(scene, created.id, 'hunter-1'), true);
    assert.not.match(JSON.stringify([created, observation, restored]), 'hunter');
  });

  check('a user without a password has none, and is given one; another one takes another Secret', async (scene) => {
    const bare = scene.managed('User', 'plain');
    const created = await scene.create(bare);
    assert.is(created.applied, undefined);
    let { observation } = await scene.settle(bare, created);
    let applied: JsonObject | undefined;
    for (const [passwordRef, password] of [
      ['first', 'hunter-1'],
      ['second', 'hunter-2'],
    ] as const) {
      const object = recorded(scene.managed('User', 'plain', { passwordRef }), applied);
      assert.equal(await scene.update(object, observation), {
        changed: false,
        waiting: [`Waiting for Secret/${passwordRef} to be created`],
      });
      scene.secrets.set(passwordRef, { other: 'x' });
      assert.equal(await scene.update(object, observation), {
        changed: false,
        waiting: ['Password secret does not contain "password" key'],
      });
      scene.secrets.set(passwordRef, { password });
      const outcome = await scene.update(object, observation);
      assert.equal(outcome, {
        changed: true,
        fields: ['passwordRef'],
        applied: { appliedPasswordRef: passwordRef },
      });
      ({ applied } = outcome);
      observation = (await scene.observe(object, created.id)) as Observation;
      assert.is(await mayLogIn(scene, created.id, password), true);
      // What changes in a Secret is not looked at.
      scene.secrets.set(passwordRef, { password: 'hunter-3' });
      assert.is((await scene.update(recorded(object, applied), observation)).changed, false);
    }
    assert.is(await mayLogIn(scene, created.id, 'hunter-1'), false);
    assert.is(await mayLogIn(scene, created.id, 'hunter-3'), false);
  });

  check('a password that is not there is waited for, and nothing is made', async (scene) => {
    const object = scene.managed('User', 'waiting', { passwordRef: 'pass' });
    await fails(scene.create(object), 'transient', /^Waiting for Secret\/pass to be created$/);
    scene.secrets.set('pass', { value: 'x' });
    await fails(scene.create(object), 'transient', /^Password secret does not contain "password" key$/);
    foundNothing(await scene.operations('User').find(scene.request(object)));
  });

  check('a password is applied though another field is refused meanwhile', async (scene) => {
    const name = scene.name('taken');
    await scene.outside('User', { name });
    const created = await scene.create(scene.managed('User', 'both'));
    scene.secrets.set('pass', { password: 'hunter-1' });
    const object = scene.managed('User', 'both', { name, passwordRef: 'pass' });
    const { changed, applied } = await scene.update(object, created);
    assert.equal([changed, applied], [true, { appliedPasswordRef: 'pass' }]);
    await fails(
      scene.update(recorded(object, applied), created),
      'terminal',
      /^invalid configuration updating resource: .*409/,
    );
  });

  check('what an interrupted create left of a user is found, and users are imported', async (scene) => {
    const domain = await scene.create(scene.managed('Domain', 'dom'));
    const known = { 'Domain/dom': domain.id };
    const object = scene.managed('User', 'lost', { domainRef: 'dom' });
    const { find, import: imports, remove } = scene.operations('User');
    foundNothing(await find(scene.request(object, known)));
    const { id } = await scene.create(object, known);
    assert.is((await find(scene.request(object, known))).matches[0]?.id, id);
    for (const [filter, isFound] of [
      [{ name: scene.name('lost') }, true],
      [{ name: scene.name('lost'), domainRef: 'dom' }, true],
      [{ name: scene.name('los'), domainRef: 'dom' }, false],
    ] as const) {
      const found = await imports(scene.request(scene.imported('User', { filter }), known));
      assert.is(found?.id, isFound ? id : undefined, JSON.stringify(filter));
    }
    assert.is((await imports(scene.request(scene.imported('User', { id }))))?.id, id);
    await remove({ ...scene.request(object, known), id });
    assert.is(await scene.observe(object, id), undefined);
  });
}
