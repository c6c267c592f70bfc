// What the operations of address scopes must do, whoever implements the cloud.
import * as assert from 'uvu/assert';
import { type Check, fails } from '../../world/tenant.ts';

export function describeAddressScopes(check: Check): void {
  check('an address scope with every field', async (tenant) => {
    const project = await tenant.create(tenant.managed('Project', 'owner'));
    const known = { 'Project/owner': project.id };
    const fields = { name: tenant.name('renamed'), projectRef: 'owner', ipVersion: 6, shared: true } as const;
    const object = tenant.managed('AddressScope', 'full', fields);
    const { passes, observation } = await tenant.settle(object, await tenant.create(object, known), known);
    assert.is(passes, 0);
    assert.is(observation.available, true);
    const { name, ipVersion, shared } = fields;
    assert.equal(observation.resource, { name, ipVersion, shared, projectID: project.id });
  });

  check('an address scope with no field but its version, renamed, and shared for good', async (tenant) => {
    const bare = tenant.managed('AddressScope', 'bare', { ipVersion: 4 });
    const created = await tenant.settle(bare, await tenant.create(bare));
    assert.is(created.passes, 0);
    const { projectID, ...rest } = created.observation.resource;
    assert.match(String(projectID), /^[0-9a-f]{32}$/);
    assert.equal(rest, { name: tenant.name('bare'), ipVersion: 4, shared: false });
    const renamed = tenant.managed('AddressScope', 'bare', { ipVersion: 4, name: tenant.name('other') });
    const other = await tenant.settle(renamed, created.observation);
    assert.equal([other.passes, other.observation.resource['name']], [1, tenant.name('other')]);
    const back = await tenant.settle(bare, other.observation);
    assert.equal([back.passes, back.observation.resource['name']], [1, tenant.name('bare')]);
    const shared = await tenant.settle(
      tenant.managed('AddressScope', 'bare', { ipVersion: 4, shared: true }),
      back.observation,
    );
    assert.equal([shared.passes, shared.observation.resource['shared']], [1, true]);
    await fails(tenant.update(bare, shared.observation), 'transient', /Shared address scope can't be unshared/);
    const removed = { ...tenant.request(bare), id: created.observation.id };
    await tenant.operations('AddressScope').remove(removed);
    assert.is(await tenant.observe(bare, created.observation.id), undefined);
    await tenant.operations('AddressScope').remove(removed);
  });

  check('what an interrupted create left of an address scope is found, and they are imported', async (tenant) => {
    const project = await tenant.create(tenant.managed('Project', 'owner'));
    const known = { 'Project/owner': project.id };
    const object = tenant.managed('AddressScope', 'lost', { ipVersion: 6, projectRef: 'owner' });
    const { find, import: imports } = tenant.operations('AddressScope');
    const name = tenant.name('lost');
    await tenant.outside('AddressScope', { name, ip_version: 4, project_id: project.id });
    await tenant.outside('AddressScope', { name, ip_version: 6 });
    await tenant.outside('AddressScope', { name: `${name}er`, ip_version: 6, project_id: project.id });
    assert.equal((await find(tenant.request(object, known))).matches, []);
    assert.is((await find(tenant.request(object))).exact, false);
    const { id } = await tenant.create(object, known);
    assert.equal(
      (await find(tenant.request(object, known))).matches.map((match) => match.id),
      [id],
    );
    for (const [filter, isFound] of [
      [{ name, ipVersion: 6, projectRef: 'owner' }, true],
      [{ name, ipVersion: 6, projectRef: 'owner', shared: true }, false],
      [{ name, ipVersion: 6, projectRef: 'owner', shared: false }, true],
      [{ name: name.slice(0, -1) }, false],
    ] as const) {
      const found = await imports(tenant.request(tenant.imported('AddressScope', { filter }), known));
      assert.is(found?.id, isFound ? id : undefined, JSON.stringify(filter));
    }
    const both = tenant.imported('AddressScope', { filter: { name, ipVersion: 6 } });
    await fails(imports(tenant.request(both)), 'terminal', /found more than one matching/, 'InvalidConfiguration');
    assert.is((await imports(tenant.request(tenant.imported('AddressScope', { id }))))?.id, id);
  });
}
