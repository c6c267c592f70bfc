import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createActor, fromPromise, SimulatedClock } from 'xstate';
import { type Claims, deletionGuardMachine } from '../../machines/deletion-guard.ts';
import { leaves, reached } from './paths.ts';

const test = suite('guard machine');

const GUARD = 'example.org/guard';

function claims(changes: Partial<Claims> = {}): Claims {
  return { held: [], guards: [GUARD], complete: true, revision: 0, ...changes };
}

const alive = { uid: 'uid-1', deleting: false, finalizers: [] as string[], leaves: false };
const held = claims({ held: [GUARD], revision: 1 });

/** Starts the life of a guarded object whose effects succeed; each is noted with its finalizers. */
function start(
  object: typeof alive,
  initial: Claims,
  audit: { free: readonly string[]; revision: number } = { free: [], revision: 0 },
) {
  const clock = new SimulatedClock();
  const calls: string[] = [];
  const note = (name: string, output?: unknown) =>
    fromPromise(async ({ input }: { input: { finalizers: readonly string[] } }) => {
      calls.push(`${name} ${input.finalizers.join()}`);
      // The object is not changed by it here, so a second call would be followed by a third.
      return calls.filter((call) => call.startsWith(name)).length > 1 ? new Promise(() => undefined) : output;
    });
  const actors = { storeGuards: note('store'), releaseGuards: note('release'), auditGuards: note('audit', audit) };
  const machine = deletionGuardMachine.provide({ actors: actors as never });
  const actor = createActor(machine, { clock, input: { key: 'key', object, claims: initial } });
  actor.start();
  return { actor, clock, calls };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('every state is reached by generated paths', () => {
  const done = (id: string, output?: unknown) => ({ type: `xstate.done.actor.${id}`, output });
  const events = [
    { type: 'object.changed', object: { ...alive, deleting: true, finalizers: [GUARD] } },
    { type: 'object.changed', object: { ...alive, finalizers: [GUARD] } },
    { type: 'claims.changed', claims: held },
    { type: 'claims.changed', claims: claims() },
    { type: 'claims.changed', claims: claims({ complete: false, revision: 2 }) },
    done('storeGuards'),
    done('releaseGuards'),
    done('auditGuards', { free: [GUARD], revision: 2 }),
    { type: 'xstate.error.actor.storeGuards', error: { code: 'transient' } },
    { type: 'xstate.after.guardBackoff.guard.backingOff' },
    { type: 'xstate.after.auditPause.guard.held' },
  ];
  const input = { key: 'key', object: alive, claims: claims() };
  const found = reached(deletionGuardMachine, input, () => events as never);
  assert.equal(
    leaves(deletionGuardMachine).filter((leaf) => !found.has(leaf)),
    [],
  );
});

test('a guard is stored as soon as it is needed', async () => {
  const { actor, calls } = start(alive, claims());
  assert.equal(calls, []);
  actor.send({ type: 'claims.changed', claims: held });
  await settled();
  assert.equal(calls[0], `store ${GUARD}`);
});

test('no finalizer is added to an object that is being deleted (DELETION-GUARD-1)', async () => {
  const { calls } = start({ ...alive, deleting: true }, held);
  await settled();
  assert.equal(calls, []);
});

test('a guard stays on an object that is alive, needed or not (DELETION-GUARD-2, P3)', async () => {
  const { calls } = start({ ...alive, finalizers: [GUARD] }, claims());
  await settled();
  assert.equal(calls, []);
});

test('a guard goes with its last claim, not before (DELETION-GUARD-2, I3)', async () => {
  const { actor, calls } = start({ ...alive, deleting: true, finalizers: [GUARD] }, held);
  await settled();
  assert.equal(calls, []);
  actor.send({ type: 'claims.changed', claims: claims({ revision: 2 }) });
  await settled();
  assert.equal(calls[0], `release ${GUARD}`);
});

test('finalizers of others are left alone', async () => {
  const { calls } = start({ ...alive, deleting: true, finalizers: ['example.org/other'] }, claims());
  await settled();
  assert.equal(calls, []);
});

test('an incomplete table releases nothing until the API server confirms (DELETION-GUARD-3, P8)', async () => {
  const object = { ...alive, deleting: true, finalizers: [GUARD] };
  const incomplete = claims({ complete: false, revision: 7 });
  const refused = start(object, incomplete, { free: [], revision: 7 });
  await settled();
  assert.equal(refused.calls, [`audit ${GUARD}`]);
  const confirmed = start(object, incomplete, { free: [GUARD], revision: 7 });
  await settled();
  assert.equal(confirmed.calls.slice(0, 2), [`audit ${GUARD}`, `release ${GUARD}`]);
});

test('a confirmation is void when the table changed meanwhile (DELETION-GUARD-3)', async () => {
  const { calls } = start({ ...alive, deleting: true, finalizers: [GUARD] }, claims({ complete: false, revision: 8 }), {
    free: [GUARD],
    revision: 7,
  });
  await settled();
  assert.not.ok(calls.some((call) => call.startsWith('release')));
});

test('a deleted object that waits asks now and then whether its claimants still live (DELETION-GUARD-4, P7)', async () => {
  const { clock, calls } = start({ ...alive, deleting: true, finalizers: [GUARD] }, held);
  await settled();
  clock.increment(4_900);
  assert.equal(calls, []);
  clock.increment(200);
  await settled();
  assert.equal(calls, [`audit ${GUARD}`]);
});

test('free guards are left to the life that takes them off with its own finalizer, unless only a confirmation frees them', async () => {
  const leaving = { ...alive, deleting: true, finalizers: [GUARD], leaves: true };
  const complete = start(leaving, claims());
  await settled();
  assert.equal(complete.calls, []);
  const incomplete = start(leaving, claims({ complete: false, revision: 7 }), { free: [GUARD], revision: 7 });
  await settled();
  assert.equal(incomplete.calls.slice(0, 2), [`audit ${GUARD}`, `release ${GUARD}`]);
});

test('a write that is refused as a lost race each time is not repeated for ever at once', async () => {
  let writes = 0;
  const storeGuards = fromPromise(async () => {
    writes += 1;
    throw { code: 'conflict' };
  });
  const clock = new SimulatedClock();
  const machine = deletionGuardMachine.provide({ actors: { storeGuards } as never });
  createActor(machine, { clock, input: { key: 'key', object: alive, claims: held } }).start();
  await settled();
  const atOnce = writes;
  assert.ok(atOnce > 1 && atOnce < 10, `${atOnce} writes`);
  clock.increment(60_000);
  await settled();
  assert.ok(writes > atOnce);
});

test.run();
