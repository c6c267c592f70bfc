// List and watch against a server that answers as it likes: expired versions, refusals, silence, ends and cuts.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { objects, type Resource, watchResource } from '../../../adapters/kubernetes/mod.ts';
import { soon } from './manual-clock.ts';
import { type Exchange, type Scripted, scripted } from './scripted-server.ts';

const test = suite('kubernetes watch');
const onWatch = (title: string, ...given: Parameters<typeof watching>): void => void test(title, watching(...given));

const GADGETS: Resource = { realm: 'example', group: 'example.org', version: 'v1', kind: 'Gadget', plural: 'gadgets' };

/** An object named after its version, unless it says otherwise. */
function gadget(resourceVersion: string, name = `g${resourceVersion}`): object {
  return { metadata: { namespace: 'ns', name, uid: `uid-${name}`, resourceVersion } };
}

const list = (resourceVersion: string, ...items: object[]): object => ({ metadata: { resourceVersion }, items });
const line = (type: string, object: object): string => `${JSON.stringify({ type, object })}\n`;
const error = (code: number): string => line('ERROR', { kind: 'Status', code, message: `it is ${code}` });

interface Watching extends Scripted {
  readonly heard: string[];
  /** Waits for the line. */
  until(line: string): Promise<void>;
  /** The next request, which must be a list. */
  listed(): Promise<Exchange>;
  /** The next request asks for what is served: nothing is. */
  unserved(): Promise<void>;
  /** The next request, which must ask how far the server has come: so far. */
  reached(resourceVersion: string): Promise<void>;
  /** The next request, which must be a watch from that version; the server has come so far. */
  watched(resourceVersion: string): Promise<Exchange>;
  stop(): void;
  readonly ended: Promise<void>;
}

function watching(run: (on: Watching) => Promise<void>, scope: { namespace?: string; name?: string } = {}) {
  return () =>
    scripted(async (server) => {
      const { client, clock, next } = server;
      const heard: string[] = [];
      let onHeard = (): void => undefined;
      const note = (what: string): void => {
        heard.push(what);
        onHeard();
      };
      const stop = new AbortController();
      const ended = watchResource(
        { client, objects: objects({ client }), clock },
        { resource: GADGETS, ...scope },
        {
          onList: (items, version) => note(`list ${version}: ${items.map(({ metadata }) => metadata.name).join(' ')}`),
          onChange: ({ metadata }) => note(`changed ${metadata.name}`),
          onGone: ({ metadata }) => note(`gone ${metadata.name} ${metadata.resourceVersion}`),
          onTrouble: (message, missing) => note(`${missing ? 'missing' : 'problem'} ${message}`),
          onRecovery: () => note('recovery'),
        },
        stop.signal,
      );
      const until = async (what: string): Promise<void> => {
        while (!heard.includes(what)) await soon(new Promise<void>((resolve) => (onHeard = resolve)), `'${what}'`);
      };
      const listed = async (): Promise<Exchange> => {
        const exchange = await next();
        assert.is(exchange.query.get('watch'), null, 'a list was expected');
        return exchange;
      };
      const unserved = async (): Promise<void> => {
        const exchange = await next();
        assert.is(exchange.path, '/apis');
        exchange.answer(200, { kind: 'APIGroupList', groups: [] });
      };
      const reached = async (version: string, exchange?: Exchange): Promise<void> => {
        const { query, answer } = exchange ?? (await next());
        assert.is(query.get('limit'), '1', 'a look at the version was expected');
        answer(200, list(version, gadget('1')));
      };
      const watched = async (version: string): Promise<Exchange> => {
        let exchange = await next();
        if (exchange.query.get('limit') === '1') {
          await reached(version, exchange);
          exchange = await next();
        }
        assert.is(exchange.query.get('watch'), '1', 'a watch was expected');
        assert.is(exchange.query.get('resourceVersion'), version);
        return exchange;
      };
      try {
        await run({ ...server, heard, until, listed, unserved, reached, watched, stop: () => stop.abort(), ended });
      } finally {
        stop.abort();
        // A list under way ends with it.
        await client.close();
        await soon(ended, 'the end of the watch');
      }
    });
}

onWatch(
  'the list, then what changes from its version on, with bookmarks and an end',
  async ({ listed, watched, until, heard }) => {
    const listing = await listed();
    assert.is(listing.path, '/apis/example.org/v1/gadgets');
    listing.answer(200, list('7', gadget('5')));
    const watch = await watched('7');
    assert.is(watch.query.get('allowWatchBookmarks'), 'true');
    assert.is(watch.query.get('timeoutSeconds'), '300');
    watch.open();
    watch.write(line('ADDED', gadget('8')) + line('MODIFIED', gadget('9', 'g8')) + line('DELETED', gadget('10', 'g5')));
    await until('gone g5 10');
    assert.equal(heard, ['list 7: g5', 'changed g8', 'changed g8', 'gone g5 10']);
  },
);

