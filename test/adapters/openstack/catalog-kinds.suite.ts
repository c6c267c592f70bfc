// What the operations of roles, groups, services and endpoints must do, whoever implements the cloud.
import * as assert from 'uvu/assert';
import { type Check, fails, foundNothing } from '../../world/tenant.ts';

export function describeCatalog(check: Check): void {
  for (const kind of ['Role', 'Group'] as const) {
    check(`a ${kind} with every field, updated and restored`, async (tenant) => {
      const domain = await tenant.create(tenant.managed('Domain', 'dom'));
      const known = { 'Domain/dom': domain.id };
      const full = tenant.managed(kind, 'full', {
        name: tenant.name('renamed'),
        description: 'all of it',
        domainRef: 'dom',
      });
      const { passes, observation } = await tenant.settle(full, await tenant.create(full, known), known);
      assert.is(passes, 0);
      assert.is(observation.available, true);
      assert.equal(observation.resource, {
        name: tenant.name('renamed'),
        description: 'all of it',
        domainID: domain.id,
      });
      const bare = tenant.managed(kind, 'full', { domainRef: 'dom' });
      const restored = await tenant.settle(bare, observation, known);
      assert.is(restored.passes, 1);
      assert.equal(restored.observation.resource, { name: tenant.name('full'), domainID: domain.id });
    });

    check(`what an interrupted create left of a ${kind} is found in its domain, and imported`, async (tenant) => {
      const domain = await tenant.create(tenant.managed('Domain', 'dom'));
      const known = { 'Domain/dom': domain.id };
      const object = tenant.managed(kind, 'lost', { domainRef: 'dom' });
      const { find, import: imports } = tenant.operations(kind);
      foundNothing(await find(tenant.request(object, known)));
      const { id } = await tenant.create(object, known);
      const { matches } = await find(tenant.request(object, known));
      assert.equal(
        matches.map((match) => match.id),
        [id],
      );
      // Of roles without a domain there are none; of groups the name alone is asked for.
      const { length } = (await find(tenant.request(tenant.managed(kind, 'lost', {})))).matches;
      assert.is(length, kind === 'Role' ? 0 : 1);
      const name = tenant.name('lost');
      for (const [filter, isFound] of [
        [{ name, domainRef: 'dom' }, true],
        [{ domainRef: 'dom' }, true],
        [{ name: tenant.name('los'), domainRef: 'dom' }, false],
        [{ name: name.toUpperCase(), domainRef: 'dom' }, false],
      ] as const) {
        const found = await imports(tenant.request(tenant.imported(kind, { filter }), known));
        assert.is(found?.id, isFound ? id : undefined, JSON.stringify(filter));
      }
      assert.is((await imports(tenant.request(tenant.imported(kind, { id }))))?.id, id);
      await fails(
        imports(tenant.request(tenant.imported(kind, { id: 'f'.repeat(32) }))),
        'terminal',
        /^referenced resource does not exist in OpenStack$/,
        'UnrecoverableError',
      );
      await tenant.operations(kind).remove({ ...tenant.request(object, known), id });
      assert.is(await tenant.observe(object, id), undefined);
      await tenant.operations(kind).remove({ ...tenant.request(object, known), id });
    });

    check(`a ${kind} whose name is taken is refused for good`, async (tenant) => {
      const domain = await tenant.create(tenant.managed('Domain', 'dom'));
      const known = { 'Domain/dom': domain.id };
      const name = tenant.name('taken');
      await tenant.outside(kind, { name: name.toUpperCase(), domain_id: domain.id });
      const object = tenant.managed(kind, 'late', { name, domainRef: 'dom' });
      await fails(tenant.create(object, known), 'terminal', /^invalid configuration creating resource: .*409/);
      const other = await tenant.create(tenant.managed(kind, 'other', { domainRef: 'dom' }), known);
      const renamed = tenant.managed(kind, 'other', { name, domainRef: 'dom' });
      await fails(
        tenant.update(renamed, other, known),
        'terminal',
        /^invalid configuration updating resource: .*409/,
        'InvalidConfiguration',
      );
    });
  }

  check('many roles looked for at once are found, those of domains and those of none', async (tenant) => {
    const domain = await tenant.create(tenant.managed('Domain', 'dom'));
    const known = { 'Domain/dom': domain.id };
    const suffixes = ['a', 'b', 'c', 'd', 'e', 'f'];
    const objects = suffixes.map((suffix, index) =>
      tenant.managed('Role', suffix, index % 2 === 0 ? { domainRef: 'dom' } : {}),
    );
    const ids: string[] = [];
    for (const object of objects) ids.push((await tenant.create(object, known)).id);
    const found = await Promise.all(
      objects.map((object) => tenant.operations('Role').find(tenant.request(object, known))),
    );
    assert.equal(
      found.map(({ matches }) => matches.map(({ id }) => id)),
      ids.map((id) => [id]),
    );
  });

  check('a service, each field updated and restored; its type is in every change', async (tenant) => {
    const bare = tenant.managed('Service', 'svc', { type: 'simcheck' });
    let { passes, observation } = await tenant.settle(bare, await tenant.create(bare));
    assert.equal([passes, observation.available], [0, true]);
    assert.equal(observation.resource, { name: tenant.name('svc'), type: 'simcheck', enabled: true });
    for (const [change, attribute, expected, restored] of [
      [{ name: tenant.name('other') }, 'name', tenant.name('other'), tenant.name('svc')],
      [{ description: 'reported' }, 'description', 'reported', undefined],
      [{ type: 'simcheck-2' }, 'type', 'simcheck-2', 'simcheck'],
      [{ enabled: false }, 'enabled', false, true],
    ] as const) {
      const changed = await tenant.settle(
        tenant.managed('Service', 'svc', { type: 'simcheck', ...change }),
        observation,
      );
      assert.equal([changed.passes, changed.observation.resource[attribute]], [1, expected], attribute);
      ({ passes, observation } = await tenant.settle(bare, changed.observation));
      assert.equal([passes, observation.resource[attribute]], [1, restored], attribute);
    }
    const full = tenant.managed('Service', 'full', { type: 'simcheck', description: 'all of it', enabled: false });
    const made = await tenant.settle(full, await tenant.create(full));
    assert.is(made.passes, 0);
    assert.equal(made.observation.resource, {
      name: tenant.name('full'),
      description: 'all of it',
      type: 'simcheck',
      enabled: false,
    });
  });

  check('a service whose name somebody emptied is left without', async (tenant) => {
    const object = tenant.managed('Service', 'svc', { type: 'simcheck' });
    const created = await tenant.create(object);
    const nameless = { ...created, attributes: { ...created.attributes, name: '' } };
    assert.is((await tenant.update(object, nameless)).changed, false);
  });

  check('services are found by name and type, and imported', async (tenant) => {
    const object = tenant.managed('Service', 'svc', { type: 'simcheck' });
    const { find, import: imports } = tenant.operations('Service');
    foundNothing(await find(tenant.request(object)));
    const { id } = await tenant.create(object);
    assert.is((await find(tenant.request(object))).matches[0]?.id, id);
    foundNothing(await find(tenant.request(tenant.managed('Service', 'svc', { type: 'simcheck-2' }))));
    for (const [filter, isFound] of [
      [{ name: tenant.name('svc') }, true],
      [{ name: tenant.name('svc'), type: 'simcheck' }, true],
      [{ name: tenant.name('svc'), type: 'simcheck-2' }, false],
    ] as const) {
      const found = await imports(tenant.request(tenant.imported('Service', { filter })));
      assert.is(found?.id, isFound ? id : undefined, JSON.stringify(filter));
    }
    await tenant.operations('Service').remove({ ...tenant.request(object), id });
    assert.is(await tenant.observe(object, id), undefined);
  });

  check('an endpoint with every field, each updated', async (tenant) => {
    const service = await tenant.create(tenant.managed('Service', 'svc', { type: 'simcheck' }));
    const known = { 'Service/svc': service.id };
    const url = 'http://192.0.2.1:9999/v1/$(project_id)s';
    const full = {
      description: 'all of it',
      enabled: false,
      interface: 'internal',
      serviceRef: 'svc',
      url,
    } as const;
    const object = tenant.managed('Endpoint', 'end', full);
    let { passes, observation } = await tenant.settle(object, await tenant.create(object, known), known);
    assert.equal([passes, observation.available], [0, true]);
    const { serviceRef: _, ...shown } = full;
    assert.equal(observation.resource, { ...shown, serviceID: service.id });
    for (const [change, attribute] of [
      [{ enabled: true }, 'enabled'],
      [{ interface: 'public' }, 'interface'],
      [{ url: 'http://192.0.2.2/' }, 'url'],
    ] as const) {
      const edited = tenant.managed('Endpoint', 'end', { ...full, ...change });
      const changed = await tenant.settle(edited, observation, known);
      assert.equal([changed.passes, changed.observation.resource[attribute]], [1, Object.values(change)[0]], attribute);
      ({ passes, observation } = await tenant.settle(object, changed.observation, known));
      assert.equal([passes, observation.resource[attribute]], [1, full[attribute]], attribute);
    }
    const { enabled: __, ...unset } = full;
    assert.is((await tenant.settle(tenant.managed('Endpoint', 'end', unset), observation, known)).passes, 0);
  });

  check('endpoints are found by what they are, the URL included, and imported', async (tenant) => {
    const service = await tenant.create(tenant.managed('Service', 'svc', { type: 'simcheck' }));
    const known = { 'Service/svc': service.id };
    const at = (url: string) =>
      tenant.managed('Endpoint', `end-${url.length}`, { interface: 'public', serviceRef: 'svc', url });
    const [one, other] = [at('http://192.0.2.1/'), at('http://192.0.2.1/other')];
    const { find, import: imports } = tenant.operations('Endpoint');
    foundNothing(await find(tenant.request(one, known)));
    const { id } = await tenant.create(one, known);
    await tenant.create(other, known);
    const found = await find(tenant.request(one, known));
    assert.equal(
      found.matches.map((match) => match.id),
      [id],
    );
    assert.is(
      found.completedLookup,
      (await find(tenant.request({ ...one, metadata: { ...one.metadata, name: 'x' } }, known))).completedLookup,
    );
    assert.is.not(found.completedLookup, (await find(tenant.request(other, known))).completedLookup);
    assert.is((await find(tenant.request(one))).exact, false);
    for (const [filter, isFound] of [
      [{ serviceRef: 'svc', url: 'http://192.0.2.1/' }, true],
      [{ serviceRef: 'svc', url: 'http://192.0.2.1/', interface: 'public' }, true],
      [{ serviceRef: 'svc', url: 'http://192.0.2.1/', interface: 'admin' }, false],
    ] as const) {
      const match = await imports(tenant.request(tenant.imported('Endpoint', { filter }), known));
      assert.is(match?.id, isFound ? id : undefined, JSON.stringify(filter));
    }
    await fails(
      imports(tenant.request(tenant.imported('Endpoint', { filter: { serviceRef: 'svc' } }), known)),
      'terminal',
      /^found more than one matching OpenStack resource during import$/,
    );
    // With its service it is gone.
    await tenant.operations('Service').remove({ ...tenant.request(at('x'), known), id: service.id });
    assert.is(await tenant.observe(one, id), undefined);
  });
}
