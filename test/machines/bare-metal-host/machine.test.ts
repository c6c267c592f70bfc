// The chart as a whole: its states, arrows and effects.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { SnapshotFrom } from 'xstate';
import { bareMetalHostMachine } from '../../../machines/bare-metal-host/machine.ts';
import { TRANSITIONS } from '../../../machines/bare-metal-host/transitions.ts';
import { leaves, reached } from '../paths.ts';
import { allNodes, answersAndTimers, invokeIds } from './events.ts';
import { AT, IMAGE, type Parts } from './hosts.ts';
import { secret, view } from './lives.ts';

const test = suite('bare-metal host machine');

const DETACHED = { 'baremetalhost.metal3.io/detached': '' };
const REBOOT = { 'reboot.metal3.io': '' };
const PAUSED = { 'baremetalhost.metal3.io/paused': '' };
const ON = { poweredOn: true };
const DEPLOYED = { spec: { image: IMAGE }, provisioning: { image: IMAGE } };
const FORCED = { annotations: { 'reboot.metal3.io': '{"force": true}' } };
const KEPT_ON = { disablePowerOff: true };
const EXTERNAL = { externallyProvisioned: true };
const TRIED = { provisioningFailCount: 5, lastAttemptedImage: IMAGE };

/** Hosts that begin a life, so that together they come everywhere. Each is followed within the state that it comes to first. */
const BEGUN: readonly Parts[] = [
  { state: 'what nobody knows' },
  { state: 'unmanaged', spec: { bmc: {} } },
  { state: 'registering' },
  { state: 'inspecting' },
  { state: 'preparing' },
  { state: 'available' },
  { state: 'available', annotations: DETACHED },
  { state: 'available', annotations: PAUSED },
  { state: 'available', annotations: REBOOT },
  { state: 'available', status: ON, ...FORCED, spec: KEPT_ON },
  { state: 'available', status: { errorType: 'servicing error' } },
  { state: 'available', spec: { image: IMAGE }, status: TRIED },
  { state: 'provisioning', spec: { image: IMAGE } },
  { state: 'provisioned', ...DEPLOYED },
  { state: 'provisioned', ...DEPLOYED, annotations: REBOOT },
  { state: 'provisioned', ...DEPLOYED, spec: { ...DEPLOYED.spec, ...KEPT_ON }, status: ON, annotations: REBOOT },
  { state: 'externally provisioned', spec: EXTERNAL },
  { state: 'externally provisioned', spec: EXTERNAL, annotations: REBOOT },
  { state: 'externally provisioned', spec: { ...EXTERNAL, ...KEPT_ON }, status: ON, annotations: REBOOT },
  { state: 'deprovisioning', provisioning: { image: IMAGE } },
  { state: 'powering off before delete', deleted: true },
  { state: 'powering off before delete' },
  { state: 'deleting', deleted: true },
];

const pathIds = new Map(allNodes.map(({ path, id }) => [path.join('.'), id]));

function activeIds(value: unknown, path: readonly string[] = []): readonly string[] {
  if (typeof value === 'string') return [pathIds.get([...path, value].join('.')) ?? ''];
  return Object.entries(value as object).flatMap(([name, inner]) => activeIds(inner, [...path, name]));
}

/** Answers come only from effects that run, timers only where they were armed. */
function possible(snapshot: { children: object; value: unknown }, events: ReturnType<typeof answersAndTimers>) {
  const active = new Set(activeIds(snapshot.value));
  return events.filter(({ type }) => {
    const [prefix, kind, , ...rest] = type.split('.');
    if (prefix !== 'xstate') return type !== 'lifecycle.started';
    const id = rest.join('.');
    return kind === 'after' ? active.has(id) : id in snapshot.children;
  });
}

/** The part of the chart: `inspecting`. */
function partOf({ value: { lifecycle } }: SnapshotFrom<typeof bareMetalHostMachine>): string {
  return typeof lifecycle === 'string' ? lifecycle : (Object.keys(lifecycle)[0] ?? '');
}

