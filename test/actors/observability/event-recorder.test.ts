// How events are gathered, bounded and dropped, under a simulated clock and with an API server that is a list.
import pino from 'pino';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { EventRecorder } from '../../../actors/observability/event-recorder.ts';
import { type EventRecord, type Events, EventType, ForbiddenError } from '../../../adapters/kubernetes/mod.ts';
import { AbsentError, ConflictError, TransientError } from '../../../bus/mod.ts';
import type { KubeObject } from '../../../machines/object.ts';
import { simulatedClock } from '../../world/clock.ts';

const test = suite('event recorder');

const MINUTE_MS = 60_000;

/** Answers of the API server, in order; once they are used up it takes everything. */
type Answer = Error | 'taken' | 'pending';

interface Written {
  readonly call: 'create' | 'repeat';
  readonly record: EventRecord;
}

function start(answers: Answer[] = []) {
  const clock = simulatedClock();
  const written: Written[] = [];
  const warnings: string[] = [];
  let running = 0;
  let most = 0;
  const take = async (call: Written['call'], record: EventRecord): Promise<void> => {
    most = Math.max(most, ++running);
    written.push({ call, record });
    const answer = answers.shift() ?? 'taken';
    if (answer === 'pending') return new Promise(() => undefined);
    await new Promise((resolve) => setImmediate(resolve));
    running--;
    if (answer !== 'taken') throw answer;
  };
  const events: Events = { create: (record) => take('create', record), repeat: (record) => take('repeat', record) };
  const log = pino({ level: 'warn' }, { write: (line: string) => void warnings.push(JSON.parse(line).msg) });
  const recorder = new EventRecorder({ events, clock, log });
  /** Lets time pass, and everything that is due come to its end. */
  const pass = async (ms: number): Promise<void> => {
    await clock.sleep(ms);
    await clock.settle();
  };
  const report = (message: string, name = 'a', reason = 'Updated', namespace = 'ns'): void =>
    recorder.report(objectNamed(name, namespace), { type: EventType.Normal, reason, message });
  return { clock, recorder, written, warnings, report, pass, mostAtOnce: () => most };
}

function objectNamed(name: string, namespace: string): KubeObject {
  const metadata = { name, namespace, uid: `uid-${name}`, resourceVersion: '7' };
  return { apiVersion: 'example.org/v1', kind: 'Thing', metadata };
}

const counts = (written: readonly Written[]): readonly unknown[] =>
  written.map(({ call, record: { message, count } }) => [call, message, count]);

test('an event is written after a moment, and says of whom, what and when', async () => {
  const { clock, written, report, pass } = start();
  report('Updated tags');
  await pass(499);
  assert.equal(written, []);
  await pass(1);
  const [{ call, record } = {}] = written;
  assert.is(call, 'create');
  assert.match(String(record?.name), /^a\.[0-9a-f]{12,}$/);
  assert.equal(record?.about, {
    apiVersion: 'example.org/v1',
    kind: 'Thing',
    namespace: 'ns',
    name: 'a',
    uid: 'uid-a',
    resourceVersion: '7',
  });
  assert.equal(
    [record?.type, record?.reason, record?.message, record?.count],
    ['Normal', 'Updated', 'Updated tags', 1],
  );
  assert.is(clock.now() - (record?.firstAt ?? 0), 500);
});

test('the same again is one write while it waits, and counts up the same event afterwards (EVENT-RECORDER-2)', async () => {
  const { written, report, pass } = start();
  report('Updated tags');
  report('Updated tags');
  await pass(500);
  report('Updated tags');
  await pass(MINUTE_MS);
  assert.equal(counts(written), [
    ['create', 'Updated tags', 2],
    ['repeat', 'Updated tags', 3],
  ]);
  assert.is(written[1]?.record.name, written[0]?.record.name);
});

test('what has not happened for ten minutes is another event (EVENT-RECORDER-2)', async () => {
  const { written, report, pass } = start();
  report('Updated tags');
  await pass(10 * MINUTE_MS);
  report('Updated tags');
  await pass(MINUTE_MS);
  assert.equal(counts(written), [
    ['create', 'Updated tags', 1],
    ['create', 'Updated tags', 1],
  ]);
  assert.is.not(written[1]?.record.name, written[0]?.record.name);
});

test('what the server has forgotten is written anew, with its count', async () => {
  const { written, report, pass } = start(['taken', new AbsentError('events "a" not found')]);
  report('Updated tags');
  await pass(500);
  report('Updated tags');
  await pass(500);
  assert.equal(counts(written), [
    ['create', 'Updated tags', 1],
    ['repeat', 'Updated tags', 2],
    ['create', 'Updated tags', 2],
  ]);
});

test('many that differ in their message alone become one, which says the last (EVENT-RECORDER-2, EVENT-RECORDER-3)', async () => {
  const { written, report, pass } = start();
  for (let index = 0; index < 30; index++) {
    report(`Created ${index}`, 'a', 'Created');
    await pass(500);
  }
  const names = new Set(written.map(({ record }) => record.name));
  assert.is(names.size, 11);
  const { message, count } = written.at(-1)?.record ?? {};
  // The object had 25 writes.
  assert.equal([message, count, written.length], ['(combined from similar events): Created 24', 15, 25]);
});

test('an object has 25 writes at once and one more every five minutes; its count stays true (EVENT-RECORDER-3)', async () => {
  const { written, report, pass } = start();
  for (let index = 0; index < 100; index++) {
    report('Updated tags');
    await pass(500);
  }
  assert.is(written.length, 25);
  // Others are not affected.
  report('Updated tags', 'b');
  await pass(500);
  assert.is(written.length, 26);
  await pass(5 * MINUTE_MS);
  report('Updated tags');
  await pass(500);
  assert.equal(counts(written.slice(26)), [['repeat', 'Updated tags', 101]]);
});

