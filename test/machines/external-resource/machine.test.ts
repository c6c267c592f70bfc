import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Actor, createActor, fromPromise, SimulatedClock } from 'xstate';
import {
  contendInput,
  type FindOutput,
  type ResourceContext,
  type ResourceView,
  type UpdateInput,
  type WatchInput,
} from '../../../machines/external-resource/context.ts';
import { resourceStateOf } from '../../../machines/external-resource/lifecycle.ts';
import { externalResourceMachine } from '../../../machines/external-resource/machine.ts';
import type { Observation } from '../../../machines/external-resource/operations.ts';
import { RELOOK_LIMIT_MS, resyncMs } from '../../../machines/external-resource/polling.ts';
import { type Dependency, type Readiness, stateOf } from '../../../machines/lifecycle.ts';
import { leaves, possible, reached } from '../paths.ts';
import {
  allEvents,
  conflictingOwner,
  dependency,
  GUARD,
  lacking,
  OWN,
  observation,
  owned,
  passing,
  secret,
  terminal,
  transient,
  unsent,
  view,
} from './fixtures.ts';

const test = suite('external resource machine');

/** Answers of effects by name; an effect without one never answers. */
type Answers = Record<string, (call: number) => unknown>;

/** What is found is the object's own unless told otherwise. */
const DEFAULTS: Answers = { resolveOwnership: () => ({ conflictingOwner: undefined, at: 0 }) };

interface Run {
  readonly actor: Actor<typeof externalResourceMachine>;
  readonly clock: SimulatedClock;
  readonly calls: string[];
  phase(): string;
  context(): ResourceContext;
  /** How often an effect was asked for. */
  count(effect: string): number;
  report(object: ResourceView): void;
  /** Its dependencies are these from now on. */
  hear(dependencies: readonly Dependency[], at?: number): void;
  /** What a watch tells. */
  see(observation: Observation | undefined): void;
  /** States that it entered. */
  readonly entered: string[];
  /** What the watches are given: how often they are to look. */
  readonly paces: (number | undefined)[];
  /** Whether each update was only to report. */
  readonly reports: (boolean | undefined)[];
  /** Watches that go on. */
  watches(): number;
}

/** Starts a life whose effects answer as told; each call is noted by the name of its effect. */
function start(
  answers: Answers,
  object: ResourceView,
  dependencies = [secret, dependency('ready')],
  { inDoubtUntil = 0, isOwnershipDisputed = false } = {},
): Run {
  const clock = new SimulatedClock();
  const calls: string[] = [];
  const paces: (number | undefined)[] = [];
  const reports: (boolean | undefined)[] = [];
  const entered: string[] = [];
  let held = 0;
  const names = Object.keys(externalResourceMachine.implementations.actors);
  const actors = Object.fromEntries(
    names.map((name) => [
      name,
      fromPromise(async ({ input, signal }) => {
        calls.push(name);
        if (name === 'update') reports.push((input as UpdateInput).report);
        if (name === 'watch') {
          paces.push((input as WatchInput).pollAfterMs);
          held += 1;
          signal.addEventListener('abort', () => {
            held -= 1;
          });
        }
        const count = calls.filter((call) => call === name).length;
        const answer = name in answers ? answers[name] : DEFAULTS[name];
        return answer === undefined ? new Promise(() => undefined) : answer(count);
      }),
    ]),
  );
  const machine = externalResourceMachine.provide({
    actors: actors as never,
    actions: {
      claim: () => void calls.push('claim'),
      watchOwner: () => void calls.push('follow'),
      discardIntents: () => void calls.push('discardIntents'),
    },
  });
  const actor = createActor(machine, {
    clock,
    input: { key: 'key', object, dependencies, at: 0, inDoubtUntil, isOwnershipDisputed },
  });
  actor.subscribe((snapshot) => {
    const state = stateOf(snapshot);
    if (state !== entered.at(-1)) entered.push(state);
  });
  actor.start();
  actor.send({ type: 'lifecycle.started' });
  return {
    actor,
    clock,
    calls,
    phase: () => stateOf(actor.getSnapshot()),
    context: () => actor.getSnapshot().context,
    count: (effect) => calls.filter((call) => call === effect).length,
    hear: (heard, at = 1) => actor.send({ type: 'dependencies.changed', dependencies: heard, at }),
    report: (changed) => actor.send({ type: 'object.changed', object: changed, dependencies, at: 0 }),
    see: (observation) => actor.send({ type: 'observed', observation }),
    entered,
    paces,
    reports,
    watches: () => held,
  };
}

