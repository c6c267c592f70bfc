// What the operations of role assignments must do, whoever implements the cloud.
import * as assert from 'uvu/assert';
import type { Observation } from '../../../machines/external-resource/operations.ts';
import { type Check, type Dependencies, fails, foundNothing, type Scene } from './scene.ts';

/** A role, a user, a group, a project and a domain. */
async function cast(scene: Scene): Promise<Readonly<Record<string, string>>> {
  const domain_id = await scene.outside('Domain', { name: scene.name('dom') });
  const known: Record<string, string> = { 'Domain/dom': domain_id };
  for (const kind of ['User', 'Group', 'Project'] as const)
    known[`${kind}/one`] = await scene.outside(kind, { name: scene.name('one'), domain_id });
  known['Role/one'] = await scene.outside('Role', { name: scene.name('one') });
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
  check('a role is given to a user or a group, on a project or a domain, found, and taken back', async (scene) => {
    const known = await cast(scene);
    const { find, import: imports, remove } = scene.operations('RoleAssignment');
    const ids = new Set<string>();
    for (const refs of ALL) {
      const named = Object.fromEntries(refs.map((ref) => [ref, NAMES[ref]]));
      const object = scene.managed('RoleAssignment', refs.join('-'), { roleRef: 'one', ...named });
      foundNothing(await find(scene.request(object, known)));
      const created = await scene.create(object, known);
      ids.add(created.id);
      const { passes, observation } = await scene.settle(object, created, known);
      assert.equal([passes, observation.available], [0, true]);
      assert.equal(observation.resource, shown(known, refs));
      const again = (await scene.observe(object, created.id)) as Observation;
      assert.equal([again.id, again.resource], [created.id, observation.resource]);
      const { matches, exact } = await find(scene.request(object, known));
      assert.equal([matches.map(({ id }) => id), exact], [[created.id], true]);
      // What is there already is there once.
      assert.is((await scene.create(object, known)).id, created.id);
      const imported = await imports(
        scene.request(scene.imported('RoleAssignment', { filter: { roleRef: 'one', ...named } }), known),
      );
      assert.is(imported?.id, created.id);
    }
    assert.is(ids.size, ALL.length);
    await fails(
      imports(scene.request(scene.imported('RoleAssignment', { filter: { roleRef: 'one' } }), known)),
      'terminal',
      /^found more than one matching OpenStack resource during import$/,
      'InvalidConfiguration',
    );
    const object = scene.managed('RoleAssignment', 'any', { roleRef: 'one' });
    for (const id of ids) {
      await remove({ ...scene.request(object, known), id });
      assert.is(await scene.observe(object, id), undefined);
      await remove({ ...scene.request(object, known), id });
    }
    const none = scene.imported('RoleAssignment', { filter: { roleRef: 'one' } });
    assert.is(await imports(scene.request(none, known)), undefined);
  });

  check(
    'a look-up without one of its references proves nothing; two objects look for the same alike',
    async (scene) => {
      const known = await cast(scene);
      const resource = { roleRef: 'one', userRef: 'one', projectRef: 'one' };
      const { find } = scene.operations('RoleAssignment');
      const { 'Role/one': _, ...less } = known;
      const object = scene.managed('RoleAssignment', 'a', resource);
      assert.is((await find(scene.request(object, less))).exact, false);
      const [one, other, third] = await Promise.all(
        [
          object,
          scene.managed('RoleAssignment', 'b', resource),
          scene.managed('RoleAssignment', 'a', { ...resource, roleRef: 'two' }),
        ].map((each) => find(scene.request(each, { ...known, 'Role/two': 'f'.repeat(32) }))),
      );
      assert.is(one?.sought, other?.sought);
      assert.is.not(one?.sought, third?.sought);
    },
  );

  check('what the projects below inherit is another assignment', async (scene) => {
    const known = await cast(scene);
    const resource = { roleRef: 'one', userRef: 'one', domainRef: 'dom' };
    const object = scene.managed('RoleAssignment', 'own', resource);
    const path = `/OS-INHERIT/domains/${known['Domain/dom']}/users/${known['User/one']}/roles/${known['Role/one']}/inherited_to_projects`;
    await scene.call('PUT', path);
    const { find } = scene.operations('RoleAssignment');
    foundNothing(await find(scene.request(object, known)));
    const { id } = await scene.create(object, known);
    assert.is((await find(scene.request(object, known))).matches.length, 1);
    await scene.operations('RoleAssignment').remove({ ...scene.request(object, known), id });
    foundNothing(await find(scene.request(object, known)));
    await scene.call('DELETE', path);
  });

  check('many assignments looked for at once are each found', async (scene) => {
    const known = await cast(scene);
    const suffixes = ['a', 'b', 'c', 'd', 'e', 'f'];
    const all: Record<string, string> = { ...known };
    for (const suffix of suffixes)
      all[`Role/${suffix}`] = await scene.outside('Role', { name: scene.name(`role-${suffix}`) });
    const objects = suffixes.map((roleRef) =>
      scene.managed('RoleAssignment', roleRef, { roleRef, userRef: 'one', projectRef: 'one' }),
    );
    const ids: string[] = [];
    for (const object of objects) ids.push((await scene.create(object, all)).id);
    const { find } = scene.operations('RoleAssignment');
    const found = await Promise.all(objects.map((object) => find(scene.request(object, all))));
    assert.equal(
      found.map(({ matches }) => matches.map(({ id }) => id)),
      ids.map((id) => [id]),
    );
    const observed = await Promise.all(objects.map((object, index) => scene.observe(object, ids[index] ?? '')));
    assert.equal(
      observed.map((each) => each?.id),
      ids,
    );
  });

  check('what is assigned to nobody is tried again, and what was imported and is gone is refused', async (scene) => {
    const known = await cast(scene);
    const resource = { roleRef: 'one', userRef: 'one', projectRef: 'one' };
    const object = scene.managed('RoleAssignment', 'lost', resource);
    await fails(
      scene.create(object, { ...known, 'User/one': 'f'.repeat(32) }),
      'transient',
      /Could not find user: f+\./,
    );
    const { id } = await scene.create(object, known);
    await scene.call('DELETE', `/users/${known['User/one']}`);
    const operations = scene.operations('RoleAssignment');
    assert.is(await scene.observe(object, id), undefined);
    await fails(
      operations.observe({ ...scene.request(scene.imported('RoleAssignment', { filter: { roleRef: 'one' } })), id }),
      'terminal',
      /^role assignment has been deleted from OpenStack$/,
      'UnrecoverableError',
    );
    for (const wrong of ['x', 'role.id:a', `${id}:more`, id.replace('user.id', 'group.ids')])
      await fails(scene.observe(object, wrong) as Promise<unknown>, 'terminal', /id/);
  });
}
