// What is kept, in columns: in order, within limits, and with who let whom go on.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { historySince } from '../../../actors/visualizer/history.ts';
import { AbsentError, addressKey, type EventQuery, type ReceivedEvent, TransientError } from '../../../bus/mod.ts';

const test = suite('history');

function event(name: string, at: number, more: Partial<ReceivedEvent> = {}): ReceivedEvent {
  const uid = `${name.charCodeAt(0).toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`;
  const actor = { realm: 'openstack', plural: 'networks', namespace: 'shop', name };
  return { actor, type: 'transition', at, data: { uid, from: 'a', to: `to-${at}`, cause: 'c', tags: [] }, ...more };
}

function depsOf(kept: readonly ReceivedEvent[]): Parameters<typeof historySince>[0] {
  const history = async function* ({ type }: EventQuery = {}): AsyncGenerator<ReceivedEvent> {
    yield* kept.filter((each) => each.type === type);
  };
  const isShown = ({ namespace }: ReceivedEvent['actor']): boolean => namespace === 'shop';
  return { trace: { history }, isShown, keyOfSpan: () => undefined };
}

test('ends are among the steps, in the order of time, and each text is said once', async () => {
  const link = `00-${'1'.repeat(32)}-0000006200004000-01`;
  const kept = [
    event('a', 1),
    event('b', 3, { type: 'deleted', data: { uid: '00000062-0000-4000-8000-000000000000', from: 'a' } }),
    event('a', 4, { data: { uid: '', from: 'a', to: 'z', cause: 'c', tags: [], links: [link], failure: 'spec' } }),
    event('b', 2),
    event('x', 2, { actor: { ...event('x', 2).actor, namespace: 'hidden' } }),
    event('a', 2, { type: 'call' }),
  ];
  const { keys, texts, rows, truncated } = await historySince(depsOf(kept), 0);
  assert.not(truncated);
  assert.is(new Set(texts).size, texts.length);
  const [a, b] = ['a', 'b'].map((name) => addressKey(event(name, 0).actor));
  const reported = rows.map(([key = -1, at, from = -1, to = -1, cause = -1, , by = -1, failure = -1]) => [
    keys[key],
    at,
    texts[from],
    texts[to],
    texts[cause],
    keys[by],
    texts[failure],
  ]);
  assert.equal(reported, [
    [a, 1, 'a', 'to-1', 'c', undefined, undefined],
    [b, 2, 'a', 'to-2', 'c', undefined, undefined],
    [b, 3, 'a', '', 'deleted', undefined, undefined],
    [a, 4, 'a', 'z', 'c', b, 'spec'],
  ]);
});

test('of more than there may be the newest are told, and that there were others', async () => {
  const kept = Array.from({ length: 95 }, (_, at) => event('a', at));
  const { rows, truncated } = await historySince(depsOf(kept), 0, 10);
  assert.ok(truncated);
  assert.equal(
    rows.map(([, at]) => at),
    [85, 86, 87, 88, 89, 90, 91, 92, 93, 94],
  );
  assert.not((await historySince(depsOf(kept), 0, 95)).truncated);
});

test('where nothing is kept there is no history, and a bus that is away is told', async () => {
  const failing = (error: Error): Parameters<typeof historySince>[0] => ({
    ...depsOf([]),
    trace: {
      // biome-ignore lint/correctness/useYield: it has nothing
      async *history() {
        throw error;
      },
    },
  });
  assert.equal((await historySince(failing(new AbsentError('none')), 0)).rows, []);
  try {
    await historySince(failing(new TransientError('away')), 0);
    assert.unreachable();
  } catch (error) {
    assert.instance(error, TransientError);
  }
});

test.run();
