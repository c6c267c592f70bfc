// What the operations of role assignments must do, whoever implements the cloud.
import * as assert from 'uvu/assert';
import type { Observation } from '../../../machines/external-resource/operations.ts';
import { type Check, type Dependencies, fails, foundNothing, type Tenant } from '../../world/tenant.ts';

/** A role, a user, a group, a project and a domain. */
async function cast(tenant: Tenant): Promise<Readonly<Record<string, string>>> {
  const domain_id = await tenant.outside('Domain', { name: tenant.name('dom') });
  const known: Record<string, string> = { 'Domain/dom': domain_id };
  for (const kind of ['User', 'Group', 'Project'] as const)
    known[`${kind}/one`] = await tenant.outside(kind, { name: tenant.name('one'), domain_id });
  known['Role/one'] = await tenant.outside('Role', { name: tenant.name('one') });
  return known;
}

const ALL = [
  ['userRef', 'projectRef'],
  ['userRef', 'domainRef'],
  ['groupRef', 'projectRef'],
  ['groupRef', 'domainRef'],
] as const;

const NAMES = { userRef: 'one', groupRef: 'one', projectRef: 'one', domainRef: 'dom' } as const;
const KINDS = { userRef: 'User', groupRef: 'Group', projectRef: 'Project', domainRef: 'Domain' } as const;
type RefName = keyof typeof NAMES;

function shown(known: Dependencies, refs: readonly RefName[]): Record<string, unknown> {
  const ids = refs.map((ref) => [ref.replace('Ref', 'ID'), known[`${KINDS[ref]}/${NAMES[ref]}`]]);
  return { roleID: known['Role/one'], ...Object.fromEntries(ids) };
}

