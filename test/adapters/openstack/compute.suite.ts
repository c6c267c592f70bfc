// What the operations of key pairs, server groups and flavors must do, whoever implements the cloud.
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../bus/bus.ts';
import type { Observation } from '../../../machines/external-resource/operations.ts';
import { type Check, fails, foundNothing } from '../../world/tenant.ts';
import { SSH_KEY } from './compute-answers.ts';

const SIZE = { ram: 64, vcpus: 1, disk: 0 } as const;

export function describeCompute(check: Check): void {
  check('a key pair is known by its name, whatever its object is called', async (tenant) => {
    const bare = tenant.managed('KeyPair', 'plain', { publicKey: SSH_KEY });
    const name = tenant.name('a name');
    const named = tenant.managed('KeyPair', 'named', { name, publicKey: SSH_KEY, type: 'ssh' });
    for (const [object, id] of [
      [bare, tenant.name('plain')],
      [named, name],
    ] as const) {
      const created = await tenant.create(object);
      const { passes, observation } = await tenant.settle(object, created);
      assert.equal([created.id, observation.id, passes, observation.available], [id, id, 0, true]);
      const { fingerprint, ...rest } = observation.resource;
      assert.match(String(fingerprint), /^([0-9a-f]{2}:){15}[0-9a-f]{2}$/);
      assert.equal(rest, { name: id, publicKey: SSH_KEY, type: 'ssh' });
      assert.equal((await tenant.observe(object, id))?.resource, observation.resource);
    }
    const changed = tenant.managed('KeyPair', 'plain', { name, publicKey: 'ssh-ed25519 other', type: 'x509' });
    const observation = (await tenant.observe(changed, tenant.name('plain'))) as Observation;
    assert.is((await tenant.update(changed, observation)).changed, false);
    const { remove } = tenant.operations('KeyPair');
    await remove({ ...tenant.request(named), id: name });
    assert.is(await tenant.observe(named, name), undefined);
    await remove({ ...tenant.request(named), id: name });
  });

  check('what an interrupted create left of a key pair is found; a key that is none is tried again', async (tenant) => {
    const object = tenant.managed('KeyPair', 'lost', { publicKey: SSH_KEY });
    const { find, import: imports } = tenant.operations('KeyPair');
    foundNothing(await find(tenant.request(object)));
    const id = await tenant.outside('KeyPair', { name: tenant.name('lost'), public_key: SSH_KEY });
    await tenant.outside('KeyPair', { name: tenant.name('lost too'), public_key: SSH_KEY });
    assert.is(id, tenant.name('lost'));
    assert.equal(
      (await find(tenant.request(object))).matches.map((match) => match.id),
      [id],
    );
    const filter = { name: tenant.name('lost') };
    assert.is((await imports(tenant.request(tenant.imported('KeyPair', { filter }))))?.id, id);
    const other = tenant.imported('KeyPair', { filter: { name: tenant.name('los') } });
    assert.is(await imports(tenant.request(other)), undefined);
    const byName = tenant.imported('KeyPair', { id: tenant.name('lost too') });
    assert.is((await imports(tenant.request(byName)))?.resource['name'], tenant.name('lost too'));
    const unknown = tenant.imported('KeyPair', { id: tenant.name('unknown') });
    const message = /^referenced resource does not exist in OpenStack$/;
    await fails(imports(tenant.request(unknown)), 'terminal', message, 'UnrecoverableError');
    const bad = tenant.managed('KeyPair', 'bad', { publicKey: 'nonsense' });
    await fails(tenant.create(bad), 'transient', /failed to generate fingerprint/);
    // What is in the way may be what an earlier create made.
    await fails(tenant.operations('KeyPair').create(tenant.request(object)), 'conflict', /./);
  });

  check('a server group with every field, and without', async (tenant) => {
    const full = tenant.managed('ServerGroup', 'full', {
      name: tenant.name('renamed'),
      policy: 'anti-affinity',
      rules: { maxServerPerHost: 3 },
    });
    const { passes, observation } = await tenant.settle(full, await tenant.create(full));
    const { projectID, userID, ...rest } = observation.resource;
    assert.match(String(projectID), /^[0-9a-f]{32}$/);
    assert.match(String(userID), /^[0-9a-f]{32}$/);
    assert.equal(rest, { name: tenant.name('renamed'), policy: 'anti-affinity', rules: { maxServerPerHost: 3 } });
    assert.equal([passes, observation.available], [0, true]);
    for (const rules of [undefined, {}]) {
      const bare = tenant.managed('ServerGroup', 'bare', { policy: 'soft-affinity', ...(rules && { rules }) });
      const { resource, id } = await tenant.create(bare);
      assert.equal(
        [resource['name'], resource['policy'], resource['rules']],
        [tenant.name('bare'), 'soft-affinity', undefined],
      );
      await tenant.operations('ServerGroup').remove({ ...tenant.request(bare), id });
      assert.is(await tenant.observe(bare, id), undefined);
    }
    // 33.A7: zero is no "unset": Nova says what it thinks of it.
    const zero = tenant.managed('ServerGroup', 'zero', { policy: 'anti-affinity', rules: { maxServerPerHost: 0 } });
    await fails(tenant.create(zero), 'transient', /max_server_per_host.*0 is less than the minimum of 1/s);
    const odd = tenant.managed('ServerGroup', 'odd', { policy: 'affinity', rules: { maxServerPerHost: 3 } });
    await fails(tenant.create(odd), 'transient', /Only anti-affinity policy supports rules/);
  });

  check('a server group is found by name and policy, and imported by name or id', async (tenant) => {
    const object = tenant.managed('ServerGroup', 'lost', { policy: 'affinity' });
    const { find, import: imports } = tenant.operations('ServerGroup');
    const name = tenant.name('lost');
    await tenant.outside('ServerGroup', { name, policy: 'soft-affinity' });
    foundNothing(await find(tenant.request(object)));
    const id = await tenant.outside('ServerGroup', { name, policy: 'affinity' });
    assert.equal(
      (await find(tenant.request(object))).matches.map((match) => match.id),
      [id],
    );
    assert.is((await imports(tenant.request(tenant.imported('ServerGroup', { id }))))?.id, id);
    const several = imports(tenant.request(tenant.imported('ServerGroup', { filter: { name } })));
    await fails(several, 'terminal', /^found more than one matching/, 'InvalidConfiguration');
    const none = tenant.imported('ServerGroup', { filter: { name: `${name}-and-more` } });
    assert.is(await imports(tenant.request(none)), undefined);
  });

  check('a flavor with every field, and with those that it cannot do without', async (tenant) => {
    const extraSpecs = [
      { name: 'hw:cpu_policy', value: 'shared' },
      { name: 'trait:Y', value: 'required' },
    ];
    const said = {
      name: tenant.name('renamed'),
      description: 'all of it',
      ...SIZE,
      swap: 8,
      ephemeral: 2,
      isPublic: false,
    };
    const full = tenant.managed('Flavor', 'full', {
      id: tenant.name('an id'),
      ...said,
      extraSpecs: extraSpecs.toReversed(),
    });
    const { passes, observation } = await tenant.settle(full, await tenant.create(full));
    assert.equal([passes, observation.id, observation.available], [1, tenant.name('an id'), true]);
    assert.equal(observation.resource, { ...said, extraSpecs });
    const bare = tenant.managed('Flavor', 'bare', { ...SIZE, swap: 0, ephemeral: 0 });
    const made = await tenant.settle(bare, await tenant.create(bare));
    assert.is(made.passes, 0);
    assert.equal(made.observation.resource, { name: tenant.name('bare'), ...SIZE, isPublic: true });
    for (const id of ['.', '..']) {
      const unnameable = tenant.managed('Flavor', 'nowhere', { ...SIZE, id });
      await fails(tenant.create(unnameable), 'terminal', /no part of a path/, 'InvalidConfiguration');
    }
  });

  check('extra specs are set, changed and taken off as the spec says', async (tenant) => {
    const flavorWith = (specs: Readonly<Record<string, string>>) =>
      tenant.managed('Flavor', 'changing', {
        ...SIZE,
        extraSpecs: Object.entries(specs).map(([name, value]) => ({ name, value })),
      });
    let observation = await tenant.create(flavorWith({}));
    for (const specs of [{ a: '1', 'b:c d': '2' }, { a: '3', 'b:c d': '2' }, { e: '' }, {}] as const) {
      const settled = await tenant.settle(flavorWith(specs), observation);
      ({ observation } = settled);
      assert.is(settled.passes, 1);
      const seen = (observation.resource['extraSpecs'] ?? []) as readonly JsonObject[];
      assert.equal(Object.fromEntries(seen.map(({ name, value }) => [name, value])), specs);
    }
    await tenant.call('POST', `/flavors/${observation.id}/os-extra_specs`, { extra_specs: { theirs: 'x' } });
    const drifted = (await tenant.observe(flavorWith({}), observation.id)) as Observation;
    const repaired = await tenant.settle(tenant.managed('Flavor', 'changing', SIZE), drifted);
    assert.equal([repaired.passes, repaired.observation.resource['extraSpecs']], [1, undefined]);
    const { remove } = tenant.operations('Flavor');
    await remove({ ...tenant.request(flavorWith({})), id: observation.id });
    assert.is(await tenant.observe(flavorWith({}), observation.id), undefined);
    await remove({ ...tenant.request(flavorWith({})), id: observation.id });
  });

  check('a flavor is found by all that it was made of, public or not, and imported by any of it', async (tenant) => {
    const name = tenant.name('lost');
    const id = await tenant.outside('Flavor', { name, ...SIZE, 'os-flavor-access:is_public': false, description: 'x' });
    const { find, import: imports } = tenant.operations('Flavor');
    for (const [more, isFound] of [
      [{}, true],
      [{ swap: 0, ephemeral: 0, isPublic: false, description: 'x', id }, true],
      [{ ram: 65 }, false],
      [{ vcpus: 2 }, false],
      [{ disk: 1 }, false],
      [{ swap: 1 }, false],
      [{ ephemeral: 1 }, false],
      [{ isPublic: true }, false],
      [{ description: 'y' }, false],
      [{ id: 'other' }, false],
    ] as const) {
      const { matches } = await find(tenant.request(tenant.managed('Flavor', 'lost', { ...SIZE, ...more })));
      assert.equal(
        matches.map((match) => match.id),
        isFound ? [id] : [],
        JSON.stringify(more),
      );
    }
    for (const [filter, isFound] of [
      [{ name, ...SIZE }, true],
      [{ name, ram: 65 }, false],
      [{ name, vcpus: 2 }, false],
      [{ name, disk: 1 }, false],
    ] as const) {
      const found = await imports(tenant.request(tenant.imported('Flavor', { filter })));
      assert.is(found?.id, isFound ? id : undefined, JSON.stringify(filter));
    }
    assert.is((await imports(tenant.request(tenant.imported('Flavor', { id }))))?.id, id);
    // Its size tells it from what an earlier create of this object would have left.
    const taken = tenant.managed('Flavor', 'lost', { ...SIZE, ram: 128 });
    const message = /^invalid configuration creating resource: .*already exists/;
    await fails(tenant.create(taken), 'terminal', message, 'InvalidConfiguration');
  });
}
