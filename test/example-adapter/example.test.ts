// long
// The adapter of a print shop, with all that lives can do: on an embedded API server, and a shop that it asks over HTTP.
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { REPRINT } from './book.ts';
import { BOOK, bound, isBound, makeBook, makePaper, NAMESPACE, PAPER, pathOf, type Raw, WAREHOUSE } from './library.ts';
import { openWorld, type World, type WorldOptions } from './world.ts';

const test = suite('example adapter');

const COVER = pathOf('papers', NAMESPACE, 'one-cover');
const COLOPHON = `/api/v1/namespaces/${NAMESPACE}/configmaps/one-colophon`;

function check(title: string, run: (world: World) => Promise<void>, options?: WorldOptions): void {
  test(title, async () => {
    const world = await openWorld(options);
    try {
      await run(world);
      assert.equal(world.errors, []);
    } finally {
      await world.close();
    }
  });
}

/** The same where one process hosts the objects and another serves the adapter. */
function checkApart(title: string, run: (world: World) => Promise<void>, options?: WorldOptions): void {
  check(title, run, options);
  check(`in two processes: ${title}`, run, { ...options, isApart: true });
}

const isSilent = ({ status }: Raw): boolean => status?.['progress'] === undefined;

checkApart('a book waits for its paper, is printed and bound, and makes what is its own', async (world) => {
  await world.start();
  await makeBook(world);
  await world.until(BOOK, 'waiting', ({ status }) => status?.['message'] === 'Paper/white');
  await makePaper(world);
  const { metadata, status } = await bound(world);
  assert.equal(status, { phase: 'Bound', observedGeneration: 1 });
  const slot = world.shop.slots.get(metadata.uid);
  assert.equal([slot?.state, slot?.sheets, slot?.prints], ['bound', 20, 1]);
  const paper = await world.read(PAPER);
  assert.equal([...(paper?.metadata.finalizers ?? [])].sort(), [
    'press.example.org/book',
    'press.example.org/on-the-press',
    'press.example.org/paper',
  ]);
  await world.until(COVER, 'there', ({ status }) => status?.['phase'] === 'Available');
  await world.until(COLOPHON, 'there', ({ data }) => data?.['title'] === 'One');
});

checkApart(
  'how far a print is stands in the status while it lasts, under a field manager of its own',
  async (world) => {
    await world.start();
    await makePaper(world);
    await makeBook(world);
    const { status, metadata } = await world.until(
      BOOK,
      'printing',
      ({ status }) => status?.['progress'] !== undefined,
    );
    assert.is((status?.['progress'] as { of: number } | undefined)?.of, 20);
    const { managedFields = [] } = (await world.read(BOOK))?.metadata ?? metadata;
    const managers = managedFields.map(({ manager }) => manager);
    assert.ok(managers.includes('press/book-status') && managers.includes('press/book-progress'));
    await world.until(BOOK, 'bound, with no word of progress', (now) => isBound(now) && isSilent(now));
  },
  { sheetMs: 100 },
);

check('children that somebody edits or takes away are put right, also of a book at rest', async (world) => {
  await world.start();
  await makePaper(world);
  await makeBook(world);
  await bound(world);
  const cover = await world.until(COVER, 'there', ({ status }) => status?.['phase'] === 'Available');
  await world.until(COLOPHON, 'there', ({ data }) => data?.['title'] === 'One');
  await world.merge(COLOPHON, { data: { title: 'Two' } });
  await world.until(COLOPHON, 'corrected', ({ data }) => data?.['title'] === 'One');
  await world.remove(COLOPHON);
  await world.until(COLOPHON, 'made anew', ({ data }) => data?.['title'] === 'One');
  await world.merge(COVER, { spec: { grams: 41 } });
  await world.until(COVER, 'replaced', ({ metadata, spec, status }) => {
    return metadata.uid !== cover.metadata.uid && spec['grams'] === 200 && status?.['phase'] === 'Available';
  });
  await world.merge(BOOK, { spec: { title: 'Three' } });
  await world.until(COLOPHON, 'edited', ({ data }) => data?.['title'] === 'Three');
  await bound(world);
});

checkApart('an annotation asks for another print, once, and is gone when that was begun', async (world) => {
  await world.start();
  await makePaper(world);
  const { metadata } = await makeBook(world);
  await bound(world);
  await world.merge(BOOK, { metadata: { annotations: { [REPRINT]: 'please', other: 'stays' } } });
  const again = await world.until(BOOK, 'acted on', (now) => now.metadata.annotations?.[REPRINT] === undefined);
  assert.is(again.metadata.annotations?.['other'], 'stays');
  await world.eventually('printed again', () => world.shop.slots.get(metadata.uid)?.prints === 2);
  await world.until(BOOK, 'bound again', isBound);
  await world.eventually('bound', () => world.shop.slots.get(metadata.uid)?.state === 'bound');
  assert.is(world.shop.slots.get(metadata.uid)?.prints, 2);
});

