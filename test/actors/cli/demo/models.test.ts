// The demo's look at its clusters over HTTP: it waits for what was made by event, and says what is missing.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { clustersOverHttp } from '../../../../actors/cli/demo/models.ts';

const test = suite('clusters of the demo over HTTP');
const NAMES = ['lab', 'shop'];

interface Reply {
  readonly status?: number;
  readonly names: readonly string[];
}

/** An API whose answers are given one after another; the last one stays. It does not filter or page. */
function api(replies: readonly (Reply | 'silent' | 'broken')[]) {
  const asked: string[] = [];
  const listeners = new Set<() => void>();
  const answer = (reply: Reply | 'silent' | 'broken' | undefined, signal: AbortSignal): Promise<Response> => {
    if (reply === 'broken' || reply === undefined) return Promise.reject(new TypeError('fetch failed'));
    if (reply === 'silent')
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
    const items = reply.names.map((name) => ({ name, state: 'ready' }));
    return Promise.resolve(Response.json({ total: items.length, items }, { status: reply.status ?? 200 }));
  };
  return {
    asked,
    listeners,
    gateway: {
      url: 'http://api',
      onChange(listener: () => void) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    fetch: ((url: string, { signal }: { signal: AbortSignal }) => {
      asked.push(url);
      return answer(replies[asked.length - 1] ?? replies.at(-1), signal);
    }) as typeof globalThis.fetch,
    change: () => [...listeners].forEach((listener) => void listener()),
  };
}

/** All that can happen without a clock has happened. */
const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

test('36.A6e: it looks again when something has changed, and is content when all are listed', async () => {
  const { gateway, fetch, asked, change, listeners } = api([
    { status: 503, names: [] },
    { names: ['lab'] },
    { names: ['lab', 'shop'] },
  ]);
  const looking = clustersOverHttp({ gateway, fetch }, NAMES, new AbortController().signal);
  for (const times of [1, 2]) {
    await settled();
    assert.is(asked.length, times);
    change();
  }
  assert.equal(await looking, {
    line: 'a model over HTTP: GET /api/fleet/v1/clusters answers 200 with 2 clusters: lab ready, shop ready',
  });
  assert.equal([asked.length, asked[0], listeners.size], [3, 'http://api/api/fleet/v1/clusters', 0]);
});

test('36.A6e: a change while it asks is not lost', async () => {
  const { gateway, fetch, asked, change } = api([{ names: [] }, { names: NAMES }]);
  const looking = clustersOverHttp({ gateway, fetch }, NAMES, new AbortController().signal);
  change();
  assert.is((await looking).problem, undefined);
  assert.is(asked.length, 2);
});

test('36.A6e: a cluster that is missing at the deadline is reported, and so is an API that does not answer', async () => {
  for (const [reply, problem] of [
    [{ names: ['lab'] }, 'a model over HTTP: GET /api/fleet/v1/clusters answers 200 without shop'],
    [{ status: 503, names: [] }, 'a model over HTTP: GET /api/fleet/v1/clusters answers 503 without lab, shop'],
    ['silent', 'a model over HTTP: GET /api/fleet/v1/clusters does not answer'],
    ['broken', 'a model over HTTP: GET /api/fleet/v1/clusters failed: fetch failed'],
  ] as const) {
    const { gateway, fetch, listeners } = api([reply]);
    const over = new AbortController();
    const looking = clustersOverHttp({ gateway, fetch }, NAMES, over.signal);
    await settled();
    over.abort();
    assert.equal((await looking).problem, problem);
    assert.is(listeners.size, 0);
  }
});

test.run();