export function describeRoleAssignments(check: Check): void {
  check('a role is given to a user or a group, on a project or a domain, found, and taken back', async (tenant) => {
    const known = await cast(tenant);
    const { find, import: imports, remove } = tenant.operations('RoleAssignment');
    const ids = new Set<string>();
    for (const refs of ALL) {
      const named = Object.fromEntries(refs.map((ref) => [ref, NAMES[ref]]));
      const object = tenant.managed('RoleAssignment', refs.join('-'), { roleRef: 'one', ...named });
      foundNothing(await find(tenant.request(object, known)));
      const created = await tenant.create(object, known);
      ids.add(created.id);
      const { passes, observation } = await tenant.settle(object, created, known);
      assert.equal([passes, observation.available], [0, true]);
      assert.equal(observation.resource, shown(known, refs));
      const again = (await tenant.observe(object, created.id)) as Observation;
      assert.equal([again.id, again.resource], [created.id, observation.resource]);
      const { matches, exact } = await find(tenant.request(object, known));
      assert.equal([matches.map(({ id }) => id), exact], [[created.id], true]);
      // What is there already is there once.
      assert.is((await tenant.create(object, known)).id, created.id);
      const imported = await imports(
        tenant.request(tenant.imported('RoleAssignment', { filter: { roleRef: 'one', ...named } }), known),
      );
      assert.is(imported?.id, created.id);
    }
    assert.is(ids.size, ALL.length);
    await fails(
      imports(tenant.request(tenant.imported('RoleAssignment', { filter: { roleRef: 'one' } }), known)),
      'terminal',
      /^found more than one matching OpenStack resource during import$/,
      'InvalidConfiguration',
    );
    const object = tenant.managed('RoleAssignment', 'any', { roleRef: 'one' });
    for (const id of ids) {
      await remove({ ...tenant.request(object, known), id });
      assert.is(await tenant.observe(object, id), undefined);
      await remove({ ...tenant.request(object, known), id });
    }
    const none = tenant.imported('RoleAssignment', { filter: { roleRef: 'one' } });
    assert.is(await imports(tenant.request(none, known)), undefined);
  });

  check(
    'a look-up without one of its references proves nothing; two objects look for the same alike',
    async (tenant) => {
      const known = await cast(tenant);
      const resource = { roleRef: 'one', userRef: 'one', projectRef: 'one' };
      const { find } = tenant.operations('RoleAssignment');
      const { 'Role/one': _, ...less } = known;
      const object = tenant.managed('RoleAssignment', 'a', resource);
      assert.is((await find(tenant.request(object, less))).exact, false);
      const [one, other, third] = await Promise.all(
        [
          object,
          tenant.managed('RoleAssignment', 'b', resource),
          tenant.managed('RoleAssignment', 'a', { ...resource, roleRef: 'two' }),
        ].map((each) => find(tenant.request(each, { ...known, 'Role/two': 'f'.repeat(32) }))),
      );
      assert.is(one?.completedLookup, other?.completedLookup);
      assert.is.not(one?.completedLookup, third?.completedLookup);
    },
  );

  check('what the projects below inherit is another assignment', async (tenant) => {
    const known = await cast(tenant);
    const resource = { roleRef: 'one', userRef: 'one', domainRef: 'dom' };
    const object = tenant.managed('RoleAssignment', 'own', resource);
    const path = `/OS-INHERIT/domains/${known['Domain/dom']}/users/${known['User/one']}/roles/${known['Role/one']}/inherited_to_projects`;
    await tenant.call('PUT', path);
    const { find } = tenant.operations('RoleAssignment');
    foundNothing(await find(tenant.request(object, known)));
    const { id } = await tenant.create(object, known);
    assert.is((await find(tenant.request(object, known))).matches.length, 1);
    await tenant.operations('RoleAssignment').remove({ ...tenant.request(object, known), id });
    foundNothing(await find(tenant.request(object, known)));
    await tenant.call('DELETE', path);
  });

  check('many assignments looked for at once are each found', async (tenant) => {
    const known = await cast(tenant);
    const suffixes = ['a', 'b', 'c', 'd', 'e', 'f'];
    const all: Record<string, string> = { ...known };
    for (const suffix of suffixes)
      all[`Role/${suffix}`] = await tenant.outside('Role', { name: tenant.name(`role-${suffix}`) });
    const objects = suffixes.map((roleRef) =>
      tenant.managed('RoleAssignment', roleRef, { roleRef, userRef: 'one', projectRef: 'one' }),
    );
    const ids: string[] = [];
    for (const object of objects) ids.push((await tenant.create(object, all)).id);
    const { find } = tenant.operations('RoleAssignment');
    const found = await Promise.all(objects.map((object) => find(tenant.request(object, all))));
    assert.equal(
      found.map(({ matches }) => matches.map(({ id }) => id)),
      ids.map((id) => [id]),
    );
    const observed = await Promise.all(objects.map((object, index) => tenant.observe(object, ids[index] ?? '')));
    assert.equal(
      observed.map((each) => each?.id),
      ids,
    );
  });

  check('what is assigned to nobody is tried again, and what was imported and is gone is refused', async (tenant) => {
    const known = await cast(tenant);
    const resource = { roleRef: 'one', userRef: 'one', projectRef: 'one' };
    const object = tenant.managed('RoleAssignment', 'lost', resource);
    await fails(
      tenant.create(object, { ...known, 'User/one': 'f'.repeat(32) }),
      'transient',
      /Could not find user: f+\./,
    );
    const { id } = await tenant.create(object, known);
    await tenant.call('DELETE', `/users/${known['User/one']}`);
    const operations = tenant.operations('RoleAssignment');
    assert.is(await tenant.observe(object, id), undefined);
    await fails(
      operations.observe({ ...tenant.request(tenant.imported('RoleAssignment', { filter: { roleRef: 'one' } })), id }),
      'terminal',
      /^role assignment has been deleted from OpenStack$/,
      'UnrecoverableError',
    );
    for (const wrong of ['x', 'role.id:a', `${id}:more`, id.replace('user.id', 'group.ids')])
      await fails(tenant.observe(object, wrong) as Promise<unknown>, 'terminal', /id/);
  });
}
