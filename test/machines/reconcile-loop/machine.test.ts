// The life of an object that is looked after pass by pass.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createActor, type EventFromLogic, fromPromise, SimulatedClock } from 'xstate';
import { type Dependency, Readiness, Tag } from '../../../machines/lifecycle.ts';
import type { ErrorData, JsonObject } from '../../../machines/object.ts';
import type {
  ReconcileAttemptInput,
  ReconcileLoopView,
  Standing,
  Verdict,
} from '../../../machines/reconcile-loop/context.ts';
import { reconcileLoopMachine } from '../../../machines/reconcile-loop/machine.ts';
import { leaves, possible, reached } from '../paths.ts';

const test = suite('upkeep machine');

const NEW: ReconcileLoopView = { generation: 1, deleting: false, owned: true, heldBy: [], settled: false, basis: '' };
const REST: Verdict = { next: 'rest' };
const GUARD: Verdict = { next: 'guard' };
const LEAVE: Verdict = { next: 'leave' };
const STANDING = (['available', 'awaitingDependencies', 'inUse'] as const).map(
  (stands): Verdict => ({ next: 'rest', stands }),
);

function other(answer: Dependency['answer'] = { readiness: Readiness.Ready, uid: 'o' }): Dependency {
  return { kind: 'Other', name: 'o', finalizers: [], neededFor: 'always', answer };
}

interface World {
  readonly effects: string[];
  readonly notes: JsonObject[];
  readonly phase: () => string;
  readonly tags: () => readonly string[];
  readonly passes: (ms: number) => void;
  end(output?: unknown): Promise<void>;
  fails(error: ErrorData): Promise<void>;
  changed(object: Partial<ReconcileLoopView>): void;
  heard(dependencies: readonly Dependency[]): void;
  /** Somebody who refers to it says something else. */
  related(): void;
  readonly withdrawnUids: () => readonly string[];
}