test('what is told many times before it is written costs the object one write (EVENT-RECORDER-3)', async () => {
  const { written, report, pass } = start();
  for (let index = 0; index < 100; index++) report('Updated tags');
  for (let index = 0; index < 30; index++) {
    await pass(500);
    report('Updated tags');
  }
  assert.is(written.length, 25);
  assert.equal(counts(written.slice(0, 2)), [
    ['create', 'Updated tags', 100],
    ['repeat', 'Updated tags', 101],
  ]);
});

test('an event whose write is under way is not written twice at a time, nor holds up others', async () => {
  const { written, report, pass } = start(['pending']);
  report('Created');
  await pass(500);
  report('Created');
  report('Created', 'b');
  await pass(500);
  await pass(500);
  assert.equal(
    written.map(({ record }) => record.about.name),
    ['a', 'b'],
  );
});

test('two writes are under way at a time, however many objects there are (EVENT-RECORDER-3)', async () => {
  const { written, report, pass, mostAtOnce } = start();
  for (let index = 0; index < 40; index++) report('Created', `n${index}`);
  await pass(500);
  for (let turn = 0; turn < 20; turn++) await pass(0);
  assert.is(written.length, 40);
  assert.is(mostAtOnce(), 2);
});

test('fifty writes begin in half a second, also while more is told (EVENT-RECORDER-3)', async () => {
  const { written, report, pass } = start();
  for (let index = 0; index < 120; index++) report('Created', `n${index}`);
  const after: number[] = [];
  for (let turn = 0; turn < 4; turn++) {
    await pass(500);
    await pass(0);
    report('Deleted', `n${turn}`, 'Deleted');
    after.push(written.length);
  }
  assert.equal(after, [50, 100, 122, 123]);
});

test('what is remembered stays bounded; of what waits the oldest is dropped (EVENT-RECORDER-3)', async () => {
  const { recorder, written, report, pass } = start();
  for (let index = 0; index < 10_000; index++) report('Created', `n${index}`, 'Created', `ns${index}`);
  assert.is(recorder.size, 3 * 4_096);
  for (let turn = 0; turn < 90; turn++) await pass(500);
  assert.is(written.length, 4_096);
  assert.is(written[0]?.record.about.name, `n${10_000 - 4_096}`);
});

test('long messages and long names are cut', async () => {
  const { written, report, pass } = start();
  report('x'.repeat(5_000), `${'n'.repeat(229)}.${'m'.repeat(20)}`);
  await pass(500);
  const { message = '', name = '' } = written[0]?.record ?? {};
  assert.is(message.length, 1_000);
  assert.ok(name.length <= 253, String(name.length));
  assert.match(name, /^n+\.[0-9a-f]+$/);
});

test('a failure in passing is tried three times, with pauses, and then dropped (EVENT-RECORDER-4)', async () => {
  const away = new TransientError('no answer');
  const { written, warnings, report, pass } = start([away, away, away, away]);
  const names = (): readonly string[] => written.map(({ record }) => record.about.name);
  report('Created');
  await pass(500);
  report('Created', 'b');
  await pass(4_999);
  assert.equal(names(), ['a']);
  await pass(1);
  assert.equal(names(), ['a', 'a', 'b']);
  await pass(5_000);
  assert.equal(names(), ['a', 'a', 'b', 'a', 'b']);
  await pass(MINUTE_MS);
  assert.equal([names().length, warnings], [5, []]);
  report('Created');
  await pass(500);
  assert.equal(counts(written.slice(5)), [['create', 'Created', 2]]);
});

test('what is refused as it is, is dropped at once (EVENT-RECORDER-4)', async () => {
  const { written, report, pass } = start([new ConflictError('exists already')]);
  report('Created');
  await pass(MINUTE_MS);
  assert.is(written.length, 1);
});

test('that events may not be written is said once, and the namespace is left alone for a minute (EVENT-RECORDER-4)', async () => {
  const forbidden = (): Error => new ForbiddenError('events is forbidden', { isTerminating: false });
  const { written, warnings, report, pass } = start([forbidden(), forbidden()]);
  report('Created');
  report('Created', 'b');
  report('Created', 'c');
  await pass(500);
  report('Created', 'd');
  await pass(500);
  assert.is(written.length, 2);
  assert.equal(warnings, ['events may not be written; nothing else depends on them']);
  report('Created', 'e', 'Created', 'other');
  await pass(500);
  assert.is(written.at(-1)?.record.about.namespace, 'other');
  await pass(MINUTE_MS);
  report('Created', 'f');
  await pass(500);
  assert.is(written.length, 4);
});

test('a namespace that is being deleted is left alone without a word (EVENT-RECORDER-4)', async () => {
  const { written, warnings, report, pass } = start([new ForbiddenError('is forbidden', { isTerminating: true })]);
  report('Deleted');
  await pass(500);
  report('Deleted', 'b');
  await pass(500);
  assert.equal([written.length, warnings], [1, []]);
});

test('the end writes what waits, at once, and takes nothing more (EVENT-RECORDER-1)', async () => {
  const { recorder, written, report } = start();
  report('Created');
  report('Created', 'b');
  await recorder.close();
  assert.is(written.length, 2);
  report('Created', 'c');
  await recorder.close();
  assert.is(written.length, 2);
});

test('the end does not wait longer than a moment for a server that does not answer (EVENT-RECORDER-1)', async () => {
  const { recorder, report, pass } = start(['pending', 'pending']);
  for (const name of ['a', 'b', 'c']) report('Created', name);
  let closed = false;
  const closing = recorder.close().then(() => {
    closed = true;
  });
  await pass(499);
  assert.not(closed);
  await pass(1);
  await closing;
});

test.run();
