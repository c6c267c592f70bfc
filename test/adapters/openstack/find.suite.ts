// What the operations of the kinds must find: what an import names, and what an interrupted create left behind.
import * as assert from 'uvu/assert';
import { type Check, fails, foundNothing } from '../../world/tenant.ts';

export function describeFinding(check: Check): void {
  check('an import by filter waits for one match, and refuses two', async (tenant) => {
    const name = tenant.name('wanted');
    const object = tenant.imported('Network', { filter: { name } });
    const { import: find } = tenant.operations('Network');
    await tenant.outside('Network', { name: `${name}-and-more` });
    assert.is(await find(tenant.request(object)), undefined);
    const id = await tenant.outside('Network', { name, description: 'first' });
    assert.is((await find(tenant.request(object)))?.id, id);
    await tenant.outside('Network', { name, description: 'second' });
    const message = /^found more than one matching OpenStack resource during import$/;
    await fails(find(tenant.request(object)), 'terminal', message, 'InvalidConfiguration');
    const narrower = tenant.imported('Network', { filter: { name, description: 'first' } });
    assert.is((await find(tenant.request(narrower)))?.id, id);
  });

  check('an import filter selects by each of its fields', async (tenant) => {
    const name = tenant.name('one');
    const id = await tenant.outside('Network', { name, description: 'x', 'router:external': true });
    await tenant.call('PUT', `/networks/${id}/tags`, { tags: ['a', 'b'] });
    const { import: find } = tenant.operations('Network');
    for (const [filter, isFound] of [
      [{ external: true }, true],
      [{ external: false }, false],
      [{ tags: ['a', 'b'] }, true],
      [{ tags: ['a', 'c'] }, false],
      [{ tagsAny: ['a', 'c'] }, true],
      [{ tagsAny: ['c'] }, false],
      [{ notTags: ['a', 'c'] }, true],
      [{ notTags: ['a', 'b'] }, false],
      [{ notTagsAny: ['c'] }, true],
      [{ notTagsAny: ['a', 'c'] }, false],
    ] as const) {
      const found = await find(tenant.request(tenant.imported('Network', { filter: { name, ...filter } })));
      assert.is(found?.id, isFound ? id : undefined, JSON.stringify(filter));
    }
  });

  check('the references of an import filter are part of the query', async (tenant) => {
    const [mine, other] = [
      await tenant.outside('Network', { name: 'kinds-a' }),
      await tenant.outside('Network', { name: 'kinds-b' }),
    ];
    const subnet = { name: tenant.name('range'), ip_version: 4, cidr: '192.0.2.0/24' };
    await tenant.outside('Subnet', { ...subnet, network_id: other });
    const id = await tenant.outside('Subnet', { ...subnet, network_id: mine });
    const filter = {
      name: subnet.name,
      networkRef: 'mine',
      ipVersion: 4,
      cidr: '192.0.2.0/24',
      gatewayIP: '192.0.2.1',
    };
    const object = tenant.imported('Subnet', { filter });
    const { import: find } = tenant.operations('Subnet');
    assert.is((await find(tenant.request(object, { 'Network/mine': mine })))?.id, id);
    await fails(find(tenant.request(object)), 'transient', /Network\/mine/);
  });

  check('projects and domains are imported by filter', async (tenant) => {
    const domain = await tenant.outside('Domain', { name: tenant.name('dom') });
    const project = await tenant.outside('Project', { name: tenant.name('p'), domain_id: domain, tags: ['a'] });
    const byDomain = tenant.imported('Domain', { filter: { name: tenant.name('dom'), enabled: true } });
    assert.is((await tenant.operations('Domain').import(tenant.request(byDomain)))?.id, domain);
    const filter = { name: tenant.name('p'), domainRef: 'dom', tags: ['a'] };
    const byTags = tenant.imported('Project', { filter });
    assert.is(
      (await tenant.operations('Project').import(tenant.request(byTags, { 'Domain/dom': domain })))?.id,
      project,
    );
    const elsewhere = tenant.imported('Project', { filter: { ...filter, tags: ['b'] } });
    assert.is(
      await tenant.operations('Project').import(tenant.request(elsewhere, { 'Domain/dom': domain })),
      undefined,
    );
  });

  check('an import by id finds the resource, or fails for good', async (tenant) => {
    const id = await tenant.outside('Network', { name: tenant.name('known') });
    const { import: find } = tenant.operations('Network');
    assert.is((await find(tenant.request(tenant.imported('Network', { id }))))?.id, id);
    const unknown = tenant.imported('Network', { id: '00000000-0000-4000-8000-000000000000' });
    await fails(
      find(tenant.request(unknown)),
      'terminal',
      /^referenced resource does not exist in OpenStack$/,
      'UnrecoverableError',
    );
    await tenant.call('DELETE', `/networks/${id}`);
    const observed = tenant.observe(tenant.imported('Network', { id }), id);
    await fails(observed, 'terminal', /^resource has been deleted from OpenStack$/, 'UnrecoverableError');
  });

  check('what an interrupted create left behind is found: none, one, several', async (tenant) => {
    const object = tenant.managed('Network', 'lost');
    const { find } = tenant.operations('Network');
    foundNothing(await find(tenant.request(object)));
    const ids = [await tenant.outside('Network', { name: tenant.name('lost') })];
    await tenant.outside('Network', { name: tenant.name('lost-and-found') });
    assert.equal(
      (await find(tenant.request(object))).matches.map(({ id }) => id),
      ids,
    );
    ids.push(await tenant.outside('Network', { name: tenant.name('lost') }));
    assert.equal((await find(tenant.request(object))).matches.map(({ id }) => id).sort(), ids.sort());
  });

  check('a look-up without a reference says that it is not exact', async (tenant) => {
    const network = await tenant.create(tenant.managed('Network', 'net'));
    const object = tenant.managed('Subnet', 'sub', { networkRef: 'net', ipVersion: 4, cidr: '192.0.2.0/24' });
    const { id } = await tenant.create(object, { 'Network/net': network.id });
    const { find } = tenant.operations('Subnet');
    const inexact = await find(tenant.request(object));
    assert.equal([inexact.exact, inexact.matches.map((match) => match.id)], [false, [id]]);
    const exact = await find(tenant.request(object, { 'Network/net': network.id }));
    assert.equal([exact.exact, exact.matches.map((match) => match.id)], [true, [id]]);
    const elsewhere = await find(tenant.request(object, { 'Network/net': '00000000-0000-4000-8000-000000000000' }));
    foundNothing(elsewhere);
  });

  check('many look-ups at once find each its own', async (tenant) => {
    const suffixes = Array.from({ length: 60 }, (_, index) => `many-${index}`);
    const ids = new Map<string, string>();
    for (const suffix of ['many-0', 'many-7', 'many-59']) {
      ids.set(suffix, await tenant.outside('Network', { name: tenant.name(suffix) }));
      ids.set(`project ${suffix}`, await tenant.outside('Project', { name: tenant.name(suffix) }));
    }
    for (const [kind, prefix] of [
      ['Network', ''],
      ['Project', 'project '],
    ] as const) {
      const { find } = tenant.operations(kind);
      const found = await Promise.all(suffixes.map((suffix) => find(tenant.request(tenant.managed(kind, suffix)))));
      for (const [index, { matches }] of found.entries()) {
        const id = ids.get(`${prefix}many-${index}`);
        assert.equal(
          matches.map((match) => match.id),
          id === undefined ? [] : [id],
        );
      }
    }
  });
}
