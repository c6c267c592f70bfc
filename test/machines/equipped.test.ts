// Machines with effects of their own: each does what was given to it, and all have the states of the one that they come from.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createActor, fromPromise, setup } from 'xstate';
import { equipped } from '../../machines/equipped.ts';

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

test.run();