/** A life whose effects end when the test says so. */
function begin(object: Partial<ReconcileLoopView> = {}, dependencies: readonly Dependency[] = [other()]): World {
  const effects: string[] = [];
  const notes: JsonObject[] = [];
  let now: ReconcileLoopView = { ...NEW, ...object };
  let known = dependencies;
  let finish: (output: unknown) => void = () => undefined;
  let fail: (error: unknown) => void = () => undefined;
  const effect = (name: string) =>
    fromPromise<never, never>(({ input }) => {
      effects.push(name);
      if (name === 'reconcile') notes.push((input as ReconcileAttemptInput).notes);
      return new Promise((resolve, reject) => {
        [finish, fail] = [resolve as typeof finish, reject];
      });
    });
  const names = ['addOwnFinalizer', 'reconcile', 'endClaims', 'removeOwnFinalizer'];
  const machine = reconcileLoopMachine.provide({
    actors: Object.fromEntries(names.map((name) => [name, effect(name)])) as never,
    actions: { claim: () => void effects.push('claim') },
  });
  const clock = new SimulatedClock();
  const input = { key: 'key', object: now, dependencies, at: 0, inDoubtUntil: 0, isOwnershipDisputed: false };
  const actor = createActor(machine, { clock, input });
  actor.start();
  actor.send({ type: 'lifecycle.started' });
  return {
    effects,
    notes,
    phase: () => JSON.stringify(actor.getSnapshot().value).replaceAll(/["{}]/g, '').replaceAll(':', '.'),
    tags: () => [...actor.getSnapshot().tags].sort(),
    passes: (ms) => clock.increment(ms),
    async end(output) {
      finish(output);
      await new Promise(setImmediate);
    },
    async fails(error) {
      fail(error);
      await new Promise(setImmediate);
    },
    changed(change) {
      now = { ...now, ...change };
      actor.send({ type: 'object.changed', object: now, dependencies: known, at: 0 });
    },
    heard(heard) {
      known = heard;
      actor.send({ type: 'dependencies.changed', dependencies: heard, at: 0 });
    },
    related: () => actor.send({ type: 'relations.changed', at: 0 }),
    withdrawnUids: () => actor.getSnapshot().context.withdrawnUids,
  };
}

const transient: ErrorData = { code: 'transient', message: 'not now' };
const conflict: ErrorData = { code: 'conflict', message: 'somebody was faster' };
const terminal: ErrorData = { code: 'terminal', message: 'never' };

test('33.F1: the finalizer is stored when a pass says that what is next may leave something behind (RECONCILE-LOOP-1)', async () => {
  const world = begin({ owned: false });
  assert.equal(world.effects, ['claim', 'reconcile']);
  await world.end({ next: 'rest', stands: 'awaitingDependencies' });
  assert.is(world.phase(), 'active.awaitingDependencies');
  world.changed({ owned: false, basis: 'another' });
  await world.end(GUARD);
  assert.equal(world.effects.slice(-2), ['reconcile', 'addOwnFinalizer']);
  world.changed({ owned: true });
  assert.equal(world.effects.slice(-3), ['addOwnFinalizer', 'claim', 'reconcile']);
  await world.end(REST);
  assert.is(world.phase(), 'active.idle');
});

test('33.F1: what never had the finalizer is deleted without a pass, and its claims end (RECONCILE-LOOP-1, P12)', async () => {
  const world = begin({ owned: false });
  await world.end({ next: 'rest', stands: 'awaitingDependencies' });
  world.changed({ owned: false, deleting: true });
  assert.equal([world.phase(), world.effects], ['withdrawing', ['claim', 'reconcile', 'claim', 'endClaims']]);
  await world.fails(transient);
  world.passes(200);
  await world.end();
  assert.equal([world.phase(), world.effects.at(-1)], ['deleted', 'endClaims']);
});

test('a pass that may have made something before somebody took the finalizer off is followed by one at the end (RECONCILE-LOOP-1)', async () => {
  const world = begin();
  await world.end(REST);
  world.changed({ owned: false, deleting: true });
  assert.equal([world.phase(), world.effects.at(-1)], ['deleting.reconciling', 'reconcile']);
});

test('a finalizer that somebody takes away at once is stored again, after a pause', async () => {
  const world = begin({ owned: false });
  await world.end(GUARD);
  await world.end();
  assert.is(world.phase(), 'retryingFinalizer');
  world.passes(200);
  assert.equal(world.effects.slice(-2), ['addOwnFinalizer', 'addOwnFinalizer']);
});

test('a pass waits until all that it refers to has answered (RECONCILE-LOOP-3)', () => {
  const world = begin({}, [{ ...other(), answer: undefined }]);
  assert.equal([world.phase(), world.effects], ['active.awaiting', ['claim']]);
  world.heard([other({ readiness: Readiness.Absent, uid: '' })]);
  assert.is(world.phase(), 'active.reconciling');
});

test('what changes meanwhile is looked at by another pass, one at a time (RECONCILE-LOOP-2, RECONCILE-LOOP-3)', async () => {
  const world = begin();
  world.changed({ basis: 'edited' });
  world.heard([other({ readiness: Readiness.Deleting, uid: 'o' })]);
  assert.is(world.effects.filter((name) => name === 'reconcile').length, 1);
  await world.end(REST);
  assert.equal([world.phase(), world.effects.filter((name) => name === 'reconcile').length], ['active.reconciling', 2]);
  await world.end(REST);
  assert.is(world.phase(), 'active.idle');
  world.changed({ settled: true });
  assert.is(world.phase(), 'active.idle', 'what a pass writes in the status is no news');
});

test('a life that begins settled makes no pass before there is news (RECONCILE-LOOP-4)', async () => {
  const world = begin({ settled: true });
  assert.equal([world.phase(), world.effects], ['active.idle', ['claim']]);
  world.heard([other()]);
  assert.is(world.phase(), 'active.reconciling');
  await world.end(REST);
  world.heard([other()]);
  assert.is(world.phase(), 'active.idle', 'the same again is none');
  world.changed({ settled: false });
  assert.is(world.phase(), 'active.reconciling', 'somebody undid what the status says');
});

test('36.A6: a lifecycle that begins settled is as a pass left it, and a pass may say otherwise (RECONCILE-LOOP-4)', async () => {
  const world = begin({ settled: true, available: true });
  assert.equal(
    [world.phase(), world.tags(), world.effects],
    ['active.available', [Tag.Available, Tag.Settled], ['claim']],
  );
  world.heard([other({ readiness: Readiness.Ready, uid: 'p' })]);
  await world.end({ next: 'rest', stands: 'awaitingDependencies' });
  assert.is(world.phase(), 'active.awaitingDependencies');
  for (const [object, phase] of [
    [{ settled: true }, 'active.idle'],
    [{ available: true }, 'active.reconciling'],
    [{ settled: true, available: true, owned: false }, 'active.reconciling'],
    [{ settled: true, available: true, deleting: true }, 'deleting.reconciling'],
  ] as const)
    assert.is(begin(object).phase(), phase);
});

test('what rests is looked at again when that is due, and what a pass yields is yielded with that', async () => {
  const world = begin();
  await world.end({ next: 'rest', lookAgainMs: 5_000, withdrawnUids: ['o'] });
  assert.equal([world.phase(), world.withdrawnUids(), world.effects.at(-1)], ['active.idle', ['o'], 'claim']);
  world.passes(4_999);
  assert.is(world.phase(), 'active.idle');
  world.passes(1);
  assert.is(world.phase(), 'active.reconciling');
  await world.end(REST);
  world.passes(1_000_000);
  assert.equal([world.phase(), world.withdrawnUids()], ['active.idle', []]);
});

test('an object that rests shows how it stands, and each of these is looked at again as any other', async () => {
  const world = begin();
  const standing = async (stands: Standing): Promise<readonly [string, readonly string[]]> => {
    await world.end({ next: 'rest', stands, lookAgainMs: 5_000 });
    return [world.phase(), world.tags()];
  };
  assert.equal(await standing('awaitingDependencies'), [
    'active.awaitingDependencies',
    [Tag.AwaitsDependencies, Tag.Waiting],
  ]);
  world.heard([other({ readiness: Readiness.Ready, uid: 'p' })]);
  assert.equal(await standing('available'), ['active.available', [Tag.Available, Tag.Settled]]);
  world.passes(5_000);
  assert.is(world.phase(), 'active.reconciling');
  await world.end(REST);
  world.changed({ deleting: true, heldBy: ['user'] });
  assert.equal(await standing('inUse'), ['deleting.inUse', [Tag.Deleting, Tag.Held, Tag.Settled]]);
  world.changed({ heldBy: [], basis: 'let go' });
  assert.is(world.phase(), 'deleting.reconciling');
});

test('what those who refer to it say while a pass is under way is looked at by another one (RECONCILE-LOOP-3)', async () => {
  const world = begin();
  world.related();
  assert.is(world.effects.filter((name) => name === 'reconcile').length, 1);
  await world.end(REST);
  assert.equal([world.phase(), world.effects.filter((name) => name === 'reconcile').length], ['active.reconciling', 2]);
  await world.end(REST);
  assert.is(world.phase(), 'active.idle');
});

test('a pass that was put off has its notes, and comes early when something changes', async () => {
  const world = begin();
  await world.end({ next: 'pause', pauseMs: 5_000, notes: { tries: 1 } });
  assert.is(world.phase(), 'active.requeued');
  world.passes(4_999);
  assert.is(world.phase(), 'active.requeued');
  world.passes(1);
  assert.equal([world.phase(), world.notes], ['active.reconciling', [{}, { tries: 1 }]]);
  await world.end({ next: 'pause', pauseMs: 5_000, notes: { tries: 2 } });
  world.changed({ basis: 'another' });
  assert.equal(world.notes.at(-1), { tries: 2 });
  await world.end(REST);
  world.changed({ basis: 'a third' });
  assert.equal(world.notes.at(-1), {});
});

test('a pass that fails backs off, whatever others answer, unless the user changes the spec (RECONCILE-LOOP-3)', async () => {
  const world = begin();
  await world.fails({ ...transient, retryAfterMs: 30_000 });
  world.heard([other({ readiness: Readiness.Pending, uid: 'o' })]);
  world.passes(29_999);
  assert.is(world.phase(), 'active.backingOff');
  world.passes(1);
  assert.is(world.phase(), 'active.reconciling');
  await world.fails(transient);
  world.passes(399);
  assert.is(world.phase(), 'active.backingOff');
  world.changed({ generation: 2 });
  assert.is(world.phase(), 'active.reconciling');
});

test('what is refused is not tried again before something changes', async () => {
  const world = begin();
  await world.fails(terminal);
  world.passes(3_600_000);
  assert.is(world.phase(), 'active.refused');
  world.heard([other({ readiness: Readiness.Ready, uid: 'p' })]);
  assert.is(world.phase(), 'active.reconciling');
});

test('a write that lost a race is made again at once, and not for ever', async () => {
  const world = begin();
  for (let races = 0; races < 5; races++) await world.fails(conflict);
  assert.is(world.phase(), 'active.reconciling');
  await world.fails(conflict);
  assert.is(world.phase(), 'active.backingOff');
});

test('a pass is waited for, then another one sees to what is left of a deleted object (RECONCILE-LOOP-2)', async () => {
  const world = begin();
  world.changed({ deleting: true, generation: 2 });
  assert.equal([world.phase(), world.effects], ['active.reconciling', ['claim', 'reconcile']]);
  await world.end({ next: 'pause', pauseMs: 1_000, notes: { asked: true } });
  assert.equal([world.phase(), world.notes.at(-1)], ['deleting.reconciling', { asked: true }]);
  await world.end({ next: 'pause', pauseMs: 1_000 });
  assert.is(world.phase(), 'deleting.requeued');
  world.passes(1_000);
  await world.end(LEAVE);
  assert.equal(world.effects.slice(-2), ['reconcile', 'endClaims']);
  await world.end();
  await world.end();
  assert.equal([world.phase(), world.effects.at(-1)], ['deleted', 'removeOwnFinalizer']);
});

test('it outlasts whom it has to (RECONCILE-LOOP-1)', async () => {
  const world = begin({ deleting: true, heldBy: ['host'] });
  await world.end(LEAVE);
  assert.is(world.phase(), 'deleting.held');
  world.changed({ basis: 'edited' });
  assert.is(world.phase(), 'deleting.reconciling', 'who holds it has use for it');
  await world.end(LEAVE);
  world.changed({ heldBy: [] });
  assert.is(world.effects.at(-1), 'endClaims');
});

test('the end is tried again until it is done', async () => {
  const world = begin({ deleting: true });
  await world.fails(transient);
  assert.is(world.phase(), 'deleting.backingOff');
  world.passes(200);
  await world.end(LEAVE);
  await world.fails(transient);
  assert.is(world.phase(), 'retryingEndOfClaims');
  world.passes(200);
  await world.end();
  await world.fails(conflict);
  assert.equal(world.effects.slice(-2), ['removeOwnFinalizer', 'removeOwnFinalizer']);
  await world.end();
  assert.is(world.phase(), 'deleted');
});

test('what is deleted before its finalizer is stored is left to others', async () => {
  const world = begin({ owned: false });
  await world.end(GUARD);
  world.changed({ deleting: true });
  assert.equal([world.phase(), world.effects], ['withdrawing', ['claim', 'reconcile', 'addOwnFinalizer', 'endClaims']]);
});

const RESTS: readonly (readonly [string, (world: World) => Promise<void>])[] = [
  ['awaiting', async () => undefined],
  ['idle', (world) => world.end(REST)],
  ['available', (world) => world.end({ next: 'rest', stands: 'available' })],
  ['awaitingDependencies', (world) => world.end({ next: 'rest', stands: 'awaitingDependencies' })],
  ['requeued', (world) => world.end({ next: 'pause', pauseMs: 5_000 })],
  ['refused', (world) => world.fails(terminal)],
  ['backingOff', (world) => world.fails(transient)],
];

test('wherever it rests, what never had the finalizer is deleted without a pass (RECONCILE-LOOP-1, P12)', async () => {
  for (const [state, rest] of RESTS) {
    const silent = state === 'awaiting' ? [{ ...other(), answer: undefined }] : [other()];
    const world = begin({ owned: false }, silent);
    await rest(world);
    assert.is(world.phase(), `active.${state}`);
    world.changed({ owned: false, deleting: true });
    assert.is(world.phase(), 'withdrawing', state);
  }
  assert.is(begin({ owned: false, deleting: true }).phase(), 'withdrawing');
});

test('a pass that fails while the object is deleted, which never had the finalizer, is the last (RECONCILE-LOOP-1, P12)', async () => {
  const world = begin({ owned: false });
  world.changed({ owned: false, deleting: true });
  await world.fails(transient);
  assert.is(world.phase(), 'withdrawing');
});

test('an object that rests looks again when another one refers to it (RECONCILE-LOOP-3)', async () => {
  const world = begin();
  await world.end(REST);
  world.related();
  assert.is(world.phase(), 'active.reconciling');
});

test('wherever a deleted object rests, what is new, or due, is looked at (RECONCILE-LOOP-3)', async () => {
  const rests: readonly (readonly [string, Verdict])[] = [
    ['idle', { next: 'rest', lookAgainMs: 5_000 }],
    ['inUse', { next: 'rest', stands: 'inUse', lookAgainMs: 5_000 }],
    ['requeued', { next: 'pause', pauseMs: 5_000 }],
  ];
  const news: Readonly<Record<string, (world: World) => void>> = {
    edited: (world) => world.changed({ basis: 'another' }),
    answered: (world) => world.heard([other({ readiness: Readiness.Ready, uid: 'p' })]),
    related: (world) => world.related(),
    due: (world) => world.passes(5_000),
  };
  for (const [state, verdict] of rests) {
    for (const [name, happens] of Object.entries(news)) {
      const world = begin({ deleting: true });
      await world.end(verdict);
      assert.is(world.phase(), `deleting.${state}`);
      world.heard([other()]);
      assert.is(world.phase(), `deleting.${state}`, 'the same again is not new');
      happens(world);
      assert.is(world.phase(), 'deleting.reconciling', `${state}, ${name}`);
    }
  }
});

test('what lacks a dependency is looked at when that is due', async () => {
  const world = begin();
  await world.end({ next: 'rest', stands: 'awaitingDependencies', lookAgainMs: 5_000 });
  world.passes(5_000);
  assert.is(world.phase(), 'active.reconciling');
});

test('a finalizer that cannot be stored is stored again after a pause, or at once when it is news', async () => {
  const world = begin({ owned: false });
  await world.end(GUARD);
  await world.fails(transient);
  assert.is(world.phase(), 'retryingFinalizer');
  world.passes(200);
  await world.fails(transient);
  world.changed({ owned: true });
  assert.is(world.phase(), 'active.reconciling');
});

test('a deletion while a finalizer is stored again that a person took off is followed by a pass (RECONCILE-LOOP-1)', async () => {
  const world = begin();
  world.changed({ owned: false });
  await world.end(GUARD);
  world.changed({ deleting: true });
  assert.is(world.phase(), 'deleting.reconciling');
});

test('a finalizer that cannot be removed is removed again', async () => {
  const world = begin({ deleting: true });
  await world.end(LEAVE);
  await world.end();
  await world.fails(transient);
  assert.is(world.phase(), 'retryingEndOfClaims');
  world.passes(200);
  assert.is(world.effects.at(-1), 'endClaims');
});

test('every state is reached', () => {
  type Event = EventFromLogic<typeof reconcileLoopMachine>;
  const done = (id: string, output?: unknown) => ({ type: `xstate.done.actor.${id}`, output, actorId: id });
  const failed = (id: string, error: unknown) => ({ type: `xstate.error.actor.${id}`, error, actorId: id });
  const views = [
    NEW,
    { ...NEW, owned: false, deleting: true },
    { ...NEW, deleting: true },
    { ...NEW, deleting: true, heldBy: ['x'] },
    { ...NEW, generation: 2 },
  ];
  const passes = ['reconcile', 'reconcileOnDelete'].flatMap((id) => [
    ...[REST, LEAVE, GUARD, { next: 'pause', pauseMs: 1 }, ...STANDING].map((verdict) => done(id, verdict)),
    ...[transient, terminal, conflict].map((error) => failed(id, error)),
  ]);
  const others = ['addOwnFinalizer', 'endClaims', 'removeOwnFinalizer', 'withdraw'].flatMap((id) => [
    done(id),
    failed(id, transient),
  ]);
  const events = [
    { type: 'lifecycle.started' },
    ...views.map((object) => ({ type: 'object.changed', object, dependencies: [other()], at: 0 })),
    { type: 'dependencies.changed', dependencies: [other()], at: 0 },
    ...passes,
    ...others,
  ] as unknown as readonly Event[];
  const found = new Set<string>();
  for (const object of [{ ...NEW, owned: false }, NEW, { ...NEW, settled: true }, { ...NEW, deleting: true }]) {
    for (const dependencies of [[other()], [{ ...other(), answer: undefined }]]) {
      const input = { key: 'key', object, dependencies, at: 0, inDoubtUntil: 0, isOwnershipDisputed: false };
      for (const leaf of reached(reconcileLoopMachine, input, (snapshot) => possible(snapshot, events)))
        found.add(leaf);
    }
  }
  assert.equal(
    leaves(reconcileLoopMachine).filter((leaf) => !found.has(leaf)),
    [],
  );
});

test.run();
