// What the operations of roles, groups, services and endpoints must do, whoever implements the cloud.
import * as assert from 'uvu/assert';
import { type Check, fails, foundNothing } from './scene.ts';

export function describeCatalogue(check: Check): void {
  for (const kind of ['Role', 'Group'] as const) {
    check(`a ${kind} with every field, updated and restored`, async (scene) => {
      const domain = await scene.create(scene.managed('Domain', 'dom'));
      const known = { 'Domain/dom': domain.id };
      const full = scene.managed(kind, 'full', {
        name: scene.name('renamed'),
        description: 'all of it',
        domainRef: 'dom',
      });
      const { passes, observation } = await scene.settle(full, await scene.create(full, known), known);
      assert.is(passes, 0);
      assert.is(observation.available, true);
      assert.equal(observation.resource, {
        name: scene.name('renamed'),
        description: 'all of it',
        domainID: domain.id,
      });
      const bare = scene.managed(kind, 'full', { domainRef: 'dom' });
      const restored = await scene.settle(bare, observation, known);
      assert.is(restored.passes, 1);
      assert.equal(restored.observation.resource, { name: scene.name('full'), domainID: domain.id });
    });

    check(`what an interrupted create left of a ${kind} is found in its domain, and imported`, async (scene) => {
      const domain = await scene.create(scene.managed('Domain', 'dom'));
      const known = { 'Domain/dom': domain.id };
      const object = scene.managed(kind, 'lost', { domainRef: 'dom' });
      const { find, import: imports } = scene.operations(kind);
      foundNothing(await find(scene.request(object, known)));
      const { id } = await scene.create(object, known);
      const { matches } = await find(scene.request(object, known));
      assert.equal(
        matches.map((match) => match.id),
        [id],
      );
      // Of roles without a domain there are none; of groups the name alone is asked for.
      const { length } = (await find(scene.request(scene.managed(kind, 'lost', {})))).matches;
      assert.is(length, kind === 'Role' ? 0 : 1);
      const name = scene.name('lost');
      for (const [filter, isFound] of [
        [{ name, domainRef: 'dom' }, true],
        [{ domainRef: 'dom' }, true],
        [{ name: scene.name('los'), domainRef: 'dom' }, false],
        [{ name: name.toUpperCase(), domainRef: 'dom' }, false],
      ] as const) {
        const found = await imports(scene.request(scene.imported(kind, { filter }), known));
        assert.is(found?.id, isFound ? id : undefined, JSON.stringify(filter));
      }
      assert.is((await imports(scene.request(scene.imported(kind, { id }))))?.id, id);
      await fails(
        imports(scene.request(scene.imported(kind, { id: 'f'.repeat(32) }))),
        'terminal',
        /^referenced resource does not exist in OpenStack$/,
        'UnrecoverableError',
      );
      await scene.operations(kind).remove({ ...scene.request(object, known), id });
      assert.is(await scene.observe(object, id), undefined);
      await scene.operations(kind).remove({ ...scene.request(object, known), id });
    });

    check(`a ${kind} whose name is taken is refused for good`, async (scene) => {
      const domain = await scene.create(scene.managed('Domain', 'dom'));
      const known = { 'Domain/dom': domain.id };
      const name = scene.name('taken');
      await scene.outside(kind, { name: name.toUpperCase(), domain_id: domain.id });
      const object = scene.managed(kind, 'late', { name, domainRef: 'dom' });
      await fails(scene.create(object, known), 'terminal', /^invalid configuration creating resource: .*409/);
      const other = await scene.create(scene.managed(kind, 'other', { domainRef: 'dom' }), known);
      const renamed = scene.managed(kind, 'other', { name, domainRef: 'dom' });
      await fails(
        scene.update(renamed, other, known),
        'terminal',
        /^invalid configuration updating resource: .*409/,
        'InvalidConfiguration',
      );
    });
  }

  check('many roles looked for at once are found, those of domains and those of none', async (scene) => {
    const domain = await scene.create(scene.managed('Domain', 'dom'));
    const known = { 'Domain/dom': domain.id };
    const suffixes = ['a', 'b', 'c', 'd', 'e', 'f'];
    const objects = suffixes.map((suffix, index) =>
      scene.managed('Role', suffix, index % 2 === 0 ? { domainRef: 'dom' } : {}),
    );
    const ids: string[] = [];
    for (const object of objects) ids.push((await scene.create(object, known)).id);
    const found = await Promise.all(
      objects.map((object) => scene.operations('Role').find(scene.request(object, known))),
    );
    assert.equal(
      found.map(({ matches }) => matches.map(({ id }) => id)),
      ids.map((id) => [id]),
    );
  });

  check('a service, each field updated and restored; its type is in every change', async (scene) => {
    const bare = scene.managed('Service', 'svc', { type: 'simcheck' });
    let { passes, observation } = await scene.settle(bare, await scene.create(bare));
    assert.equal([passes, observation.available], [0, true]);
    assert.equal(observation.resource, { name: scene.name('svc'), type: 'simcheck', enabled: true });
    for (const [change, attribute, expected, restored] of [
      [{ name: scene.name('other') }, 'name', scene.name('other'), scene.name('svc')],
      [{ description: 'told' }, 'description', 'told', undefined],
      [{ type: 'simcheck-2' }, 'type', 'simcheck-2', 'simcheck'],
      [{ enabled: false }, 'enabled', false, true],
    ] as const) {
      const changed = await scene.settle(scene.managed('Service', 'svc', { type: 'simcheck', ...change }), observation);
      assert.equal([changed.passes, changed.observation.resource[attribute]], [1, expected], attribute);
      ({ passes, observation } = await scene.settle(bare, changed.observation));
      assert.equal([passes, observation.resource[attribute]], [1, restored], attribute);
    }
    const full = scene.managed('Service', 'full', { type: 'simcheck', description: 'all of it', enabled: false });
    const made = await scene.settle(full, await scene.create(full));
    assert.is(made.passes, 0);
    assert.equal(made.observation.resource, {
      name: scene.name('full'),
      description: 'all of it',
      type: 'simcheck',
      enabled: false,
    });
  });

  check('a service whose name somebody emptied is left without', async (scene) => {
    const object = scene.managed('Service', 'svc', { type: 'simcheck' });
    const created = await scene.create(object);
    const nameless = { ...created, attributes: { ...created.attributes, name: '' } };
    assert.is((await scene.update(object, nameless)).changed, false);
  });

  check('services are found by name and type, and imported', async (scene) => {
    const object = scene.managed('Service', 'svc', { type: 'simcheck' });
    const { find, import: imports } = scene.operations('Service');
    foundNothing(await find(scene.request(object)));
    const { id } = await scene.create(object);
    assert.is((await find(scene.request(object))).matches[0]?.id, id);
    foundNothing(await find(scene.request(scene.managed('Service', 'svc', { type: 'simcheck-2' }))));
    for (const [filter, isFound] of [
      [{ name: scene.name('svc') }, true],
      [{ name: scene.name('svc'), type: 'simcheck' }, true],
      [{ name: scene.name('svc'), type: 'simcheck-2' }, false],
    ] as const) {
      const found = await imports(scene.request(scene.imported('Service', { filter })));
      assert.is(found?.id, isFound ? id : undefined, JSON.stringify(filter));
    }
    await scene.operations('Service').remove({ ...scene.request(object), id });
    assert.is(await scene.observe(object, id), undefined);
  });

  check('an endpoint with every field, each updated', async (scene) => {
    const service = await scene.create(scene.managed('Service', 'svc', { type: 'simcheck' }));
    const known = { 'Service/svc': service.id };
    const url = 'http://192.0.2.1:9999/v1/$(project_id)s';
    const full = {
      description: 'all of it',
      enabled: false,
      interface: 'internal',
      serviceRef: 'svc',
      url,
    } as const;
    const object = scene.managed('Endpoint', 'end', full);
    let { passes, observation } = await scene.settle(object, await scene.create(object, known), known);
    assert.equal([passes, observation.available], [0, true]);
    const { serviceRef: _, ...shown } = full;
    assert.equal(observation.resource, { ...shown, serviceID: service.id });
    for (const [change, attribute] of [
      [{ enabled: true }, 'enabled'],
      [{ interface: 'public' }, 'interface'],
      [{ url: 'http://192.0.2.2/' }, 'url'],
    ] as const) {
      const edited = scene.managed('Endpoint', 'end', { ...full, ...change });
      const changed = await scene.settle(edited, observation, known);
      assert.equal([changed.passes, changed.observation.resource[attribute]], [1, Object.values(change)[0]], attribute);
      ({ passes, observation } = await scene.settle(object, changed.observation, known));
      assert.equal([passes, observation.resource[attribute]], [1, full[attribute]], attribute);
    }
    const { enabled: __, ...unset } = full;
    assert.is((await scene.settle(scene.managed('Endpoint', 'end', unset), observation, known)).passes, 0);
  });

  check('endpoints are found by what they are, the URL included, and imported', async (scene) => {
    const service = await scene.create(scene.managed('Service', 'svc', { type: 'simcheck' }));
    const known = { 'Service/svc': service.id };
    const at = (url: string) =>
      scene.managed('Endpoint', `end-${url.length}`, { interface: 'public', serviceRef: 'svc', url });
    const [one, other] = [at('http://192.0.2.1/'), at('http://192.0.2.1/other')];
    const { find, import: imports } = scene.operations('Endpoint');
    foundNothing(await find(scene.request(one, known)));
    const { id } = await scene.create(one, known);
    await scene.create(other, known);
    const found = await find(scene.request(one, known));
    assert.equal(
      found.matches.map((match) => match.id),
      [id],
    );
    assert.is(
      found.sought,
      (await find(scene.request({ ...one, metadata: { ...one.metadata, name: 'x' } }, known))).sought,
    );
    assert.is.not(found.sought, (await find(scene.request(other, known))).sought);
    assert.is((await find(scene.request(one))).exact, false);
    for (const [filter, isFound] of [
      [{ serviceRef: 'svc', url: 'http://192.0.2.1/' }, true],
      [{ serviceRef: 'svc', url: 'http://192.0.2.1/', interface: 'public' }, true],
      [{ serviceRef: 'svc', url: 'http://192.0.2.1/', interface: 'admin' }, false],
    ] as const) {
      const match = await imports(scene.request(scene.imported('Endpoint', { filter }), known));
      assert.is(match?.id, isFound ? id : undefined, JSON.stringify(filter));
    }
    await fails(
      imports(scene.request(scene.imported('Endpoint', { filter: { serviceRef: 'svc' } }), known)),
      'terminal',
      /^found more than one matching OpenStack resource during import$/,
    );
    // With its service it is gone.
    await scene.operations('Service').remove({ ...scene.request(at('x'), known), id: service.id });
    assert.is(await scene.observe(one, id), undefined);
  });
}
