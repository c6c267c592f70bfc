// long
// What survives: crashes at every step, failures at every step, torn ends, and damage that is refused.

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TerminalError } from '../../../../../bus/errors.ts';
import { fc } from '../../../../world/properties.ts';
import { type Disk, type Fate, simulatedDisk } from './disk.ts';
import { KEY, Lifecycle, open, type State, stateOf, type Write } from './writes.ts';

const test = suite('embedded api server: what survives');
const seed = Number(process.env['SEED'] ?? 20_261_121);

/** Small enough that a few writes outgrow it. */
const COMPACTION_BYTES = 700;

const LONG = 'x'.repeat(100);

/** Writes of a turn, and whether their outcome is awaited before the next ones. */
interface Turn {
  readonly writes: readonly Write[];
  readonly waits: boolean;
}

const SCRIPT: readonly Turn[] = Array.from({ length: 12 }, (_, index) => ({
  writes: [
    [`n-${index % 5}`, `${index} ${LONG}`],
    [`n-${(index * 3) % 7}`, index % 3 === 0 ? undefined : `${index} again`],
  ],
  waits: index % 4 !== 3,
}));

/** Writes that come while others are being written, and while snapshots are made of them. */
const RUSH: readonly Turn[] = Array.from({ length: 40 }, (_, index) => ({
  writes: [[`n-${index % 9}`, `${index} ${LONG}`]],
  waits: index === 39,
}));

const turnOfLoop = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** Lives through turns until they are over or the disk stops. */
async function live(disk: Disk, turns: readonly Turn[]): Promise<Lifecycle | undefined> {
  let life: Lifecycle | undefined;
  const all = async (): Promise<void> => {
    const folder = await open(disk, COMPACTION_BYTES);
    life = new Lifecycle(folder);
    for (const { writes, waits } of turns) {
      for (const write of writes) life.write(write);
      if (waits) await folder.store.settled();
      else await turnOfLoop();
      life.check();
    }
    await folder.close();
    life.check();
  };
  await Promise.race([all(), disk.stopped]);
  return life;
}

const isOneOf = (state: State, possible: readonly State[]): boolean =>
  possible.some((one) => JSON.stringify([...one]) === JSON.stringify([...state]));

/** Opens what is left, checks it against what was told, and lives on. */
async function assertSurvived(left: ReadonlyMap<string, Buffer>, life: Lifecycle | undefined): Promise<void> {
  const folder = await open(simulatedDisk(left), COMPACTION_BYTES);
  const state = stateOf(folder);
  const possible = life?.possible() ?? [new Map()];
  assert.ok(isOneOf(state, possible), `left is ${JSON.stringify([...state])}`);
  assert.ok(folder.store.revision() >= (life?.keptRevision() ?? 0), 'the revision went back');
  const next = new Lifecycle(folder);
  next.write(['after', 'the crash']);
  assert.is(await folder.store.settled(), undefined);
  next.check();
  await folder.close();
}

test('what was written is there after a restart, with the changes that watches go on from', async () => {
  const disk = simulatedDisk(new Map());
  const folder = await open(disk);
  const life = new Lifecycle(folder);
  const start = folder.store.revision();
  for (const write of SCRIPT.flatMap(({ writes }) => writes)) life.write(write);
  const changes = folder.store.collection(KEY).changesSince(start);
  assert.is(folder.store.shownRevision(), start, 'nothing is shown before it is written');
  assert.is(await folder.store.settled(), undefined);
  assert.is(folder.store.settled(), undefined);
  assert.is(life.shown, folder.store.revision());
  const before = stateOf(folder);
  await folder.close();
  const again = await open(simulatedDisk(disk.after('power cut', () => 0)));
  assert.equal([...stateOf(again)], [...before]);
  assert.is(again.store.revision(), folder.store.revision());
  assert.equal(JSON.stringify(again.store.collection(KEY).changesSince(start)), JSON.stringify(changes));
  await again.close();
});

