// What the operations of address scopes must do, whoever implements the cloud.
import * as assert from 'uvu/assert';
import { type Check, fails } from './scene.ts';

export function describeAddressScopes(check: Check): void {
  check('an address scope with every field', async (scene) => {
    const project = await scene.create(scene.managed('Project', 'owner'));
    const known = { 'Project/owner': project.id };
    const fields = { name: scene.name('renamed'), projectRef: 'owner', ipVersion: 6, shared: true } as const;
    const object = scene.managed('AddressScope', 'full', fields);
    const { passes, observation } = await scene.settle(object, await scene.create(object, known), known);
    assert.is(passes, 0);
    assert.is(observation.available, true);
    const { name, ipVersion, shared } = fields;
    assert.equal(observation.resource, { name, ipVersion, shared, projectID: project.id });
  });

  check('an address scope with no field but its version, renamed, and shared for good', async (scene) => {
    const bare = scene.managed('AddressScope', 'bare', { ipVersion: 4 });
    const created = await scene.settle(bare, await scene.create(bare));
    assert.is(created.passes, 0);
    const { projectID, ...rest } = created.observation.resource;
    assert.match(String(projectID), /^[0-9a-f]{32}$/);
    assert.equal(rest, { name: scene.name('bare'), ipVersion: 4, shared: false });
    const renamed = scene.managed('AddressScope', 'bare', { ipVersion: 4, name: scene.name('other') });
    const other = await scene.settle(renamed, created.observation);
    assert.equal([other.passes, other.observation.resource['name']], [1, scene.name('other')]);
    const back = await scene.settle(bare, other.observation);
    assert.equal([back.passes, back.observation.resource['name']], [1, scene.name('bare')]);
    const shared = await scene.settle(
      scene.managed('AddressScope', 'bare', { ipVersion: 4, shared: true }),
      back.observation,
    );
    assert.equal([shared.passes, shared.observation.resource['shared']], [1, true]);
    await fails(scene.update(bare, shared.observation), 'transient', /Shared address scope can't be unshared/);
    const removed = { ...scene.request(bare), id: created.observation.id };
    await scene.operations('AddressScope').remove(removed);
    assert.is(await scene.observe(bare, created.observation.id), undefined);
    await scene.operations('AddressScope').remove(removed);
  });

  check('what an interrupted create left of an address scope is found, and they are imported', async (scene) => {
    const project = await scene.create(scene.managed('Project', 'owner'));
    const known = { 'Project/owner': project.id };
    const object = scene.managed('AddressScope', 'lost', { ipVersion: 6, projectRef: 'owner' });
    const { find, import: imports } = scene.operations('AddressScope');
    const name = scene.name('lost');
    await scene.outside('AddressScope', { name, ip_version: 4, project_id: project.id });
    await scene.outside('AddressScope', { name, ip_version: 6 });
    await scene.outside('AddressScope', { name: `${name}er`, ip_version: 6, project_id: project.id });
    assert.equal((await find(scene.request(object, known))).matches, []);
    assert.is((await find(scene.request(object))).exact, false);
    const { id } = await scene.create(object, known);
    assert.equal(
      (await find(scene.request(object, known))).matches.map((match) => match.id),
      [id],
    );
    for (const [filter, isFound] of [
      [{ name, ipVersion: 6, projectRef: 'owner' }, true],
      [{ name, ipVersion: 6, projectRef: 'owner', shared: true }, false],
      [{ name, ipVersion: 6, projectRef: 'owner', shared: false }, true],
      [{ name: name.slice(0, -1) }, false],
    ] as const) {
      const found = await imports(scene.request(scene.imported('AddressScope', { filter }), known));
      assert.is(found?.id, isFound ? id : undefined, JSON.stringify(filter));
    }
    const both = scene.imported('AddressScope', { filter: { name, ipVersion: 6 } });
    await fails(imports(scene.request(both)), 'terminal', /found more than one matching/, 'InvalidConfiguration');
    assert.is((await imports(scene.request(scene.imported('AddressScope', { id }))))?.id, id);
  });
}
