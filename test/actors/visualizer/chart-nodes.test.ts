// Machines as the page draws them: every state and arrow is there, under the names that people know.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { and, not, setup } from 'xstate';
import { configure } from '../../../actors/process/adapters.ts';
import { chartNodeOf } from '../../../actors/visualizer/chart-nodes.ts';
import { knownMachines } from '../../../actors/visualizer/known-machines.ts';
import { toneOfTags } from '../../../actors/visualizer/status-colors.ts';
import { type ChartNode, StatusColor } from '../../../actors/visualizer/wire.ts';
import { metal3 } from '../../../adapters/ironic/mod.ts';
import { ADAPTERS } from './follower.ts';

const test = suite('chart nodes');

const machine = setup({
  guards: { isFine: () => true, isLate: () => false },
  actors: {},
  delays: { patience: 10 },
}).createMachine({
  id: 'lamp',
  initial: 'off',
  states: {
    off: {
      description: 'It is dark.',
      tags: ['settled'],
      on: { 'switch.pressed': { guard: and(['isFine', not('isLate')]), target: 'on' }, 'other.happened': {} },
    },
    on: {
      initial: 'bright',
      after: { patience: 'off' },
      states: { bright: { always: { guard: { type: 'isLate' }, target: 'dim' } }, dim: { type: 'final' } },
      onDone: '#lamp.broken',
    },
    broken: { type: 'final' },
  },
});

test('states, tags, guards, and arrows on events, delays, ends and at once', () => {
  const root = chartNodeOf(machine);
  assert.equal([root.path, root.name, root.type, root.initial], ['', 'lamp', 'compound', 'off']);
  const [off, on, broken] = root.states;
  assert.equal([off?.description, off?.tags, off?.type], ['It is dark.', ['settled'], 'atomic']);
  assert.equal(off?.transitions, [
    { event: 'switch.pressed', guard: 'isFine and not isLate', target: 'on' },
    { event: 'other.happened', guard: '', target: 'off' },
  ]);
  assert.equal(on?.initial, 'on.bright');
  assert.equal(on?.transitions.map(({ event, target }) => [event, target]).sort(), [
    ['after patience', 'off'],
    ['done', 'broken'],
  ]);
  assert.equal(on?.states[0]?.transitions, [{ event: '', guard: 'isLate', target: 'on.dim' }]);
  assert.is(broken?.type, 'final');
});

test('every machine by which objects live is drawn whole, as JSON, with targets that are there', () => {
  const known = knownMachines([...ADAPTERS, configure(metal3, {})]);
  assert.ok(known.length >= 2);
  for (const { name, machine: each } of known) {
    const root = chartNodeOf(each);
    const all = below(root);
    const paths = new Set(all.map(({ path }) => path));
    assert.equal(JSON.parse(JSON.stringify(root)), root, name);
    assert.is(paths.size, all.length, name);
    for (const { path, initial, transitions, type } of all) {
      if (type === 'compound') assert.ok(paths.has(initial), `${name}: ${path}`);
      for (const { event, target } of transitions) {
        assert.ok(paths.has(target), `${name}: ${path} on ${event}`);
        assert.not.match(event, /^xstate\./);
      }
    }
  }
  const resource = below(
    chartNodeOf((known.find(({ name }) => name === 'externalResource') as (typeof known)[0]).machine),
  );
  const events = resource.flatMap(({ transitions }) => transitions.map(({ event }) => event));
  for (const wanted of ['create done', 'create failed']) assert.ok(events.includes(wanted), wanted);
  assert.ok(events.some((event) => event.startsWith('after ')));
});

test('a host at rest is drawn as one that is available, in each state in which it may rest so', () => {
  const known = knownMachines([configure(metal3, {})]);
  const host = known.find(({ kinds }) => kinds.includes('BareMetalHost'));
  assert.is(host?.name, 'bareMetalHost');
  const toneAt = (path: string): StatusColor => {
    const tags = below(chartNodeOf((host as (typeof known)[0]).machine)).flatMap((node) =>
      path === node.path || path.startsWith(`${node.path}.`) ? node.tags : [],
    );
    return toneOfTags(tags);
  };
  for (const state of ['available', 'provisioned', 'externallyProvisioned'])
    assert.is(toneAt(`lifecycle.${state}.idle`), StatusColor.Available, state);
  assert.is(toneAt('lifecycle.provisioning.awaiting'), StatusColor.Waiting);
  assert.is(toneAt('lifecycle.deleting.removing'), StatusColor.Deleting);
});

function below(node: ChartNode): readonly ChartNode[] {
  return [node, ...node.states.flatMap(below)];
}

test.run();
