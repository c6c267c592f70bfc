// Changes of a machine's context: the same as XState makes of them, in whatever way they are written.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { assign as assignOfXState, createActor, setup } from 'xstate';
import { assign } from '../../machines/statechart.ts';

interface Context {
  readonly count: number;
  readonly last: string | undefined;
}

type Event = { readonly type: 'counted' | 'moved'; readonly by: number };

/** Two states, one within the other, and all the ways to write a change. */
function machine(own: typeof assign) {
  return setup({
    types: { context: {} as Context, events: {} as Event },
    actions: {
      add: own(({ context, event }) => ({ count: context.count + event.by })),
      note: own({ last: ({ context }) => `at ${context.count}` }),
      forget: own({ last: undefined }),
      set: own((_, { count }: { count: number }) => ({ count })),
    },
  }).createMachine({
    id: 'counting',
    context: { count: 0, last: undefined },
    initial: 'here',
    states: {
      here: {
        tags: 'near',
        initial: 'within',
        states: { within: {} },
        on: {
          counted: { actions: ['add', 'note'] },
          moved: {
            target: 'there',
            actions: ['forget', { type: 'set', params: ({ event }) => ({ count: event.by }) }],
          },
        },
      },
      there: { tags: 'far', on: { counted: { actions: ['add', 'note', 'add'] } } },
    },
  });
}

const EVENTS: readonly Event[] = [
  { type: 'counted', by: 2 },
  { type: 'counted', by: 3 },
  { type: 'moved', by: 7 },
  { type: 'counted', by: 1 },
];

/** All that is to be seen of a machine after each event. */
function seen(own: typeof assign): readonly unknown[] {
  const actor = createActor(machine(own)).start();
  const states: unknown[] = [];
  for (const event of EVENTS) {
    actor.send(event);
    const { context, value, tags, status, children, historyValue } = actor.getSnapshot();
    states.push({ context, keys: Object.keys(context), value, tags: [...tags], status, children, historyValue });
    states.push(actor.getPersistedSnapshot());
  }
  return states;
}

test('a change of the context leads to what it leads to with the action of XState', () => {
  assert.equal(seen(assign), seen(assignOfXState));
});

test('what a context was stays as it was', () => {
  const actor = createActor(machine(assign)).start();
  const before = actor.getSnapshot();
  actor.send({ type: 'counted', by: 2 });
  assert.equal(before.context, { count: 0, last: undefined });
  assert.equal(actor.getSnapshot().context, { count: 2, last: 'at 2' });
});

test('it is the same action to whoever reads a machine', () => {
  const change = { count: 1 };
  const read = (action: unknown) => {
    const { type, assignment } = action as { readonly type: string; readonly assignment: unknown };
    return { type, assignment };
  };
  assert.equal(read(assign(change)), read(assignOfXState(change)));
});

test.run();
