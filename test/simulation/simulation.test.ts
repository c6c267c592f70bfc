// Histories of the whole runtime under simulated time. More of them: `npm run simulate`.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { marksIn } from '../mutation/marks.ts';
import { play } from './history.ts';
import { HOSTS } from './models/hosts/model.ts';
import { RESOURCES } from './models/resources/model.ts';
import { WINDOWS } from './models/windows/model.ts';
import { mutated, sourcesWithout } from './mutant.ts';
import { MUTATIONS } from './mutations.ts';

/** How many histories, from which seed on. */
const COUNT = Number(process.env['CASES'] ?? 1);
const SEED = Number(process.env['SEED'] ?? 1);

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const test = suite('simulation');

test('histories break no invariant (I1 to I4, I6, I8, I9)', async () => {
  for (let seed = SEED; seed < SEED + COUNT; seed++) {
    const { violation } = await play(RESOURCES.plan(seed));
    assert.is(violation, undefined, `SEED=${seed}: ${violation?.invariant}: ${violation?.text}`);
  }
});

for (const { model, title } of [
  { model: HOSTS, title: 'nor do histories of bare-metal hosts (B1 to B5, P10, I8, I9)' },
  { model: WINDOWS, title: 'nor do histories of the storage of Windows machines (S1 to S7, P10, I8, I9)' },
])
  test(`${title}, each a function of its seed`, async () => {
    for (let seed = SEED; seed < SEED + COUNT; seed++) {
      const [{ violation, hash }, again] = [await play(model.plan(seed)), await play(model.plan(seed))];
      assert.is(violation, undefined, `SEED=${seed}: ${violation?.invariant}: ${violation?.text}`);
      assert.is(again.hash, hash);
    }
  });

test('a history is a function of its seed', async () => {
  const seed = SEED + 4;
  const [first, second, reported] = [
    await play(RESOURCES.plan(seed)),
    await play(RESOURCES.plan(seed)),
    await play(RESOURCES.plan(seed), { reported: true }),
  ];
  assert.is(second.hash, first.hash);
  assert.is(second.steps, first.steps);
  assert.is(reported.hash, first.hash);
  assert.is.not((await play(RESOURCES.plan(seed + 1))).hash, first.hash);
});

test('the rules that can be switched off are marked in the sources', () => {
  const marks = marksIn(ROOT);
  for (const mutation of MUTATIONS) assert.ok(sourcesWithout(ROOT, mutation, marks).size > 0, mutation.name);
});

test('a copy without a rule has all that histories need', () => {
  const [mutation] = MUTATIONS;
  assert.ok(mutation);
  const copy = mutated(ROOT, mutation);
  try {
    const worker = join(copy.root, 'test/simulation/worker.ts');
    const printed = execFileSync(process.execPath, ['--conditions=@troupe/source', worker, '1', '0']);
    assert.is(String(printed), '{"taken":[]}\n');
  } finally {
    copy.remove();
  }
});

test.run();