test('every state is reached by generated paths', () => {
  const found = new Set<string>();
  const events = answersAndTimers();
  // How the status is written is the same everywhere.
  const usual = events.filter(({ type }) => !(type as string).endsWith('error.actor.writeStatus'));
  const inputs = [
    ...BEGUN.map((parts) => view(parts)),
    view({}, { owned: false }),
    view({ state: 'available' }, { brings: true }),
    view({ state: 'deleting', deleted: true }, { heldBy: ['example.org/other'] }),
    view({ state: 'deleting', deleted: true }, { owned: false }),
  ];
  for (const object of inputs) {
    let part: string | undefined;
    const input = {
      key: 'key',
      object,
      dependencies: [secret('ready')],
      at: AT,
      inDoubtUntil: 0,
      isOwnershipDisputed: false,
    };
    const walk = reached(bareMetalHostMachine, input, (snapshot) => {
      if (partOf(snapshot) === 'starting') return [{ type: 'lifecycle.started' } as const];
      part ??= partOf(snapshot);
      if (partOf(snapshot) !== part) return [];
      return possible(snapshot, part === 'registering' ? events : usual);
    });
    for (const leaf of walk) found.add(leaf);
  }
  // These are left in the same step in which they are entered.
  const isPassing = (leaf: string): boolean =>
    /\.(judging|judgingPower|routing|matchingProfile|new)$/.test(leaf) || leaf === 'lifecycle.admitting.deciding';
  assert.equal(
    leaves(bareMetalHostMachine).filter((leaf) => !found.has(leaf) && !isPassing(leaf)),
    [],
  );
});

test('every state has a description of one line', () => {
  const bare = allNodes.filter(({ description }) => description === undefined || description.includes('\n'));
  assert.equal(
    bare.map(({ id }) => id),
    [],
  );
});

test('every row of the table of transitions is an arrow of the chart, to the state that the table names', () => {
  const stateIds = new Map([
    ['registering', 'registering'],
    ['unmanaged', 'unmanaged'],
    ['inspecting', 'inspecting'],
    ['preparing', 'preparing'],
    ['available', 'available'],
    ['provisioning', 'provisioning'],
    ['provisioned', 'provisioned'],
    ['externally provisioned', 'externallyProvisioned'],
    ['deprovisioning', 'deprovisioning'],
    ['powering off before delete', 'poweringOff'],
    ['deleting', 'deleting'],
  ]);
  const taken = new Map<string, Set<string>>();
  for (const node of allNodes) {
    const transitions = [...node.transitions.values()].flat().concat(node.always ?? []);
    for (const { actions, target } of transitions) {
      for (const action of actions as readonly { type: string; params?: unknown }[]) {
        if (action.type !== 'take' && action.type !== 'plan') continue;
        const row = rowOf(action.params);
        if (row === undefined) continue;
        const targets = taken.get(row) ?? new Set();
        taken.set(row, targets);
        for (const { id } of target ?? []) targets.add(id);
      }
    }
  }
  for (const [row, { to }] of Object.entries(TRANSITIONS)) {
    assert.equal([...(taken.get(row) ?? [])], [stateIds.get(to)], row);
  }
});

function rowOf(params: unknown): string | undefined {
  if (typeof params !== 'function') return (params as { row?: string }).row;
  return (params({ event: { output: { kind: 'done', at: AT } } }) as { row?: string }).row;
}

test('every effect that is declared is invoked', () => {
  const used = new Set(allNodes.flatMap(({ invoke }) => invoke.map(({ src }) => src as string)));
  assert.equal(
    Object.keys(bareMetalHostMachine.implementations.actors).filter((name) => !used.has(name)),
    [],
  );
  assert.not.ok(
    [...invokeIds].some((id) => id.includes(':invocation')),
    'an invoke without an id of its own',
  );
});

test.run();