/** A life that has done all that needs no time. */
async function lived(...begun: Parameters<typeof start>): Promise<Run> {
  const run = start(...begun);
  await settled();
  return run;
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const nothing = { matches: [], exact: true, at: 0 };
const fail = (error: unknown) => () => {
  throw error;
};

test('every state is reached by generated paths', () => {
  const usual = [secret, dependency('ready')];
  const own = dependency('ready', { kind: 'Plug', name: 'own', finalizers: [], neededFor: 'never' });
  const inputs = [
    { object: view(), dependencies: usual },
    { object: view({ ...owned, externalId: 'id-1' }), dependencies: usual },
    { object: view({ ...owned, managed: false }), dependencies: usual },
    { object: view({ ...owned, settled: 'available', externalId: 'id-1' }), dependencies: usual },
    { object: view({ ...owned, deleting: true }), dependencies: [secret, own] },
    { object: view({ ...owned, externalId: 'id-1' }), dependencies: usual, isOwnershipDisputed: true },
  ];
  const found = new Set<string>();
  const lifecycle = allEvents().filter((event) => event.type !== 'object.changed' || event.dependencies.length > 0);
  // Several walks: some long ways round would be lost among the others.
  const telling = allEvents().filter(({ type }) => type.startsWith('object'));
  const changing = lifecycle.filter(({ type }) => /observe$|record|update|reread/.test(type));
  const contended = lifecycle.filter(({ type }) => /started|observe$|resolve|yield|owner|adopt/.test(type));
  for (const events of [lifecycle, telling, changing, contended]) {
    for (const begun of inputs) {
      const input = { key: 'key', isOwnershipDisputed: false, ...begun, at: 0, inDoubtUntil: 0 };
      const walk = reached(externalResourceMachine, input, (snapshot) =>
        snapshot.value.lifecycle === 'starting' ? [{ type: 'lifecycle.started' } as const] : possible(snapshot, events),
      );
      for (const leaf of walk) found.add(leaf);
    }
  }
  // These are left in the same step in which they are entered.
  const passing = new Set([
    ...['lifecycle.claiming.checkingFinalizer', 'lifecycle.reconciling.recorded', 'lifecycle.reconciling.evaluating'],
    ...['lifecycle.building.making', 'lifecycle.building.taking'],
  ]);
  assert.equal(
    leaves(externalResourceMachine).filter((leaf) => !found.has(leaf) && !passing.has(leaf)),
    [],
  );
});

test('every state has a description', () => {
  const bare: string[] = [];
  const walk = (node: typeof externalResourceMachine.root): void => {
    if (node.description === undefined && node.path.length > 0) bare.push(node.path.join('.'));
    for (const child of Object.values(node.states)) walk(child as typeof externalResourceMachine.root);
  };
  walk(externalResourceMachine.root);
  assert.equal(bare, []);
});

test('33.F1: no finalizer is stored on an object that can have no resource yet (EXTERNAL-RESOURCE-2)', async () => {
  const keyless = { ...secret, answer: undefined };
  const absent: Dependency = { ...secret, answer: { readiness: 'absent', uid: '' } };
  const waiting = [
    [secret, dependency(undefined)],
    [secret, dependency('absent')],
    [secret, dependency('pending')],
  ];
  for (const dependencies of [...waiting, [keyless, dependency('ready')], [absent, dependency('ready')]]) {
    const run = await lived({ find: () => nothing }, view(), dependencies);
    assert.is(run.count('addOwnFinalizer'), 0, JSON.stringify(dependencies));
    assert.ok(run.calls.includes('claim'));
  }
  for (const error of [terminal, transient]) {
    const run = await lived({ find: fail(error), import: fail(error) }, view());
    run.clock.increment(60_000);
    await settled();
    assert.is(run.count('addOwnFinalizer'), 0, 'the credentials lead nowhere');
    const importing = await lived({ import: fail(error) }, view({ managed: false }));
    assert.is(importing.count('addOwnFinalizer'), 0);
  }
  const unmatched = await lived({ import: () => undefined }, view({ managed: false }));
  assert.is(unmatched.count('addOwnFinalizer'), 0, 'nothing is there to be had');
});

test('33.F1: the own finalizer is stored right before the create, after the look, and before the id of what was found (EXTERNAL-RESOURCE-2)', async () => {
  const guarded = (run: () => Run, object: ResourceView = view(owned)) => ({
    addOwnFinalizer: async () => {
      await undefined; // the first step of a life is made before it is returned
      run().report(object);
    },
  });
  const made: Run = start({ find: () => nothing, ...guarded(() => made) }, view());
  await settled();
  assert.equal(made.calls, ['claim', 'find', 'addOwnFinalizer', 'claim', 'create']);
  const early: Run = start({ find: () => nothing, ...guarded(() => early) }, view(), [secret, dependency('pending')]);
  await settled();
  assert.equal(early.calls, ['claim', 'find', 'claim']);
  early.hear([secret, dependency('ready')], 10);
  assert.equal(early.phase(), 'building.addingFinalizer');
  const found: Run = start({ find: () => ({ ...nothing, matches: [observation()] }), ...guarded(() => found) }, view());
  await settled();
  assert.equal(found.calls, ['claim', 'find', 'resolveOwnership', 'addOwnFinalizer', 'record']);
  const unmanaged = view({ ...owned, managed: false });
  const imported: Run = start(
    { import: () => observation(), ...guarded(() => imported, unmanaged) },
    view({ managed: false }),
  );
  await settled();
  assert.equal(imported.calls, ['claim', 'import', 'addOwnFinalizer', 'record']);
  const recorded: Run = start(
    guarded(() => recorded, view({ ...owned, externalId: 'id-1' })),
    view({ externalId: 'id-1' }),
  );
  await settled();
  assert.equal(recorded.calls.slice(0, 2), ['addOwnFinalizer', 'claim'], 'there is a resource already');
});

test('33.F1: what changes while the finalizer is stored is heeded: nothing is created without its dependency (EXTERNAL-RESOURCE-1)', async () => {
  const run: Run = start(
    {
      find: () => nothing,
      addOwnFinalizer: () => {
        run.report(view(owned));
        run.hear([secret, dependency('deleting')]);
      },
    },
    view(),
  );
  await settled();
  assert.is(run.count('create'), 0);
  assert.match(run.phase(), /^claiming/);
});

test('33.F1, 33.F2: an object without our finalizer goes without us, whatever its credentials, and its claims end', async () => {
  const dead: Answers = { find: fail(terminal), endClaims: () => undefined };
  const waiting = await lived(dead, view());
  assert.equal(waiting.phase(), 'failed');
  waiting.report(view({ deleting: true, finalizers: [GUARD] }));
  await settled();
  assert.equal([waiting.phase(), waiting.count('endClaims'), waiting.count('find')], ['deleted', 1, 1]);
  const restarted = await lived(dead, view({ deleting: true, finalizers: [GUARD] }));
  assert.equal([restarted.phase(), restarted.calls], ['deleted', ['endClaims']]);
  let attempts = 0;
  const away: Answers = {
    endClaims: () => {
      attempts += 1;
      if (attempts < 3) throw transient;
    },
  };
  const retried = await lived(away, view({ deleting: true, finalizers: [GUARD] }));
  for (let pause = 0; pause < 4; pause += 1) {
    retried.clock.increment(60_000);
    await settled();
  }
  assert.equal([retried.phase(), attempts], ['deleted', 3]);
});

test('33.F2: a life that begins on an object without our finalizer knows that nothing was built, unless something is listed', async () => {
  const going = [secret, dependency('deleting')];
  const run = await lived({}, view(), going);
  assert.equal(
    [run.phase(), run.count('find')],
    ['claiming.awaitingDependencies', 0],
    'the dependency is yielded without a look',
  );
  assert.equal(run.context().withdrawnUids, ['network-1']);
  const listed = await lived({}, view(), going, { inDoubtUntil: 10_000 });
  assert.equal(listed.phase(), 'claiming.probing');
});

test('nothing is created before every dependency is ready (EXTERNAL-RESOURCE-1, I1)', async () => {
  for (const readiness of [undefined, 'pending', 'absent', 'deleting'] as const) {
    const run = await lived({ addOwnFinalizer: () => undefined, find: () => nothing }, view(owned), [
      secret,
      dependency(readiness),
    ]);
    assert.not.ok(run.calls.includes('create'), `created while ${readiness}`);
  }
});

test('waiting for a dependency makes no call and arms no timer (EXTERNAL-RESOURCE-6, I6)', async () => {
  const run = await lived({ find: () => nothing }, view(owned), [secret, dependency(undefined)]);
  run.clock.increment(86_400_000);
  await settled();
  assert.equal(run.phase(), 'claiming.awaitingDependencies');
  assert.equal(run.calls, ['claim']);
});

test('readiness leads to the create at once when the look-up ahead found nothing (I7)', async () => {
  const run = await lived({ find: () => nothing }, view(owned), [secret, dependency('pending')]);
  assert.equal(run.calls, ['claim', 'find', 'claim']);
  run.hear([secret, dependency('ready')], 10);
  assert.equal(run.phase(), 'building.creating');
});

test('a look-up that is too old is made again before the create', async () => {
  const run = await lived({ find: () => nothing }, view(owned), [secret, dependency('pending')]);
  run.actor.send({ type: 'dependencies.changed', dependencies: [secret, dependency('ready')], at: 60_000 });
  assert.equal(run.phase(), 'building.adopting');
});

test('what an interrupted create left behind is adopted (I4)', async () => {
  const answers = {
    find: () => ({ ...nothing, matches: [observation()] }),
    record: () => ({ kind: 'stored' }),
    update: () => ({ changed: false }),
  };
  const run = await lived(answers, view(owned));
  assert.equal(run.phase(), 'idle.available');
  assert.not.ok(run.calls.includes('create'));
});

test('what was found by what it is like is read once more when it is recorded: who had it may have removed it since', async () => {
  const found = [{ ...nothing, matches: [observation()], completedLookup: 'one' }];
  const answers = {
    find: () => found.shift() ?? nothing,
    record: () => ({ kind: 'stored' }),
    observe: () => undefined,
    create: () => new Promise(() => undefined),
  };
  const run = await lived(answers, view(owned));
  const recorded = run.calls.indexOf('record');
  assert.equal(run.calls.slice(recorded, recorded + 2), ['record', 'observe']);
  assert.equal(run.phase(), 'building.creating');
});

test('two matches are for a person to decide', async () => {
  const run = await lived(
    { find: () => ({ ...nothing, matches: [observation(), observation({ id: 'id-2' })], ambiguity: 'which one?' }) },
    view(owned),
  );
  assert.equal(run.phase(), 'failed');
  assert.is(run.context().error?.message, 'which one?');
});

test('a deletion during the create waits for what it makes, records it and removes it (EXTERNAL-RESOURCE-3, I4)', async () => {
  let finish = (_: unknown): void => undefined;
  const created = new Promise((resolve) => {
    finish = resolve;
  });
  const answers = {
    find: () => nothing,
    create: () => created,
    record: () => {
      run.report(view({ ...owned, externalId: 'id-1', deleting: true }));
      return { kind: 'stored' };
    },
    remove: () => undefined,
  };
  const run = await lived(answers, view(owned));
  run.report(view({ ...owned, deleting: true }));
  assert.equal(run.phase(), 'building.creating');
  finish(observation());
  await settled();
  assert.equal(run.calls.slice(-4), ['record', 'claim', 'remove', 'observe']);
});

test('whoever loses the race for the id removes what it made (I4)', async () => {
  const answers = {
    find: () => nothing,
    create: () => observation(),
    record: () => {
      run.report(view({ ...owned, externalId: 'id-9' }));
      return { kind: 'lost', externalId: 'id-9' };
    },
    remove: () => undefined,
  };
  const run = start(answers, view(owned));
  await settled();
  assert.ok(run.calls.includes('remove'));
  assert.equal(run.phase(), 'reconciling.observing');
  assert.is(run.context().externalId, 'id-9');
});

test('an object whose create can never be sent gets no finalizer, and is released without a lookup (EXTERNAL-RESOURCE-2, EXTERNAL-RESOURCE-9)', async () => {
  const refusal = 'a key is given twice';
  const run = await lived({ find: () => nothing, endClaims: () => undefined }, view({ refusal }));
  assert.equal([run.phase(), run.context().error?.message], ['failed', refusal]);
  assert.not.ok(run.calls.includes('addOwnFinalizer'));
  run.report(view({ refusal, deleting: true }));
  await settled();
  assert.equal([run.count('find'), run.calls.includes('endClaims')], [1, true]);
  const edited = await lived({ find: () => nothing }, view({ refusal }));
  edited.report(view({ generation: 2 }));
  await settled();
  assert.is(edited.phase(), 'building.addingFinalizer');
});

/** A run that lost the race for the id, and could not remove what it made at once. */
async function undiscarded(resolveOwnership: (call: number) => unknown, inDoubtUntil = 0): Promise<Run> {
  const run = start(
    {
      find: () => ({ ...nothing, at: inDoubtUntil }),
      create: () => observation(),
      record: () => {
        run.report(view({ ...owned, externalId: 'id-9' }));
        return { kind: 'lost', externalId: 'id-9' };
      },
      remove: (call) => (call === 1 ? fail(transient)() : undefined),
      resolveOwnership,
    },
    view(owned),
    undefined,
    { inDoubtUntil },
  );
  await settled();
  assert.is(run.phase(), 'building.retryingDiscard');
  run.clock.increment(10_000);
  await settled();
  return run;
}

test('what lost the race for the id is removed later only if no other object has it by then (EXTERNAL-RESOURCE-8, I2)', async () => {
  for (const owner of [conflictingOwner, undefined]) {
    const run = await undiscarded(() => ({ conflictingOwner: owner, at: 0 }));
    assert.is(run.count('remove'), owner === undefined ? 2 : 1);
    assert.is(run.phase(), 'reconciling.observing');
  }
});

test('what lost the race stays while its owner cannot be determined (EXTERNAL-RESOURCE-8)', async () => {
  const answers = [
    fail(transient),
    fail({ code: 'conflict', message: 'being made' }),
    () => ({ conflictingOwner, at: 0 }),
  ];
  for (const [index, answer] of answers.entries()) {
    const run = await undiscarded(answer, 40_000);
    assert.equal([run.count('remove'), run.phase()], [1, 'building.retryingDiscard'], String(index));
  }
});

test('the winner of the race for the id may be taken out of the status while the loser is removed', async () => {
  const answers = {
    find: (call: number) => (call === 1 ? nothing : new Promise(() => undefined)),
    create: () => observation(),
    record: () => {
      run.report(view({ ...owned, externalId: 'id-9' }));
      return { kind: 'lost', externalId: 'id-9' };
    },
    remove: () => run.report(view(owned)),
  };
  const run = start(answers, view(owned));
  await settled();
  assert.equal(run.phase(), 'building.adopting');
  assert.is(run.context().externalId, undefined);
});

test('a terminal refusal is not tried again until the spec changes (EXTERNAL-RESOURCE-7)', async () => {
  const run = await lived({ find: () => nothing, create: fail(terminal) }, view(owned));
  run.clock.increment(86_400_000);
  await settled();
  assert.equal(run.phase(), 'failed');
  assert.is(run.count('create'), 1);
  run.report(view({ ...owned, generation: 2 }));
  await settled();
  assert.is(run.count('create'), 2);
});

test('33.A8: what only the cloud can mend is looked at again, ever less often, whatever the spec (EXTERNAL-RESOURCE-7)', async () => {
  let isBroken = true;
  const answers = {
    observe: () => observation({ available: !isBroken }),
    update: () => (isBroken ? fail(passing)() : { changed: false }),
  };
  const run = await lived(answers, view({ ...owned, externalId: 'id-1' }));
  assert.equal(run.phase(), 'failed');
  const looks = async (untilMs: number): Promise<number> => {
    const before = run.count('observe');
    for (let at = 0; at < untilMs; at += 5_000) {
      run.clock.increment(5_000);
      await settled();
    }
    return run.count('observe') - before;
  };
  assert.is(await looks(10_000), 0);
  assert.is(await looks(5_000), 1);
  assert.is(await looks(30_000), 1);
  assert.ok((await looks(3_600_000)) >= 6, 'the pause is bounded');
  assert.ok((await looks(3_600_000)) <= 8, 'it is looked at rarely');
  isBroken = false;
  await looks(RELOOK_LIMIT_MS);
  assert.equal(run.phase(), 'idle.available');
  assert.ok(run.context().available);
});

test('33.A8: what cannot be used and is not being worked on is looked at again, too (EXTERNAL-RESOURCE-7)', async () => {
  let available = false;
  const run = await lived(
    { observe: () => observation({ available }), update: () => ({ changed: false }) },
    view({ ...owned, externalId: 'id-1' }),
  );
  assert.equal(run.phase(), 'idle.unavailable');
  run.clock.increment(14_000);
  await settled();
  assert.is(run.count('observe'), 1);
  available = true;
  run.clock.increment(1_000);
  await settled();
  assert.equal(run.phase(), 'idle.available');
  run.clock.increment(86_400_000);
  await settled();
  assert.is(run.count('observe'), 2);
});

test('33.A8: a life that begins with it looks when the next look is due, and within the resync period (EXTERNAL-RESOURCE-7, I9)', async () => {
  for (const state of ['failed', 'unavailable'] as const) {
    const object = view({ ...owned, externalId: 'id-1', settled: state, resyncInMs: 40_000 });
    const run = start({ observe: () => observation(), update: () => ({ changed: false }) }, object);
    run.clock.increment(39_000);
    await settled();
    assert.is(run.count('observe'), 0, state);
    run.clock.increment(1_000);
    await settled();
    assert.equal(run.phase(), 'idle.available', state);
    const refused = start({}, view({ ...object, resyncInMs: undefined }));
    refused.clock.increment(86_400_000);
    await settled();
    assert.is(refused.count('observe'), 0, state);
  }
  const often = await lived(
    { observe: () => observation({ available: false }), update: fail(passing) },
    view({ ...owned, externalId: 'id-1', resyncEveryMs: 5_000 }),
  );
  often.clock.increment(5_000);
  await settled();
  assert.is(often.count('observe'), 2);
});

test('33.D1b: when a use ends it is looked at again for a while, as long as it is shown in use', async () => {
  let used = true;
  const run = start(
    { observe: () => observation(), update: () => ({ changed: false, ...(used && { used }) }) },
    view({ ...owned, externalId: 'id-1', settled: 'available' }),
  );
  const looks = async (untilMs: number): Promise<number> => {
    const before = run.count('observe');
    for (let at = 0; at < untilMs; at += 1_000) {
      run.clock.increment(1_000);
      await settled();
    }
    return run.count('observe') - before;
  };
  assert.is(await looks(600_000), 0);
  run.actor.send({ type: 'relations.changed', at: 1 });
  await settled();
  assert.is(run.count('observe'), 1);
  assert.is(await looks(7_000), 3);
  used = false;
  assert.is(await looks(600_000), 1, 'nothing is left to be seen');
  used = true;
  run.actor.send({ type: 'relations.changed', at: 1 });
  assert.is(await looks(3_600_000), 7, 'it is given up');
  assert.equal(run.phase(), 'idle.available');
});

test('a transient failure is tried again, after looking for what it may have left', async () => {
  const run = await lived(
    { find: () => nothing, create: (call) => (call === 1 ? fail(transient)() : observation()) },
    view(owned),
  );
  assert.equal(run.phase(), 'backingOff');
  run.clock.increment(1_000);
  await settled();
  assert.equal(
    run.calls.filter((call) => call !== 'claim'),
    ['find', 'create', 'find', 'create', 'record'],
  );
});

test('what a create lacks is waited for without a timer, and looked for when a dependency changes (I6, I7)', async () => {
  const answers = {
    find: () => nothing,
    create: (call: number) => (call === 1 ? fail(lacking)() : observation()),
  };
  const run = await lived(answers, view(owned));
  run.clock.increment(86_400_000);
  await settled();
  assert.equal(run.phase(), 'building.awaitingPrerequisite');
  const { context, tags } = run.actor.getSnapshot();
  assert.equal([context.waiting, context.error, [...tags].includes('failing')], [[lacking.message], undefined, false]);
  run.hear([secret, dependency('ready')]);
  assert.equal(run.phase(), 'building.awaitingPrerequisite', 'nothing has changed');
  const edited = dependency('ready', { answer: { readiness: 'ready', uid: 'network-1', version: '2' } });
  run.hear([secret, edited]);
  assert.equal(run.phase(), 'building.adopting');
  assert.equal(run.context().waiting, []);
  await settled();
  assert.is(run.count('create'), 2);
});

test('what lacks something is deleted like what was never made', async () => {
  const run = await lived(
    { find: () => nothing, create: fail(lacking), removeOwnFinalizer: () => undefined },
    view(owned),
  );
  assert.equal(run.phase(), 'building.awaitingPrerequisite');
  run.report(view({ ...owned, deleting: true }));
  await settled();
  assert.not.ok(run.calls.includes('remove'));
  assert.ok(run.calls.includes('endClaims'));
});

test('new credentials end the pause of a failure', async () => {
  const run = await lived({ find: fail(transient) }, view(owned));
  assert.equal(run.phase(), 'backingOff');
  const rotated = { ...secret, answer: { readiness: 'ready', uid: 'secret-1', version: '2' } as const };
  run.hear([rotated, dependency('ready')]);
  assert.equal(run.phase(), 'building.adopting');
});

test('a dependency that is being deleted is yielded when nothing was built on it (EXTERNAL-RESOURCE-5, P1)', async () => {
  const run = await lived({ find: () => nothing }, view(owned), [secret, dependency('deleting')]);
  assert.equal(run.context().withdrawnUids, ['network-1']);
  assert.equal(run.phase(), 'claiming.awaitingDependencies');
});

test('a dependency that is being deleted is kept when something was built on it (EXTERNAL-RESOURCE-5, P1)', async () => {
  const answers = { find: () => ({ ...nothing, matches: [observation()] }), record: () => ({ kind: 'stored' }) };
  const run = await lived(answers, view(owned), [secret, dependency('deleting')]);
  assert.equal(run.context().withdrawnUids, []);
  assert.equal(run.phase(), 'reconciling.updating');
});

/** A dependency that is used only after the create. */
const disk = (readiness: Readiness): Dependency =>
  dependency(readiness, {
    kind: 'Volume',
    name: 'disk',
    neededFor: 'update',
    answer: { readiness, uid: 'disk-1', externalId: 'id-d' },
  });

const endless = new Promise(() => undefined);
const matched = { ...nothing, matches: [observation()] };

/** Waits for something else than a dependency, before the resource exists. */
const WAITS: readonly { readonly state: string; readonly answers: Answers }[] = [
  { state: 'building.awaitingPrerequisite', answers: { find: () => nothing, create: fail(lacking) } },
  {
    state: 'building.ownedElsewhere',
    // Not for ever, so that a circle ends.
    answers: {
      find: (call) => (call < 5 ? matched : endless),
      resolveOwnership: () => ({ conflictingOwner, at: 0 }),
    },
  },
  { state: 'failed', answers: { find: () => nothing, create: fail(terminal) } },
];

for (const { state, answers } of WAITS)
  test(`33.2: ${state} yields a dependency of a later step that goes, once (EXTERNAL-RESOURCE-5, P1)`, async () => {
    const run = await lived(answers, view(owned), [secret, dependency('ready'), disk('ready')]);
    assert.is(run.phase(), state);
    run.hear([secret, dependency('ready'), disk('deleting')]);
    await settled();
    assert.equal([run.phase(), run.context().withdrawnUids], [state, ['disk-1']]);
    const before = run.calls.length;
    for (let turns = 0; turns < 5; turns += 1) await settled();
    assert.equal(run.calls.slice(before), [], 'nothing is repeated');
  });

test('an object that is deleted during the step before a wait does not wait', async () => {
  const made = later<unknown>();
  const lacks = await lived(
    { find: () => nothing, create: () => made.answer.then((error) => fail(error)()), search: () => endless },
    view(owned),
  );
  lacks.report(view({ ...owned, deleting: true }));
  made.give(lacking);
  await settled();
  assert.is(lacks.phase(), 'deleting.endingClaims');
  const looked = later<FindOutput>();
  const find = (call: number): unknown => (call === 1 ? looked.answer : endless);
  const owner = dependency(undefined, { kind: 'Project', name: 'p' });
  const unclear = await lived({ find }, view(owned), [secret, dependency('deleting'), owner]);
  unclear.report(view({ ...owned, deleting: true }));
  looked.give({ matches: [observation()], exact: false, at: 0 });
  await settled();
  assert.is(unclear.phase(), 'deleting.searching');
});

for (const { state, answers } of WAITS) {
  test(`${state} is left when another writer records an id, or the user deletes the object (EXTERNAL-RESOURCE-8)`, async () => {
    const taken = await lived({ ...answers, observe: () => endless }, view(owned));
    taken.report(view({ ...owned, externalId: 'id-9' }));
    await settled();
    assert.is(taken.phase(), 'reconciling.observing');
    const deleted = await lived({ ...answers, endClaims: () => endless }, view(owned));
    assert.is(deleted.phase(), state);
    deleted.report(view({ ...owned, deleting: true }));
    assert.ok(deleted.phase().startsWith('deleting.'), deleted.phase());
  });
}

test('33.2: a rejected spec yields the dependency of its create, and waits for the successor (EXTERNAL-RESOURCE-5, P1)', async () => {
  const answers = { find: () => nothing, create: (call: number) => (call === 1 ? fail(terminal)() : observation()) };
  const run = await lived(answers, view(owned));
  assert.is(run.phase(), 'failed');
  run.hear([secret, dependency('deleting')]);
  await settled();
  assert.equal([run.phase(), run.context().withdrawnUids], ['claiming.awaitingDependencies', ['network-1']]);
  run.hear([secret, dependency('ready', { answer: { readiness: 'ready', uid: 'network-2', externalId: 'id-m' } })]);
  await settled();
  assert.equal([run.phase(), run.count('create')], ['building.recording', 2]);
});

test('33.2: a dependency that goes during the lookup is yielded by what lacks something then (EXTERNAL-RESOURCE-5, P1)', async () => {
  const looked = later<FindOutput>();
  const find = (call: number): unknown => (call === 1 ? looked.answer : nothing);
  const run = await lived({ find, create: fail(lacking) }, view(owned), [secret, dependency('ready'), disk('ready')]);
  run.hear([secret, dependency('ready'), disk('deleting')]);
  looked.give(nothing);
  await settled();
  assert.equal([run.phase(), run.context().withdrawnUids], ['building.awaitingPrerequisite', ['disk-1']]);
});

test('33.2: of several matches any may be built on a dependency that goes: it is kept, after one lookup (EXTERNAL-RESOURCE-5, P1)', async () => {
  const several = { ...nothing, matches: [observation(), observation({ id: 'id-2' })] };
  const run = await lived({ find: (call) => (call < 5 ? several : endless) }, view(owned));
  run.hear([secret, dependency('deleting')]);
  for (let turns = 0; turns < 5; turns += 1) await settled();
  assert.equal([run.phase(), run.context().withdrawnUids, run.count('find')], ['failed', [], 2]);
});

test('a yielded incarnation is not used even if it says ready again (P1)', async () => {
  const run = await lived({ find: () => nothing }, view(owned), [secret, dependency('deleting')]);
  run.hear([secret, dependency('ready')]);
  assert.equal(run.phase(), 'claiming.awaitingDependencies');
});

test('an update that waits for a dependency arms no timer, and is made again when it changes (I6, I7)', async () => {
  const update = (call: number) =>
    call === 1 ? { changed: false, waiting: ['Waiting for Group/g'] } : { changed: false };
  const run = await lived({ observe: () => observation(), update }, view({ ...owned, externalId: 'id-1' }));
  run.clock.increment(86_400_000);
  await settled();
  assert.equal([run.phase(), run.count('update')], ['reconciling.awaitingReady', 1]);
  const group = dependency('ready', { kind: 'Group', name: 'g' });
  run.hear([secret, dependency('ready'), group]);
  await settled();
  assert.is(run.phase(), 'idle.available');
  assert.equal(
    run.calls.filter((call) => call !== 'claim' && call !== 'watch'),
    ['observe', 'update', 'update'],
  );
  assert.equal(run.paces, [undefined], 'nothing is looked at');
});

/** Kept, while a disk that its spec names is being deleted: `unused` is what the update pass sees no use of. */
function keptBeside(unused: readonly string[]) {
  const update = () => ({ changed: false, waiting: ['Waiting for Volume/disk to be ready'], unused });
  const run = start({ observe: () => observation(), update }, view({ ...owned, externalId: 'id-1' }));
  const hear = async (readiness: Readiness): Promise<void> => {
    const dependencies = [secret, dependency('ready'), disk(readiness)];
    run.actor.send({ type: 'dependencies.changed', dependencies, at: 1 });
    await settled();
  };
  return { run, hear, withdrawnUids: () => run.context().withdrawnUids };
}

test('what a kept resource was to use and does not is yielded when it goes, after a look (EXTERNAL-RESOURCE-5, P1)', async () => {
  const { run, hear, withdrawnUids } = keptBeside(['Volume/disk']);
  await settled();
  await hear('pending');
  assert.equal([run.phase(), withdrawnUids()], ['reconciling.awaitingReady', []]);
  const before = run.calls.length;
  await hear('deleting');
  assert.equal([run.phase(), withdrawnUids()], ['reconciling.awaitingReady', ['disk-1']]);
  // The pass that did not see it in use compared with a look from before: what was sent since would be missed.
  assert.equal(
    run.calls.slice(before).filter((call) => call !== 'watch'),
    ['update', 'claim', 'observe', 'update', 'claim', 'claim'],
  );
});

test('what a kept resource may use is not yielded (EXTERNAL-RESOURCE-5, P1)', async () => {
  const { run, hear, withdrawnUids } = keptBeside([]);
  await settled();
  await hear('deleting');
  assert.equal([run.phase(), withdrawnUids()], ['reconciling.awaitingReady', []]);
});

test('what changes during an update pass that waits is not missed (I9)', async () => {
  const update = (call: number) =>
    call === 1
      ? new Promise((resolve) => setImmediate(resolve, { changed: false, waiting: ['Waiting for Group/g'] }))
      : { changed: false };
  const run = start({ observe: () => observation(), update }, view({ ...owned, externalId: 'id-1' }));
  await Promise.resolve();
  const group = dependency('ready', { kind: 'Group', name: 'g' });
  while (run.phase() !== 'reconciling.updating') await Promise.resolve();
  run.hear([secret, dependency('ready'), group]);
  await settled();
  await settled();
  assert.is(run.phase(), 'idle.available');
});

test('an update that asks for another look gets one', async () => {
  const update = () => ({ changed: false, waiting: ['Waiting for Server/s'], pollAfterMs: 15_000 });
  const run = await lived({ observe: () => observation(), update }, view({ ...owned, externalId: 'id-1' }));
  run.clock.increment(15_000);
  await settled();
  assert.is(run.count('observe'), 2);
});

const atWork = observation({ available: false, pollAfterMs: 1_000 });

/** A resource that the cloud is at work on, and what its watches do. */
async function waiting(answers: Answers = {}): Promise<Run> {
  const run = await lived(
    { observe: () => atWork, update: () => ({ changed: false }), ...answers },
    view({ ...owned, externalId: 'id-1' }),
  );
  return run;
}

test('what the cloud is at work on is watched: no step and no call of its own until there is news', async () => {
  const run = await waiting();
  assert.is(run.phase(), 'reconciling.awaitingReady');
  const { entered, calls } = run;
  const before = [entered.length, calls.length];
  run.clock.increment(3_600_000);
  await settled();
  assert.equal([entered.length, calls.length], before);
  assert.equal([run.paces, run.watches()], [[1_000], 1]);
  run.see(observation());
  await settled();
  assert.is(run.phase(), 'idle.available');
  assert.equal(entered.slice(before[0]), ['reconciling.updating', 'idle.available']);
  assert.is(run.watches(), 0, 'the watch ends with the state');
  assert.is(run.count('observe'), 1);
});

test('what is watched and gone is made anew', async () => {
  const run = await waiting({ record: () => ({ kind: 'stored' }), find: () => nothing });
  run.see(undefined);
  await settled();
  assert.ok(run.entered.includes('reconciling.clearingId'));
  assert.is(run.phase(), 'building.creating');
});

test('what is seen under another id than the recorded one is recorded (I4)', async () => {
  const run = await waiting();
  run.see(observation({ id: 'id-2' }));
  await settled();
  assert.is(run.phase(), 'building.recording');
  assert.is(run.context().externalId, 'id-2');
});

test('an edit, a deletion and new credentials end a watch', async () => {
  const edited = await waiting();
  edited.report(view({ ...owned, externalId: 'id-1', generation: 2 }));
  assert.equal([edited.phase(), edited.watches()], ['reconciling.observing', 0]);
  const deleted = await waiting();
  deleted.report(view({ ...owned, externalId: 'id-1', deleting: true }));
  assert.equal([deleted.phase(), deleted.watches()], ['deleting.removing', 0]);
  const rotated = await waiting();
  const answer = { readiness: 'ready', uid: 'secret-1', version: '2' } as const;
  rotated.hear([{ ...secret, answer }, dependency('ready')]);
  assert.equal([rotated.phase(), rotated.watches()], ['reconciling.observing', 0]);
  // That others are somehow else does not.
  const calm = await waiting();
  calm.hear([secret, dependency('pending')]);
  assert.equal([calm.phase(), calm.watches()], ['reconciling.awaitingReady', 1]);
});

test('a watch that fails is a look that failed', async () => {
  const failing = await waiting({ watch: fail({ ...transient, heldMs: 0 }) });
  await settled();
  const { context } = failing.actor.getSnapshot();
  assert.is(failing.phase(), 'backingOff');
  assert.equal([context.error?.message, context.attempts, context.observation], [transient.message, 1, undefined]);
  const refused = await waiting({ watch: fail({ ...terminal, heldMs: 0 }) });
  await settled();
  assert.is(refused.phase(), 'failed');
});

test('watches that fail at once, though every look succeeds, are begun ever later; news, or a long one, end that', async () => {
  const run = await waiting({ watch: fail({ ...transient, heldMs: 0 }) });
  for (let second = 0; second < 600; second++) {
    run.clock.increment(1_000);
    await settled();
  }
  assert.ok(run.paces.length > 5 && run.paces.length < 20, `${run.paces.length} watches in ten minutes`);
  const sound = await waiting({ watch: (call) => fail({ ...transient, heldMs: call === 4 ? 600_000 : 0 })() });
  const attempts: number[] = [];
  for (let turn = 0; turn < 5; turn++) {
    attempts.push(sound.context().attempts);
    sound.clock.increment(200_000);
    await settled();
    await settled();
  }
  assert.equal(attempts, [1, 2, 3, 1, 2]);
});

/** A deleted object whose resource takes its time to go. */
async function leaving(answers: Answers = {}): Promise<Run> {
  const object = view({ ...owned, externalId: 'id-1', deleting: true });
  const run = await lived({ remove: () => undefined, observe: () => observation(), ...answers }, object);
  return run;
}

test('a deletion that the cloud took is watched until it is done', async () => {
  const run = await leaving();
  assert.equal([run.phase(), run.paces], ['deleting.awaitingRemoval', [1_000]]);
  const before = run.entered.length;
  run.clock.increment(60_000);
  run.see(observation({ available: false }));
  await settled();
  assert.is(run.entered.length, before, 'that it is there still is no news');
  run.see(undefined);
  assert.equal([run.phase(), run.watches()], ['deleting.endingClaims', 0]);
  assert.is(run.count('observe'), 1);
});

test('a deletion that the cloud took and does not do is asked for again, ever later', async () => {
  const run = await leaving();
  const removed = (): number => run.count('remove');
  const counts: number[] = [];
  for (let second = 1; second <= 1_500; second++) {
    run.clock.increment(1_000);
    await settled();
    if (second % 300 === 0) counts.push(removed());
  }
  assert.ok((counts[0] ?? 0) >= 2 && (counts[0] ?? 0) <= 3, counts.join());
  assert.ok((counts.at(-1) ?? 0) <= 8, counts.join());
});

test('the watch of a deletion fails like its look, and new credentials have it looked at once', async () => {
  const failing = await leaving({ watch: fail({ ...transient, heldMs: 0 }) });
  await settled();
  assert.is(failing.phase(), 'deleting.backingOff');
  for (let second = 0; second < 600; second++) {
    failing.clock.increment(1_000);
    await settled();
  }
  const removals = failing.count('remove');
  assert.ok(removals > 3 && removals < 20, `${removals} deletions in ten minutes`);
  const rotated = await leaving({ observe: (call) => (call === 1 ? observation() : new Promise(() => undefined)) });
  const answer = { readiness: 'ready', uid: 'secret-1', version: '2' } as const;
  rotated.hear([{ ...secret, answer }, dependency('ready')]);
  assert.equal([rotated.phase(), rotated.watches()], ['deleting.confirming', 0]);
});

test('an object of its own goes before the resource does', async () => {
  const own = (readiness: Readiness) =>
    dependency(readiness, { kind: 'Plug', name: 'own', finalizers: [], neededFor: 'never' });
  const object = view({ ...owned, externalId: 'id-1', deleting: true });
  const answers = { removeChildren: (call: number) => ({ gone: call > 1 }), remove: () => undefined };
  const run = await lived(answers, object, [secret, own('ready')]);
  assert.is(run.phase(), 'deleting.awaitingChildren');
  assert.equal(resourceStateOf(run.actor.getSnapshot()).leaving.length, 1);
  assert.not.ok(run.calls.includes('remove'));
  run.hear([secret, own('absent')]);
  await settled();
  assert.is(run.phase(), 'deleting.confirming');
});

test('the objects of its own are asked for again when an edit says that their resources stay', async () => {
  const own = dependency('deleting', { kind: 'Plug', name: 'own', finalizers: [], neededFor: 'never' });
  const object = view({ ...owned, externalId: 'id-1', deleting: true, generation: 2 });
  const run = await lived({ removeChildren: () => ({ gone: false }) }, object, [secret, own]);
  assert.equal([run.phase(), run.count('removeChildren')], ['deleting.awaitingChildren', 1]);
  run.actor.send({
    type: 'object.changed',
    object: { ...object, detached: true, generation: 3 },
    dependencies: [secret, own],
    at: 0,
  });
  await settled();
  assert.is(run.count('removeChildren'), 2);
});

test('that an object of its own is absent is asked of the API server: the answer may be older than the object', async () => {
  const own = dependency('absent', { kind: 'Plug', name: 'own', finalizers: [], neededFor: 'never' });
  const answers = { removeChildren: (call: number) => ({ gone: call > 1 }), remove: () => undefined };
  const run = await lived(answers, view({ ...owned, externalId: 'id-1', deleting: true }), [secret, own]);
  assert.is(run.phase(), 'deleting.awaitingChildren');
  assert.not.ok(run.calls.includes('remove'));
  run.clock.increment(1_000);
  await settled();
  assert.ok(run.calls.includes('remove'));
});

test('an object of its own is never waited for before the create', async () => {
  const own = dependency(undefined, { kind: 'Plug', name: 'own', finalizers: [], neededFor: 'never' });
  const run = await lived({ find: () => nothing }, view(owned), [secret, dependency('ready'), own]);
  assert.is(run.phase(), 'building.creating');
});

test('a cleanup uses a dependency that is being deleted too', async () => {
  const router = dependency('deleting', { neededFor: 'always' });
  const run = await lived({ remove: () => undefined }, view({ ...owned, externalId: 'id-1', deleting: true }), [
    router,
  ]);
  assert.is(run.phase(), 'deleting.confirming');
});

test('a cleanup, and a look, use credentials that are being deleted: their guard may wait for it (P1)', async () => {
  const leaving = dependency('deleting', {
    ...secret,
    answer: { readiness: 'deleting', uid: 'secret-1', version: '1' },
  });
  const find = () => ({ matches: [], exact: true, at: 0 });
  const cleanup = await lived({ find, endClaims: () => undefined }, view({ ...owned, deleting: true }), [leaving]);
  assert.equal(cleanup.calls.slice(-3), ['find', 'endClaims', 'removeOwnFinalizer']);
  const alive = await lived({ find }, view(owned), [leaving, dependency('ready')]);
  assert.is(alive.context().withdrawnUids[0], 'secret-1');
  assert.is(alive.phase(), 'claiming.awaitingDependencies');
});

test('nothing is built with credentials that are being deleted; what is built is cared for with them (I3)', async () => {
  const leaving: Dependency = { ...secret, answer: { readiness: 'deleting', uid: 'secret-1', version: '1' } };
  const answers = { find: () => nothing, addOwnFinalizer: () => undefined };
  const unbuilt = await lived(answers, view(owned), [leaving, dependency('ready')]);
  assert.not(unbuilt.calls.includes('create'));
  assert.equal(unbuilt.context().withdrawnUids, ['secret-1']);
  const built = await lived({ observe: () => observation() }, view({ ...owned, externalId: 'id-1' }), [leaving]);
  assert.is(built.phase(), 'reconciling.updating');
});

test('without the dependency that it would have built on, a deleted object has built nothing', async () => {
  const answer = { readiness: 'absent', uid: '' } as const;
  const object = view({ ...owned, deleting: true });
  const run = await lived({ endClaims: () => undefined }, object, [{ ...secret, answer }]);
  assert.is(run.phase(), 'deleting.removingFinalizer');
  const recorded = await lived({}, view({ ...owned, deleting: true, externalId: 'id-1' }), [{ ...secret, answer }]);
  assert.is(recorded.phase(), 'deleting.deciding');
});

test('what goes with another is not looked for when that is gone, recorded or not', async () => {
  const answer = { readiness: 'absent', uid: '' } as const;
  const whole: Dependency = { ...secret, kind: 'Whole', finalizers: [], isContainedIn: true, answer };
  for (const externalId of ['id-1', undefined]) {
    const run = await lived({ endClaims: () => undefined }, view({ ...owned, deleting: true, externalId }), [whole]);
    assert.equal(run.calls.slice(-2), ['endClaims', 'removeOwnFinalizer']);
  }
  const there = await lived({}, view({ ...owned, deleting: true, externalId: 'id-1' }), [
    { ...whole, answer: { readiness: 'pending', uid: 'whole-1' } },
  ]);
  assert.is(there.phase(), 'deleting.deciding', 'it may be asked again');
});

test('an absent reference that may be new proves nothing: what an earlier life made is looked for (I4)', async () => {
  const group = dependency('absent', { kind: 'SecurityGroup', name: 'new' });
  const answers = { find: () => ({ ...nothing, matches: [observation()] }), endClaims: () => undefined };
  const edited = await lived(answers, view({ ...owned, deleting: true, generation: 3 }), [secret, group]);
  assert.equal(edited.calls.slice(-2), ['resolveOwnership', 'remove']);
  const unedited = await lived(answers, view({ ...owned, deleting: true, generation: 2 }), [secret, group]);
  assert.equal(unedited.calls.slice(-2), ['endClaims', 'removeOwnFinalizer']);
  // A Secret may be new, too: the create may have been sent with another one.
  const missing: Dependency = { ...secret, answer: { readiness: 'absent', uid: '' } };
  const renamed = await lived(answers, view({ ...owned, deleting: true, generation: 3 }), [missing]);
  assert.is(renamed.phase(), 'deleting.deciding');
  // A field that never was another: whatever of that name there is, is somebody else's.
  const network = dependency('absent', { fixed: true });
  const fixed = await lived(answers, view({ ...owned, deleting: true, generation: 3 }), [secret, network]);
  assert.equal(fixed.calls.slice(-2), ['endClaims', 'removeOwnFinalizer']);
});

test('that what is used only after the create is absent proves nothing: an earlier create is looked for (I4)', async () => {
  const volume = dependency('absent', { kind: 'Volume', name: 'disk', neededFor: 'update' });
  const answers = { find: () => ({ ...nothing, matches: [observation()] }), endClaims: () => undefined };
  const run = await lived(answers, view({ ...owned, deleting: true, generation: 2 }), [secret, volume]);
  assert.equal(run.calls.slice(-2), ['resolveOwnership', 'remove']);
});

test('on a dependency that was never built itself, nothing was built: it is yielded, or left behind (P1)', async () => {
  const unbuilt = dependency('deleting', { neededFor: 'always', answer: { readiness: 'deleting', uid: 'router-1' } });
  const alive = await lived({}, view(owned), [unbuilt]);
  assert.equal(alive.context().withdrawnUids, ['router-1']);
  // The subnet whose own we are has lost its resource: it waits for us, and would not have another before we are gone.
  const owner = dependency('deleting', {
    neededFor: 'always',
    finalizers: [],
    answer: { readiness: 'deleting', uid: 's' },
  });
  const own = await lived({ endClaims: () => undefined }, view({ ...owned, deleting: true }), [owner]);
  assert.is(own.phase(), 'deleting.removingFinalizer');
  const deleted = await lived({ endClaims: () => undefined }, view({ ...owned, deleting: true }), [unbuilt]);
  assert.is(deleted.phase(), 'deleting.removingFinalizer');
});

test('what is deleted before it was ever built had nothing built on it, whatever looks like it (P1)', async () => {
  // Of the same sort, as far as can be told without the id of what it would be built on.
  const unclear = { find: () => ({ matches: [observation()], exact: false, at: 0 }), endClaims: () => undefined };
  const service = dependency('deleting', { answer: { readiness: 'deleting', uid: 'service-1' } });
  const deleted = (generation: number, of = service) =>
    start(unclear, view({ ...owned, deleting: true, generation }), [secret, of]);
  const alive = await lived(unclear, view(owned), [secret, service]);
  assert.equal(alive.context().withdrawnUids, ['service-1']);
  const leaving = deleted(2);
  await settled();
  assert.is(leaving.phase(), 'deleting.removingFinalizer');
  // It may have referred to another one before.
  const edited = deleted(3);
  await settled();
  assert.is(edited.phase(), 'deleting.undetermined');
  const fixed = deleted(3, { ...service, fixed: true });
  await settled();
  assert.is(fixed.phase(), 'deleting.removingFinalizer');
  // Somebody took its id away.
  const answer = { readiness: 'deleting', uid: 'service-1', attributes: {} } as const;
  const robbed = deleted(2, dependency('deleting', { answer }));
  await settled();
  assert.is(robbed.phase(), 'deleting.undetermined');
  // Nothing keeps it, so that it may have been another when a create was sent.
  const unguarded = deleted(2, { ...service, finalizers: [] });
  await settled();
  assert.is(unguarded.phase(), 'deleting.undetermined');
});

test('a settled object costs no call', async () => {
  const run = await lived({}, view({ ...owned, externalId: 'id-1', settled: 'available' }));
  run.clock.increment(86_400_000);
  await settled();
  assert.equal(run.calls, ['claim']);
});

test('cleanup starts only when the own finalizer is the last one (EXTERNAL-RESOURCE-4, I2)', async () => {
  const held = { deleting: true, finalizers: [OWN, GUARD], externalId: 'id-1' };
  const answers = { remove: () => undefined, observe: () => undefined, endClaims: () => undefined };
  const run = await lived(answers, view(held));
  assert.equal(run.phase(), 'deleting.blocked');
  run.report(view({ ...held, finalizers: [OWN] }));
  await settled();
  assert.equal(run.calls, ['claim', 'remove', 'observe', 'endClaims', 'removeOwnFinalizer']);
});

test('a detached or unmanaged object goes without a call to the cloud', async () => {
  const object = view({ ...owned, deleting: true, externalId: 'id-1', detached: true });
  const run = await lived({ endClaims: () => undefined, removeOwnFinalizer: () => undefined }, object, [
    { ...secret, answer: undefined },
  ]);
  assert.equal(run.calls, ['claim', 'endClaims', 'removeOwnFinalizer']);
  assert.equal(run.phase(), 'deleted');
});

test('what vanished is made anew under a new id', async () => {
  const answers = { observe: () => undefined, record: () => ({ kind: 'stored' }), find: () => nothing };
  const run = await lived(answers, view({ ...owned, externalId: 'id-1' }));
  assert.ok(run.context().vanished);
});

test('nothing is made anew before the id of what vanished is cleared (I4)', async () => {
  const answers = {
    observe: () => undefined,
    record: (call: number) => (call === 1 ? fail(transient)() : { kind: 'stored' }),
    find: () => nothing,
    create: () => observation({ id: 'id-2' }),
  };
  const run = await lived(answers, view({ ...owned, externalId: 'id-1' }));
  assert.equal(run.phase(), 'backingOff');
  run.clock.increment(1_000);
  await settled();
  assert.equal(run.calls.slice(0, 6), ['claim', 'observe', 'record', 'claim', 'observe', 'record']);
  assert.ok(run.calls.indexOf('create') > run.calls.lastIndexOf('observe'));
});

/** An effect under way, to be answered by hand. */
function pending(): { readonly answer: () => Promise<unknown>; readonly give: (output: unknown) => void } {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  return { answer: () => promise, give: resolve };
}

test('an edit while the resource is compared with the spec is compared too (I9)', async () => {
  const first = pending();
  const answers = { observe: () => observation(), update: (call: number) => (call === 1 ? first.answer() : {}) };
  const run = await lived(answers, view({ ...owned, externalId: 'id-1' }));
  assert.equal(run.phase(), 'reconciling.updating');
  run.report(view({ ...owned, externalId: 'id-1', generation: 2 }));
  first.give({ changed: false });
  await settled();
  assert.equal(run.phase(), 'idle.available');
  assert.is(run.count('update'), 2);
});

test('an edit while a call is refused is tried: the refusal was of the spec before (EXTERNAL-RESOURCE-7)', async () => {
  const first = pending();
  const answers = { find: () => nothing, create: async (call: number) => call === 1 && fail(await first.answer())() };
  const run = await lived(answers, view(owned));
  run.report(view({ ...owned, generation: 2 }));
  first.give(terminal);
  await settled();
  assert.is(run.count('create'), 2);
});

test('an edit during the step before a wait is not waited for: the step was for the spec before (I9)', async () => {
  const one = { ...nothing, matches: [observation()] };
  const waits = [
    {
      state: 'building.ownedElsewhere',
      busy: 'resolveOwnership',
      gives: { conflictingOwner, at: 0 },
      answers: { find: () => one },
      object: view(owned),
    },
    {
      state: 'building.awaitingExternal',
      busy: 'import',
      gives: undefined,
      answers: {},
      object: view({ ...owned, managed: false }),
    },
    {
      state: 'building.awaitingPrerequisite',
      busy: 'create',
      gives: fail(lacking),
      answers: { find: () => nothing },
      object: view(owned),
    },
    {
      state: 'deleting.refused',
      busy: 'find',
      gives: { ...nothing, matches: [observation(), observation({ id: 'id-2' })] },
      answers: {},
      object: view({ ...owned, deleting: true }),
    },
  ];
  for (const { state, busy, gives, answers, object } of waits) {
    const after = async (generation: number): Promise<readonly [phase: string, asked: number]> => {
      const first = pending();
      const answer = async (call: number): Promise<unknown> => {
        const given = call === 1 ? await first.answer() : gives;
        return typeof given === 'function' ? given() : given;
      };
      const run = await lived({ ...answers, [busy]: answer }, object);
      run.report({ ...object, generation });
      first.give(gives);
      await settled();
      return [run.phase(), run.count(busy)];
    };
    assert.equal(await after(object.generation), [state, 1]);
    assert.equal(await after(object.generation + 1), [state, 2]);
  }
});

test('where a step waits for what an edit before it brought, that is claimed (I9)', async () => {
  const steps = {
    observe: 'reconciling.awaitingReady',
    find: 'building.awaitingPrerequisite',
  } as const;
  for (const [step, state] of Object.entries(steps)) {
    const before = pending();
    const update = () => ({ changed: false, waiting: ['Waiting for Group/g to be ready'] });
    const object = view(step === 'observe' ? { ...owned, externalId: 'id-1' } : owned);
    const run = await lived({ [step]: before.answer, update, create: fail(lacking) }, object);
    const claims = run.count('claim');
    run.report({ ...object, generation: 2 });
    before.give(step === 'observe' ? observation() : nothing);
    await settled();
    assert.equal([run.phase(), run.count('claim')], [state, claims + 1]);
  }
});

test('an edit while waiting claims what the object refers to now', async () => {
  const run = await lived({}, view(owned), [secret, dependency(undefined)]);
  run.report(view({ ...owned, generation: 2 }));
  assert.equal(run.calls, ['claim', 'claim']);
});

test('an edit of a deleted object that waits for credentials claims the new ones', async () => {
  const object = view({ ...owned, deleting: true, externalId: 'id-1' });
  const run = start({}, object, [{ ...secret, answer: undefined }]);
  assert.equal(run.phase(), 'deleting.deciding');
  run.report({ ...object, generation: 2 });
  assert.equal(run.calls, ['claim', 'claim']);
});

test('a reference that comes while a deletion looks for what was built has it looked for again', async () => {
  const search = pending();
  const inexact = { matches: [observation()], exact: false, at: 0 };
  const answers = { find: (call: number) => (call === 1 ? search.answer() : nothing) };
  const run = await lived(answers, view({ ...owned, deleting: true }), [secret, dependency(undefined)]);
  assert.equal(run.phase(), 'deleting.searching');
  run.hear([secret, dependency('ready')]);
  search.give(inexact);
  await settled();
  assert.not.equal(run.phase(), 'deleting.undetermined');
  assert.is(run.count('find'), 2);
});

test('a reference that comes while it is asked what was built on another has it asked again (P1)', async () => {
  const probe = pending();
  const answers = { find: (call: number) => (call === 1 ? probe.answer() : nothing) };
  const project = { kind: 'Project', name: 'p' };
  const run = await lived(answers, view(owned), [secret, dependency('deleting'), dependency(undefined, project)]);
  assert.equal(run.phase(), 'claiming.probing');
  const known = [secret, dependency('deleting'), dependency('ready', project)];
  run.hear(known);
  probe.give({ matches: [observation()], exact: false, at: 0 });
  await settled();
  assert.equal(run.context().withdrawnUids, ['network-1']);
});

test('a deletion that cannot tell what to remove ends when the object is detached', async () => {
  const object = view({ ...owned, deleting: true });
  const run = await lived({ find: () => ({ matches: [observation()], exact: false, at: 0 }) }, object);
  assert.equal(run.phase(), 'deleting.undetermined');
  run.report({ ...object, generation: 2, detached: true });
  assert.equal(run.phase(), 'deleting.endingClaims');
});

test('a deletion that the cloud does not finish ends when the object is detached', async () => {
  const object = view({ ...owned, deleting: true, externalId: 'id-1' });
  const run = await lived({ remove: () => undefined, observe: () => observation() }, object);
  assert.equal(run.phase(), 'deleting.awaitingRemoval');
  run.report({ ...object, generation: 2, detached: true });
  assert.equal(run.phase(), 'deleting.endingClaims');
});

test('new credentials end the pause of a failed deletion', async () => {
  const run = await lived({ remove: fail(transient) }, view({ ...owned, deleting: true, externalId: 'id-1' }));
  assert.equal(run.phase(), 'deleting.backingOff');
  const rotated = { ...secret, answer: { readiness: 'ready', uid: 'secret-1', version: '2' } as const };
  run.hear([rotated, dependency('ready')]);
  assert.equal(run.phase(), 'deleting.removing');
});

test('who loses the race for the id removes its own resource, also when it has seen the winner (I4)', async () => {
  const recording = pending();
  const answers = { find: () => nothing, create: () => observation(), record: () => recording.answer() };
  const run = await lived(answers, view(owned));
  assert.equal(run.phase(), 'building.recording');
  run.report(view({ ...owned, externalId: 'id-9' }));
  recording.give({ kind: 'lost', externalId: 'id-9' });
  await settled();
  assert.equal(run.phase(), 'building.discarding');
  assert.is(run.context().externalId, 'id-1');
});

/** A life whose record loses to an id that somebody else has written meanwhile, and what is asked for after that. */
async function usurped(find: (call: number) => unknown, more: Record<string, (call: number) => unknown> = {}) {
  const record = () => {
    run.report(view({ ...owned, externalId: 'id-9' }));
    return { kind: 'lost', externalId: 'id-9' };
  };
  const run = start({ find, record, observe: () => new Promise(() => undefined), ...more }, view(owned));
  await settled();
  return run;
}

test('what was only found is not removed when somebody else records an id meanwhile (EXTERNAL-RESOURCE-9)', async () => {
  const run = await usurped(() => ({ ...nothing, matches: [observation()] }));
  assert.not.ok(run.calls.includes('remove'));
  assert.is(run.phase(), 'reconciling.observing');
  assert.is(run.context().externalId, 'id-9');
  assert.ok(run.context().isOwnershipDisputed, 'it is asked about, as any id from another hand');
});

test('what is found beside a create that was refused is not removed either (EXTERNAL-RESOURCE-9)', async () => {
  const find = (call: number) => (call === 1 ? nothing : { ...nothing, matches: [observation()] });
  const run = await usurped(find, { create: fail({ code: 'conflict', message: 'it is there by now' }) });
  run.clock.increment(1_000);
  await settled();
  assert.is(run.count('record'), 1);
  assert.not.ok(run.calls.includes('remove'));
});

test('what an unanswered create has made is removed when somebody else records an id meanwhile (EXTERNAL-RESOURCE-3, EXTERNAL-RESOURCE-9, I4)', async () => {
  for (const known of [{ intended: true }, { earlier: true }]) {
    const run = await usurped(() => ({ ...nothing, matches: [observation()], ...known }));
    assert.is(run.count('remove'), 1, JSON.stringify(known));
  }
});

test('what was made and recorded is left alone when its id is taken away and another one written (EXTERNAL-RESOURCE-9)', async () => {
  const record = (call: number) => {
    if (call === 1) return { kind: 'stored' };
    run.report(view({ ...owned, externalId: 'id-9' }));
    return { kind: 'lost', externalId: 'id-9' };
  };
  const update = () => ({ changed: false });
  const observe = (call: number) => (call === 1 ? observation() : new Promise(() => undefined));
  const answers = { find: () => nothing, create: () => observation(), observe, record, update };
  const run = start(answers, view(owned));
  await settled();
  run.report(view({ ...owned, externalId: 'id-1', settled: 'available' }));
  await settled();
  assert.is(run.phase(), 'idle.available');
  run.report(view(owned));
  await settled();
  assert.is(run.count('record'), 2);
  assert.not.ok(run.calls.includes('remove'));
});

test('what is read in the place of what is recorded is not removed: it is looked for anew (EXTERNAL-RESOURCE-9)', async () => {
  const answers = {
    observe: () => observation(),
    record: () => ({ kind: 'stored' }),
    find: () => new Promise(() => undefined),
  };
  const run = await lived(answers, view({ ...owned, externalId: 'id-0' }));
  assert.equal(run.calls, ['claim', 'observe', 'record', 'discardIntents', 'claim', 'find']);
  assert.is(run.context().externalId, undefined);
});

test('what is found after the resource has vanished is not what the create has made (EXTERNAL-RESOURCE-9)', async () => {
  const answers = { observe: () => undefined, record: () => ({ kind: 'stored' }), find: () => nothing };
  const run = await lived(answers, view({ ...owned, externalId: 'id-1' }));
  assert.equal(run.calls.slice(0, 4), ['claim', 'observe', 'record', 'discardIntents']);
});

test('an import that lost the race for the id removes nothing', async () => {
  const answers = {
    import: () => observation(),
    record: () => {
      run.report(view({ ...owned, managed: false, externalId: 'id-9' }));
      return { kind: 'lost', externalId: 'id-9' };
    },
  };
  const run = start(answers, view({ ...owned, managed: false }));
  await settled();
  assert.equal(run.phase(), 'reconciling.observing');
  assert.not.ok(run.calls.includes('remove'));
});

test('a dependency is not yielded while it is unclear what was built on it (EXTERNAL-RESOURCE-5, P1)', async () => {
  const unclear = { matches: [observation()], exact: false, at: 0 };
  const dependencies = [secret, dependency('deleting'), dependency(undefined, { kind: 'Project', name: 'p' })];
  const run = await lived({ find: (call) => (call === 1 ? unclear : nothing) }, view(owned), dependencies);
  assert.equal(run.context().withdrawnUids, []);
  const known = [secret, dependency('deleting'), dependency('ready', { kind: 'Project', name: 'p' })];
  run.hear(known);
  await settled();
  assert.equal(run.context().withdrawnUids, ['network-1']);
});

test('what looks like an own resource may be taken away by somebody: it is looked for again', async () => {
  const unclear = { matches: [observation()], exact: false, at: 0 };
  const find = (call: number) => (call === 1 ? unclear : nothing);
  const owner = dependency(undefined, { kind: 'Project', name: 'p' });
  const alive = await lived({ find }, view(owned), [secret, dependency('deleting'), owner]);
  assert.is(alive.phase(), 'claiming.undetermined');
  alive.clock.increment(15_000);
  await settled();
  assert.equal(alive.context().withdrawnUids, ['network-1']);
  const edited = await lived({ find }, view(owned), [secret, dependency('deleting'), owner]);
  edited.report(view({ ...owned, generation: 2 }));
  await settled();
  assert.equal([edited.context().withdrawnUids, edited.count('find')], [['network-1'], 2]);
  const deleted = await lived({ find }, view(owned), [secret, dependency('deleting'), owner]);
  deleted.report(view({ ...owned, deleting: true }));
  assert.is(deleted.phase(), 'deleting.searching');
  const leaving = await lived({ find }, view({ ...owned, deleting: true }), [secret, dependency('ready'), owner]);
  assert.is(leaving.phase(), 'deleting.undetermined');
  leaving.clock.increment(15_000);
  await settled();
  assert.is(leaving.phase(), 'deleting.endingClaims');
});

test('a settled object says nothing of dependencies that it does not need now (I8)', () => {
  for (const settled of ['available', 'unavailable', 'failed'] as const) {
    const run = start({}, view({ ...owned, settled }), [secret, dependency('pending')]);
    assert.equal(resourceStateOf(run.actor.getSnapshot()).awaited, []);
  }
});

test('a status that was taken away is made again', async () => {
  for (const state of ['available', 'unavailable', 'failed'] as const) {
    const run = start({ observe: () => observation() }, view({ ...owned, externalId: 'id-1', settled: state }));
    run.report(view({ ...owned, externalId: 'id-1', settled: 'no' }));
    await settled();
    assert.ok(run.calls.includes('observe'), state);
  }
});

test('a cloud that takes a change and does not make it is not asked again and again at once', async () => {
  const answers = { observe: () => observation(), update: () => ({ changed: true }) };
  const run = start(answers, view({ ...owned, externalId: 'id-1' }));
  for (let turn = 0; turn < 20; turn++) await settled();
  const calls = run.count('update');
  assert.ok(calls <= 3, `${calls} calls at once`);
  run.clock.increment(600_000);
  await settled();
  assert.ok(run.count('update') > calls);
});

test('a write that is refused as a lost race each time is not repeated for ever at once', async () => {
  const conflict = { code: 'conflict', message: 'changed meanwhile' };
  const detached = view({ ...owned, deleting: true, externalId: 'id-1', detached: true });
  const runs = [
    start({ endClaims: () => undefined, removeOwnFinalizer: fail(conflict) }, detached),
    start({ observe: () => observation(), record: fail(conflict) }, view({ ...owned, externalId: undefined })),
    start({ find: () => ({ ...nothing, matches: [observation()] }), record: fail(conflict) }, view(owned)),
  ];
  for (let turn = 0; turn < 50; turn++) await settled();
  for (const { calls } of runs) assert.ok(calls.length < 20, `${calls.length} calls`);
});

test('a create that nobody answered is not made again while it may still be done (I4)', async () => {
  const run = start(
    {
      find: (call) => ({ ...nothing, at: call === 1 ? 0 : run.clock.now() }),
      create: fail({ ...transient, inDoubtUntil: 40_000 }),
    },
    view(owned),
  );
  await settled(); // the look-up
  await settled(); // the create
  assert.equal(run.calls, ['claim', 'find', 'create']);
  while (run.clock.now() < 39_000) {
    run.clock.increment(500);
    await settled();
  }
  assert.is(run.count('create'), 1);
  const looks = run.count('find');
  assert.ok(looks > 3 && looks < 15, `${looks} looks`);
  // And no later than need be.
  run.clock.increment(1_001);
  await settled();
  await settled();
  assert.is(run.count('create'), 2);
});

test('what is found of a create that nobody answered is taken at once', async () => {
  let matches: readonly unknown[] = [];
  const run = start(
    {
      find: (call) => ({ ...nothing, matches, at: call === 1 ? 0 : run.clock.now() }),
      create: fail({ ...transient, inDoubtUntil: 40_000 }),
      record: () => ({ kind: 'stored' }),
      update: () => ({ changed: false }),
    },
    view(owned),
  );
  await settled(); // the look-up
  await settled(); // the create
  matches = [observation()];
  run.clock.increment(150);
  await settled();
  assert.ok(run.calls.includes('record'), run.calls.join());
});

test('a deleted object does not go while a create that nobody answered may still be done (I4)', async () => {
  const run = start(
    {
      find: (call) => ({ ...nothing, at: call === 1 ? 0 : run.clock.now() }),
      create: fail({ ...transient, inDoubtUntil: 40_000 }),
      endClaims: () => undefined,
      removeOwnFinalizer: () => undefined,
    },
    view(owned),
  );
  await settled(); // the look-up
  await settled(); // the create
  run.report(view({ ...owned, deleting: true }));
  for (let turn = 0; turn < 39; turn++) {
    run.clock.increment(1_000);
    await settled();
  }
  assert.not.ok(run.calls.includes('endClaims'));
  run.clock.increment(1_001);
  await settled();
  await settled();
  assert.is(run.phase(), 'deleted');
});

test('the end of a deletion that fails is tried again by itself, without a call to the cloud', async () => {
  const object = view({ ...owned, deleting: true, externalId: 'id-1' });
  for (const failing of ['endClaims', 'removeOwnFinalizer'] as const) {
    let isWell = false;
    const run = start(
      {
        remove: () => undefined,
        observe: () => undefined,
        endClaims: () => undefined,
        removeOwnFinalizer: () => undefined,
        [failing]: () => {
          if (!isWell) throw transient;
        },
      },
      object,
    );
    await settled();
    assert.is(run.phase(), 'deleting.retryingRelease');
    run.report({ ...object, generation: 2 });
    isWell = true;
    run.clock.increment(150);
    await settled();
    assert.is(run.phase(), 'deleted');
    assert.is(run.count('remove'), 1);
  }
});

test('an id that somebody took out of the status of a resting object is stored again (I4)', async () => {
  const object = view({ ...owned, externalId: 'id-1', settled: 'available' });
  const run = start({ observe: () => observation(), record: () => ({ kind: 'stored' }) }, object);
  run.report({ ...object, externalId: undefined });
  await settled();
  assert.ok(run.calls.includes('record'));
});

test('who rests looks at it all again when what it was built on was made anew under another id', async () => {
  const object = view({ ...owned, externalId: 'id-1', settled: 'available' });
  const run = start({ observe: () => observation(), update: () => ({ changed: false }) }, object);
  assert.is(run.phase(), 'idle.available');
  run.actor.send({ type: 'relations.changed', at: 1 });
  await settled();
  assert.equal([run.phase(), run.count('update')], ['idle.available', 1]);
});

test('33.2: news during an update pass leads to another one (I9)', async () => {
  const object = view({ ...owned, externalId: 'id-1' });
  const run: Run = start(
    {
      observe: () => observation(),
      update: (call) => {
        if (call === 1) run.actor.send({ type: 'relations.changed', at: 1 });
        return { changed: false };
      },
    },
    object,
  );
  await settled();
  assert.equal([run.phase(), run.count('observe'), run.count('update')], ['idle.available', 2, 2]);
});

test('who waits for what others say of it looks again when they say something else', async () => {
  const update = (call: number) =>
    call === 1 ? { changed: false, waiting: ['attached, and not told'], pollAfterMs: 5_000 } : { changed: false };
  const run = await lived({ observe: () => observation(), update }, view({ ...owned, externalId: 'id-1' }));
  assert.is(run.phase(), 'reconciling.awaitingReady');
  run.actor.send({ type: 'relations.changed', at: 1 });
  await settled();
  assert.equal([run.phase(), run.clock.now()], ['idle.available', 0]);
});

test('what was made anew while a pass was under way is looked at by another one', async () => {
  const object = view({ ...owned, externalId: 'id-1' });
  const anew = dependency('ready', { answer: { readiness: 'ready', uid: 'network-1', externalId: 'id-m' } });
  const run: Run = start(
    {
      observe: () => observation(),
      update: (call) => {
        if (call === 1) run.hear([secret, anew]);
        return { changed: false };
      },
    },
    object,
  );
  await settled();
  assert.equal([run.phase(), run.count('update')], ['idle.available', 2]);
});

test('where drift is only reported, what was brought to the resource is compared, and what was edited is brought', async () => {
  const object = view({ ...owned, externalId: 'id-1', reporting: { applied: 1 } });
  const run = await lived({ observe: () => observation(), update: () => ({ changed: false, left: ['size'] }) }, object);
  assert.is(run.phase(), 'idle.available');
  const reported = resourceStateOf(run.actor.getSnapshot());
  assert.equal([reported.reporting, reported.left], [true, ['size']]);
  run.report({ ...object, generation: 2 });
  await settled();
  assert.equal(run.reports, [true, false]);
});

test('where drift is only reported, what is gone stays so until the spec is edited, or drift is repaired', async () => {
  for (const change of [{ generation: 2 }, { reporting: undefined }]) {
    const object = view({ ...owned, externalId: 'id-1', settled: 'available', reporting: { applied: 1 } });
    const run = start({ observe: () => undefined, record: () => ({ kind: 'stored' }), find: () => nothing }, object);
    run.actor.send({ type: 'relations.changed', at: 1 });
    await settled();
    assert.is(run.phase(), 'failed');
    assert.match(run.context().error?.message ?? '', /only reported$/);
    assert.equal(
      run.calls.filter((call) => call !== 'claim'),
      ['observe'],
    );
    run.report({ ...object, settled: 'failed', ...change });
    await settled();
    assert.ok(run.calls.includes('record'), JSON.stringify(change));
  }
});

test('where drift is only reported, what goes while the cloud is at work on it is not made again', async () => {
  const object = view({ ...owned, externalId: 'id-1', reporting: { applied: 1 } });
  const run = await lived({ observe: () => atWork, update: () => ({ changed: false }) }, object);
  assert.is(run.phase(), 'reconciling.awaitingReady');
  run.see(undefined);
  await settled();
  assert.equal([run.phase(), run.count('record')], ['failed', 0]);
});

test('an id that another writer records while the update is under way is looked at, and contended for (EXTERNAL-RESOURCE-8)', async () => {
  const updated = later<{ changed: boolean }>();
  const answers: Answers = {
    observe: (call) => observation({ id: call === 1 ? 'id-1' : 'id-9' }),
    update: () => updated.answer,
    resolveOwnership: () => endless,
  };
  const run = await lived(answers, view({ ...owned, externalId: 'id-1' }));
  run.report(view({ ...owned, externalId: 'id-9' }));
  assert.is(run.phase(), 'reconciling.updating');
  updated.give({ changed: false });
  await settled();
  assert.equal([run.phase(), run.count('observe')], ['building.resolvingOwnership', 2]);
});

test('what others could use before a restart they can use after it, settled or not (I9)', () => {
  for (const settled of ['no', 'failed'] as const) {
    const run = start({}, view({ ...owned, externalId: 'id-1', available: true, settled }));
    assert.ok(run.context().available, settled);
  }
});

test('a life does nothing anew while a create of an earlier life may still be done, deleted or not (I4, P13)', async () => {
  for (const deleting of [false, true]) {
    const run = start(
      {
        find: () => ({ ...nothing, at: run.clock.now() }),
        create: () => observation(),
        endClaims: () => undefined,
        removeOwnFinalizer: () => undefined,
      },
      view({ ...owned, deleting }),
      [secret, dependency('ready')],
      { inDoubtUntil: 40_000 },
    );
    const next = deleting ? 'endClaims' : 'create';
    await settled();
    while (run.clock.now() < 39_000) {
      run.clock.increment(500);
      await settled();
    }
    assert.not.ok(run.calls.includes(next), run.calls.join());
    // And no later than need be.
    run.clock.increment(1_001);
    await settled();
    await settled();
    assert.ok(run.calls.includes(next), run.calls.join());
  }
});

test('a later look comes a whole period after this one, and up to a fifth late (chance)', () => {
  const context = { object: view({ resyncInMs: 5, resyncEveryMs: 600_000 }), observation: undefined };
  assert.is(resyncMs(context as never), 5, 'what begins settled counts from the last look');
  const looked = { ...context, observation: observation() };
  assert.equal([resyncMs(looked as never), resyncMs(looked as never, 0.5)], [600_000, 660_000]);
  assert.is(resyncMs({ ...looked, object: view() } as never, 0.5), Number.POSITIVE_INFINITY);
});

test('33.F4: what is overdue when a life begins is looked at within half a minute and a fifth of its period, where chance puts it', () => {
  const overdue = { object: view({ resyncInMs: 0, resyncEveryMs: 600_000 }), observation: undefined };
  const often = { object: view({ resyncInMs: 0, resyncEveryMs: 10_000 }), observation: undefined };
  const waits = (life: object): readonly number[] =>
    [0, 0.5, 1].map((chance) => Math.round(resyncMs(life as never, chance)));
  assert.equal(
    [waits(overdue), waits(often)],
    [
      [0, 15_000, 30_000],
      [0, 1_000, 2_000],
    ],
  );
  const relook = { ...overdue, object: view({ resyncInMs: 0 }) };
  assert.is(resyncMs(relook as never, 1), 0);
});

test('33.F4: a look that was not made for want of a turn changes nothing of an object that rests', async () => {
  for (const settledAs of ['available', 'unavailable', 'failed'] as const)
    for (const late of ['observe', 'update'] as const) {
      let isBusy = true;
      const answer = (value: unknown) => () => {
        if (isBusy) throw unsent;
        return value;
      };
      const run = start(
        {
          observe: late === 'observe' ? answer(observation()) : () => observation(),
          update: late === 'update' ? answer({ changed: false }) : () => ({ changed: false }),
        },
        view({ ...owned, externalId: 'id-1', settled: settledAs, resyncInMs: 5, resyncEveryMs: 3_600_000 }),
      );
      run.clock.increment(5);
      await settled();
      const what = `${settledAs}, ${late}`;
      assert.is(run.count(late), 1, what);
      assert.is(run.phase(), 'backingOff', what);
      const standing = resourceStateOf(run.actor.getSnapshot());
      assert.is(standing.error, undefined, what);
      assert.is(run.context().available, late === 'update' || settledAs === 'available', what);
      isBusy = false;
      run.clock.increment(200);
      await settled();
      assert.is(run.phase(), 'idle.available', what);
      assert.is(run.context().attempts, 0, what);
    }
});

test('33.F4: of what was edited, or never done, it is said that there was no turn', async () => {
  const run = await lived({ observe: fail(unsent) }, view({ ...owned, externalId: 'id-1', available: true }));
  assert.is(run.phase(), 'backingOff');
  assert.is(resourceStateOf(run.actor.getSnapshot()).error?.message, unsent.message);
  assert.not.ok(run.context().available);
});

test('33.B8: whose a resource is is asked with what the own create made, and without what was only found', async () => {
  for (const intended of [true, false]) {
    const run = await lived(
      {
        find: () => ({ ...nothing, matches: [observation()], intended }),
        resolveOwnership: () => new Promise(() => undefined),
      },
      view(owned),
    );
    await settled();
    assert.is(run.phase(), 'building.resolvingOwnership');
    assert.is(contendInput(run.context()).isMade, intended);
  }
});

test('nothing is created when a dependency went while it was looked for what an earlier life left (EXTERNAL-RESOURCE-1, I1)', async () => {
  const looked = Promise.withResolvers<unknown>();
  const run = await lived({ find: () => looked.promise }, view(owned));
  assert.is(run.phase(), 'building.adopting');
  run.hear([secret, dependency('deleting')]);
  looked.resolve(nothing);
  await settled();
  assert.not.ok(run.calls.includes('create'));
});

test('who has sent a create looks for what it made before it yields what that was built on (EXTERNAL-RESOURCE-5, P1)', async () => {
  const stored = async (): Promise<void> => {
    await undefined;
    run.report(view(owned));
  };
  const matches = (call: number): unknown => (call === 1 ? nothing : { ...nothing, matches: [observation()] });
  const run = start({ addOwnFinalizer: stored, find: matches, create: fail(transient) }, view());
  await settled();
  assert.is(run.phase(), 'backingOff');
  run.hear([secret, dependency('deleting')]);
  run.clock.increment(1_000);
  await settled();
  assert.equal(run.context().withdrawnUids, []);
  assert.is(run.phase(), 'building.recording');
});

test('what another object has is left alone, and tried again when that one is gone (EXTERNAL-RESOURCE-8)', async () => {
  const resolveOwnership = (call: number) => ({ conflictingOwner: call === 1 ? conflictingOwner : undefined, at: 0 });
  const run = await lived({ find: () => ({ ...nothing, matches: [observation()] }), resolveOwnership }, view(owned));
  assert.is(run.phase(), 'building.ownedElsewhere');
  assert.is(run.calls.at(-1), 'follow');
  assert.not.ok(run.calls.includes('record'));
  assert.is(run.context().externalId, undefined);
  assert.is(run.clock.now(), 0); // I7
  run.actor.send({ type: 'owner.released' });
  await settled();
  assert.is(run.phase(), 'building.recording');
  assert.is(run.context().conflictingOwner, undefined);
});

test('an id from another hand is contended for, and taken back when it is another object’s (EXTERNAL-RESOURCE-8)', async () => {
  const record = () => ({ kind: 'stored' });
  const resting = start(
    {
      observe: () => observation(),
      resolveOwnership: () => ({ conflictingOwner, at: 0 }),
      record,
      update: () => ({ changed: false }),
    },
    view({ ...owned, externalId: 'id-0', settled: 'available' }),
  );
  resting.report(view({ ...owned, externalId: 'id-1', settled: 'available' }));
  await settled();
  // It may have one of its own.
  assert.equal(resting.calls.slice(-5), ['observe', 'resolveOwnership', 'record', 'claim', 'find']);
  assert.is(resting.context().externalId, undefined);
});

test('an id that cannot be taken back is tried again; who waits for a rival looks again after an edit (EXTERNAL-RESOURCE-8)', async () => {
  const resolveOwnership = () => ({ conflictingOwner, at: 0 });
  const resting = start(
    { observe: () => observation(), resolveOwnership, record: fail(transient), update: () => ({ changed: false }) },
    view({ ...owned, externalId: 'id-0', settled: 'available' }),
  );
  resting.report(view({ ...owned, externalId: 'id-1', settled: 'available' }));
  await settled();
  assert.is(resting.phase(), 'backingOff');
  const taken = await lived({ find: () => ({ ...nothing, matches: [observation()] }), resolveOwnership }, view(owned));
  taken.report(view({ ...owned, generation: 2 }));
  await settled();
  assert.is(taken.count('resolveOwnership'), 2);
  assert.is(taken.phase(), 'building.ownedElsewhere');
});

test('a life whose id another object has recorded, too, asks before it rests (EXTERNAL-RESOURCE-8)', async () => {
  const settledView = view({ ...owned, externalId: 'id-1', settled: 'available' });
  const answers = { observe: () => observation(), update: () => ({ changed: false }) };
  const run = await lived(answers, settledView, undefined, { isOwnershipDisputed: true });
  assert.is(run.phase(), 'idle.available');
  assert.ok(run.calls.includes('resolveOwnership'));
  const alone = await lived(answers, settledView);
  assert.equal(alone.calls, ['claim']);
});

test('a deleted object does not remove what another one has (EXTERNAL-RESOURCE-8)', async () => {
  const deleted = view({ ...owned, deleting: true });
  const answers = {
    find: () => ({ ...nothing, matches: [observation()] }),
    resolveOwnership: () => ({ conflictingOwner, at: 0 }),
  };
  const run = await lived(answers, deleted);
  assert.is(run.phase(), 'deleting.endingClaims');
  const recorded = await lived(answers, view({ ...owned, deleting: true, externalId: 'id-1' }), undefined, {
    isOwnershipDisputed: true,
  });
  assert.is(recorded.phase(), 'deleting.endingClaims');
  for (const { calls } of [run, recorded]) assert.not.ok(calls.includes('remove'));
});

const earlier = { ...nothing, matches: [observation()], earlier: true };

test('what an earlier create was to make and another object has is forgotten, and the object has one of its own (I4, EXTERNAL-RESOURCE-8)', async () => {
  const find = (call: number) => (call === 1 ? earlier : nothing);
  const run = await lived({ find, resolveOwnership: () => ({ conflictingOwner, at: 0 }) }, view(owned));
  assert.is(run.phase(), 'building.creating');
  assert.ok(run.calls.includes('discardIntents'));
  assert.not.ok(run.calls.includes('follow'));
  // As long as it may still land, nothing is forgotten.
  const waiting = await lived({ find, resolveOwnership: () => ({ conflictingOwner, at: 0 }) }, view(owned), undefined, {
    inDoubtUntil: 40_000,
  });
  assert.is(waiting.phase(), 'backingOff');
  assert.not.ok(waiting.calls.includes('discardIntents'));
});

test('what an earlier create made is recorded before it is removed with a deleted object', async () => {
  const deleted = view({ ...owned, deleting: true });
  const find = () => earlier;
  const run = await lived({ find, record: () => ({ kind: 'stored' }) }, deleted);
  assert.equal(run.calls.slice(-3), ['resolveOwnership', 'record', 'remove']);
  const other = await lived({ find, record: () => ({ kind: 'lost', externalId: 'id-9' }) }, deleted);
  assert.is(other.phase(), 'deleting.backingOff');
  const failing = await lived({ find, record: fail(transient) }, deleted);
  assert.is(failing.phase(), 'deleting.backingOff');
});

test('who waits for another object yields what it would build on (EXTERNAL-RESOURCE-5, EXTERNAL-RESOURCE-8)', async () => {
  const answers = {
    find: () => ({ ...nothing, matches: [observation()] }),
    resolveOwnership: () => ({ conflictingOwner, at: 0 }),
  };
  const run = await lived(answers, view(owned));
  run.hear([secret, dependency('deleting')]);
  await settled();
  assert.is(run.phase(), 'claiming.awaitingDependencies');
  assert.equal(run.context().withdrawnUids, ['network-1']);
});

/** An answer that is given when the test says so. */
function later<Value>(): { readonly answer: Promise<Value>; give(value: Value): void } {
  const { promise, resolve } = Promise.withResolvers<Value>();
  return { answer: promise, give: resolve };
}

test('an id from another hand that comes while the own one is read is asked about, and nothing of the own one removed (EXTERNAL-RESOURCE-8)', async () => {
  const read = later<Observation>();
  const answers = {
    observe: (call: number) => (call === 1 ? read.answer : observation({ id: 'id-9' })),
    record: () => ({ kind: 'lost', externalId: 'id-9' }),
  };
  const run = await lived(answers, view({ ...owned, externalId: 'id-1' }));
  assert.is(run.phase(), 'reconciling.observing');
  run.report(view({ ...owned, externalId: 'id-9' }));
  read.give(observation());
  await settled();
  assert.equal(run.calls.slice(-4), ['claim', 'observe', 'resolveOwnership', 'update']);
  assert.not.ok(run.calls.includes('remove'));
});

test('a verdict on one id says nothing of another that came meanwhile (EXTERNAL-RESOURCE-8)', async () => {
  const verdict = later<{ conflictingOwner: undefined; at: number }>();
  const answers = {
    observe: (call: number) => observation({ id: call === 1 ? 'id-1' : 'id-9' }),
    resolveOwnership: (call: number) =>
      call === 1 ? verdict.answer : { conflictingOwner: { ...conflictingOwner, externalId: 'id-9' }, at: 0 },
    update: () => ({ changed: false }),
  };
  const run = await lived(answers, view({ ...owned, externalId: 'id-1' }), undefined, { isOwnershipDisputed: true });
  assert.is(run.phase(), 'building.resolvingOwnership');
  run.report(view({ ...owned, externalId: 'id-9' }));
  verdict.give({ conflictingOwner: undefined, at: 0 });
  await settled();
  assert.not.ok(run.calls.includes('update'));
  assert.is(run.phase(), 'building.clearingLostId');
});

test('an id that somebody else recorded first is asked about before anything is done with it (EXTERNAL-RESOURCE-8)', async () => {
  const look = later<object>();
  const answers = {
    find: () => look.answer,
    record: () => ({ kind: 'lost', externalId: 'id-9' }),
    resolveOwnership: (call: number) =>
      call === 1 ? { conflictingOwner: undefined, at: 0 } : new Promise(() => undefined),
    observe: () => observation({ id: 'id-9' }),
    remove: () => undefined,
    update: () => ({ changed: false }),
  };
  const run = await lived(answers, view(owned));
  assert.is(run.phase(), 'building.adopting');
  run.report(view({ ...owned, externalId: 'id-9' }));
  look.give({ ...nothing, matches: [observation()] });
  await settled();
  assert.equal(run.calls.slice(-2), ['observe', 'resolveOwnership']);
});

test('a removal ends with what it began with, whatever id somebody writes down meanwhile (EXTERNAL-RESOURCE-8)', async () => {
  const removal = later<undefined>();
  const read: unknown[] = [];
  const answers = { remove: () => removal.answer, observe: () => undefined, endClaims: () => undefined };
  const run = await lived(answers, view({ ...owned, externalId: 'id-1', deleting: true }));
  assert.is(run.phase(), 'deleting.removing');
  run.report(view({ ...owned, externalId: 'id-9', deleting: true }));
  read.push(run.context().externalId);
  removal.give(undefined);
  await settled();
  read.push(run.context().externalId);
  assert.equal(read, ['id-1', 'id-1']);
  assert.is(run.phase(), 'deleting.removingFinalizer');
});

test('a verdict at the end is of what is removed then (EXTERNAL-RESOURCE-8)', async () => {
  const verdict = later<{ conflictingOwner: undefined; at: number }>();
  const answers = { resolveOwnership: () => verdict.answer };
  const run = await lived(answers, view({ ...owned, externalId: 'id-1', deleting: true }), undefined, {
    isOwnershipDisputed: true,
  });
  run.report(view({ ...owned, externalId: 'id-9', deleting: true }));
  verdict.give({ conflictingOwner: undefined, at: 0 });
  await settled();
  assert.is(run.phase(), 'deleting.removing');
  assert.is(run.context().externalId, 'id-1');
});

/** A run whose object was recorded, lost the id from its status by a person's hand, and is deleted then. */
async function deletedWithoutId(resolveOwnership: (call: number) => unknown, more: Answers = {}): Promise<Run> {
  const run = await lived(
    {
      observe: (call) => (call === 1 ? fail({ code: 'transient', message: 'no answer' })() : undefined),
      resolveOwnership,
      ...more,
    },
    view({ ...owned, externalId: 'id-1' }),
  );
  assert.is(run.phase(), 'backingOff');
  run.report(view(owned));
  run.report(view({ ...owned, deleting: true }));
  await settled();
  return run;
}

test('the owner of a resource is looked up before a removal by an id that is no longer in the status (EXTERNAL-RESOURCE-8, I2)', async () => {
  const others = await deletedWithoutId(() => ({ conflictingOwner, at: 0 }));
  assert.is(others.count('remove'), 0);
  assert.is(others.phase(), 'deleting.endingClaims');
  const own = await deletedWithoutId(() => ({ conflictingOwner: undefined, at: 0 }));
  assert.equal([own.count('resolveOwnership'), own.count('remove')], [1, 1]);
});

test('a removal that is repeated after long looks up the owner again if the status has no id (EXTERNAL-RESOURCE-8, I2)', async () => {
  const run = await lived(
    { remove: () => undefined, observe: () => observation(), resolveOwnership: () => ({ conflictingOwner, at: 0 }) },
    view({ ...owned, externalId: 'id-1', deleting: true }),
  );
  assert.equal([run.phase(), run.count('remove')], ['deleting.awaitingRemoval', 1]);
  run.report(view({ ...owned, deleting: true }));
  run.clock.increment(86_400_000);
  await settled();
  assert.is(run.count('remove'), 1);
  assert.is(run.phase(), 'deleting.endingClaims');
});

test('what was found and recorded is searched for when its id was taken away and its owner is not known (EXTERNAL-RESOURCE-8)', async () => {
  const run = start(
    {
      find: (call) => (call === 1 ? { ...nothing, matches: [observation()] } : new Promise(() => undefined)),
      addOwnFinalizer: () => run.report(view(owned)),
      record: () => {
        run.report(view({ ...owned, externalId: 'id-1' }));
        return { kind: 'stored' };
      },
      resolveOwnership: (call) =>
        call === 1 ? { conflictingOwner: undefined, at: 0 } : fail({ code: 'transient', message: 'no answer' })(),
      update: fail({ code: 'transient', message: 'no answer' }),
    },
    view(),
  );
  await settled();
  assert.is(run.phase(), 'backingOff');
  run.report(view(owned));
  run.report(view({ ...owned, deleting: true }));
  await settled();
  run.clock.increment(60_000);
  await settled();
  assert.is(run.phase(), 'deleting.searching');
});

test('while what was sent may still land, a rival proves nothing (EXTERNAL-RESOURCE-3)', async () => {
  const answers = {
    find: () => ({ ...nothing, matches: [observation()] }),
    resolveOwnership: () => ({ conflictingOwner, at: 0 }),
  };
  const run = await lived(answers, view(owned), undefined, { inDoubtUntil: 40_000 });
  assert.is(run.phase(), 'backingOff');
});

test.run();