test('a snapshot replaces the logs, and is the start of what watches know', async () => {
  const disk = simulatedDisk(new Map());
  await live(disk, [...SCRIPT, ...SCRIPT, ...SCRIPT]);
  const left = disk.after('power cut', () => 0);
  assert.ok(left.has('snapshot'));
  assert.ok(!left.has('snapshot.new') && !left.has('log-000001'));
  assert.ok([...left.values()].reduce((sum, { length }) => sum + length, 0) < 4 * COMPACTION_BYTES);
  const folder = await open(simulatedDisk(left));
  const objects = folder.store.collection(KEY);
  assert.is(objects.changesSince(1), undefined);
  assert.ok(objects.changesSince(objects.forgottenRevision()));
  assert.ok(folder.store.collection('/never-written').changesSince(objects.forgottenRevision()));
  await folder.close();
});

for (const kind of ['kill', 'power cut'] as const) {
  test(`a ${kind} at every step loses nothing that was told (KSIM-FOLDER-1, KSIM-FOLDER-3), compaction included`, async () => {
    const whole = simulatedDisk(new Map());
    await live(whole, SCRIPT);
    assert.ok(whole.after('kill', () => 0).has('snapshot'));
    const steps = whole.operations();
    assert.ok(steps > 50);
    for (let step = 0; step < steps; step++) {
      for (const choice of [0, 1, 7, 1_000_003]) {
        const disk = simulatedDisk(new Map(), (operation) => (operation === step ? 'stop' : 'works'));
        const life = await live(disk, SCRIPT);
        await assertSurvived(
          disk.after(kind, (below) => choice % below),
          life,
        );
        if (kind === 'kill') break;
      }
    }
  });
}

test('a failure at every step undoes what it must and nothing else, and later writes work', async () => {
  const opening = simulatedDisk(new Map());
  await (await open(opening)).close();
  for (const script of [SCRIPT, RUSH]) {
    const whole = simulatedDisk(new Map());
    await live(whole, script);
    for (let step = opening.operations(); step < whole.operations(); step++) {
      for (const [fate, length] of [
        ['fails', 1],
        ['fails', 5],
        ['short', 2],
      ] as const) {
        const isMet = (operation: number): boolean => operation >= step && operation < step + length;
        const disk = simulatedDisk(new Map(), (operation) => (isMet(operation) ? fate : 'works'));
        const life = await live(disk, script);
        await assertSurvived(
          disk.after('power cut', () => 0),
          life,
        );
      }
    }
  }
});

const name = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
const turn: fc.Arbitrary<Turn> = fc.record({
  writes: fc.array(fc.tuple(name, fc.option(fc.string({ unit: 'grapheme', maxLength: 30 }), { nil: undefined })), {
    maxLength: 4,
  }),
  waits: fc.boolean(),
});
const fault = fc.record({
  at: fc.nat(150),
  length: fc.integer({ min: 1, max: 12 }),
  fate: fc.constantFrom<Fate>('fails', 'short'),
});
const life = fc.record({
  turns: fc.array(turn, { maxLength: 25 }),
  faults: fc.array(fault, { maxLength: 5 }),
  stopAt: fc.option(fc.nat(300), { nil: undefined }),
  kind: fc.constantFrom('kill' as const, 'power cut' as const),
  choices: fc.array(fc.nat(), { minLength: 1, maxLength: 10 }),
});

test(`lives of failures and crashes, one after the other (seed ${seed})`, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(life, { minLength: 1, maxLength: 4 }), async (lives) => {
      let left: Map<string, Buffer> = new Map();
      for (const { turns, faults, stopAt, kind, choices } of lives) {
        const fateOf = (operation: number): Fate => {
          if (operation === stopAt) return 'stop';
          return faults.find(({ at, length }) => operation >= at && operation < at + length)?.fate ?? 'works';
        };
        const disk = simulatedDisk(left, fateOf);
        let lived: Lifecycle | undefined;
        try {
          lived = await live(disk, turns);
        } catch (error) {
          // It could not be opened, and has changed nothing.
          if ((error as { code?: unknown }).code !== 'ENOSPC') throw error;
          continue;
        }
        let used = 0;
        left = disk.after(kind, (below) => (choices[used++ % choices.length] ?? 0) % below);
        if (lived !== undefined) await assertSurvived(new Map(left), lived);
      }
    }),
    { seed, numRuns: 300 },
  );
});

