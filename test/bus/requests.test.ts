// Requests on one inbox: how each of them ends (BUS-REQUESTS-1, BUS-REQUESTS-2), and the text of headers.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TransientError } from '../../bus/errors.ts';
import { sentHeaders } from '../../bus/message-headers.ts';
import { ManualClock } from './manual-clock.ts';
import { ScriptedNats } from './scripted-nats.ts';

const test = suite('requests');

interface Outcome {
  answer?: string;
  error?: Error;
}

function scene() {
  const clock = new ManualClock();
  const nats = new ScriptedNats(clock);
  const ask = (subject: string, options = {}): Outcome => {
    const outcome: Outcome = {};
    nats.connection.request(subject, '', options).then(
      (message) => {
        outcome.answer = message.string();
      },
      (error: Error) => {
        outcome.error = error;
      },
    );
    return outcome;
  };
  return { clock, nats, ask };
}

test('34.4: requests share one inbox and one timer', async () => {
  const { clock, nats, ask } = scene();
  nats.swallows = () => true;
  const armed = clock.armed;
  for (const subject of ['s.a', 's.b', 's.c']) ask(subject);
  await clock.settle();
  assert.is(nats.heard.length, 1);
  assert.is(clock.armed - armed, 1);
});

test('each has its own time limit, whatever the order (BUS-REQUESTS-1)', async () => {
  const { clock, nats, ask } = scene();
  nats.swallows = () => true;
  const [long, short] = [ask('s.long', { timeoutMs: 900 }), ask('s.short', { timeoutMs: 300 })];
  await clock.advance(299);
  assert.equal([short, long], [{}, {}]);
  await clock.advance(1);
  assert.instance(short.error, TransientError);
  assert.is(short.error?.message, "no answer to 's.short' within 300 ms");
  assert.equal(long, {});
  await clock.advance(600);
  assert.is(long.error?.message, "no answer to 's.long' within 900 ms");
});

test('an answer that comes after the time limit is dropped (BUS-REQUESTS-1)', async () => {
  const { clock, nats, ask } = scene();
  nats.make('S', { subjects: ['s.>'] });
  let arrive = (): void => undefined;
  nats.delays = () => new Promise((resolve) => (arrive = resolve));
  const late = ask('s.a', { timeoutMs: 100 });
  await clock.advance(100);
  nats.delays = () => undefined;
  const next = ask('s.a');
  arrive();
  await clock.settle();
  assert.instance(late.error, TransientError);
  assert.match(next.answer ?? '', '"seq":2');
});

test('what the server does not let us ask, or hear the answer of, ends at once; the next one is tried (BUS-REQUESTS-1)', async () => {
  const { clock, nats, ask } = scene();
  nats.swallows = () => true;
  const [refused, other] = [ask('s.refused'), ask('s.other')];
  await clock.settle();
  await nats.refuse('s.refused');
  assert.match(refused.error?.message ?? '', 'does not let us ask');
  assert.equal(other, {});
  const own = ask('s.own', { reply: 'answers.own' });
  await clock.settle();
  nats.refuseAnswers(nats.heard.find((filter) => filter.endsWith('.*')) ?? '');
  await clock.settle();
  assert.match(other.error?.message ?? '', 'hear the answer');
  assert.equal(own, {});
  nats.refuseAnswers('answers.own');
  await clock.settle();
  assert.match(own.error?.message ?? '', 'hear the answer');
  nats.swallows = () => false;
  nats.make('S', { subjects: ['s.>'] });
  const again = ask('s.refused');
  await clock.settle();
  assert.match(again.answer ?? '', '"seq":1');
});

test('an inbox of its own is listened to until the answer is there, or there is none', async () => {
  const { clock, nats, ask } = scene();
  nats.make('S', { subjects: ['s.>'] });
  const answered = ask('s.a', { reply: 'answers.1' });
  nats.swallows = (subject) => subject === 's.b';
  const swallowed = ask('s.b', { reply: 'answers.2', timeoutMs: 100 });
  await clock.settle();
  assert.match(answered.answer ?? '', '"seq":1');
  assert.equal(nats.heard, ['answers.2']);
  await clock.advance(100);
  assert.instance(swallowed.error, TransientError);
  assert.equal(nats.heard, []);
});

test('headers are lines: a value of two is none', () => {
  const { encode } = sentHeaders([['Troupe-Format', '2']]) as unknown as { encode(): Uint8Array };
  assert.is(new TextDecoder().decode(encode()), 'NATS/1.0\r\nTroupe-Format: 2\r\n\r\n');
  assert.throws(() => sentHeaders([['Troupe-Format', '2\r\nOther: x']]), TypeError);
});

test.run();
