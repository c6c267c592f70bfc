// What the operations of servers must do, whoever implements the cloud.
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../bus/bus.ts';
import type { Observation } from '../../../machines/external-resource/operations.ts';
import type { KubeObject } from '../../../machines/object.ts';
import { type Check, type Dependencies, fails, foundNothing, type Tenant } from '../../world/tenant.ts';
import { SSH_KEY } from './compute-answers.ts';

const LIMIT_MS = 60_000;
const POLL_MS = 100;

/** An image, a flavor, and ports on a network: what a server is made of. */
export async function yard(tenant: Tenant, ...ports: readonly string[]): Promise<Dependencies> {
  const network_id = await tenant.outside('Network', { name: tenant.name('net') });
  await tenant.outside('Subnet', { network_id, ip_version: 4, cidr: '192.0.2.0/24' });
  const ids: [string, string][] = [];
  for (const name of ports) {
    ids.push([`Port/${name}`, await tenant.outside('Port', { name: tenant.name(name), network_id })]);
  }
  const flavor = await tenant.outside('Flavor', { name: tenant.name('size'), ram: 64, vcpus: 1, disk: 1 });
  return { 'Image/image': await tenant.cloud.imageId(), 'Flavor/size': flavor, ...Object.fromEntries(ids) };
}

const BARE = { imageRef: 'image', flavorRef: 'size', ports: [] } as const;

const plugged = (...names: readonly string[]) => names.map((portRef) => ({ portRef }));
const attached = (...names: readonly string[]) => names.map((volumeRef) => ({ volumeRef }));

/** A server that runs, as it was read then. */
async function running(tenant: Tenant, object: KubeObject, known: Dependencies): Promise<Observation> {
  return tenant.build(object, await tenant.create(object, known));
}

/** Updates until nothing is left to do, or to wait for. */
async function bring(
  tenant: Tenant,
  object: KubeObject,
  start: Observation,
  known: Dependencies,
): Promise<Observation> {
  const { clock } = tenant.cloud;
  const limitAt = clock.now() + LIMIT_MS;
  let observation = start;
  for (;;) {
    const { changed, waiting = [] } = await tenant.update(object, observation, known).catch((error: unknown) => {
      // What is detached yet cannot be attached again, and the other way round.
      if ((error as { readonly code?: string }).code !== 'transient') throw error;
      return { changed: true, waiting: [] };
    });
    if (!changed && waiting.length === 0) return observation;
    assert.ok(clock.now() < limitAt, `'${object.metadata.name}' does not settle: ${waiting}`);
    await clock.sleep(POLL_MS);
    observation = (await tenant.observe(object, observation.id)) as Observation;
  }
}

const idsOf = (list: unknown, member: string): readonly unknown[] =>
  ((list ?? []) as readonly JsonObject[]).map((item) => item[member]).sort();

