// What the page knows, at any moment.
import { readdirSync, readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Model } from '../../../actors/visualizer/page/model.ts';
import { fromHash, toHash } from '../../../actors/visualizer/page/state.ts';
import { counted, duration, grouped, readable } from '../../../actors/visualizer/page/text.ts';
import type { Step, Tree } from '../../../actors/visualizer/wire.ts';
import { tree as treeOf } from './company.ts';

const test = suite("the page's model");

function tree(name: string, more: Partial<Tree> = {}): Tree {
  const key = `openstack.networks.shop.${name}`;
  return treeOf({ key, name, kind: 'Network', namespace: 'shop', uid: name, ...more });
}

function step(name: string, at: number, to: string, more: Partial<Step> = {}): Step {
  return { key: tree(name).key, at, from: '', to, cause: 'c', tone: to === '' ? 'deleting' : 'busy', ...more };
}

const changes = { at: 0, trees: [], gone: [], steps: [], missed: 0 };

test('an object is as its last step before the moment left it; before its first step it was not there', () => {
  const model = new Model();
  const kinds = [{ kind: 'Network', realm: 'openstack', plural: 'networks', machine: 'm' }];
  model.hello = { version: '', bus: '', server: '', keepsHistory: true, kinds };
  model.takeSnapshot({ at: 0, trees: [tree('a'), tree('quiet', { createdAt: 5 }), tree('late', { createdAt: 50 })] });
  model.takeChanges({
    ...changes,
    steps: [step('a', 10, 'building'), step('a', 30, 'resting'), step('gone', 12, 'building')],
  });
  model.takeChanges({ ...changes, steps: [step('gone', 20, '')], gone: [tree('gone').key] });
  const names = (at: number): string =>
    model
      .all(at)
      .map(({ name, state }) => `${name} ${state}`)
      .join(', ');
  assert.is(names(9), 'quiet idle.available');
  assert.is(names(15), 'a building, gone building, quiet idle.available');
  assert.is(names(25), 'a building, quiet idle.available');
  assert.is(names(60), 'a resting, late idle.available, quiet idle.available');
  assert.is(names(0), 'a idle.available, late idle.available, quiet idle.available');
});

test('an answer is out of date if an object that it is about has changed since, and old after 15 seconds', () => {
  const model = new Model();
  const [a, b, missing] = ['a', 'b', 'missing'].map((name) => tree(name).key) as [string, string, string];
  const at = Date.now();
  model.takeSnapshot({ at, trees: [tree('a'), tree('b')] });
  assert.is(model.isChangedSince(at), false);
  assert.is(model.isChangedSince(at - 1), true, 'a snapshot may change every object');
  assert.is(model.isChangedSince(at - 1, [a]), true);
  model.takeChanges({ ...changes, at: at + 2, trees: [tree('a')] });
  assert.is(model.isChangedSince(at + 1), true);
  assert.is(model.isChangedSince(at + 1, [b, missing]), false);
  assert.is(model.isChangedSince(at + 1, [b, a]), true);
  assert.is(model.isChangedSince(at + 2), false, 'the answer and the changes have the time of the server');
  model.takeChanges({ ...changes, at: at + 4, gone: [b], steps: [step('a', at, 'x')] });
  assert.is(model.isChangedSince(at + 3), true);
  assert.is(model.isChangedSince(at + 3, [a]), false);
  assert.is(model.isChangedSince(at + 3, [b]), true);
  model.takeChanges({ ...changes, at: at + 20_000, steps: [step('a', at, 'x')] });
  assert.is(model.isChangedSince(at + 4), false);
  assert.is(model.isOld(at + 4), true);
  assert.is(model.isOld(at + 10_000), false);
});

test('what is kept and what was heard are one history, each step once and in its order', () => {
  const model = new Model();
  model.takeChanges({ ...changes, steps: [step('a', 30, 'three'), step('a', 40, 'four')] });
  const texts = ['', 'one', 'three', 'c', 'busy'];
  const rows = [
    [0, 10, 0, 1, 3, 4, -1, -1],
    [0, 30, 0, 2, 3, 4, -1, -1],
  ];
  model.takeHistory({ keys: [tree('a').key], texts, rows, truncated: false });
  model.takeChanges({ ...changes, steps: [step('a', 35, 'late')] });
  assert.equal(
    model.stepsOf(tree('a').key).map(({ to }) => to),
    ['one', 'three', 'late', 'four'],
  );
  assert.equal(
    model.steps.map(({ at }) => at),
    [10, 30, 35, 40],
  );
});

test('what is remembered stays bounded, the newest of it', () => {
  const model = new Model();
  for (let from = 0; from < 130_000; from += 1_000) {
    model.takeChanges({ ...changes, steps: Array.from({ length: 1_000 }, (_, index) => step('a', from + index, 's')) });
  }
  assert.ok(model.steps.length <= 120_000);
  assert.is(model.steps.at(-1)?.at, 129_999);
  assert.is(model.stepsOf(tree('a').key).length, model.steps.length);
});

test('who needs an object follows who says so', () => {
  const model = new Model();
  const { key } = tree('a');
  model.takeSnapshot({ at: 0, trees: [tree('a'), tree('b', { needs: [key] })] });
  assert.equal(model.dependentsOf(key), [tree('b').key]);
  model.takeChanges({ ...changes, trees: [tree('b')] });
  assert.equal(model.dependentsOf(key), []);
});

test('the address says what is shown, and nonsense in it is left out', () => {
  const state = {
    ...fromHash(''),
    chosen: 'a.b.c.d%2E',
    view: 'timeline',
    tones: ['failed'],
    text: 'x&y=z',
    folded: ['a,b', 'shared/n'],
    sort: 'age',
    isDescending: true,
    at: 17.25,
  } as const;
  assert.equal(fromHash(toHash(state)), state);
  assert.equal(fromHash('#view=nowhere&state=__proto__,failed&at=never&panel=x'), {
    ...fromHash(''),
    tones: ['failed'],
  });
});

test('in JSON all that turns text around or hides becomes what it is', () => {
  const parsed = JSON.parse(readable(JSON.stringify({ name: 'good\u202egnp.exe', plain: 'a\n"b"\\' }))) as object;
  assert.equal(parsed, { name: 'good\\u202egnp.exe', plain: 'a\n"b"\\' });
});

test('durations are said as people say them', () => {
  const said = [3, 400, 9_940, 40_000, 320_000, 7_500_000, 172_800_000].map(duration);
  assert.equal(said, ['3 ms', '0.4 s', '9.9 s', '40 s', '5 min 20 s', '2 h 5 min', '2 d']);
});

test('counts have commas, and nothing of the first picture loads the formats of a locale', () => {
  assert.equal([0, 999, 1_000, 12_345, 1_234_567].map(grouped), ['0', '999', '1,000', '12,345', '1,234,567']);
  assert.equal([counted(1, 'object'), counted(5_000, 'object')], ['1 object', '5,000 objects']);
  const folder = new URL('../../../actors/visualizer/page/', import.meta.url);
  const loading = readdirSync(folder).filter(
    (name) => name.endsWith('.ts') && readFileSync(new URL(name, folder), 'utf8').includes('toLocale'),
  );
  assert.equal(loading, []);
});

test.run();
