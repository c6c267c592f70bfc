// The life of a book, without a runtime: what histories of the simulation have broken.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createActor, fromPromise, SimulatedClock } from 'xstate';
import { type Dependency, type LifecyclePorts, Readiness } from '../../machines/lifecycle.ts';
import type { JsonObject, KubeObject } from '../../machines/object.ts';
import { book } from './book.ts';
import { type BookView, bookMachine, type Look, type Probe } from './book-machine.ts';

const test = suite('book machine');

const NEW: BookView = { generation: 1, deleting: false, owned: true, heldBy: [], settled: false, reprint: false };

function paper(readiness: Readiness): Dependency {
  return {
    kind: 'Paper',
    name: 'white',
    finalizers: ['f'],
    neededFor: 'create',
    answer: { readiness, uid: 'paper-1' },
  };
}

interface World {
  readonly effects: string[];
  readonly phase: () => string;
  readonly context: () => { readonly withdrawnUids: readonly string[] };
  readonly passes: (ms: number) => void;
  /** The effect that is under way ends so. */
  end(output?: unknown): Promise<void>;
  fails(code: string): Promise<void>;
  changed(object: Partial<BookView>): Promise<void>;
}

/** A life whose effects end when the test says so. */
async function begin(object: Partial<BookView>, dependencies: readonly Dependency[], inDoubtUntil = 0): Promise<World> {
  const effects: string[] = [];
  let finish: (output: unknown) => void = () => undefined;
  let fail: (error: unknown) => void = () => undefined;
  const effect = (name: string) =>
    fromPromise<never, never>(() => {
      effects.push(name);
      return new Promise((resolve, reject) => {
        [finish, fail] = [resolve as typeof finish, reject];
      });
    });
  const names = ['addOwnFinalizer', 'reserve', 'look', 'probe', 'print', 'bind', 'recycle'];
  const more = ['furnish', 'clear', 'discard', 'endClaims', 'removeOwnFinalizer'];
  const actors = Object.fromEntries([...names, ...more].map((name) => [name, effect(name)]));
  const machine = bookMachine.provide({
    actors: actors as never,
    actions: { claim: () => void effects.push('claim') },
    delays: { landing: 1_000 },
  });
  const input = {
    key: 'key',
    object: { ...NEW, ...object },
    dependencies,
    at: 0,
    inDoubtUntil,
    isOwnershipDisputed: false,
  };
  const clock = new SimulatedClock();
  const actor = createActor(machine, { clock, input });
  actor.start();
  actor.send({ type: 'lifecycle.started' });
  return {
    passes: (ms) => clock.increment(ms),
    effects,
    phase: () => JSON.stringify(actor.getSnapshot().value),
    context: () => actor.getSnapshot().context,
    async end(output) {
      finish(output);
      await new Promise(setImmediate);
    },
    async fails(code) {
      fail({ code, message: '' });
      await new Promise(setImmediate);
    },
    async changed(change) {
      actor.send({ type: 'object.changed', object: { ...NEW, ...object, ...change }, dependencies, at: 0 });
    },
  };
}

const looked = (state: Look['state']): Look => ({ state, at: 10 });
const probed = (found: boolean): Probe => ({ found, at: 10 });

test('a reservation that was sent is waited for before the slot is given back (BOOK-MACHINE-2)', async () => {
  const world = await begin({}, [paper(Readiness.Ready)]);
  assert.equal(world.effects, ['claim', 'reserve']);
  await world.changed({ deleting: true });
  assert.equal(world.effects, ['claim', 'reserve']);
  await world.end();
  assert.is(world.effects.at(-1), 'clear');
});

test('paper that is being deleted is yielded when there is no slot (BOOK-MACHINE-4)', async () => {
  const world = await begin({}, [paper(Readiness.Deleting)]);
  assert.equal(world.effects, ['claim', 'probe']);
  await world.end(probed(false));
  assert.equal(world.context().withdrawnUids, ['paper-1']);
  assert.is(world.effects.at(-1), 'claim');
  assert.is(world.phase(), '{"working":"awaiting"}');
});

test('paper that is being deleted is not yielded while a slot may come (BOOK-MACHINE-4)', async () => {
  const world = await begin({}, [paper(Readiness.Deleting)], 20);
  await world.end(probed(false));
  assert.equal(world.context().withdrawnUids, []);
  assert.is(world.phase(), '{"working":"waitingOut"}');
});