export function describeServers(check: Check): void {
  check('a server with every field is made, watched while it is built, and shown', async (tenant) => {
    const known = await yard(tenant, 'a', 'b');
    const group = await tenant.outside('ServerGroup', { name: tenant.name('group'), policy: 'soft-affinity' });
    const key = await tenant.outside('KeyPair', { name: tenant.name('key'), public_key: SSH_KEY });
    const all = { ...known, 'ServerGroup/group': group, 'KeyPair/key': key };
    tenant.secrets.set('user-data', { value: '#cloud-config\n' });
    const object = tenant.managed('Server', 'full', {
      ...BARE,
      name: tenant.name('renamed'),
      ports: plugged('a', 'b'),
      availabilityZone: 'nova',
      configDrive: true,
      keypairRef: 'key',
      metadata: [
        { key: 'z', value: '1' },
        { key: 'a', value: '2' },
      ],
      schedulerHints: { serverGroupRef: 'group', additionalProperties: { color: 'red' } },
      tags: ['b', 'a'],
      userData: { secretRef: 'user-data' },
    });
    const created = await tenant.create(object, all);
    assert.equal([created.available, created.attributes], [false, { id: created.id }]);
    assert.equal(await tenant.update(object, created, all), { changed: true }, 'it is read first');
    const building = (await tenant.observe(object, created.id)) as Observation;
    assert.equal([building.resource['status'], building.pollAfterMs], ['BUILD', 1_000]);
    const { observation, passes } = await tenant.settle(object, await tenant.build(object, created), all);
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
      name: tenant.name('renamed'),
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
    const { server } = await tenant.call('GET', `/servers/${created.id}`);
    const { key_name, 'OS-EXT-SRV-ATTR:user_data': userData } = server as JsonObject;
    assert.equal([key_name, userData], [key, Buffer.from('#cloud-config\n').toString('base64')]);
    const { remove } = tenant.operations('Server');
    await remove({ ...tenant.request(object), id: created.id });
    await tenant.vanish(object, created.id);
    await remove({ ...tenant.request(object), id: created.id });
    const { port } = await tenant.call('GET', `/ports/${known['Port/a']}`);
    assert.is((port as JsonObject)['device_id'], '', 'its ports outlive it');
  });

  check('name, tags and metadata of a server are changed, and restored', async (tenant) => {
    const known = await yard(tenant);
    const bare = tenant.managed('Server', 'changing', BARE);
    let observation = await running(tenant, bare, known);
    const { name, tags, metadata, configDrive, interfaces } = observation.resource;
    assert.equal(
      [name, tags, metadata, configDrive, interfaces],
      [tenant.name('changing'), undefined, undefined, false, undefined],
    );
    for (const [change, attribute, expected, restored] of [
      [{ name: tenant.name('other') }, 'name', tenant.name('other'), tenant.name('changing')],
      [{ tags: ['x'] }, 'tags', ['x'], undefined],
      [{ metadata: [{ key: 'k', value: 'v' }] }, 'metadata', [{ key: 'k', value: 'v' }], undefined],
    ] as const) {
      const changed = await tenant.settle(
        tenant.managed('Server', 'changing', { ...BARE, ...change }),
        observation,
        known,
      );
      assert.equal([changed.passes, changed.observation.resource[attribute]], [1, expected], attribute);
      ({ observation } = await tenant.settle(bare, changed.observation, known));
      assert.equal(observation.resource[attribute], restored, attribute);
    }
  });

  check('nothing but its name is changed of a server that is built, or that somebody stopped', async (tenant) => {
    const known = await yard(tenant, 'a');
    const bare = tenant.managed('Server', 'stopped', BARE);
    const { id } = await running(tenant, bare, known);
    await tenant.call('POST', `/servers/${id}/action`, { 'os-stop': null });
    const stopped = await until(tenant, bare, id, 'SHUTOFF');
    assert.equal([stopped.available, stopped.pollAfterMs], [false, 15_000]);
    const changed = tenant.managed('Server', 'stopped', { ...BARE, ports: plugged('a') });
    assert.equal(await tenant.update(changed, stopped, known), { changed: false });
    const built = { ...stopped, attributes: { ...stopped.attributes, status: 'BUILD' } };
    const tagged = tenant.managed('Server', 'stopped', { ...BARE, tags: ['x'], metadata: [{ key: 'k', value: 'v' }] });
    assert.equal(await tenant.update(tagged, built, known), { changed: false });
    const failed = { ...stopped, attributes: { ...stopped.attributes, status: 'ERROR' } };
    await fails(tenant.update(tagged, failed, known), 'terminal', /^Server is in ERROR state$/, 'UnrecoverableError');
    await tenant.call('POST', `/servers/${id}/action`, { 'os-start': null });
    assert.is((await until(tenant, bare, id, 'ACTIVE')).available, true);
  });

  check(
    'ports are attached and detached as the spec says, and one that was made anew takes the place of the old',
    async (tenant) => {
      const known = await yard(tenant, 'a', 'b', 'c');
      const serverWith = (...names: readonly string[]) =>
        tenant.managed('Server', 'plugged', { ...BARE, ports: plugged(...names) });
      let observation = await running(tenant, serverWith('a'), known);
      for (const names of [['a', 'b'], ['c'], [], ['b']] as const) {
        observation = await bring(tenant, serverWith(...names), observation, known);
        const expected = names.map((name) => known[`Port/${name}`]).sort();
        assert.equal(idsOf(observation.resource['interfaces'], 'portID'), expected);
      }
      const { port } = await tenant.call('GET', `/ports/${known['Port/b']}`);
      const network_id = String((port as JsonObject)['network_id']);
      await tenant.call('DELETE', `/ports/${known['Port/b']}`);
      const anew = { ...known, 'Port/b': await tenant.outside('Port', { name: tenant.name('b'), network_id }) };
      const alone = (await tenant.observe(serverWith('b'), observation.id)) as Observation;
      observation = await bring(tenant, serverWith('b'), alone, anew);
      assert.equal(idsOf(observation.resource['interfaces'], 'portID'), [anew['Port/b']]);
      // Nobody knows whose it is.
      const unready = { ...anew, 'Port/c': { id: String(known['Port/c']), ready: false } };
      const waits = await tenant.update(serverWith('b', 'c'), observation, unready);
      assert.equal(waits, { changed: false, waiting: ['Waiting for Port/c to be ready'], unused: ['Port/c'] });
      const { 'Port/b': _, ...unknown } = anew;
      assert.is((await tenant.update(serverWith('b'), observation, unknown)).pollAfterMs, undefined);
    },
  );

  check('volumes are attached and detached, but never what a server booted from', async (tenant) => {
    const known = await yard(tenant);
    const ids: [string, string][] = [];
    for (const name of ['boot', 'data', 'more']) {
      const object = tenant.managed('Volume', name, { size: 1, ...(name === 'boot' && { imageRef: 'image' }) });
      const { id } = await tenant.build(object, await tenant.create(object, known));
      ids.push([`Volume/${name}`, id]);
    }
    const all = { ...known, ...Object.fromEntries(ids) };
    const { imageRef: _, ...rest } = BARE;
    const serverWith = (...names: readonly string[]) =>
      tenant.managed('Server', 'booted', { ...rest, bootVolume: { volumeRef: 'boot' }, volumes: attached(...names) });
    // They are needed only once it is there.
    const { 'Volume/data': __, 'Volume/more': ___, ...first } = all;
    let observation = await running(tenant, serverWith('data'), first);
    assert.equal(
      [observation.resource['imageID'], idsOf(observation.resource['volumes'], 'id')],
      [undefined, [all['Volume/boot']]],
    );
    for (const names of [[], ['data'], ['data', 'more'], ['more'], []] as const) {
      observation = await bring(tenant, serverWith(...names), observation, all);
      const expected = ['boot', ...names].map((name) => all[`Volume/${name}`]).sort();
      assert.equal(idsOf(observation.resource['volumes'], 'id'), expected);
    }
    const device = '/dev/vdh';
    const named = tenant.managed('Server', 'booted', {
      ...rest,
      bootVolume: { volumeRef: 'boot' },
      volumes: [{ volumeRef: 'data', device }],
    });
    await bring(tenant, named, observation, all);
    const volume = tenant.managed('Volume', 'data', { size: 1 });
    // Nova tells of it while Cinder is still attaching it.
    const used = await tenant.build(volume, { ...observation, id: String(all['Volume/data']) });
    assert.equal([used.resource['status'], used.available], ['in-use', true]);
    assert.is((used.resource['attachments'] as readonly JsonObject[])[0]?.['serverID'], observation.id);
    const { 'Volume/boot': ____, ...unknown } = all;
    const waits = await tenant.update(
      serverWith(),
      (await tenant.observe(named, observation.id)) as Observation,
      unknown,
    );
    assert.equal(waits, { changed: false }, 'nothing goes while its owner is not known');
  });

  check(
    'what an interrupted create left of a server is found by name and tags, and servers are imported',
    async (tenant) => {
      const known = await yard(tenant);
      const name = tenant.name('lost.+(server)');
      const object = tenant.managed('Server', 'lost', { ...BARE, name, tags: ['a'] });
      const { find, import: imports } = tenant.operations('Server');
      foundNothing(await find(tenant.request(object, known)));
      const { id } = await running(tenant, object, known);
      const { matches } = await find(tenant.request(object, known));
      assert.equal(
        matches.map((match) => [match.id, match.resource['status']]),
        [[id, 'ACTIVE']],
      );
      const other = tenant.managed('Server', 'lost', { ...BARE, name, tags: ['b'] });
      foundNothing(await find(tenant.request(other, known)));
      const longer = tenant.managed('Server', 'lost', { ...BARE, name: name.slice(0, -1), tags: ['a'] });
      foundNothing(await find(tenant.request(longer, known)));
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
        const found = await imports(tenant.request(tenant.imported('Server', { filter })));
        assert.is(found?.id, isFound ? id : undefined, JSON.stringify(filter));
      }
      assert.is((await imports(tenant.request(tenant.imported('Server', { id }))))?.resource['name'], name);
    },
  );

  check('hints say where a server is', async (tenant) => {
    const known = await yard(tenant);
    const first = await running(tenant, tenant.managed('Server', 'first', BARE), known);
    const all = { ...known, 'Server/first': first.id };
    for (const [hint, isSame] of [
      ['sameHostServerRefs', true],
      ['differentHostServerRefs', false],
    ] as const) {
      const object = tenant.managed('Server', hint.toLowerCase(), { ...BARE, schedulerHints: { [hint]: ['first'] } });
      const { resource } = await running(tenant, object, all);
      assert.is(resource['hostID'] === first.resource['hostID'], isSame, hint);
    }
    for (const query of ['nonsense', '["=", 1]', '{}']) {
      const object = tenant.managed('Server', 'asking', { ...BARE, schedulerHints: { query } });
      await fails(tenant.create(object, known), 'terminal', /^invalid scheduler hints query: /, 'InvalidConfiguration');
    }
    const early = tenant.managed('Server', 'early', { ...BARE, schedulerHints: { sameHostServerRefs: ['second'] } });
    await fails(tenant.create(early, known), 'transient', /no id is known of Server\/second/);
  });

  check(
    'what Nova says to a server: what it is made of is not there, or in use; its user data are not',
    async (tenant) => {
      const known = await yard(tenant, 'a');
      const absent = '11111111-1111-4111-8111-111111111111';
      await running(tenant, tenant.managed('Server', 'user', { ...BARE, ports: plugged('a') }), known);
      const second = tenant.managed('Server', 'second', { ...BARE, ports: plugged('a') });
      await fails(tenant.create(second, known), 'terminal', /is still in use/, 'InvalidConfiguration');
      const object = tenant.managed('Server', 'second', BARE);
      for (const [key, message] of [
        ['Image/image', /Can not find requested image/],
        ['Flavor/size', /Flavor 11111111-.* could not be found/],
      ] as const) {
        await fails(tenant.create(object, { ...known, [key]: absent }), 'transient', message);
      }
      const reported = tenant.managed('Server', 'second', { ...BARE, userData: { secretRef: 'none' } });
      await fails(tenant.create(reported, known), 'transient', /^Waiting for Secret\/none to be created$/);
      tenant.secrets.set('none', { other: 'x' });
      await fails(tenant.create(reported, known), 'transient', /^User data secret does not contain "value" key$/);
    },
  );
}

async function until(tenant: Tenant, object: KubeObject, id: string, status: string): Promise<Observation> {
  const { clock } = tenant.cloud;
  const limitAt = clock.now() + LIMIT_MS;
  for (;;) {
    const observation = (await tenant.observe(object, id)) as Observation;
    if (observation.resource['status'] === status) return observation;
    assert.ok(clock.now() < limitAt, `it stays ${observation.resource['status']}`);
    await clock.sleep(POLL_MS);
  }
}
