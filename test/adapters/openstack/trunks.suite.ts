// What the operations of trunks must do, whoever implements the cloud.
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../bus/bus.ts';
import { type Check, type Dependencies, fails, type Tenant } from '../../world/tenant.ts';

/** Ports on a network of their own: `parent`, `a`, `b` and `c`. */
async function harbour(tenant: Tenant, more: JsonObject = {}): Promise<Dependencies> {
  const network_id = await tenant.outside('Network', { name: tenant.name('net') });
  const ids: [string, string][] = [];
  for (const name of ['parent', 'a', 'b', 'c'])
    ids.push([`Port/${name}`, await tenant.outside('Port', { name: tenant.name(name), network_id, ...more })]);
  return Object.fromEntries(ids);
}

const vlan = (portRef: string, segmentationID: number) =>
  ({ portRef, segmentationID, segmentationType: 'vlan' }) as const;

export function describeTrunks(check: Check): void {
  check('a trunk with every field', async (tenant) => {
    const project = await tenant.create(tenant.managed('Project', 'owner'));
    const ports = await harbour(tenant, { project_id: project.id });
    const known = { ...ports, 'Project/owner': project.id };
    const object = tenant.managed('Trunk', 'full', {
      name: tenant.name('renamed'),
      description: 'all of it',
      adminStateUp: true,
      portRef: 'parent',
      projectRef: 'owner',
      subports: [vlan('a', 101), vlan('b', 102)],
      tags: ['b', 'a'],
    });
    const { passes, observation } = await tenant.settle(object, await tenant.create(object, known), known);
    assert.is(passes, 1);
    const { tags, createdAt, updatedAt, revisionNumber, status, subports, ...rest } = observation.resource;
    assert.equal(tags, ['a', 'b']);
    assert.match(String(createdAt), /^\d{4}-/);
    assert.match(String(updatedAt), /^\d{4}-/);
    assert.type(revisionNumber, 'number');
    assert.type(status, 'string');
    const byId = (subports as readonly JsonObject[]).toSorted(
      (one, other) => Number(one['segmentationID']) - Number(other['segmentationID']),
    );
    assert.equal(byId, [
      { portID: ports['Port/a'], segmentationID: 101, segmentationType: 'vlan' },
      { portID: ports['Port/b'], segmentationID: 102, segmentationType: 'vlan' },
    ]);
    assert.equal(rest, {
      name: tenant.name('renamed'),
      description: 'all of it',
      adminStateUp: true,
      portID: ports['Port/parent'],
      projectID: project.id,
      tenantID: project.id,
    });
    assert.is(observation.available, true);
  });

  check('a trunk with no field but its port, and each field updated and restored', async (tenant) => {
    const known = await harbour(tenant);
    const bare = tenant.managed('Trunk', 'changing', { portRef: 'parent' });
    let { passes, observation } = await tenant.settle(bare, await tenant.create(bare, known), known);
    assert.is(passes, 0);
    for (const [change, attribute, expected, restored] of [
      [{ name: tenant.name('other') }, 'name', tenant.name('other'), tenant.name('changing')],
      [{ description: 'reported' }, 'description', 'reported', undefined],
      [{ adminStateUp: false }, 'adminStateUp', false, true],
      [{ tags: ['x'] }, 'tags', ['x'], undefined],
    ] as const) {
      const changed = await tenant.settle(
        tenant.managed('Trunk', 'changing', { portRef: 'parent', ...change }),
        observation,
        known,
      );
      assert.equal([changed.passes, changed.observation.resource[attribute]], [1, expected], attribute);
      ({ passes, observation } = await tenant.settle(bare, changed.observation, known));
      assert.equal([passes, observation.resource[attribute]], [1, restored], attribute);
    }
  });

  check('ports of a trunk come, go and change their segmentation, also of one that is down', async (tenant) => {
    const known = await harbour(tenant);
    for (const adminStateUp of [true, false]) {
      const trunkWith = (...subports: readonly ReturnType<typeof vlan>[]) =>
        tenant.managed('Trunk', `carrier-${adminStateUp}`, { portRef: 'parent', adminStateUp, subports });
      const first = trunkWith(vlan('a', 1), vlan('b', 2));
      const created = await tenant.create(first, known);
      let { observation } = await tenant.settle(first, created, known);
      for (const subports of [
        [vlan('a', 1), vlan('b', 2), vlan('c', 3)],
        // Each takes the segmentation of another.
        [vlan('a', 2), vlan('b', 3), vlan('c', 1)],
        [vlan('c', 1)],
        [],
      ]) {
        const settled = await tenant.settle(trunkWith(...subports), observation, known);
        ({ observation } = settled);
        assert.is(settled.passes, 1);
        const seen = ((observation.resource['subports'] ?? []) as readonly JsonObject[]).map(
          ({ portID, segmentationID }) => `${portID} ${segmentationID}`,
        );
        const expected = subports.map(({ portRef, segmentationID }) => `${known[`Port/${portRef}`]} ${segmentationID}`);
        assert.equal(seen.toSorted(), expected.toSorted());
        assert.is(observation.resource['adminStateUp'], adminStateUp);
      }
      const removed = { ...tenant.request(first, known), id: observation.id };
      await tenant.operations('Trunk').remove(removed);
      assert.is(await tenant.observe(first, observation.id), undefined);
      await tenant.operations('Trunk').remove(removed);
    }
  });

  check('a port that is not ready is not put on a trunk, and stays where it is', async (tenant) => {
    const known = await harbour(tenant);
    const trunkWith = (...subports: readonly ReturnType<typeof vlan>[]) =>
      tenant.managed('Trunk', 'waiting', { portRef: 'parent', subports });
    const object = trunkWith(vlan('a', 1));
    const created = await tenant.create(object, known);
    const { observation } = await tenant.settle(object, created, known);
    const unready = { ...known, 'Port/b': { id: String(known['Port/b']), ready: false } };
    const both = await tenant.update(trunkWith(vlan('a', 1), vlan('b', 2)), observation, unready);
    assert.equal(both, { changed: false, waiting: ['Waiting for Port/b to be ready'], unused: ['Port/b'] });
    const gone = { ...known, 'Port/a': { id: String(known['Port/a']), ready: false } };
    const kept = await tenant.update(object, observation, gone);
    assert.equal([kept.changed, kept.unused ?? []], [false, []], 'what it carries it needs');
    const { 'Port/a': _, ...unknown } = known;
    assert.is((await tenant.update(object, observation, unknown)).changed, false);
  });

  check(
    'what Neutron says to a trunk: a port that carries already, one that is carried, a segmentation',
    async (tenant) => {
      const known = await harbour(tenant);
      const first = tenant.managed('Trunk', 'first', { portRef: 'parent', subports: [vlan('a', 1)] });
      await tenant.create(first, known);
      for (const [name, resource] of [
        ['same-port', { portRef: 'parent', tags: ['x'] }],
        ['carried', { portRef: 'b', subports: [vlan('a', 1)] }],
        ['on-itself', { portRef: 'b', subports: [vlan('b', 1)] }],
      ] as const) {
        const create = tenant.create(tenant.managed('Trunk', name, resource), known);
        await fails(create, 'terminal', /^invalid configuration creating resource/, 'InvalidConfiguration');
      }
      const twice = tenant.managed('Trunk', 'twice', { portRef: 'b', subports: [vlan('c', 1), vlan('c', 2)] });
      await fails(tenant.create(twice, known), 'transient', /Non unique UUID for subport/);
      const inherits = { portRef: 'c', segmentationID: 7, segmentationType: 'inherit' } as const;
      const alien = tenant.managed('Trunk', 'alien', { portRef: 'b', subports: [inherits] });
      await fails(tenant.create(alien, known), 'transient', /segmentation_type/);
      await fails(
        tenant.operations('Port').remove({ ...tenant.request(first), id: String(known['Port/a']) }),
        'transient',
        /./,
      );
    },
  );

  check('a port that moves from one trunk to another is added when the other has given it up', async (tenant) => {
    const known = await harbour(tenant);
    const trunk = (name: string, portRef: string, ...subports: readonly ReturnType<typeof vlan>[]) =>
      tenant.managed('Trunk', name, { portRef, subports });
    const from = trunk('from', 'parent', vlan('a', 1));
    const to = trunk('to', 'b');
    const { observation: carrier } = await tenant.settle(from, await tenant.create(from, known), known);
    const { observation } = await tenant.settle(to, await tenant.create(to, known), known);
    const moved = trunk('to', 'b', vlan('a', 1));
    await fails(tenant.update(moved, observation, known), 'transient', /in use by another trunk/);
    await tenant.settle(trunk('from', 'parent'), carrier, known);
    const { passes, observation: carrying } = await tenant.settle(moved, observation, known);
    assert.is(passes, 1);
    const taken = trunk('to', 'b', vlan('a', 1), vlan('c', 1));
    await fails(tenant.update(taken, carrying, known), 'terminal', /^invalid configuration adding subports: /);
  });

  check('what an interrupted create left of a trunk is found, and trunks are imported', async (tenant) => {
    const known = await harbour(tenant);
    const object = tenant.managed('Trunk', 'lost', { portRef: 'parent', description: 'lost' });
    const { find, import: imports } = tenant.operations('Trunk');
    const before = await find(tenant.request(object, known));
    assert.equal([before.matches, before.exact], [[], true]);
    const { id } = await tenant.create(object, known);
    assert.equal(
      (await find(tenant.request(object, known))).matches.map((match) => match.id),
      [id],
    );
    for (const [filter, isFound] of [
      [{ name: tenant.name('lost') }, true],
      [{ name: tenant.name('lost'), adminStateUp: false }, false],
      [{ portRef: 'parent', adminStateUp: true }, true],
      [{ portRef: 'a' }, false],
      [{ name: tenant.name('lost'), description: 'lost' }, true],
    ] as const) {
      const found = await imports(tenant.request(tenant.imported('Trunk', { filter }), known));
      assert.is(found?.id, isFound ? id : undefined, JSON.stringify(filter));
    }
    assert.is((await imports(tenant.request(tenant.imported('Trunk', { id }))))?.id, id);
  });
}