test('a book that has a slot goes on with paper that is being deleted (BOOK-MACHINE-4)', async () => {
  const world = await begin({}, [paper(Readiness.Deleting)]);
  await world.end(probed(true));
  assert.equal(world.context().withdrawnUids, []);
  await world.end(looked('reserved'));
  assert.equal(world.effects, ['claim', 'probe', 'look', 'print']);
});

test('nothing is printed while an annotation asks for another print (BOOK-MACHINE-3)', async () => {
  const world = await begin({ reprint: true }, [paper(Readiness.Ready)]);
  await world.end();
  await world.end(looked('reserved'));
  assert.equal(world.effects, ['claim', 'reserve', 'look', 'recycle']);
});

test('what is edited while its children are made has them made once more (BOOK-MACHINE-5)', async () => {
  const world = await begin({ settled: true }, [paper(Readiness.Ready)]);
  await world.changed({ generation: 2 });
  assert.equal(world.effects, ['claim', 'furnish']);
  await world.changed({ generation: 3 });
  await world.end([]);
  assert.equal(world.effects, ['claim', 'furnish', 'furnish']);
  await world.end([]);
  assert.is(world.phase(), '{"finished":"bound"}');
});

test('a child that went while the book had no host is made again (BOOK-MACHINE-5)', async () => {
  const child = (readiness: Readiness): Dependency => ({ ...paper(readiness), name: 'one-cover', neededFor: 'never' });
  const whole = await begin({ settled: true }, [paper(Readiness.Ready), child(Readiness.Ready)]);
  assert.equal([whole.phase(), whole.effects], ['{"finished":"bound"}', ['claim']]);
  const lacking = await begin({ settled: true }, [paper(Readiness.Ready), child(Readiness.Absent)]);
  assert.equal(lacking.effects, ['furnish']);
});

test('what is edited while it waits is claimed anew', async () => {
  const world = await begin({}, [paper(Readiness.Pending)]);
  await world.changed({});
  assert.equal(world.effects, ['claim']);
  await world.changed({ generation: 2 });
  assert.equal(world.effects, ['claim', 'claim']);
});

test('a life that begins with the deletion claims, so that it ends what an earlier one has claimed', async () => {
  const world = await begin({ deleting: true }, [paper(Readiness.Ready)]);
  assert.equal(world.effects, ['claim', 'clear']);
});

test('33.F1: the finalizer is stored when a slot is reserved next, and not before (BOOK-MACHINE-6)', async () => {
  const waiting = await begin({ owned: false }, [paper(Readiness.Pending)]);
  assert.equal(waiting.effects, ['claim']);
  await waiting.changed({ owned: false, deleting: true });
  assert.equal(waiting.effects, ['claim', 'endClaims'], 'it has no slot to give back');
  await waiting.end();
  assert.is(waiting.phase(), '"deleted"');

  const ready = await begin({ owned: false }, [paper(Readiness.Ready)]);
  assert.equal(ready.effects, ['claim', 'addOwnFinalizer']);
  await ready.end();
  assert.equal(ready.effects, ['claim', 'addOwnFinalizer', 'reserve']);
});

test('what is deleted while its finalizer is stored goes without a slot, its claims ended (BOOK-MACHINE-6, P12)', async () => {
  const world = await begin({ owned: false }, [paper(Readiness.Ready)]);
  await world.changed({ owned: false, deleting: true });
  assert.equal(world.effects, ['claim', 'addOwnFinalizer', 'endClaims']);
});

test('a book whose finalizer somebody took off gives its slot back still (BOOK-MACHINE-6)', async () => {
  const world = await begin({}, [paper(Readiness.Ready)]);
  await world.end();
  await world.changed({ owned: false, deleting: true });
  assert.equal(world.effects, ['claim', 'reserve', 'look', 'claim', 'clear']);
});

test('a slot that is found where the finalizer is not is given back (BOOK-MACHINE-6)', async () => {
  const world = await begin({ owned: false }, [paper(Readiness.Deleting)]);
  await world.end(probed(true));
  assert.is(world.effects.at(-1), 'look');
  await world.changed({ owned: false, deleting: true });
  assert.is(world.effects.at(-1), 'clear');
});

for (const [state, reach] of Object.entries({
  refused: (world: World) => world.fails('terminal'),
  backingOff: (world: World) => world.fails('transient'),
  'working.waitingOut': (world: World) => world.end({ found: false, at: 0 }),
})) {
  test(`what is deleted in ${state} without a slot goes at once (BOOK-MACHINE-6, P12)`, async () => {
    const world = await begin({ owned: false }, [paper(Readiness.Deleting)], 20);
    await reach(world);
    await world.changed({ owned: false, deleting: true });
    assert.equal([world.phase(), world.effects.at(-1)], ['"withdrawing"', 'endClaims']);
  });
}