test(
  'one name in one namespace is asked for as such, by list and watch',
  watching(
    async ({ listed, watched }) => {
      const listing = await listed();
      listing.answer(200, list('7'));
      const watch = await watched('7');
      for (const { path, query } of [listing, watch]) {
        assert.is(path, '/apis/example.org/v1/namespaces/ns/gadgets');
        assert.is(query.get('fieldSelector'), 'metadata.name=a');
      }
    },
    { namespace: 'ns', name: 'a' },
  ),
);

onWatch('a watch that ended goes on after the last event', async ({ listed, watched, until, heard }) => {
  (await listed()).answer(200, list('7'));
  const first = await watched('7');
  first.open();
  first.write(line('ADDED', gadget('8')) + line('DELETED', gadget('9', 'g8')));
  first.end();
  const second = await watched('9');
  second.open();
  second.write(line('ADDED', gadget('11')));
  await until('changed g11');
  assert.equal(heard, ['list 7: ', 'changed g8', 'gone g8 9', 'changed g11']);
});

onWatch(
  'a watch that ended goes on after the last bookmark, which is no change',
  async ({ listed, watched, heard }) => {
    (await listed()).answer(200, list('7'));
    const first = await watched('7');
    first.open();
    first.write(line('BOOKMARK', { metadata: { resourceVersion: '70' } }));
    first.end();
    await watched('70');
    assert.equal(heard, ['list 7: ']);
  },
);

onWatch(
  'a connection that is cut in the middle of a line: the event is heard once, when it is sent again',
  async ({ clock, listed, watched, until, heard }) => {
    (await listed()).answer(200, list('7'));
    const first = await watched('7');
    first.open();
    first.write(line('ADDED', gadget('8')) + line('ADDED', gadget('9')).slice(0, -1));
    await until('changed g8');
    first.reset();
    await clock.passPause();
    const second = await watched('8');
    second.open();
    second.write(line('ADDED', gadget('9')));
    await until('changed g9');
    assert.is(heard.filter((what) => what === 'changed g9').length, 1);
  },
);

