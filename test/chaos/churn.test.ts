// Users who change objects: what follows a deletion, and what is completed in the end.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { mulberry32 } from '../../actors/base/clock.ts';
import { Churn, type Habits } from './churn.ts';

const test = suite('chaos: churn');

/** Each stands on the one before. */
const ITEMS = ['disk', 'volume', 'mount', 'link'];
type Item = string;

interface Scene {
  readonly churn: Churn<Item>;
  readonly there: Set<Item>;
  readonly deeds: string[];
  pass(ms: number): void;
}

function scene(habits: Partial<Habits<Item>> = {}): Scene {
  const there = new Set(ITEMS);
  const deeds: string[] = [];
  let now = 0;
  const churn = new Churn<Item>({ now: () => now }, mulberry32(1), {
    items: ITEMS,
    keyOf: (item) => item,
    needs: (item, other) => ITEMS.indexOf(item) === ITEMS.indexOf(other) + 1,
    state: (item) => (there.has(item) ? 'present' : 'absent'),
    mayCreate: () => true,
    async create(item) {
      there.add(item);
      deeds.push(`creates ${item}`);
    },
    edit: async () => void deeds.push('edits'),
    async remove(item) {
      there.delete(item);
      deeds.push(`deletes ${item}`);
      return true;
    },
    weightOf: (item) => (item === 'disk' ? 1 : 0),
    chances: { first: 0, again: 0, deletion: 1 },
    batch: 4,
    followsWithinMs: 100,
    restsMs: 100,
    ...habits,
  });
  const pass = (ms: number): void => {
    now += ms;
  };
  return { churn, there, deeds, pass };
}

test('all that stands on an object is known, be it by several steps', () => {
  assert.equal(scene().churn.standingOn('disk'), ['volume', 'mount', 'link']);
  assert.equal(scene().churn.standingOn('link'), []);
});

test('what stands on a deleted object is deleted after it', async () => {
  const { churn, deeds, pass, there } = scene();
  await churn.step();
  assert.equal(deeds, ['deletes disk']);
  pass(100);
  await churn.step();
  assert.equal([...there], []);
  assert.equal(deeds.slice(1).sort(), ['deletes link', 'deletes mount', 'deletes volume']);
});

test('a deletion that the API server does not know is made again, and in the end what has to follow follows', async () => {
  let isAway = true;
  const deeds: string[] = [];
  const there = new Set(ITEMS);
  const { churn } = scene({
    state: (item) => (there.has(item) ? 'present' : 'absent'),
    async remove(item) {
      deeds.push(item);
      if (!isAway) there.delete(item);
      return !isAway;
    },
    create: async (item) => void there.add(item),
  });
  await churn.step();
  assert.equal(deeds, ['disk']);
  isAway = false;
  await churn.complete();
  assert.equal(deeds.sort(), ['disk', 'disk', 'link', 'mount', 'volume']);
  assert.equal([...there].sort(), [...ITEMS].sort());
});

test('in the end all that is missing is created, unless it is too early', async () => {
  const { churn, there } = scene({ mayCreate: (item) => item !== 'link' });
  there.clear();
  await churn.complete();
  assert.equal([...there], ['disk', 'volume', 'mount']);
});

test.run();
