// What the operations of servers must do, whoever implements the cloud.
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../bus/bus.ts';
import type { Observation } from '../../../machines/external-resource/operations.ts';
import type { KubeObject } from '../../../machines/object.ts';
import { SSH_KEY } from './compute-answers.ts';
import { type Check, type Dependencies, fails, foundNothing, type Scene } from './scene.ts';

const LIMIT_MS = 60_000;
const POLL_MS = 100;

/** An image, a flavor, and ports on a network: what a server is made of. */
export async function yard(scene: Scene, ...ports: readonly string[]): Promise<Dependencies> {
  const network_id = await scene.outside('Network', { name: scene.name('net') });
  await scene.outside('Subnet', { network_id, ip_version: 4, cidr: '192.0.2.0/24' });
  const ids: [string, string][] = [];
  for (const name of ports) {
    ids.push([`Port/${name}`, await scene.outside('Port', { name: scene.name(name), network_id })]);
  }
  const flavor = await scene.outside('Flavor', { name: scene.name('size'), ram: 64, vcpus: 1, disk: 1 });
  return { 'Image/image': await scene.cloud.imageId(), 'Flavor/size': flavor, ...Object.fromEntries(ids) };
}

const BARE = { imageRef: 'image', flavorRef: 'size', ports: [] } as const;

const plugged = (...names: readonly string[]) => names.map((portRef) => ({ portRef }));
const attached = (...names: readonly string[]) => names.map((volumeRef) => ({ volumeRef }));

/** A server that runs, as it was read then. */
async function running(scene: Scene, object: KubeObject, known: Dependencies): Promise<Observation> {
  return scene.build(object, await scene.create(object, known));
}

/** Updates until nothing is left to do, or to wait for. */
async function bring(scene: Scene, object: KubeObject, start: Observation, known: Dependencies): Promise<Observation> {
  const { clock } = scene.cloud;
  const limitAt = clock.now() + LIMIT_MS;
  let observation = start;
  for (;;) {
    const { changed, waiting = [] } = await scene.update(object, observation, known).catch((error: unknown) => {
      // What is detached yet cannot be attached again, and the other way round.
      if ((error as { readonly code?: string }).code !== 'transient') throw error;
      return { changed: true, waiting: [] };
    });
    if (!changed && waiting.length === 0) return observation;
    assert.ok(clock.now() < limitAt, `'${object.metadata.name}' does not settle: ${waiting}`);
    await clock.sleep(POLL_MS);
    observation = (await scene.observe(object, observation.id)) as Observation;
  }
}

const idsOf = (list: unknown, member: string): readonly unknown[] =>
  ((list ?? []) as readonly JsonObject[]).map((item) => item[member]).sort();