onWatch(
  'a version that expired, told by status: what went meanwhile is missing in a new list, which the watch goes on from',
  async ({ clock, listed, watched, until, heard }) => {
    (await listed()).answer(200, list('7', gadget('5'), gadget('6')));
    (await watched('7')).answer(410, { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' });
    await clock.passPause();
    (await listed()).answer(200, list('90', gadget('6')));
    const watch = await watched('90');
    watch.open();
    watch.write(line('ADDED', gadget('91')));
    await until('changed g91');
    assert.equal(heard, ['list 7: g5 g6', 'list 90: g6', 'changed g91']);
  },
);

onWatch(
  'a version that expired, told by an event: likewise, and nothing after the event counts',
  async ({ clock, listed, watched, until, heard }) => {
    (await listed()).answer(200, list('7', gadget('5')));
    const first = await watched('7');
    first.open();
    first.write(error(410) + line('ADDED', gadget('8')));
    await clock.passPause();
    await soon(first.closed, 'the end of the first watch');
    (await listed()).answer(200, list('90', gadget('80')));
    await watched('90');
    await until('list 90: g80');
    assert.equal(heard, ['list 7: g5', 'list 90: g80']);
  },
);

onWatch(
  'another failure that is told by an event is told, and listed anew after',
  async ({ clock, listed, watched, until, heard }) => {
    (await listed()).answer(200, list('7'));
    const first = await watched('7');
    first.open();
    first.write(error(500));
    await clock.passPause();
    (await listed()).answer(200, list('90'));
    await until('list 90: ');
    await watched('90');
    assert.equal(heard, ['list 7: ', 'problem watch /apis/example.org/v1/gadgets: it is 500', 'list 90: ']);
  },
);

onWatch(
  '33.B4: a server that is behind what it has told was restored from a backup: what it has is listed anew (KUBE-WATCH-5)',
  async ({ listed, reached, watched, until, heard }) => {
    (await listed()).answer(200, list('70'));
    const watch = await watched('70');
    watch.open();
    watch.write(line('ADDED', gadget('80')));
    watch.end();
    await reached('79');
    (await listed()).answer(200, list('79', gadget('7')));
    const second = await watched('79');
    second.open();
    second.write(line('ADDED', gadget('90')));
    second.end();
    await reached('100');
    (await watched('90')).open();
    await until('changed g90');
    assert.equal(heard, ['list 70: ', 'changed g80', 'list 79: g7', 'changed g90'], 'one that is ahead is not');
  },
);

onWatch('a list that expired is no missing resource', async ({ clock, listed, heard }) => {
  (await listed()).answer(410, { code: 410, message: 'too old' });
  await clock.passPause();
  const again = await listed();
  assert.is(again.query.get('continue'), null);
  assert.equal(heard, []);
});

onWatch(
  'a resource that is not served is asked for ever more rarely, told once, and listed when it is there',
  async ({ clock, listed, unserved, watched, heard }) => {
    const pauses: number[] = [];
    for (let times = 0; times < 9; times++) {
      (await listed()).answer(404, { message: 'the server could not find the requested resource' });
      await unserved();
      pauses.push(await clock.passPause());
    }
    assert.equal(pauses, [150, 300, 600, 1_200, 2_400, 4_800, 9_600, 11_250, 11_250]);
    (await listed()).answer(200, list('7'));
    const watch = await watched('7');
    watch.open();
    watch.write(line('ADDED', gadget('8')));
    watch.end();
    await watched('8');
    const missing = 'missing GET /apis/example.org/v1/gadgets: the server could not find the requested resource';
    assert.equal(heard, [missing, 'list 7: ', 'changed g8', 'recovery']);
  },
);

onWatch(
  'a resource that turns out to be missing after another trouble is told of',
  async ({ clock, listed, unserved, heard }) => {
    for (const status of [503, 503, 404, 404, 503]) {
      (await listed()).answer(status, { message: 'no' });
      if (status === 404) await unserved();
      await clock.passPause();
    }
    await listed();
    assert.equal(
      heard.map((what) => what.split(' ')[0]),
      ['problem', 'missing', 'problem'],
    );
  },
);

onWatch(
  'a server that ends every watch at once is asked ever more rarely, and that is told',
  async ({ clock, listed, watched, heard }) => {
    (await listed()).answer(200, list('7'));
    const pauses: number[] = [];
    for (let times = 0; times < 9; times++) {
      const watch = await watched('7');
      watch.open();
      watch.end();
      pauses.push(await clock.passPause());
    }
    await watched('7');
    assert.equal(pauses, [150, 300, 600, 1_200, 2_400, 4_800, 9_600, 11_250, 11_250]);
    assert.is(heard.length, 2, heard.join('; '));
    assert.match(heard[1] ?? '', /^problem .*at once/);
  },
);

onWatch('bookmarks that lead nowhere are no progress: there is a pause', async ({ clock, listed, watched }) => {
  (await listed()).answer(200, list('7'));
  for (const pauseMs of [150, 300, 600]) {
    const watch = await watched('7');
    watch.open();
    watch.write(line('BOOKMARK', { metadata: { resourceVersion: '7' } }));
    watch.end();
    assert.is(await clock.passPause(), pauseMs);
  }
});

onWatch(
  'a server that agrees to each watch and cuts it is asked ever more rarely, and told of once',
  async ({ clock, listed, watched, heard }) => {
    (await listed()).answer(200, list('7'));
    const pauses: number[] = [];
    for (let times = 0; times < 5; times++) {
      const watch = await watched('7');
      watch.open();
      // Headers and all: it has begun.
      watch.write(line('BOOKMARK', { metadata: { resourceVersion: '7' } }));
      watch.reset();
      pauses.push(await clock.passPause());
    }
    await watched('7');
    assert.equal(pauses, [150, 300, 600, 1_200, 2_400]);
    assert.is(heard.length, 2, heard.join('; '));
  },
);

onWatch(
  'versions that expire at once again and again: lists come ever more rarely',
  async ({ clock, listed, watched }) => {
    for (const pauseMs of [150, 300, 600, 1_200]) {
      (await listed()).answer(200, list('7'));
      (await watched('7')).answer(410, { code: 410 });
      assert.is(await clock.passPause(), pauseMs);
    }
  },
);

onWatch('who hears an event again begins with the shortest pause', async ({ clock, listed, watched, until }) => {
  (await listed()).answer(200, list('7'));
  for (const pauseMs of [150, 300]) {
    (await watched('7')).answer(503, {});
    assert.is(await clock.passPause(), pauseMs);
  }
  const watch = await watched('7');
  watch.open();
  watch.write(line('ADDED', gadget('8')));
  watch.end();
  await until('recovery');
  (await watched('8')).answer(503, {});
  assert.is(await clock.passPause(), 150);
});

onWatch('a quiet watch that holds for a second works again', async ({ clock, listed, watched, until, heard }) => {
  (await listed()).answer(200, list('7'));
  (await watched('7')).answer(503, { message: 'busy' });
  await clock.passPause();
  const watch = await watched('7');
  const armed = clock.armed;
  watch.open();
  await clock.untilArmed(armed + 1);
  clock.advance(999);
  assert.is(heard.at(-1), 'problem watch /apis/example.org/v1/gadgets: busy');
  clock.advance(1);
  assert.is(heard.at(-1), 'recovery');
  await until('recovery');
});

onWatch('a server that says when to come back is not asked before', async ({ clock, listed, watched }) => {
  (await listed()).answer(429, {}, { 'retry-after': '7' });
  assert.is(await clock.passPause(), 7_000);
  (await listed()).answer(200, list('7'));
  (await watched('7')).answer(429, {}, { 'retry-after': '9' });
  assert.is(await clock.passPause(), 9_000);
  await watched('7');
});

onWatch(
  'a watch that is silent beyond its end is given up, and goes on where it was',
  async ({ clock, listed, watched, until, heard }) => {
    (await listed()).answer(200, list('7'));
    const first = await watched('7');
    first.open();
    first.write(line('ADDED', gadget('8')));
    await until('changed g8');
    clock.advance(314_999);
    let isClosed = false;
    void first.closed.then(() => (isClosed = true));
    await new Promise((resolve) => setImmediate(resolve));
    assert.is(isClosed, false);
    clock.advance(1);
    await soon(first.closed, 'the end of the silent watch');
    await clock.passPause();
    const second = await watched('8');
    second.open();
    second.write(line('ADDED', gadget('9')));
    await until('changed g9');
    assert.match(heard.join('; '), /problem .*silent/);
  },
);

onWatch('a watch that is not even agreed to is given up as well', async ({ clock, listed, watched, heard }) => {
  (await listed()).answer(200, list('7'));
  const first = await watched('7');
  clock.advance(315_000);
  await soon(first.closed, 'the end of the first watch');
  await clock.passPause();
  await watched('7');
  assert.match(heard.join('; '), /problem .*silent/);
});

onWatch(
  'whoever stops hears nothing more, whatever was under way, and leaves no timer',
  async ({ clock, listed, stop, ended, heard, waiting }) => {
    const listing = await listed();
    stop();
    listing.answer(200, list('7', gadget('5')));
    await soon(ended, 'the end');
    assert.equal(heard, []);
    assert.is(waiting(), 0);
    assert.is(clock.armed, 0);
  },
);

onWatch(
  'whoever stops in the middle of a watch leaves no connection and no timer',
  async ({ clock, listed, watched, until, stop, ended, heard }) => {
    (await listed()).answer(200, list('7'));
    const watch = await watched('7');
    watch.open();
    watch.write(line('ADDED', gadget('8')));
    await until('changed g8');
    stop();
    await soon(ended, 'the end');
    await soon(watch.closed, 'the end of the connection');
    assert.equal([heard.length, clock.armed], [2, 0]);
  },
);

onWatch(
  '33.C2: an object that is too long for a watch is not read, is told, and is listed (KUBE-WATCH-6)',
  async (on) => {
    (await on.listed()).answer(200, list('10', gadget('1')));
    const watch = await on.watched('10');
    watch.open();
    watch.write(line('ADDED', gadget('11')));
    await on.until('changed g11');
    const MIB = 'x'.repeat(1024 * 1024);
    watch.write('{"type":"MODIFIED","object":{"metadata":{"annotations":{"a":"');
    // It has no end: what is kept of it has.
    for (let index = 0; index < 4; index++) watch.write(MIB);
    await soon(watch.closed, 'the end of the watch');
    const problem = on.heard.find((what) => what.startsWith('problem')) ?? '';
    assert.match(
      problem,
      /an object larger than 3 MiB, which is skipped: listing all objects again; make that object smaller/,
    );
    await on.clock.passPause();
    (await on.listed()).answer(200, list('12', gadget('11'), gadget('12')));
    await on.until('list 12: g11 g12');
  },
);

onWatch('33.C2: an object of a size that etcd stores is told in a watch', async (on) => {
  (await on.listed()).answer(200, list('10'));
  const watch = await on.watched('10');
  watch.open();
  watch.write(line('ADDED', { ...gadget('11'), spec: { text: 'x'.repeat(1_500_000) } }));
  await on.until('changed g11');
});

test.run();