/** The files of a folder with three lines of changes in one log. */
async function threeLines(): Promise<Buffer> {
  const disk = simulatedDisk(new Map());
  const folder = await open(disk);
  const alive = new Lifecycle(folder);
  for (const write of ['a', 'b', 'c'].map((one): Write => [one, `of ${one} é\u0000`])) {
    alive.write(write);
    await folder.store.settled();
  }
  await folder.close();
  const bytes = disk.after('power cut', () => 0).get('log-000001');
  if (bytes === undefined) throw new Error('there is no log');
  return bytes;
}

test('a last line that is cut off at any byte is dropped (KSIM-FOLDER-2), and writes go on', async () => {
  const bytes = await threeLines();
  const start = bytes.lastIndexOf('\n', bytes.length - 2) + 1;
  for (let end = start; end < bytes.length; end++) {
    const disk = simulatedDisk(new Map([['log-000001', bytes.subarray(0, end)]]));
    const folder = await open(disk);
    assert.equal([...stateOf(folder).keys()], ['a', 'b']);
    const alive = new Lifecycle(folder);
    alive.write(['d', 'new']);
    assert.is(await folder.store.settled(), undefined);
    await folder.close();
    const again = await open(simulatedDisk(disk.after('power cut', () => 0)));
    assert.equal([...stateOf(again).keys()], ['a', 'b', 'd']);
    await again.close();
  }
});

test('any other damage is refused with the file and the line, and nothing is changed (KSIM-FOLDER-2)', async () => {
  const bytes = await threeLines();
  for (let at = 0; at < bytes.length - 1; at++) {
    const damaged = Buffer.from(bytes);
    damaged[at] = (damaged[at] ?? 0) ^ 0x40;
    const disk = simulatedDisk(new Map([['log-000001', damaged]]));
    try {
      await open(disk);
      assert.unreachable(`byte ${at} was changed`);
    } catch (error) {
      assert.instance(error, TerminalError);
      const line = bytes.subarray(0, at).toString('latin1').split('\n').length;
      const [first, last] = bytes[at] === 0x0a ? [line, line] : [line, line];
      assert.match(
        (error as Error).message,
        new RegExp(`^the file '/data/log-000001' cannot be read at line (${first}|${last})`),
      );
    }
    assert.ok(
      disk
        .after('kill', () => 0)
        .get('log-000001')
        ?.equals(damaged),
    );
  }
});

const REFUSED: readonly (readonly [string, Record<string, string>, RegExp])[] = [
  [
    'a log of a newer format',
    { 'log-000001': 'troupe-api-server 2 log 1' },
    /line 1: it has format 2, and this server understands format 1/,
  ],
  ['another program’s file', { 'log-000001': 'something' }, /line 1: it begins with 'something'/],
  [
    'a snapshot without its log',
    { snapshot: 'troupe-api-server 1 snapshot 7 3\nend 0' },
    /'\/data\/log-000003' is missing/,
  ],
  [
    'a snapshot without its end',
    { snapshot: 'troupe-api-server 1 snapshot 7 3' },
    /'\/data\/snapshot' cannot be read at line 2: it is missing/,
  ],
  [
    'a gap in the logs',
    { 'log-000001': 'troupe-api-server 1 log 1', 'log-000003': 'troupe-api-server 1 log 1' },
    /'\/data\/log-000002' is missing/,
  ],
  [
    'revisions that go back',
    { 'log-000001': 'troupe-api-server 1 log 1\ndelete 9 /x a/b\ndelete 9 /x a/b' },
    /line 3: its revision is not after 9/,
  ],
  [
    'an unknown record',
    { 'log-000001': 'troupe-api-server 1 log 1\nmove 9 /x a/b' },
    /line 2: it has a record of the kind 'move'/,
  ],
];

for (const [title, texts, message] of REFUSED) {
  test(`refused: ${title}`, async () => {
    const { lineOf } = await import('../../../../../adapters/simulated/kubernetes/storage/records.ts');
    const names = Object.entries(texts).map(([file, text]): [string, Buffer] => [
      file,
      Buffer.concat(text.split('\n').map((record) => lineOf([record]))),
    ]);
    try {
      await open(simulatedDisk(new Map(names)));
      assert.unreachable();
    } catch (error) {
      assert.instance(error, TerminalError);
      assert.match((error as Error).message, message);
    }
  });
}

test.run();
