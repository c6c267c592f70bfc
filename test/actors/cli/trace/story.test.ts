// A change as a story: rounds, stays, shares of the time, and how it is written.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Ink } from '../../../../actors/cli/colors.ts';
import { sharesOf, storyOf } from '../../../../actors/cli/trace/story.ts';
import { took, traceText } from '../../../../actors/cli/trace/text.ts';
import { writtenIn } from '../../../../actors/cli/trace/write.ts';
import type { Address } from '../../../../bus/mod.ts';
import { BEGIN, EVENTS, NETWORK, reported, SUBNET } from './change.ts';

const test = suite('stories of changes');
const labelOf = ({ plural, name }: Address): string => `${plural}/${name}`;

test('a round has no gaps, and each call is in the state in which it ended (CLI-STORY-1, CLI-STORY-2)', () => {
  const { rounds } = reported().story;
  assert.is(rounds.length, 2);
  for (const { startedAt, settledAt = 0, stays } of rounds) {
    const sum = stays.reduce((all, stay) => all + ((stay.endedAt ?? 0) - stay.startedAt), 0);
    assert.is(sum, settledAt - startedAt);
  }
  assert.equal(
    rounds[0]?.stays.map(({ state, calls }) => [state, calls.length]),
    [
      ['claiming.guarding', 0],
      ['claiming.awaitingDependencies', 0],
      ['building.creating', 2],
    ],
  );
});

test('calls at the same time count once, and all shares are the whole', () => {
  const [round] = reported().story.rounds;
  if (round === undefined) throw new Error('there is no round');
  const { wholeMs, waits, backOffMs, callsMs, restMs } = sharesOf(round, BEGIN);
  assert.equal([wholeMs, waits, backOffMs, callsMs, restMs], [160, [{ actor: NETWORK, ms: 90 }], 0, 45, 25]);
});

test('what was waited for is told below the wait, and later rounds in a line each', () => {
  const text = traceText(reported(), { labelOf, ink: Ink.Plain, now: BEGIN, waitsFor: [] });
  assert.is(
    text,
    `subnets/app in namespace shop, generation 1, trace 00000001a5604333acb814e890bd5ff7
2026-01-01T12:00:00.000Z  begins

     +0 ms  claiming.guarding  10 ms  (after lifecycle.started)
    +10 ms  claiming.awaitingDependencies  waits 90 ms for networks/net  (after step done)
              networks/net:
    +21 ms      building.creating  50 ms  (after step done)
    +30 ms        POST network /networks  503  30 ms
    +70 ms      idle.available
   +100 ms  building.creating  60 ms  (after dependencies.changed)
   +110 ms    POST network /subnets  201  40 ms  req-1
   +135 ms    GET network /subnets  no answer  20 ms
   +160 ms  idle.available

settled after 160 ms: 90 ms waiting for networks/net (56 %), 45 ms in calls to the cloud (28 %), 25 ms of its own (16 %)
again at 2026-01-01T12:00:05.000Z, after resync: failed 40 ms later
`,
  );
  assert.match(
    traceText(reported(), { labelOf, ink: Ink.Color, now: BEGIN, waitsFor: [] }),
    '\u001b[33mclaiming.awaitingDependencies',
  );
});

test('what names and clouds say does nothing to a terminal', () => {
  const wild = EVENTS.map((event) =>
    event.type === 'call' ? { ...event, data: { ...event.data, path: '/x\u001b[2J\u202e' } } : event,
  );
  const story = storyOf(wild, SUBNET, reported().story.traceId, () => undefined);
  if (story === undefined) throw new Error('there is no story');
  const text = traceText({ ...reported(), story }, { labelOf, ink: Ink.Plain, now: BEGIN, waitsFor: [] });
  assert.match(text, '/x\\u{1b}[2J\\u{202e}');
  assert.not.match(text, '\u001b');
});

test('an actor or a trace that nothing is kept of has no story', () => {
  assert.is(
    storyOf(EVENTS, { ...SUBNET, name: 'b' }, reported().story.traceId, () => undefined),
    undefined,
  );
  assert.is(
    storyOf(EVENTS, SUBNET, '0'.repeat(32), () => undefined),
    undefined,
  );
});

test('who wrote an object: the last who wrote its content, never who wrote its status or guards', () => {
  const creationTimestamp = '2026-01-01T12:00:00Z';
  const fields = (manager: string, time: string, fieldsV1: object, subresource?: string): object => ({
    manager,
    time,
    fieldsV1,
    ...(subresource !== undefined && { subresource }),
  });
  const managedFields = [
    fields('kubectl', creationTimestamp, { 'f:spec': {} }),
    fields('flux', '2026-01-01T12:10:00Z', { 'f:spec': {} }),
    fields('guard', '2026-01-01T12:20:00Z', { 'f:metadata': {} }),
    fields('controller', '2026-01-01T12:30:00Z', { 'f:status': {} }, 'status'),
  ];
  const read = (more: object): ReturnType<typeof writtenIn> =>
    writtenIn({ uid: 'u', generation: 2, creationTimestamp, managedFields, ...more } as never);
  assert.equal(read({}).write, { manager: 'flux', at: Date.parse('2026-01-01T12:10:00Z'), what: 'changed' });
  assert.equal(read({}).status, { manager: 'controller', at: Date.parse('2026-01-01T12:30:00Z') });
  const [first] = managedFields;
  assert.is(read({ generation: 1, managedFields: [first] }).write?.what, 'created');
  assert.is(read({ deletionTimestamp: '2026-01-02T00:00:00Z' }).write?.what, 'deleted');
  assert.is(read({ managedFields: undefined }).write, undefined);
});

test('durations are told as people do', () => {
  assert.equal([0.4, 999, 1_000, 59_940, 125_000].map(took), ['0 ms', '999 ms', '1.0 s', '59.9 s', '2 min 5 s']);
});

test.run();
