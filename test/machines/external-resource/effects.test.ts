// What the effects of the chart do over the ports of the runtime.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type AnyActorLogic, createActor, toPromise } from 'xstate';
import type { EffectInput, RecordOutput } from '../../../machines/external-resource/context.ts';
import { withEffects } from '../../../machines/external-resource/effects.ts';
import type { Observation } from '../../../machines/external-resource/operations.ts';
import { pollBackoff } from '../../../machines/external-resource/polling.ts';
import type { LifecyclePorts, LongCallOptions } from '../../../machines/lifecycle.ts';

const test = suite('effects of external resources');

/** Records `wanted` for an object whose status has `stored`, and after a refused write `later`. */
async function record(wanted: string, stored: string | undefined, later = stored) {
  const written: (string | null)[] = [];
  const ports = {
    object: () => ({ status: { id: written.length === 0 ? stored : later } }),
    recordId: async (id: string | null) => {
      written.push(id);
      if (later !== stored) throw { code: 'conflict', message: 'somebody was faster' };
    },
  } as unknown as LifecyclePorts;
  const machine = withEffects(() => ports, { ambiguity: 'several', watches: true });
  const input: EffectInput = { key: 'key', externalId: wanted };
  const effect = createActor(machine.implementations.actors['record'] as AnyActorLogic, { input });
  const output = (await toPromise(effect.start())) as RecordOutput;
  return { written, output };
}

test('an id is never overwritten by another, seen before the write or by it (I4)', async () => {
  assert.equal(await record('mine', 'theirs'), { written: [], output: { kind: 'lost', externalId: 'theirs' } });
  const raced = await record('mine', undefined, 'theirs');
  assert.equal(raced, { written: ['mine'], output: { kind: 'lost', externalId: 'theirs' } });
});

test('what was applied is recorded with the id of what was made, and of what was changed', async () => {
  const written: unknown[] = [];
  const ports = {
    object: () => ({ status: {} }),
    recordId: async (...given: unknown[]) => void written.push(given),
    ensureChildren: async () => [],
    call: async () => ({ changed: true, applied: { password: 'second' } }),
  } as unknown as LifecyclePorts;
  const machine = withEffects(() => ports, { ambiguity: 'several', watches: true });
  const run = (name: string): Promise<unknown> => {
    const observation = { ...known, applied: { password: 'first' } };
    const input: EffectInput = { key: 'key', externalId: 'i', observation };
    return toPromise(createActor(machine.implementations.actors[name] as AnyActorLogic, { input }).start());
  };
  assert.equal(await run('record'), { kind: 'stored' });
  assert.equal(await run('update'), { changed: true, waiting: [] });
  assert.equal(written, [
    ['i', { password: 'first' }],
    ['i', { password: 'second' }],
  ]);
});

test('what is no `status.id` is recorded by the field manager that says it, and never over another', async () => {
  const applied: unknown[] = [];
  let stored: string | undefined;
  const ports = {
    object: () => ({ status: { resource: stored === undefined ? {} : { part: stored } } }),
    applyStatus: async (...given: unknown[]) => void applied.push(given),
  } as unknown as LifecyclePorts;
  const machine = withEffects(() => ports, {
    ambiguity: 'several',
    watches: true,
    externalId: () => stored,
    recording: (_, id) => ({ manager: 'status', status: id === undefined ? {} : { resource: { part: id } } }),
  });
  const run = (externalId?: string): Promise<unknown> => {
    const input: EffectInput = { key: 'key', externalId };
    return toPromise(createActor(machine.implementations.actors['record'] as AnyActorLogic, { input }).start());
  };
  assert.equal(await run('mine'), { kind: 'stored' });
  stored = 'mine';
  assert.equal(await run('mine'), { kind: 'stored' });
  assert.equal(await run(), { kind: 'stored' });
  stored = 'theirs';
  assert.equal(await run('mine'), { kind: 'lost', externalId: 'theirs' });
  assert.equal(applied, [
    ['status', { resource: { part: 'mine' } }],
    ['status', {}],
  ]);
});

test('an id that is stored already is not written again', async () => {
  assert.equal(await record('mine', 'mine'), { written: [], output: { kind: 'stored' } });
  assert.equal(await record('mine', undefined), { written: ['mine'], output: { kind: 'stored' } });
});

