// What is found not as specified, and what was made of something that is another one by now: told, and left as it is.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { metrics } from '../../actors/observability/metrics.ts';
import type { JsonObject } from '../../bus/mod.ts';
import { inMemory } from '../world/environments.ts';
import type { Raw } from '../world/watched-objects.ts';
import { checkIn, condition, type Kind, type World } from '../world/world.ts';
import { reported } from './told.ts';

const test = suite('drift in memory');
const check = checkIn(test, inMemory);

const ANNOTATION = 'troupe/drift';

async function annotate(world: World, kind: Kind, name: string, drift: string | null): Promise<void> {
  await world.patch(kind, name, { metadata: { annotations: { [ANNOTATION]: drift } } });
}

const drifted = (object: Raw): string => {
  const { status, reason, message } = condition(object, 'Drifted');
  return `${status} ${reason}: ${message}`;
};

/** Requests that change something. */
function writes(world: World): readonly string[] {
  return Object.keys(world.simulator.calls()).filter((call) => !/ (?:GET|POST \/auth\/tokens)/.test(call));
}

check(
  'drift that is only reported: which fields, in condition, event and figure; nothing is written',
  async (world) => {
    const counted = metrics({ clock: world.clock });
    await world.stop();
    await world.start({ metrics: counted });
    const name = world.name('net');
    const resource = { description: 'mine', tags: ['a'] };
    const manifest = world.managed('Network', name, resource, { resyncPeriod: '1s' });
    const annotations = { [ANNOTATION]: 'report' };
    await world.apply({ ...manifest, metadata: { ...(manifest['metadata'] as JsonObject), annotations } });
    const { status } = await world.available('Network', name);
    const id = String(status?.id);
    await world.until('Network', name, 'as specified', (object) => drifted(object).startsWith('False Success'));
    world.simulator.resetCounts();
    world.simulator.drift.change('networks', id, { description: 'theirs', tags: ['b'] });
    const found = await world.until('Network', name, 'drifted', (object) => drifted(object).startsWith('True'));
    assert.is(drifted(found), 'True Drifted: differs from the spec, and is not corrected: description, tags');
    assert.equal([condition(found, 'Available').status, condition(found, 'Progressing').reason], ['True', 'Success']);
    const { message, type } = await reported(world, name, 'Drifted');
    assert.equal([type, message], ['Warning', `differs from the spec, and is not corrected: description, tags: ${id}`]);
    assert.match((await counted.text()).body, /troupe_kubernetes_events_total\{kind="Network",reason="Drifted"\} \d/);
    // It is looked at again, by another process too, and nothing is done.
    await world.stop();
    await world.start();
    await world.until(
      'Network',
      name,
      'looked at again',
      (object) => object.status?.lastSyncTime !== found.status?.lastSyncTime,
    );
    assert.equal(writes(world), []);
    // What is edited is brought there, all of it.
    await world.patch('Network', name, { spec: { resource: { description: 'edited' } } });
    await world.until('Network', name, 'as specified', (object) => drifted(object).startsWith('False Success'));
    const [network] = world.simulator.resources('networks').filter(({ id: of }) => of === id);
    assert.equal([network?.['description'], network?.['tags']], ['edited', ['a']]);
    // And without the annotation it is brought back.
    world.simulator.drift.change('networks', id, { description: 'theirs' });
    await world.until('Network', name, 'drifted', (object) => drifted(object).startsWith('True'));
    await annotate(world, 'Network', name, null);
    await world.eventually('it is brought back', () => {
      const [now] = world.simulator.resources('networks').filter(({ id: of }) => of === id);
      return now?.['description'] === 'edited' ? undefined : JSON.stringify(now);
    });
    await world.until('Network', name, 'of no drift', (object) => drifted(object).startsWith(' '));
  },
);

check('what is gone is told, and made anew when its spec is edited', async (world) => {
  const name = world.name('net');
  await world.apply(world.managed('Network', name, {}, { resyncPeriod: '1s' }));
  await annotate(world, 'Network', name, 'report');
  const { status } = await world.available('Network', name);
  await world.cloud('DELETE', `/networks/${status?.id}`);
  const gone = await world.progressing(
    'Network',
    name,
    'UnrecoverableError',
    /deleted outside of Kubernetes, and is not re-created/,
  );
  assert.is(gone.status?.id, status?.id);
  assert.equal(await world.contents('networks'), []);
  await world.patch('Network', name, { spec: { resource: { description: 'wanted' } } });
  const anew = await world.until(
    'Network',
    name,
    'another one',
    (object) => object.status?.id !== undefined && object.status.id !== status?.id,
  );
  assert.is.not(anew.status?.id, status?.id);
});

check('what was made of another one says so, also to who begins afresh, and stays', async (world) => {
  const [owner, name] = [world.name('owner'), world.name('net')];
  await world.apply(world.managed('Project', owner), world.managed('Network', name, { projectRef: owner }));
  const before = (await world.available('Project', owner)).status?.id;
  const { status } = await world.available('Network', name);
  await world.stop();
  world.simulator.drift.remove('projects', String(before));
  await world.start({ kinds: ['Project'] });
  await world.patch('Project', owner, { spec: { resource: { description: 'looked at' } } });
  const after = await world.until(
    'Project',
    owner,
    'another one',
    (object) => object.status?.id !== undefined && object.status.id !== before,
  );
  await world.stop();
  await world.start();
  const said = `; it was made of ${before}, Project/${owner} is ${after.status?.id} by now: to follow spec.resource.projectRef, delete Network/${name}, which deletes ${status?.id} with all that it holds, and create it again`;
  const found = await world.progressing('Network', name, 'Success', `OpenStack resource is up to date${said}`);
  assert.equal([found.status?.id, condition(found, 'Available').status], [status?.id, 'True']);
  assert.match((await reported(world, name, 'DependencyReplaced')).message, /^it was made of /);
  assert.is((await world.contents('networks')).length, 1);
  // Who has said so is not woken to say it again.
  const { resourceVersion } = found.metadata;
  world.simulator.resetCounts();
  await world.stop();
  await world.start();
  await world.eventually('it lives again', () =>
    (world.runtime?.countByState().get('idle.available') ?? 0) >= 2 ? undefined : 'not yet',
  );
  assert.equal(
    Object.keys(world.simulator.calls()).filter((call) => call.includes('/networks')),
    [],
  );
  assert.is((await world.read('Network', name))?.metadata.resourceVersion, resourceVersion);
});

test.run();