export function describeServers(check: Check): void {
  check('a server with every field is made, watched while it is built, and shown', async (scene) => {
    const known = await yard(scene, 'a', 'b');
    const group = await scene.outside('ServerGroup', { name: scene.name('group'), policy: 'soft-affinity' });
    const key = await scene.outside('KeyPair', { name: scene.name('key'), public_key: SSH_KEY });
    const all = { ...known, 'ServerGroup/group': group, 'KeyPair/key': key };
    scene.secrets.set('user-data', { value: '#cloud-config\n' });
    const object = scene.managed('Server', 'full', {
      ...BARE,
      name: scene.name('renamed'),
      ports: plugged('a', 'b'),
      availabilityZone: 'nova',
      configDrive: true,
      keypairRef: 'key',
      metadata: [
        { key: 'z', value: '1' },
        { key: 'a', value: '2' },
      ],
      schedulerHints: { serverGroupRef: 'group', additionalProperties: { colour: 'red' } },
      tags: ['b', 'a'],
      userData: { secretRef: 'user-data' },
    });
    const created = await scene.create(object, all);
    assert.equal([created.available, created.attributes], [false, { id: created.id }]);
    assert.equal(await scene.update(object, created, all), { changed: true }, 'it is read first');
    const building = (await scene.observe(object, created.id)) as Observation;
    assert.equal([building.resource['status'], building.pollAfterMs], ['BUILD', 1_000]);
    const { observation, passes } = await scene.settle(object, await scene.build(object, created), all);
    assert.equal([passes, observation.available, observation.pollAfterMs], [0, true, undefined]);
    const { hostID, interfaces, tags, ...rest } = observation.resource;
    assert.match(String(hostID), /^[0-9a-f]{56}$/);
    assert.equal(idsOf(interfaces, 'portID'), [known['Port/a'], known['Port/b']].sort());
    for (const each of interfaces as readonly JsonObject[]) {
      assert.match(String(each['macAddr']), /^[0-9a-f:]{17}$/);
      assert.is((each['fixedIPs'] as readonly JsonObject[]).length, 1);
      assert.type(each['netID'], 'string');
      assert.type(each['portState'], 'string');
    }
    assert.equal(tags, ['a', 'b']);
    assert.equal(rest, {
      name: scene.name('renamed'),
      status: 'ACTIVE',
      imageID: known['Image/image'],
      availabilityZone: 'nova',
      serverGroups: [group],
      metadata: [
        { key: 'a', value: '2' },
        { key: 'z', value: '1' },
      ],
      configDrive: true,
    });
    const { server } = await scene.call('GET', `/servers/${created.id}`);
    const { key_name, 'OS-EXT-SRV-ATTR:user_data': userData } = server as JsonObject;
    assert.equal([key_name, userData], [key, Buffer.from('#cloud-config\n').toString('base64')]);
    const { remove } = scene.operations('Server');
    await remove({ ...scene.request(object), id: created.id });
    await scene.vanish(object, created.id);
    await remove({ ...scene.request(object), id: created.id });
    const { port } = await scene.call('GET', `/ports/${known['Port/a']}`);
    assert.is((port as JsonObject)['device_id'], '', 'its ports outlive it');
  });

  check('name, tags and metadata of a server are changed, and restored', async (scene) => {
    const known = await yard(scene);
    const bare = scene.managed('Server', 'changing', BARE);
    let observation = await running(scene, bare, known);
    const { name, tags, metadata, configDrive, interfaces } = observation.resource;
    assert.equal(
      [name, tags, metadata, configDrive, interfaces],
      [scene.name('changing'), undefined, undefined, false, undefined],
    );
    for (const [change, attribute, expected, restored] of [
      [{ name: scene.name('other') }, 'name', scene.name('other'), scene.name('changing')],
      [{ tags: ['x'] }, 'tags', ['x'], undefined],
      [{ metadata: [{ key: 'k', value: 'v' }] }, 'metadata', [{ key: 'k', value: 'v' }], undefined],
    ] as const) {
      const changed = await scene.settle(
        scene.managed('Server', 'changing', { ...BARE, ...change }),
        observation,
        known,
      );
      assert.equal([changed.passes, changed.observation.resource[attribute]], [1, expected], attribute);
      ({ observation } = await scene.settle(bare, changed.observation, known));
      assert.equal(observation.resource[attribute], restored, attribute);
    }
  });

  check('nothing but its name is changed of a server that is built, or that somebody stopped', async (scene) => {
    const known = await yard(scene, 'a');
    const bare = scene.managed('Server', 'stopped', BARE);
    const { id } = await running(scene, bare, known);
    await scene.call('POST', `/servers/${id}/action`, { 'os-stop': null });
    const stopped = await until(scene, bare, id, 'SHUTOFF');
    assert.equal([stopped.available, stopped.pollAfterMs], [false, 15_000]);
    const changed = scene.managed('Server', 'stopped', { ...BARE, ports: plugged('a') });
    assert.equal(await scene.update(changed, stopped, known), { changed: false });
    const built = { ...stopped, attributes: { ...stopped.attributes, status: 'BUILD' } };
    const tagged = scene.managed('Server', 'stopped', { ...BARE, tags: ['x'], metadata: [{ key: 'k', value: 'v' }] });
    assert.equal(await scene.update(tagged, built, known), { changed: false });
    const failed = { ...stopped, attributes: { ...stopped.attributes, status: 'ERROR' } };
    await fails(scene.update(tagged, failed, known), 'terminal', /^Server is in ERROR state$/, 'UnrecoverableError');
    await scene.call('POST', `/servers/${id}/action`, { 'os-start': null });
    assert.is((await until(scene, bare, id, 'ACTIVE')).available, true);
  });

  check(
    'ports are attached and detached as the spec says, and one that was made anew takes the place of the old',
    async (scene) => {
      const known = await yard(scene, 'a', 'b', 'c');
      const serverWith = (...names: readonly string[]) =>
        scene.managed('Server', 'plugged', { ...BARE, ports: plugged(...names) });
      let observation = await running(scene, serverWith('a'), known);
      for (const names of [['a', 'b'], ['c'], [], ['b']] as const) {
        observation = await bring(scene, serverWith(...names), observation, known);
        const expected = names.map((name) => known[`Port/${name}`]).sort();
        assert.equal(idsOf(observation.resource['interfaces'], 'portID'), expected);
      }
      const { port } = await scene.call('GET', `/ports/${known['Port/b']}`);
      const network_id = String((port as JsonObject)['network_id']);
      await scene.call('DELETE', `/ports/${known['Port/b']}`);
      const anew = { ...known, 'Port/b': await scene.outside('Port', { name: scene.name('b'), network_id }) };
      const alone = (await scene.observe(serverWith('b'), observation.id)) as Observation;
      observation = await bring(scene, serverWith('b'), alone, anew);
      assert.equal(idsOf(observation.resource['interfaces'], 'portID'), [anew['Port/b']]);
      // Nobody knows whose it is.
      const unready = { ...anew, 'Port/c': { id: String(known['Port/c']), ready: false } };
      const waits = await scene.update(serverWith('b', 'c'), observation, unready);
      assert.equal(waits, { changed: false, waiting: ['Waiting for Port/c to be ready'], unused: ['Port/c'] });
      const { 'Port/b': _, ...unknown } = anew;
      assert.is((await scene.update(serverWith('b'), observation, unknown)).pollAfterMs, undefined);
    },
  );

  check('volumes are attached and detached, but never what a server booted from', async (scene) => {
    const known = await yard(scene);
    const ids: [string, string][] = [];
    for (const name of ['boot', 'data', 'more']) {
      const object = scene.managed('Volume', name, { size: 1, ...(name === 'boot' && { imageRef: 'image' }) });
      const { id } = await scene.build(object, await scene.create(object, known));
      ids.push([`Volume/${name}`, id]);
    }
    const all = { ...known, ...Object.fromEntries(ids) };
    const { imageRef: _, ...rest } = BARE;
    const serverWith = (...names: readonly string[]) =>
      scene.managed('Server', 'booted', { ...rest, bootVolume: { volumeRef: 'boot' }, volumes: attached(...names) });
    // They are needed only once it is there.
    const { 'Volume/data': __, 'Volume/more': ___, ...first } = all;
    let observation = await running(scene, serverWith('data'), first);
    assert.equal(
      [observation.resource['imageID'], idsOf(observation.resource['volumes'], 'id')],
      [undefined, [all['Volume/boot']]],
    );
    for (const names of [[], ['data'], ['data', 'more'], ['more'], []] as const) {
      observation = await bring(scene, serverWith(...names), observation, all);
      const expected = ['boot', ...names].map((name) => all[`Volume/${name}`]).sort();
      assert.equal(idsOf(observation.resource['volumes'], 'id'), expected);
    }
    const device = '/dev/vdh';
    const named = scene.managed('Server', 'booted', {
      ...rest,
      bootVolume: { volumeRef: 'boot' },
      volumes: [{ volumeRef: 'data', device }],
    });
    await bring(scene, named, observation, all);
    const volume = scene.managed('Volume', 'data', { size: 1 });
    // Nova tells of it while Cinder is still attaching it.
    const used = await scene.build(volume, { ...observation, id: String(all['Volume/data']) });
    assert.equal([used.resource['status'], used.available], ['in-use', true]);
    assert.is((used.resource['attachments'] as readonly JsonObject[])[0]?.['serverID'], observation.id);
    const { 'Volume/boot': ____, ...unknown } = all;
    const waits = await scene.update(
      serverWith(),
      (await scene.observe(named, observation.id)) as Observation,
      unknown,
    );
    assert.equal(waits, { changed: false }, 'nothing goes while its owner is not known');
  });

  check(
    'what an interrupted create left of a server is found by name and tags, and servers are imported',
    async (scene) => {
      const known = await yard(scene);
      const name = scene.name('lost.+(server)');
      const object = scene.managed('Server', 'lost', { ...BARE, name, tags: ['a'] });
      const { find, import: imports } = scene.operations('Server');
      foundNothing(await find(scene.request(object, known)));
      const { id } = await running(scene, object, known);
      const { matches } = await find(scene.request(object, known));
      assert.equal(
        matches.map((match) => [match.id, match.resource['status']]),
        [[id, 'ACTIVE']],
      );
      const other = scene.managed('Server', 'lost', { ...BARE, name, tags: ['b'] });
      foundNothing(await find(scene.request(other, known)));
      const longer = scene.managed('Server', 'lost', { ...BARE, name: name.slice(0, -1), tags: ['a'] });
      foundNothing(await find(scene.request(longer, known)));
      for (const [filter, isFound] of [
        [{ name }, true],
        [{ name, availabilityZone: 'nova' }, true],
        [{ name, availabilityZone: 'elsewhere' }, false],
        [{ name, tags: ['a'] }, true],
        [{ name, tags: ['b'] }, false],
        [{ name, tagsAny: ['a', 'b'] }, true],
        [{ name, notTags: ['a'] }, false],
        [{ name, notTagsAny: ['b'] }, true],
      ] as const) {
        const found = await imports(scene.request(scene.imported('Server', { filter })));
        assert.is(found?.id, isFound ? id : undefined, JSON.stringify(filter));
      }
      assert.is((await imports(scene.request(scene.imported('Server', { id }))))?.resource['name'], name);
    },
  );

  check('hints say where a server is', async (scene) => {
    const known = await yard(scene);
    const first = await running(scene, scene.managed('Server', 'first', BARE), known);
    const all = { ...known, 'Server/first': first.id };
    for (const [hint, isSame] of [
      ['sameHostServerRefs', true],
      ['differentHostServerRefs', false],
    ] as const) {
      const object = scene.managed('Server', hint.toLowerCase(), { ...BARE, schedulerHints: { [hint]: ['first'] } });
      const { resource } = await running(scene, object, all);
      assert.is(resource['hostID'] === first.resource['hostID'], isSame, hint);
    }
    for (const query of ['nonsense', '["=", 1]', '{}']) {
      const object = scene.managed('Server', 'asking', { ...BARE, schedulerHints: { query } });
      await fails(scene.create(object, known), 'terminal', /^invalid scheduler hints query: /, 'InvalidConfiguration');
    }
    const early = scene.managed('Server', 'early', { ...BARE, schedulerHints: { sameHostServerRefs: ['second'] } });
    await fails(scene.create(early, known), 'transient', /no id is known of Server\/second/);
  });

  check(
    'what Nova says to a server: what it is made of is not there, or in use; its user data are not',
    async (scene) => {
      const known = await yard(scene, 'a');
      const absent = '11111111-1111-4111-8111-111111111111';
      await running(scene, scene.managed('Server', 'user', { ...BARE, ports: plugged('a') }), known);
      const second = scene.managed('Server', 'second', { ...BARE, ports: plugged('a') });
      await fails(scene.create(second, known), 'terminal', /is still in use/, 'InvalidConfiguration');
      const object = scene.managed('Server', 'second', BARE);
      for (const [key, message] of [
        ['Image/image', /Can not find requested image/],
        ['Flavor/size', /Flavor 11111111-.* could not be found/],
      ] as const) {
        await fails(scene.create(object, { ...known, [key]: absent }), 'transient', message);
      }
      const told = scene.managed('Server', 'second', { ...BARE, userData: { secretRef: 'none' } });
      await fails(scene.create(told, known), 'transient', /^Waiting for Secret\/none to be created$/);
      scene.secrets.set('none', { other: 'x' });
      await fails(scene.create(told, known), 'transient', /^User data secret does not contain "value" key$/);
    },
  );
}

async function until(scene: Scene, object: KubeObject, id: string, status: string): Promise<Observation> {
  const { clock } = scene.cloud;
  const limitAt = clock.now() + LIMIT_MS;
  for (;;) {
    const observation = (await scene.observe(object, id)) as Observation;
    if (observation.resource['status'] === status) return observation;
    assert.ok(clock.now() < limitAt, `it stays ${observation.resource['status']}`);
    await clock.sleep(POLL_MS);
  }
}