const known: Observation = { id: 'i', attributes: { a: 1, b: { c: 2, d: 3 } }, resource: {}, available: false };
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Begins to watch; what is told, and what the effect ended with. */
function watch(ports: Partial<LifecyclePorts>, pollAfterMs: number | undefined, watches: boolean) {
  const reported: unknown[] = [];
  const machine = withEffects(() => ({ now: () => 7, ...ports }) as LifecyclePorts, { ambiguity: 'several', watches });
  const parent = { send: (event: unknown) => void reported.push(event) };
  const input = { key: 'key', externalId: 'i', observation: known, pollAfterMs, parent };
  const effect = createActor(machine.implementations.actors['watch'] as AnyActorLogic, { input });
  let failure: unknown;
  effect.subscribe({
    error(error) {
      failure = error;
    },
  });
  effect.start();
  return { reported, stop: () => effect.stop(), failure: () => failure };
}

test('the adapter that offers it watches, bounded by the state; what it tells is heard', async () => {
  let held: LongCallOptions | undefined;
  const ports: Partial<LifecyclePorts> = {
    callLong: (operation, options) => {
      assert.is(operation, 'watch');
      held = options;
      return new Promise(() => undefined);
    },
  };
  const run = watch(ports, 1_000, true);
  assert.equal(held?.extra, { id: 'i', observation: known, pollAfterMs: 1_000 });
  assert.is(held?.inDoubtForMs, undefined, 'a watch makes only reads');
  held?.onProgress({ observation: { ...known, available: true } } as never);
  held?.onProgress({ gone: true });
  assert.equal(run.reported, [
    { type: 'observed', observation: { ...known, available: true } },
    { type: 'observed', observation: undefined },
  ]);
  assert.not.ok(held?.signal.aborted);
  run.stop();
  assert.ok(held?.signal.aborted);
  held?.onProgress({ gone: true });
  assert.is(run.reported.length, 2, 'what comes late is not heard');
});

test('a watch that ends by itself, or fails, has failed; how long it had lasted is known', async () => {
  let now = 0;
  for (const [hold, message] of [
    [async () => undefined, 'the watch of the resource has ended'],
    [() => Promise.reject({ code: 'transient', message: 'busy', retryAfterMs: 9 }), 'busy'],
  ] as const) {
    const run = watch({ now: () => (now += 5), callLong: hold }, 1_000, true);
    await settle();
    const failure = run.failure() as { readonly message: string; readonly heldMs: number };
    assert.equal([failure.message, failure.heldMs], [message, 5]);
  }
});

test('what the foreign system does not work on is not looked at', async () => {
  for (const watches of [false, true]) {
    const run = watch({}, undefined, watches);
    await settle();
    assert.equal([run.reported, run.failure()], [[], undefined]);
    run.stop();
  }
});

test('without `watch` it is observed in the same rhythm, and only what is new is told', async () => {
  const pauses: number[] = [];
  const answers: (Observation | undefined)[] = [
    { ...known, attributes: { b: { d: 3, c: 2 }, a: 1 } },
    { ...known, available: true },
    { ...known, available: true },
    undefined,
    undefined,
  ];
  const waits: (() => void)[] = [];
  const ports: Partial<LifecyclePorts> = {
    alignToInterval: (pauseMs) => {
      pauses.push(pauseMs);
      return pauseMs;
    },
    pause: (_delayMs, signal) =>
      new Promise((resolve) => {
        waits.push(resolve);
        signal.addEventListener('abort', () => resolve());
      }),
    call: async (operation) => {
      assert.is(operation, 'observe');
      if (answers.length === 0) throw { code: 'transient', message: 'busy' };
      return answers.shift();
    },
  };
  const run = watch(ports, 1_000, false);
  for (let look = 0; look < 5; look++) {
    waits.shift()?.();
    await settle();
  }
  assert.equal(run.reported, [
    { type: 'observed', observation: { ...known, available: true } },
    { type: 'observed', observation: undefined },
  ]);
  assert.equal(pauses.slice(0, 3), [1_000, 1_000, 1_000]);
  waits.shift()?.();
  await settle();
  assert.is((run.failure() as { readonly message: string }).message, 'busy');
});

test('what has not come for long is looked at less often, and never less than every quarter of a minute', () => {
  assert.equal(
    [1, 9, 10, 15, 40].map((looks) => pollBackoff(1_000, looks)),
    [1_000, 1_000, 2_000, 7_000, 15_000],
  );
  assert.is(pollBackoff(60_000, 40), 60_000);
});

test.run();
