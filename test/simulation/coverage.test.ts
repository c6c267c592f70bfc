// Transitions that machines take, noted for the coverage of histories.
import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createActor, createMachine } from 'xstate';
import { equipped } from '../../machines/statechart.ts';
import { noteTransitions } from './coverage.ts';
import { MARK } from './machine-tests.ts';
import type { HistoryModel } from './model.ts';
import { MODELS } from './plans.ts';

const test = suite('coverage of histories');
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MAX_OUTPUT = 16 * 1024 * 1024;

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

test('what no history takes, or hardly any, is taken by tests of the machines', async () => {
  const files = globSync(['test/machines/**/*.test.ts', 'test/example-adapter/book-machine.test.ts'], { cwd: ROOT });
  const script = fileURLToPath(new URL('machine-tests.ts', import.meta.url));
  const flags = ['--conditions=@troupe/source', script, ...files];
  const { stdout } = await promisify(execFile)(process.execPath, flags, { cwd: ROOT, maxBuffer: MAX_OUTPUT });
  const taken = new Set(stdout.split(MARK)[1]?.split('\n'));
  const listed = MODELS.flatMap(({ coverage }) => [...coverage.unreachable, ...coverage.rare]);
  assert.ok(listed.length > 0);
  assert.equal(
    listed.filter((id) => !taken.has(id)),
    [],
  );
});

test.run();
