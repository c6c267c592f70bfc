// What happens to objects is told by Kubernetes Events, on any API server, bus and cloud, and as kubectl shows them.
import { execFile } from 'node:child_process';
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../bus/mod.ts';
import { standsDuring } from '../world/clock.ts';
import type { OpenGround } from '../world/environments.ts';
import { checkIn, condition, type World } from '../world/world.ts';
import { reasons, reported } from './told.ts';

/** The recorder gathers for so long before it writes, and pauses for longer after a failure; in milliseconds. */
const HOLD_MS = 500;

export function describeEvents(test: Test, openGround: OpenGround): void {
  const check = checkIn(test, openGround);

  check('a network that is made, changed and deleted tells so, with its id and its fields', async (world) => {
    const name = world.name('net');
    await world.apply(world.managed('Network', name, { tags: ['a'] }));
    const { status, metadata } = await world.available('Network', name);
    const made = await reported(world, name, 'Created');
    const { type, message, count, involvedObject, reportingComponent, source } = made;
    assert.equal([type, message, count, reportingComponent], ['Normal', `Created ${status?.id}`, 1, 'troupe']);
    assert.equal(source, { component: 'troupe' });
    assert.ok(made.reportingInstance !== '' && world.runtime?.pod.startsWith(made.reportingInstance));
    const { resourceVersion, ...about } = involvedObject;
    assert.match(String(resourceVersion), /^\d+$/);
    const apiVersion = 'openstack.k-orc.cloud/v1alpha1';
    assert.equal(about, { apiVersion, kind: 'Network', namespace: world.namespace, name, uid: metadata.uid });

    await world.patch('Network', name, { spec: { resource: { description: 'reported', tags: ['b'] } } });
    await world.until('Network', name, 'changed', (object) => object.status?.resource?.['description'] === 'reported');
    assert.is((await reported(world, name, 'Updated')).message, `Updated description, tags of ${status?.id}`);

    await world.delete('Network', name);
    await world.gone('Network', name);
    assert.is((await reported(world, name, 'Deleted')).message, `Deleted ${status?.id}`);
    // The tags that completed the new network were part of making it.
    assert.equal(await reasons(world, name), ['Created', 'Deleted', 'Updated']);
  });

  check('what was there already is adopted, and two of it are a failure', async (world) => {
    const id = await world.outside(world.name('net'));
    await world.apply(world.managed('Network', world.name('net')));
    await world.available('Network', world.name('net'));
    assert.is((await reported(world, world.name('net'), 'Adopted')).message, `Adopted ${id}, which was there already`);
    assert.equal(await reasons(world, world.name('net')), ['Adopted']);

    await world.outside(world.name('two'));
    await world.outside(world.name('two'));
    await world.apply(world.managed('Network', world.name('two')));
    const { type, message } = await reported(world, world.name('two'), 'Failed');
    const many = 'found more than one matching OpenStack resource during adoption';
    assert.equal([type, message], ['Warning', `InvalidConfiguration: ${many}`]);
  });

  check('what is imported is told of, and that it is left in place', async (world) => {
    const id = await world.outside(world.name('theirs'));
    const name = world.name('imported');
    await world.apply(world.unmanaged('Network', name, { id }));
    await world.available('Network', name);
    assert.is((await reported(world, name, 'Imported')).message, `Imported ${id}`);
    await world.delete('Network', name);
    await world.gone('Network', name);
    assert.is((await reported(world, name, 'Detached')).message, `Left ${id} in place`);
    assert.equal(await reasons(world, name), ['Detached', 'Imported']);
  });

  check('drift is told apart from a change of the spec; the same again counts; a loss is told', async (world) => {
    const name = world.name('net');
    await world.apply(world.managed('Network', name, { description: 'ours' }, { resyncPeriod: '1s' }));
    const { status } = await world.available('Network', name);
    const drift = async (): Promise<void> => {
      await world.cloud('PUT', `/networks/${status?.id}`, { network: { description: 'theirs' } });
      await world.eventually('the network is as specified', async () => {
        const { network } = await world.cloud('GET', `/networks/${status?.id}`);
        const { description } = network as JsonObject;
        return description === 'ours' ? undefined : String(description);
      });
    };
    await drift();
    const { type, message } = await reported(world, name, 'Drifted');
    const text = `Changed back description of ${status?.id}: not as specified, though the spec had not changed`;
    assert.equal([type, message], ['Warning', text]);
    await drift();
    const again = await reported(world, name, 'Drifted', ({ count }) => count === 2);
    assert.ok(again.lastTimestamp >= again.firstTimestamp);
    assert.equal(await reasons(world, name), ['Created', 'Drifted']);

    await world.cloud('DELETE', `/networks/${status?.id}`);
    const lost = await reported(world, name, 'DeletedExternally');
    assert.is(lost.message, `${status?.id} was deleted outside of Troupe; re-creating it`);
    await reported(world, name, 'Created', (event) => event.message !== `Created ${status?.id}`);
    assert.equal(await reasons(world, name), ['Created', 'Created', 'DeletedExternally', 'Drifted']);
  });

  check('a restart tells nothing again', async (world) => {
    const [good, bad] = [world.name('net'), world.name('bad')];
    await world.outside(bad);
    await world.outside(bad);
    await world.apply(world.managed('Network', good), world.managed('Network', bad));
    await world.available('Network', good);
    await reported(world, good, 'Created');
    await reported(world, bad, 'Failed');
    await world.stop();
    await world.start();
    await world.eventually('both live again', () => {
      const { size } = new Set(
        world.events.filter(({ data }) => data['cause'] === 'lifecycle.started').map(({ actor }) => actor.name),
      );
      return size >= 2 ? undefined : `${size} live`;
    });
    await world.clock.sleep(2 * HOLD_MS);
    assert.equal(await reasons(world, good), ['Created']);
    assert.equal(await reasons(world, bad), ['Failed']);
  });

  check('the end of a process gives what is noted a moment to be written', async (world) => {
    const name = world.name('net');
    await world.apply(world.managed('Network', name));
    await world.eventually('the id is stored, as the runtime knows', () => {
      const phases = world.eventsOf('Network', name, 'transition').map(({ data }) => String(data['from']));
      return phases.includes('building.recording') ? undefined : phases.join();
    });
    await world.stop();
    assert.equal(await reasons(world, name), ['Created']);
  });

  check('a namespace that is being deleted takes no events, and nobody complains', async (world) => {
    const name = world.name('net');
    await world.apply(world.managed('Network', name));
    await world.available('Network', name);
    await world.deleteNamespace();
    await world.namespaceGone();
    await world.clock.sleep(2 * HOLD_MS);
    assert.equal(
      world.lines('warn').filter(({ msg }) => String(msg).includes('event')),
      [],
    );
  });

  check(
    'with events switched off there are none',
    async (world) => {
      await world.start({ events: false });
      const name = world.name('net');
      await world.apply(world.managed('Network', name));
      const done = await world.available('Network', name);
      assert.is(condition(done, 'Available').status, 'True');
      await world.stop();
      assert.equal(await reasons(world, name), []);
    },
    { runtime: 'stopped' },
  );
}

