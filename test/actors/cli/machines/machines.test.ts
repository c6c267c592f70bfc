// `troupe machines`: what it lists, and that others can read what it writes.
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type AnyStateMachine, type AnyStateNode, createMachine } from 'xstate';
import { definitionOf } from '../../../../actors/cli/machines/definition.ts';
import { diagramsPage, type MachinesDeps, machines } from '../../../../actors/cli/machines/machines.ts';
import { mermaidOf } from '../../../../actors/cli/machines/mermaid.ts';
import { configure } from '../../../../actors/process/adapters.ts';
import { knownMachines } from '../../../../actors/visualizer/known-machines.ts';
import { openstackWith } from '../../../../adapters/openstack/mod.ts';
import { TerminalError } from '../../../../bus/mod.ts';
import { externalResourceMachine } from '../../../../machines/external-resource/machine.ts';
import { pressAdapter } from '../../../example-adapter/adapter.ts';

const test = suite('troupe machines');

const press = configure(pressAdapter({ fetch: globalThis.fetch }), { PRESS_URL: 'http://127.0.0.1:9' });
const adapters = [openstackWith({}), press];

async function said(options: Partial<MachinesDeps> = {}): Promise<string> {
  const out = new PassThrough();
  const code = await machines({ adapters, names: [], output: undefined, out, ...options });
  out.end();
  assert.is(code, 0);
  return text(out);
}

/** Each state of a machine, and where its events lead. */
function shapeOf(machine: AnyStateMachine): readonly string[] {
  const shape = (node: AnyStateNode): readonly string[] => [
    `${node.id} ${node.type} ${node.tags.join()}`,
    ...[...node.transitions.values(), node.always ?? []]
      .flat()
      .map(
        ({ eventType, target, actions }) =>
          `${node.id} ${eventType} -> ${(target ?? []).map(({ id }: AnyStateNode) => id)} ${actions.length}`,
      ),
    ...Object.values(node.states).flatMap((child) => shape(child as AnyStateNode)),
  ];
  return shape(machine.root);
}

test('each machine is listed once, with the kinds that live by it', async () => {
  const lines = (await said()).trim().split('\n');
  assert.match(lines[0] ?? '', /^MACHINE +STATES +KINDS$/);
  assert.equal(
    lines.slice(1).map((line) => line.split(/ +/)[0]),
    ['book', 'deletionGuard', 'externalResource'],
  );
  assert.match(lines[3] ?? '', /\d\d +AddressScope, .*Paper.*, VolumeType$/);
});

test('what it writes as JSON makes the same machine: states, tags, events, targets', async () => {
  const all = JSON.parse(await said({ output: 'json' }));
  for (const [index, { name, machine }] of knownMachines(adapters).entries()) {
    const one = JSON.parse(await said({ output: 'json', names: [name] }));
    assert.equal(one, all[index]);
    assert.equal(shapeOf(createMachine(one)), shapeOf(machine), name);
  }
});

test('guards of guards are kept, and nothing of it is code', () => {
  const definition = definitionOf(externalResourceMachine);
  assert.equal(JSON.parse(JSON.stringify(definition)), definition);
  assert.match(
    JSON.stringify(definition),
    '{"type":"xstate.and","params":{"guards":["isDeleting",{"type":"xstate.not","params":{"guards":["isOwned"]}}]}}',
  );
});

test('a diagram has each state, and an arrow for where its events lead', async () => {
  const diagram = await said({ output: 'mermaid', names: ['externalResource'] });
  const [head, kind, ...lines] = diagram.trim().split('\n');
  assert.equal([head, kind], ['%% externalResource', 'stateDiagram-v2']);
  for (const line of lines)
    assert.match(line, /^ +(state "\w+" as \w+( \{)?|\}|--|(\[\*\]|\w+) --> (\[\*\]|\w+)( : [\w. ,-]+)?)$/);
  assert.match(diagram, 'lifecycle_building_creating --> lifecycle_building_recording : create done');
  assert.match(diagram, /lifecycle_backingOff --> lifecycle_claiming : .*after backoff/);
  const open = lines.filter((line) => line.endsWith('{')).length;
  assert.is(lines.filter((line) => line.trim() === '}').length, open);
});

test('the page of diagrams has each built-in machine, its states in words, and its diagram', () => {
  const page = diagramsPage([openstackWith({})]);
  for (const { name, machine } of knownMachines([openstackWith({})])) {
    assert.match(page, `## ${name}\n`);
    assert.match(page, mermaidOf(machine));
  }
  assert.match(page, '| `building.creating` | The external resource is being created. |');
});

test('a machine or an output that there is not is refused, with those that there are', async () => {
  for (const [options, expected] of [
    [{ names: ['guards'] }, /no machine 'guards'; there are book, deletionGuard, externalResource/],
    [{ output: 'xml' }, /--output must be text, json or mermaid; got 'xml'/],
  ] as const) {
    const error = await said(options).catch((thrown: unknown) => thrown);
    assert.instance(error, TerminalError);
    assert.match((error as Error).message, expected);
  }
});

test.run();
