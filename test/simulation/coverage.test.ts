// Transitions that machines take, noted for the coverage of histories.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createActor, createMachine } from 'xstate';
import { equipped } from '../../machines/statechart.ts';
import { noteTransitions } from './coverage.ts';
import type { HistoryModel } from './model.ts';

const test = suite('coverage of histories');

test('a transition of a machine counts, whichever way the machine got its effects', () => {
  const machine = createMachine({
    id: 'door',
    initial: 'open',
    states: { open: { on: { close: 'closed' } }, closed: {} },
  });
  const taken = new Set<string>();
  const coverage = { charts: [{ machine }], unreachable: [], rare: [] };
  noteTransitions([{ coverage } as unknown as HistoryModel], taken);
  for (const made of [equipped(machine, {}), machine.provide({})]) {
    taken.clear();
    const actor = createActor(made).start();
    assert.equal([...taken], []);
    actor.send({ type: 'close' });
    assert.equal([...taken], ['door: open -> closed on close']);
  }
});

test.run();