export function describeEventsInKubectl(test: Test, openGround: OpenGround): void {
  checkIn(test, openGround)('kubectl shows events beside the object, and in the list', async (world) => {
    const name = world.name('net');
    await world.apply(world.managed('Network', name));
    const { status } = await world.available('Network', name);
    await reported(world, name, 'Created');
    const described = await kubectl(world, 'describe', 'networks.openstack.k-orc.cloud', name);
    assert.match(described, new RegExp(`Normal +Created +\\S+ +troupe +Created ${status?.id}`));
    const listed = await kubectl(world, 'get', 'events', '--sort-by=.lastTimestamp', '-o', 'wide');
    assert.match(
      listed,
      new RegExp(`Normal +Created +network/${name} +troupe\\S*.* Created ${status?.id} .* 1 +${name}\\.`),
    );
    const events = await kubectl(world, 'events', '--for', `networks.openstack.k-orc.cloud/${name}`);
    assert.match(events, new RegExp(`Normal +Created +Network/${name} +Created ${status?.id}`));
  });
}

function kubectl(world: World, ...args: readonly string[]): Promise<string> {
  const env = { PATH: process.env['PATH'] ?? '', HOME: world.ground.folder, KUBECONFIG: world.ground.kubeconfig };
  const shown = new Promise<string>((resolve, reject) => {
    execFile('kubectl', ['-n', world.namespace, ...args], { env, timeout: 30_000 }, (error, out, err) =>
      error === null ? resolve(out) : reject(new Error(`kubectl ${args.join(' ')}: ${err}`, { cause: error })),
    );
  });
  return standsDuring(world.ground.clock, shown);
}
