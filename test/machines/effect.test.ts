// Effects of lifecycles, and machines with effects of their own: each does what was given to it, and all have the states of the one that
// they come from.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createActor, fromPromise, setup } from 'xstate';
import type { LifecyclePorts } from '../../machines/lifecycle.ts';
import { type EffectRun, effectsOver, equipped } from '../../machines/statechart.ts';

const machine = setup({
  types: { context: {} as { readonly said: string }, events: {} as { readonly type: 'asked' } },
  actors: { answer: fromPromise<string>(async () => 'nobody') },
  actions: { note: () => undefined },
  guards: { isOpen: () => false },
  delays: { pause: 1_000 },
}).createMachine({
  id: 'answering',
  context: { said: '' },
  initial: 'closed',
  states: {
    closed: { on: { asked: { guard: 'isOpen', target: 'answering', actions: 'note' } } },
    answering: { invoke: { id: 'answer', src: 'answer', onDone: 'resting' } },
    resting: { after: { pause: 'closed' } },
  },
});

/** What becomes of a question, and what was asked of the effects. */
async function reported(name: string, pauseMs: number): Promise<readonly string[]> {
  const lines: string[] = [];
  const own = equipped(machine, {
    actors: {
      answer: fromPromise(async () => {
        lines.push(`${name} answers`);
        return name;
      }),
    },
    actions: { note: () => void lines.push(`${name} notes`) },
    guards: { isOpen: () => true },
    delays: { pause: pauseMs },
  });
  const clock = {
    setTimeout: (_: () => void, delayMs: number) => lines.push(`pauses ${delayMs}`),
    clearTimeout: () => undefined,
  };
  const actor = createActor(own, { clock }).start();
  actor.send({ type: 'asked' });
  await new Promise((resolve) => setImmediate(resolve));
  lines.push(String(actor.getSnapshot().value));
  return lines;
}

test('each has its own effects, whichever was made last', async () => {
  const [one, other] = await Promise.all([reported('one', 5), reported('other', 6)]);
  assert.equal(one, ['one notes', 'one answers', 'pauses 5', 'resting']);
  assert.equal(other, ['other notes', 'other answers', 'pauses 6', 'resting']);
});

test('what is not given is as the machine has it, which stays as it was', () => {
  const actor = createActor(equipped(machine, { delays: { pause: 7 } })).start();
  actor.send({ type: 'asked' });
  assert.is(actor.getSnapshot().value, 'closed');
  equipped(machine, { guards: { isOpen: () => true } });
  assert.is(machine.implementations.guards.isOpen?.({} as never, undefined as never), false);
});

test('the states are made once, however many processes and kinds have effects', () => {
  assert.is(equipped(machine, {}).root, machine.root);
});

interface Input {
  readonly key: string;
}

/** Runs an effect of the object `one`; `ports` has the keys whose ports were asked for. */
function started<Output>(run: (given: EffectRun<Input>) => Promise<Output>) {
  const ports: string[] = [];
  const effect = effectsOver((key) => {
    ports.push(key);
    return { now: () => 7 } as LifecyclePorts;
  })(run);
  const actor = createActor(effect, { input: { key: 'one' } });
  const told: unknown[] = [];
  actor.subscribe({
    next: ({ status, output }) => void told.push([status, output]),
    error: (error) => void told.push(error),
  });
  actor.start();
  return { actor, told, ports };
}

test('an effect is given the ports of its object, and is done with what it resolves to', async () => {
  const { told, ports, actor } = started(async ({ ports: own, input }) => `${input.key} at ${own.now()}`);
  await new Promise(setImmediate);
  assert.equal(ports, ['one']);
  assert.equal(told.at(-1), ['done', 'one at 7']);
  assert.is(actor.getSnapshot().input, undefined);
});

test('an effect that throws at once fails as one that rejects does', async () => {
  const { told } = started((): Promise<string> => {
    throw { code: 'transient', message: 'no' };
  });
  await new Promise(setImmediate);
  assert.equal(told.at(-1), { code: 'transient', message: 'no' });
});

test('the signal of an effect is aborted when its state is left, also if it is asked for late, and it ends unheard', async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  let given: EffectRun<Input> | undefined;
  const { actor, told } = started((run) => {
    given = run;
    return promise;
  });
  const early = given?.signal;
  assert.is(early?.aborted, false);
  assert.is(given?.signal, early);
  actor.stop();
  assert.is(early?.aborted, true);
  const late = started(async (run) => {
    given = run;
    await promise;
    return 'late';
  });
  late.actor.stop();
  assert.is(given?.signal.aborted, true);
  resolve('over');
  await new Promise(setImmediate);
  assert.equal(
    told.filter((each) => Array.isArray(each) && each[0] === 'done'),
    [],
  );
});

test.run();
