// What the operations of the kinds must find: what an import names, and what an interrupted create left behind.
import * as assert from 'uvu/assert';
import { type Check, fails, foundNothing } from './scene.ts';

export function describeFinding(check: Check): void {
  check('an import by filter waits for one match, and refuses two', async (scene) => {
    const name = scene.name('wanted');
    const object = scene.imported('Network', { filter: { name } });
    const { import: find } = scene.operations('Network');
    await scene.outside('Network', { name: `${name}-and-more` });
    assert.is(await find(scene.request(object)), undefined);
    const id = await scene.outside('Network', { name, description: 'first' });
    assert.is((await find(scene.request(object)))?.id, id);
    await scene.outside('Network', { name, description: 'second' });
    const message = /^found more than one matching OpenStack resource during import$/;
    await fails(find(scene.request(object)), 'terminal', message, 'InvalidConfiguration');
    const narrower = scene.imported('Network', { filter: { name, description: 'first' } });
    assert.is((await find(scene.request(narrower)))?.id, id);
  });

  check('an import filter selects by each of its fields', async (scene) => {
    const name = scene.name('one');
    const id = await scene.outside('Network', { name, description: 'x', 'router:external': true });
    await scene.call('PUT', `/networks/${id}/tags`, { tags: ['a', 'b'] });
    const { import: find } = scene.operations('Network');
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
      const found = await find(scene.request(scene.imported('Network', { filter: { name, ...filter } })));
      assert.is(found?.id, isFound ? id : undefined, JSON.stringify(filter));
    }
  });

  check('the references of an import filter are part of the query', async (scene) => {
    const [mine, other] = [
      await scene.outside('Network', { name: 'kinds-a' }),
      await scene.outside('Network', { name: 'kinds-b' }),
    ];
    const subnet = { name: scene.name('range'), ip_version: 4, cidr: '192.0.2.0/24' };
    await scene.outside('Subnet', { ...subnet, network_id: other });
    const id = await scene.outside('Subnet', { ...subnet, network_id: mine });
    const filter = {
      name: subnet.name,
      networkRef: 'mine',
      ipVersion: 4,
      cidr: '192.0.2.0/24',
      gatewayIP: '192.0.2.1',
    };
    const object = scene.imported('Subnet', { filter });
    const { import: find } = scene.operations('Subnet');
    assert.is((await find(scene.request(object, { 'Network/mine': mine })))?.id, id);
    await fails(find(scene.request(object)), 'transient', /Network\/mine/);
  });

  check('projects and domains are imported by filter', async (scene) => {
    const domain = await scene.outside('Domain', { name: scene.name('dom') });
    const project = await scene.outside('Project', { name: scene.name('p'), domain_id: domain, tags: ['a'] });
    const byDomain = scene.imported('Domain', { filter: { name: scene.name('dom'), enabled: true } });
    assert.is((await scene.operations('Domain').import(scene.request(byDomain)))?.id, domain);
    const filter = { name: scene.name('p'), domainRef: 'dom', tags: ['a'] };
    const byTags = scene.imported('Project', { filter });
    assert.is((await scene.operations('Project').import(scene.request(byTags, { 'Domain/dom': domain })))?.id, project);
    const elsewhere = scene.imported('Project', { filter: { ...filter, tags: ['b'] } });
    assert.is(await scene.operations('Project').import(scene.request(elsewhere, { 'Domain/dom': domain })), undefined);
  });

  check('an import by id finds the resource, or fails for good', async (scene) => {
    const id = await scene.outside('Network', { name: scene.name('known') });
    const { import: find } = scene.operations('Network');
    assert.is((await find(scene.request(scene.imported('Network', { id }))))?.id, id);
    const unknown = scene.imported('Network', { id: '00000000-0000-4000-8000-000000000000' });
    await fails(
      find(scene.request(unknown)),
      'terminal',
      /^referenced resource does not exist in OpenStack$/,
      'UnrecoverableError',
    );
    await scene.call('DELETE', `/networks/${id}`);
    const observed = scene.observe(scene.imported('Network', { id }), id);
    await fails(observed, 'terminal', /^resource has been deleted from OpenStack$/, 'UnrecoverableError');
  });

  check('what an interrupted create left behind is found: none, one, several', async (scene) => {
    const object = scene.managed('Network', 'lost');
    const { find } = scene.operations('Network');
    foundNothing(await find(scene.request(object)));
    const ids = [await scene.outside('Network', { name: scene.name('lost') })];
    await scene.outside('Network', { name: scene.name('lost-and-found') });
    assert.equal(
      (await find(scene.request(object))).matches.map(({ id }) => id),
      ids,
    );
    ids.push(await scene.outside('Network', { name: scene.name('lost') }));
    assert.equal((await find(scene.request(object))).matches.map(({ id }) => id).sort(), ids.sort());
  });

  check('a look-up without a reference says that it is not exact', async (scene) => {
    const network = await scene.create(scene.managed('Network', 'net'));
    const object = scene.managed('Subnet', 'sub', { networkRef: 'net', ipVersion: 4, cidr: '192.0.2.0/24' });
    const { id } = await scene.create(object, { 'Network/net': network.id });
    const { find } = scene.operations('Subnet');
    const inexact = await find(scene.request(object));
    assert.equal([inexact.exact, inexact.matches.map((match) => match.id)], [false, [id]]);
    const exact = await find(scene.request(object, { 'Network/net': network.id }));
    assert.equal([exact.exact, exact.matches.map((match) => match.id)], [true, [id]]);
    const elsewhere = await find(scene.request(object, { 'Network/net': '00000000-0000-4000-8000-000000000000' }));
    foundNothing(elsewhere);
  });

  check('many look-ups at once find each its own', async (scene) => {
    const suffixes = Array.from({ length: 60 }, (_, index) => `many-${index}`);
    const ids = new Map<string, string>();
    for (const suffix of ['many-0', 'many-7', 'many-59']) {
      ids.set(suffix, await scene.outside('Network', { name: scene.name(suffix) }));
      ids.set(`project ${suffix}`, await scene.outside('Project', { name: scene.name(suffix) }));
    }
    for (const [kind, prefix] of [
      ['Network', ''],
      ['Project', 'project '],
    ] as const) {
      const { find } = scene.operations(kind);
      const found = await Promise.all(suffixes.map((suffix) => find(scene.request(scene.managed(kind, suffix)))));
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