test('a finished book that never had the finalizer here goes at once when it is deleted (BOOK-MACHINE-6)', async () => {
  const world = await begin({ owned: false, settled: true }, [paper(Readiness.Ready)]);
  assert.is(world.phase(), '{"finished":"bound"}');
  await world.changed({ owned: false, settled: true, deleting: true });
  assert.is(world.phase(), '"withdrawing"');
});

test('what is deleted while another print is asked for, and never had the finalizer here, goes at once (BOOK-MACHINE-6)', async () => {
  const world = await begin({ owned: false, settled: true }, [paper(Readiness.Ready)]);
  await world.changed({ owned: false, settled: true, reprint: true });
  assert.is(world.phase(), '"recycling"');
  await world.changed({ owned: false, deleting: true });
  assert.is(world.phase(), '"withdrawing"');
});

test('what is deleted while its finalizer, which a person took off, is stored again gives its slot back (BOOK-MACHINE-6)', async () => {
  const world = await begin({}, [paper(Readiness.Ready)]);
  await world.fails('transient');
  await world.changed({ owned: false });
  world.passes(400);
  assert.is(world.effects.at(-1), 'addOwnFinalizer');
  await world.changed({ owned: false, deleting: true });
  assert.is(world.effects.at(-1), 'clear');
});

test('claims that could not be ended are ended again, whether there was a slot or not', async () => {
  const unmade = await begin({ owned: false, deleting: true }, []);
  await unmade.fails('transient');
  unmade.passes(400);
  await unmade.end();
  assert.equal([unmade.phase(), unmade.effects], ['"deleted"', ['endClaims', 'endClaims']]);

  const made = await begin({ deleting: true }, []);
  await made.end({ gone: true });
  made.passes(1_000);
  await made.end();
  await made.fails('transient');
  made.passes(400);
  assert.equal(made.effects, ['claim', 'clear', 'discard', 'endClaims', 'clear']);
});

test('a write that lost a race is made again, and is no error (I6)', async () => {
  const world = await begin({ reprint: true, settled: true }, [paper(Readiness.Ready)]);
  await world.end();
  await world.end(looked('reserved'));
  assert.is(world.effects.at(-1), 'recycle');
  await world.fails('conflict');
  assert.is(world.phase(), '"recycling"');
  assert.equal(world.effects.slice(-2), ['recycle', 'recycle']);
});

test('so it is while its children are made, and when its finalizer goes (I6)', async () => {
  const furnishing = await begin({ settled: true }, [paper(Readiness.Ready)]);
  await furnishing.changed({ generation: 2 });
  await furnishing.fails('conflict');
  assert.equal(furnishing.effects, ['claim', 'furnish', 'furnish']);

  const releasing = await begin({ deleting: true }, [paper(Readiness.Ready)]);
  await releasing.end({ gone: true });
  releasing.passes(1_000);
  await releasing.end();
  await releasing.end();
  assert.is(releasing.effects.at(-1), 'removeOwnFinalizer');
  await releasing.fails('conflict');
  assert.is(releasing.effects.at(-1), 'clear', 'who holds it is looked at again');
});

test('the status says that nothing is printed before the annotation goes (BOOK-MACHINE-3)', async () => {
  const done: string[] = [];
  const bound = { status: { phase: 'Bound' } } as unknown as KubeObject;
  const ports = {
    call: async (name: string) => void done.push(name),
    object: () => bound,
    applyStatus: async (_: string, { phase }: JsonObject) => void done.push(`says ${phase}`),
    removeAnnotations: async () => void done.push('removes'),
    claim: () => undefined,
    jitter: (delayMs: number) => delayMs,
  } as unknown as LifecyclePorts;
  const input = { key: 'key', object: { ...NEW, settled: true }, dependencies: [], at: 0, inDoubtUntil: 0 };
  const actor = createActor(
    book({ inDoubtForMs: 0 }).life.provide(() => ports),
    { clock: new SimulatedClock(), input },
  );
  actor.start();
  actor.send({ type: 'lifecycle.started' });
  actor.send({ type: 'object.changed', object: { ...NEW, settled: false, reprint: true }, dependencies: [], at: 0 });
  await new Promise(setImmediate);
  assert.equal(done.slice(0, 3), ['recycle', 'says Working', 'removes']);
});

test.run();