check('a book that another one is the sequel to is known by its name', async (world) => {
  await world.start();
  await makePaper(world);
  const second = pathOf('books', NAMESPACE, 'two');
  await makeBook(world, { sequelTo: 'one' }, second);
  await world.until(second, 'waiting', ({ status }) => String(status?.['message']).includes('Book/one'));
  await makeBook(world);
  await bound(world, second);
});

checkApart('what is deleted goes in order, and nothing is left in the shop', async (world) => {
  await world.start();
  const paper = await makePaper(world);
  await makeBook(world);
  await bound(world);
  await world.until(COVER, 'there', ({ status }) => status?.['phase'] === 'Available');
  await world.remove(PAPER);
  await world.until(PAPER, 'held', ({ metadata }) => metadata.deletionTimestamp !== undefined);
  assert.ok(
    [...world.shop.rolls.values()].some(({ name }) => name === paper.metadata.uid),
    'the book needs it',
  );
  await world.remove(BOOK);
  for (const path of [BOOK, COVER, COLOPHON, PAPER]) await world.gone(path);
  const last = (part: string): number => world.shop.requests.findLastIndex((request) => request.startsWith(part));
  assert.ok(last('DELETE /slots') < last('DELETE /rolls'), 'the slot before what it was printed on');
  assert.equal([world.shop.slots.size, world.shop.rolls.size], [0, 0]);
});

checkApart(
  'a process that is killed in the middle of a print does not have it printed again (P13)',
  async (world) => {
    await world.start();
    await makePaper(world);
    const { metadata } = await makeBook(world);
    await world.until(BOOK, 'printing', ({ status }) => status?.['progress'] !== undefined);
    world.crash();
    await world.start();
    await bound(world);
    assert.is(world.shop.slots.get(metadata.uid)?.prints, 1);
    await world.until(BOOK, 'what the dead one said taken back', isSilent);
  },
  { sheetMs: 100 },
);

checkApart('a shop that is out of order is asked again', async (world) => {
  await world.start();
  for (const request of ['PUT /slots', 'POST /slots', 'POST /rolls']) world.shop.fail(request, 503, 1);
  await makePaper(world);
  const { metadata } = await makeBook(world);
  await bound(world);
  assert.is(world.shop.slots.get(metadata.uid)?.prints, 1);
});

check('what is written in an older version is the same object, and loses nothing', async (world) => {
  await world.start();
  await makePaper(world);
  await makeBook(world, { binding: 'sewn' });
  const old = pathOf('books', NAMESPACE, 'one', 'v1alpha1');
  await world.merge(old, { spec: { title: 'Old' } });
  const { spec } = await bound(world);
  assert.equal([spec['title'], spec['binding']], ['Old', 'sewn']);
});

test('nothing of Troupe is imported but troupe/adapter', () => {
  const folder = new URL('.', import.meta.url);
  const files = readdirSync(folder).filter((name) => /^(?!world|library)(?!.*\.test\.ts$).*\.ts$/.test(name));
  assert.ok(files.includes('adapter.ts') && files.length >= 6);
  for (const name of files) {
    const text = readFileSync(new URL(name, folder), 'utf8');
    for (const [, target = ''] of text.matchAll(/(?:from|import\() *'([^']+)'/g)) {
      assert.match(target, /^(troupe\/adapter|node:.*|\.\/[a-z-]+\.ts)$/, `${name} imports ${target}`);
    }
  }
});

test('it is loaded by --adapters: its kinds are part of the commands', async () => {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const named = ['--adapters', './test/example-adapter/adapter.ts'];
  const troupe = (...args: string[]): Promise<{ stdout: string }> =>
    promisify(execFile)(process.execPath, ['actors/cli.js', ...args, ...named], { cwd: root });
  const { stdout } = await troupe('crds', 'Book');
  assert.match(stdout, 'name: v1alpha1');
  assert.match((await troupe('help')).stdout, '--press-url URL');
});

check('a book may refer to paper of another namespace', async (world) => {
  await world.start();
  await makeBook(world, { paperRef: { name: 'white', namespace: WAREHOUSE } });
  await makePaper(world, pathOf('papers', WAREHOUSE, 'white'));
  await bound(world);
});

test.run();
