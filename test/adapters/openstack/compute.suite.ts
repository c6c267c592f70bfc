// What the operations of key pairs, server groups and flavors must do, whoever implements the cloud.
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../bus/bus.ts';
import type { Observation } from '../../../machines/external-resource/operations.ts';
import { SSH_KEY } from './compute-answers.ts';
import { type Check, fails, foundNothing } from './scene.ts';

const SIZE = { ram: 64, vcpus: 1, disk: 0 } as const;

export function describeCompute(check: Check): void {
  check('a key pair is known by its name, whatever its object is called', async (scene) => {
    const bare = scene.managed('KeyPair', 'plain', { publicKey: SSH_KEY });
    const name = scene.name('a name');
    const named = scene.managed('KeyPair', 'named', { name, publicKey: SSH_KEY, type: 'ssh' });
    for (const [object, id] of [
      [bare, scene.name('plain')],
      [named, name],
    ] as const) {
      const created = await scene.create(object);
      const { passes, observation } = await scene.settle(object, created);
      assert.equal([created.id, observation.id, passes, observation.available], [id, id, 0, true]);
      const { fingerprint, ...rest } = observation.resource;
      assert.match(String(fingerprint), /^([0-9a-f]{2}:){15}[0-9a-f]{2}$/);
      assert.equal(rest, { name: id, publicKey: SSH_KEY, type: 'ssh' });
      assert.equal((await scene.observe(object, id))?.resource, observation.resource);
    }
    const changed = scene.managed('KeyPair', 'plain', { name, publicKey: 'ssh-ed25519 other', type: 'x509' });
    const observation = (await scene.observe(changed, scene.name('plain'))) as Observation;
    assert.is((await scene.update(changed, observation)).changed, false);
    const { remove } = scene.operations('KeyPair');
    await remove({ ...scene.request(named), id: name });
    assert.is(await scene.observe(named, name), undefined);
    await remove({ ...scene.request(named), id: name });
  });

  check('what an interrupted create left of a key pair is found; a key that is none is tried again', async (scene) => {
    const object = scene.managed('KeyPair', 'lost', { publicKey: SSH_KEY });
    const { find, import: imports } = scene.operations('KeyPair');
    foundNothing(await find(scene.request(object)));
    const id = await scene.outside('KeyPair', { name: scene.name('lost'), public_key: SSH_KEY });
    await scene.outside('KeyPair', { name: scene.name('lost too'), public_key: SSH_KEY });
    assert.is(id, scene.name('lost'));
    assert.equal(
      (await find(scene.request(object))).matches.map((match) => match.id),
      [id],
    );
    const filter = { name: scene.name('lost') };
    assert.is((await imports(scene.request(scene.imported('KeyPair', { filter }))))?.id, id);
    const other = scene.imported('KeyPair', { filter: { name: scene.name('los') } });
    assert.is(await imports(scene.request(other)), undefined);
    const byName = scene.imported('KeyPair', { id: scene.name('lost too') });
    assert.is((await imports(scene.request(byName)))?.resource['name'], scene.name('lost too'));
    const unknown = scene.imported('KeyPair', { id: scene.name('unknown') });
    const message = /^referenced resource does not exist in OpenStack$/;
    await fails(imports(scene.request(unknown)), 'terminal', message, 'UnrecoverableError');
    const bad = scene.managed('KeyPair', 'bad', { publicKey: 'nonsense' });
    await fails(scene.create(bad), 'transient', /failed to generate fingerprint/);
    // What is in the way may be what an earlier create made.
    await fails(scene.operations('KeyPair').create(scene.request(object)), 'conflict', /./);
  });

  check('a server group with every field, and without', async (scene) => {
    const full = scene.managed('ServerGroup', 'full', {
      name: scene.name('renamed'),
      policy: 'anti-affinity',
      rules: { maxServerPerHost: 3 },
    });
    const { passes, observation } = await scene.settle(full, await scene.create(full));
    const { projectID, userID, ...rest } = observation.resource;
    assert.match(String(projectID), /^[0-9a-f]{32}$/);
    assert.match(String(userID), /^[0-9a-f]{32}$/);
    assert.equal(rest, { name: scene.name('renamed'), policy: 'anti-affinity', rules: { maxServerPerHost: 3 } });
    assert.equal([passes, observation.available], [0, true]);
    for (const rules of [undefined, {}, { maxServerPerHost: 0 }]) {
      const bare = scene.managed('ServerGroup', 'bare', { policy: 'soft-affinity', ...(rules && { rules }) });
      const { resource, id } = await scene.create(bare);
      assert.equal(
        [resource['name'], resource['policy'], resource['rules']],
        [scene.name('bare'), 'soft-affinity', undefined],
      );
      await scene.operations('ServerGroup').remove({ ...scene.request(bare), id });
      assert.is(await scene.observe(bare, id), undefined);
    }
    const odd = scene.managed('ServerGroup', 'odd', { policy: 'affinity', rules: { maxServerPerHost: 3 } });
    await fails(scene.create(odd), 'transient', /Only anti-affinity policy supports rules/);
  });

  check('a server group is found by name and policy, and imported by name or id', async (scene) => {
    const object = scene.managed('ServerGroup', 'lost', { policy: 'affinity' });
    const { find, import: imports } = scene.operations('ServerGroup');
    const name = scene.name('lost');
    await scene.outside('ServerGroup', { name, policy: 'soft-affinity' });
    foundNothing(await find(scene.request(object)));
    const id = await scene.outside('ServerGroup', { name, policy: 'affinity' });
    assert.equal(
      (await find(scene.request(object))).matches.map((match) => match.id),
      [id],
    );
    assert.is((await imports(scene.request(scene.imported('ServerGroup', { id }))))?.id, id);
    const several = imports(scene.request(scene.imported('ServerGroup', { filter: { name } })));
    await fails(several, 'terminal', /^found more than one matching/, 'InvalidConfiguration');
    const none = scene.imported('ServerGroup', { filter: { name: `${name}-and-more` } });
    assert.is(await imports(scene.request(none)), undefined);
  });

  check('a flavor with every field, and with those that it cannot do without', async (scene) => {
    const extraSpecs = [
      { name: 'hw:cpu_policy', value: 'shared' },
      { name: 'trait:Y', value: 'required' },
    ];
    const said = {
      name: scene.name('renamed'),
      description: 'all of it',
      ...SIZE,
      swap: 8,
      ephemeral: 2,
      isPublic: false,
    };
    const full = scene.managed('Flavor', 'full', {
      id: scene.name('an id'),
      ...said,
      extraSpecs: extraSpecs.toReversed(),
    });
    const { passes, observation } = await scene.settle(full, await scene.create(full));
    assert.equal([passes, observation.id, observation.available], [1, scene.name('an id'), true]);
    assert.equal(observation.resource, { ...said, extraSpecs });
    const bare = scene.managed('Flavor', 'bare', { ...SIZE, swap: 0, ephemeral: 0 });
    const made = await scene.settle(bare, await scene.create(bare));
    assert.is(made.passes, 0);
    assert.equal(made.observation.resource, { name: scene.name('bare'), ...SIZE, isPublic: true });
    for (const id of ['.', '..']) {
      const unnameable = scene.managed('Flavor', 'nowhere', { ...SIZE, id });
      await fails(scene.create(unnameable), 'terminal', /no part of a path/, 'InvalidConfiguration');
    }
  });

  check('extra specs are set, changed and taken off as the spec says', async (scene) => {
    const flavorWith = (specs: Readonly<Record<string, string>>) =>
      scene.managed('Flavor', 'changing', {
        ...SIZE,
        extraSpecs: Object.entries(specs).map(([name, value]) => ({ name, value })),
      });
    let observation = await scene.create(flavorWith({}));
    for (const specs of [{ a: '1', 'b:c d': '2' }, { a: '3', 'b:c d': '2' }, { e: '' }, {}] as const) {
      const settled = await scene.settle(flavorWith(specs), observation);
      ({ observation } = settled);
      assert.is(settled.passes, 1);
      const seen = (observation.resource['extraSpecs'] ?? []) as readonly JsonObject[];
      assert.equal(Object.fromEntries(seen.map(({ name, value }) => [name, value])), specs);
    }
    await scene.call('POST', `/flavors/${observation.id}/os-extra_specs`, { extra_specs: { theirs: 'x' } });
    const drifted = (await scene.observe(flavorWith({}), observation.id)) as Observation;
    const repaired = await scene.settle(scene.managed('Flavor', 'changing', SIZE), drifted);
    assert.equal([repaired.passes, repaired.observation.resource['extraSpecs']], [1, undefined]);
    const { remove } = scene.operations('Flavor');
    await remove({ ...scene.request(flavorWith({})), id: observation.id });
    assert.is(await scene.observe(flavorWith({}), observation.id), undefined);
    await remove({ ...scene.request(flavorWith({})), id: observation.id });
  });

  check('a flavor is found by all that it was made of, public or not, and imported by any of it', async (scene) => {
    const name = scene.name('lost');
    const id = await scene.outside('Flavor', { name, ...SIZE, 'os-flavor-access:is_public': false, description: 'x' });
    const { find, import: imports } = scene.operations('Flavor');
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
      const { matches } = await find(scene.request(scene.managed('Flavor', 'lost', { ...SIZE, ...more })));
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
      const found = await imports(scene.request(scene.imported('Flavor', { filter })));
      assert.is(found?.id, isFound ? id : undefined, JSON.stringify(filter));
    }
    assert.is((await imports(scene.request(scene.imported('Flavor', { id }))))?.id, id);
    // Its size tells it from what an earlier create of this object would have left.
    const taken = scene.managed('Flavor', 'lost', { ...SIZE, ram: 128 });
    const message = /^invalid configuration creating resource: .*already exists/;
    await fails(scene.create(taken), 'terminal', message, 'InvalidConfiguration');
  });
}
