// The client against a server that answers byte by byte: credentials, refusals, and what a stream is cut into.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ForbiddenError, type KubeClient, objects, SECRETS } from '../../../adapters/kubernetes/mod.ts';
import {
  AbsentError,
  ConflictError,
  type JsonObject,
  TerminalError,
  TransientError,
  UnknownOutcomeError,
} from '../../../bus/mod.ts';
import { rejection } from '../../world/rejection.ts';
import { soon } from './manual-clock.ts';
import { type Scripted, scripted } from './scripted-server.ts';

const test = suite('kubernetes client');

const get = (client: KubeClient, path = '/version'): Promise<unknown> => client.call({ method: 'GET', path });

/** Reads a stream into `lines`. @returns a promise of its end, and one that resolves once so many lines were read */
function reading(client: KubeClient, signal: AbortSignal = new AbortController().signal) {
  const lines: JsonObject[] = [];
  let onLine = (): void => undefined;
  const read = async (): Promise<void> => {
    for await (const line of client.stream('/watch', undefined, signal)) {
      lines.push(line);
      onLine();
    }
  };
  const until = async (count: number): Promise<void> => {
    while (lines.length < count) await soon(new Promise<void>((resolve) => (onLine = resolve)), `line ${count}`);
  };
  return { lines, ended: read(), until };
}

test('a token that was refused is read anew before the next call', () =>
  scripted(async ({ client, next, setToken }) => {
    const refused = get(client);
    const first = await next();
    assert.is(first.headers.authorization, 'Bearer first');
    setToken('second');
    first.answer(401, { message: 'Unauthorized' });
    const error = await rejection(refused);
    assert.instance(error, TransientError);
    const taken = get(client);
    const second = await next();
    assert.is(second.headers.authorization, 'Bearer second');
    second.answer(200, {});
    await taken;
  }));

test('a token that a watch was refused with is read anew before the next', () =>
  scripted(async ({ client, next, setToken }) => {
    const { ended } = reading(client);
    const first = await next();
    setToken('second');
    first.answer(401, { message: 'Unauthorized' });
    assert.instance(await rejection(ended), TransientError);
    const taken = get(client);
    const second = await next();
    assert.is(second.headers.authorization, 'Bearer second');
    second.answer(200, {});
    await taken;
  }));

test('a token that was rotated is read anew after a minute, and not for each call', () =>
  scripted(async ({ client, clock, next, setToken }) => {
    const bearer = async (): Promise<string | undefined> => {
      const taken = get(client);
      const { headers, answer } = await next();
      answer(200, {});
      await taken;
      return headers.authorization;
    };
    assert.is(await bearer(), 'Bearer first');
    setToken('second');
    clock.advance(59_999);
    assert.is(await bearer(), 'Bearer first');
    clock.advance(1);
    assert.is(await bearer(), 'Bearer second');
  }));

/** A plugin that appends a line to `runs` and prints the content of `answer`, after 50 ms. */
function plugin() {
  let place = '';
  const at = (name: string): string => join(place, name);
  return {
    user: (folder: string) => {
      place = folder;
      const args = ['-c', 'echo >> "$0"; sleep 0.05; cat "$1"', at('runs'), at('answer')];
      return { exec: { apiVersion: 'client.authentication.k8s.io/v1', command: 'sh', args, interactiveMode: 'Never' } };
    },
    issue(token: string, expirationTimestamp?: string): void {
      writeFileSync(at('answer'), JSON.stringify({ kind: 'ExecCredential', status: { token, expirationTimestamp } }));
    },
    runs: (): number => readFileSync(at('runs'), 'utf8').length,
  };
}

/** Makes calls, all at once. @returns the tokens of their requests */
async function tokens({ client, next }: Scripted, count = 1): Promise<string[]> {
  const calls = Array.from({ length: count }, () => get(client));
  const seen: string[] = [];
  for (const _call of calls) {
    const { headers, answer } = await next();
    seen.push(String(headers.authorization).replace('Bearer ', ''));
    answer(200, {});
  }
  await Promise.all(calls);
  return [...new Set(seen)];
}

test('a plugin runs once for all calls, and again only when its credential expires', () => {
  const { user, issue, runs } = plugin();
  return scripted(async (server) => {
    const { clock } = server;
    issue('first', '2030-01-01T00:02:30Z');
    assert.equal(await tokens(server, 40), ['first']);
    assert.is(runs(), 1);
    issue('second');
    clock.advance(61_000);
    assert.equal(await tokens(server, 40), ['first']);
    clock.advance(88_999);
    assert.equal(await tokens(server), ['first']);
    assert.is(runs(), 1);
    clock.advance(1);
    assert.equal(await tokens(server, 40), ['second']);
    assert.is(runs(), 2);
    clock.advance(24 * 3_600_000);
    assert.equal(await tokens(server), ['second']);
    assert.is(runs(), 2);
  }, user);
});

test('a plugin whose credential was refused runs again, once for all refusals', () => {
  const { user, issue, runs } = plugin();
  return scripted(async (server) => {
    const { client, next } = server;
    issue('first', '2099-01-01T00:00:00Z');
    const refused = ['a', 'b', 'c'].map((path) => rejection(get(client, `/${path}`)));
    const exchanges = [await next(), await next(), await next()];
    issue('second', '2099-01-01T00:00:00Z');
    exchanges.pop()?.answer(401, {});
    await Promise.race(refused);
    assert.equal(await tokens(server), ['second']);
    for (const { answer } of exchanges) answer(401, {});
    await Promise.all(refused);
    assert.equal(await tokens(server), ['second']);
    assert.is(runs(), 2);
  }, user);
});

test('a plugin that failed runs again for the next call', () => {
  const { user, issue } = plugin();
  return scripted(async (server) => {
    const error = await rejection(get(server.client));
    assert.instance(error, TransientError);
    assert.match(error.message, /no credentials for the API server at .*: the plugin 'sh' failed: cat: /);
    issue('first');
    assert.equal(await tokens(server), ['first']);
  }, user);
});

test('a refused token costs no connection', () =>
  scripted(async ({ client, next, connections }) => {
    for (const status of [401, 401, 401, 200]) {
      const call = get(client).catch((error) => error);
      (await next()).answer(status, {});
      await call;
    }
    assert.is(connections(), 1);
  }));

test('a watch ends with its client, whatever was refused meanwhile', () =>
  scripted(async ({ client, next }) => {
    const { ended } = reading(client);
    const end = rejection(ended);
    const watch = await next();
    watch.open();
    const refused = rejection(get(client));
    (await next()).answer(401, {});
    await refused;
    await client.close();
    await soon(watch.closed, 'the end of the watch');
    assert.instance(await end, TransientError);
  }));

test('an impersonated name arrives as it is, in UTF-8', () =>
  scripted(async ({ client, next }) => {
    const call = client.call({ method: 'GET', path: '/version', as: { user: 'jürgen', groups: ['łódź', 'a b'] } });
    const { headers, answer } = await next();
    answer(200, {});
    await call;
    const received = [headers['impersonate-user'], headers['impersonate-group']].map((each) =>
      Buffer.from(String(each), 'latin1').toString('utf8'),
    );
    assert.equal(received, ['jürgen', 'łódź, a b']);
  }));

test('an impersonated name that would change in a header is refused, and nothing is sent', () =>
  scripted(async ({ client, waiting }) => {
    for (const name of ['', ' system:masters', '\tsystem:masters', 'a ', 'a\nb', 'a\u0000', 'a\u007f', '\ud800']) {
      for (const as of [
        { user: name, groups: [] },
        { user: 'a', groups: ['b', name] },
      ]) {
        const error = await rejection(client.call({ method: 'GET', path: '/version', as }));
        assert.instance(error, TerminalError, JSON.stringify(as));
      }
    }
    assert.is(waiting(), 0);
  }));

test('a character that is cut in two is one character', () =>
  scripted(async ({ client, next }) => {
    const { lines, ended, until } = reading(client);
    const watch = await next();
    watch.open();
    const bytes = Buffer.from('{"name":"größe €"}\n');
    const cut = bytes.indexOf('€') + 1;
    watch.write(Buffer.concat([Buffer.from('{"n":1}\n'), bytes.subarray(0, cut)]));
    // Only then is the second part on its way.
    await until(1);
    watch.write(bytes.subarray(cut));
    await until(2);
    watch.end();
    await ended;
    assert.equal(lines, [{ n: 1 }, { name: 'größe €' }]);
  }));

test('a line that is cut in three is one line, and three in one piece are three', () =>
  scripted(async ({ client, next }) => {
    const { lines, ended, until } = reading(client);
    const watch = await next();
    watch.open();
    watch.write('{"n":1}\n{"n"');
    await until(1);
    watch.write(':2}\n{"n":3}\n\n{"n":4');
    await until(3);
    watch.write('}\n');
    await until(4);
    watch.end();
    await ended;
    assert.equal(lines, [{ n: 1 }, { n: 2 }, { n: 3 }, { n: 4 }]);
  }));

test('a connection that is cut in the middle of a line is a transient failure, and the line is nothing', () =>
  scripted(async ({ client, next }) => {
    const { lines, ended, until } = reading(client);
    const watch = await next();
    watch.open();
    watch.write('{"n":1}\n{"n":2}');
    await until(1);
    const end = rejection(ended);
    watch.reset();
    assert.instance(await end, TransientError);
    assert.equal(lines, [{ n: 1 }]);
  }));

test('a line that is not JSON is not passed over: what it said would be lost', () =>
  scripted(async ({ client, next }) => {
    const { lines, ended } = reading(client);
    const watch = await next();
    watch.open();
    watch.write('{"n":1}\nupstream timed out\n{"n":2}\n');
    const error = await rejection(ended);
    assert.instance(error, TransientError);
    assert.match(error.message, client.server);
    assert.equal(lines, [{ n: 1 }]);
    await soon(watch.closed, 'the end of the watch');
  }));

test('a stream that is aborted ends without an error, and its connection with it', () =>
  scripted(async ({ client, next }) => {
    const stop = new AbortController();
    const { lines, ended, until } = reading(client, stop.signal);
    const watch = await next();
    watch.open();
    watch.write('{"n":1}\n');
    await until(1);
    stop.abort();
    await soon(ended, 'the end of the stream');
    await soon(watch.closed, 'the end of the connection');
    assert.is(lines.length, 1);
  }));

test('an answer that stops halfway is a transient failure after half a minute', () =>
  scripted(async ({ client, clock, next }) => {
    const call = get(client);
    const ended = rejection(call);
    const { open, write, closed } = await next();
    open();
    write('{"items":[');
    await clock.untilArmed();
    clock.advance(29_999);
    assert.is(clock.armed, 1);
    clock.advance(1);
    const error = await ended;
    assert.instance(error, TransientError);
    assert.match(error.message, 'broke off');
    await soon(closed, 'the end of the connection');
  }));

test('no timer is left of an answer that came', () =>
  scripted(async ({ client, clock, next }) => {
    const call = get(client);
    (await next()).answer(200, {});
    await call;
    assert.is(clock.armed, 0);
  }));

test('what a refusal means for whoever asked', () =>
  scripted(async ({ client, next }) => {
    const refusal = async (status: number, body: object | string, headers = {}): Promise<Error> => {
      const error = rejection(get(client));
      (await next()).answer(status, body, headers);
      return error;
    };
    assert.instance(await refusal(409, {}), ConflictError);
    for (const status of [400, 405, 406, 413, 415, 422])
      assert.instance(await refusal(status, { message: 'wrong', details: {} }), TerminalError, `HTTP ${status}`);
    assert.instance(await refusal(422, { message: 'the server rejected: test failed' }), ConflictError);
    for (const status of [401, 410, 429, 500, 503, 504])
      assert.instance(await refusal(status, 'no JSON'), TransientError, `HTTP ${status}`);
    const busy = (await refusal(429, { message: 'too many' }, { 'retry-after': '7' })) as TransientError;
    assert.is(busy.retryAfterMs, 7_000);
    assert.is(busy.message, 'GET /version: too many');
    const forbidden = (await refusal(403, { message: 'no' })) as ForbiddenError;
    assert.instance(forbidden, ForbiddenError);
    assert.is(forbidden.isTerminating, false);
    const causes = [{ reason: 'NamespaceTerminating' }];
    assert.is(((await refusal(403, { details: { causes } })) as ForbiddenError).isTerminating, true);
  }));

test('the outcome of a write is unknown where it was sent and had no proof of a refusal', () =>
  scripted(async ({ client, clock, next }) => {
    const write = (method: 'POST' | 'PATCH' | 'DELETE' | 'GET' = 'POST'): Promise<Error> =>
      rejection(client.call({ method, path: '/things', ...(method !== 'GET' && { body: {} }) }));
    const answered = async (status: number, body: object | string): Promise<Error> => {
      const error = write();
      (await next()).answer(status, body);
      return error;
    };
    for (const method of ['POST', 'PATCH', 'DELETE'] as const) {
      const error = write(method);
      (await next()).reset();
      assert.instance(await error, UnknownOutcomeError, method);
    }
    for (const status of [500, 502, 503, 504]) assert.instance(await answered(status, {}), UnknownOutcomeError);
    assert.instance(await answered(201, 'no JSON'), UnknownOutcomeError);
    const late = write();
    const exchange = await next();
    exchange.open();
    await clock.untilArmed();
    clock.advance(30_000);
    assert.instance(await late, UnknownOutcomeError);
    const read = write('GET');
    (await next()).reset();
    assert.not.instance(await read, UnknownOutcomeError);
    for (const status of [401, 403, 409, 410, 422, 429])
      assert.not.instance(await answered(status, {}), UnknownOutcomeError, `HTTP ${status}`);
  }));

test('a write to an API server that accepts no connection had no effect', () =>
  scripted(async ({ client, closeServer }) => {
    await closeServer();
    const error = await rejection(client.call({ method: 'POST', path: '/things', body: {} }));
    assert.instance(error, TransientError);
    assert.not.instance(error, UnknownOutcomeError);
  }));

const status404 = (details?: object): object => ({ kind: 'Status', code: 404, reason: 'NotFound', details });
const GADGET = '/apis/example.org/v1/namespaces/ns/gadgets/a';
const GADGET_DETAILS = { name: 'a', group: 'example.org', kind: 'gadgets' };

test('33.B1: only a Status that names the object, or its namespace, proves that it is not there (KUBE-ABSENCE-1)', () =>
  scripted(async ({ client, next, waiting }) => {
    const absent = async (path: string, details: object): Promise<void> => {
      const error = rejection(get(client, path));
      (await next()).answer(404, status404(details));
      assert.instance(await error, AbsentError, JSON.stringify(details));
      assert.is(waiting(), 0);
    };
    await absent(GADGET, GADGET_DETAILS);
    await absent(`${GADGET}/status?fieldManager=m&force=true`, GADGET_DETAILS);
    await absent(GADGET, { name: 'ns', kind: 'namespaces' });
    await absent('/apis/example.org/v1/namespaces/ns/gadgets', { name: 'ns', kind: 'namespaces' });
    await absent('/api/v1/namespaces/ns/secrets/a%2Db', { name: 'a-b', kind: 'secrets' });
    await absent('/api/v1/namespaces/ns', { name: 'ns', kind: 'namespaces' });
    await absent('/apis/example.org/v1/gadgets/a', GADGET_DETAILS);
  }));

test('33.B1: whatever else answers 404 says nothing of what is there (KUBE-ABSENCE-1)', () =>
  scripted(async ({ client, next }) => {
    const served = async (): Promise<void> => {
      const versions = [{ groupVersion: 'example.org/v1', version: 'v1' }];
      const groups = await next();
      assert.is(groups.path, '/apis');
      groups.answer(200, { kind: 'APIGroupList', groups: [{ name: 'example.org', versions }] });
      const kinds = await next();
      assert.is(kinds.path, '/apis/example.org/v1');
      kinds.answer(200, { kind: 'APIResourceList', resources: [{ name: 'gadgets' }, { name: 'gadgets/status' }] });
    };
    const wrong = [
      { ...GADGET_DETAILS, name: 'b' },
      { ...GADGET_DETAILS, kind: 'things' },
      { name: 'a' },
      {},
      undefined,
    ];
    const bodies = [
      ...wrong.map((details) => status404(details)),
      { ...status404(GADGET_DETAILS), reason: 'Expired' },
      { ...status404(GADGET_DETAILS), kind: 'Error' },
      { message: 'no healthy upstream' },
      '404 page not found',
      '<html></html>',
      '',
    ];
    for (const body of bodies) {
      const error = rejection(get(client, GADGET));
      (await next()).answer(404, body);
      await served();
      const known = await error;
      assert.instance(known, TransientError, JSON.stringify(body));
      assert.not.instance(known, AbsentError);
    }
    // Nor does it take away an object, or find that it has gone.
    const gadgets = { realm: 'example', group: 'example.org', version: 'v1', kind: 'Gadget', plural: 'gadgets' };
    const { get: read, remove } = objects({ client });
    const place = { namespace: 'ns', name: 'a', uid: 'u' };
    for (const run of [() => read(gadgets, 'ns', 'a'), () => remove(gadgets, place)]) {
      const error = rejection(run());
      (await next()).answer(404, '');
      await served();
      assert.instance(await error, TransientError);
    }
    const { ended } = reading(client);
    const end = rejection(ended);
    (await next()).answer(404, '');
    assert.instance(await end, TransientError);
  }));

test('33.B1: a kind is missing only if the lists of what is served are without it (KUBE-ABSENCE-2)', () =>
  scripted(async ({ client, next, waiting }) => {
    const list = '/apis/example.org/v1/gadgets?limit=500';
    const groups = (version: string): object => ({
      kind: 'APIGroupList',
      groups: [{ name: 'example.org', versions: [{ version }] }],
    });
    const asked = async (path: string, ...answers: readonly (object | string | number)[]): Promise<Error> => {
      const error = rejection(get(client, path));
      (await next()).answer(404, '404 page not found');
      for (const answer of answers)
        if (typeof answer === 'number') (await next()).answer(answer, {});
        else (await next()).answer(200, answer);
      const known = await error;
      assert.is(waiting(), 0);
      return known;
    };
    const others = { kind: 'APIResourceList', resources: [{ name: 'things' }] };
    assert.instance(await asked(list, { kind: 'APIGroupList', groups: [] }), AbsentError);
    assert.instance(await asked(list, groups('v2')), AbsentError);
    assert.instance(await asked(list, groups('v1'), others), AbsentError);
    assert.instance(await asked('/api/v1/gadgets', others), AbsentError);
    assert.instance(await asked('/apis/example.org/v1', groups('v2')), AbsentError);
    for (const answers of [[404], [503], ['no JSON'], [{}], [groups('v1'), 404], [groups('v1'), {}]])
      assert.instance(await asked(list, ...answers), TransientError, JSON.stringify(answers));
  }));

test('an answer that is not JSON is no answer', () =>
  scripted(async ({ client, next }) => {
    const call = rejection(get(client));
    (await next()).answer(200, '<html>');
    assert.instance(await call, TransientError);
  }));

test('however many watches there are, requests have connections of their own', () =>
  scripted(async ({ client, next }) => {
    const stop = new AbortController();
    const watches = Array.from({ length: 40 }, async (_, index) => {
      for await (const _event of client.stream(`/apis/g/v1/kind${index}?watch=1`, undefined, stop.signal));
    });
    for (const _watch of watches) (await next()).open();
    const call = client.call({ method: 'GET', path: '/version' });
    (await next()).answer(200, {});
    await call;
    stop.abort();
    await Promise.allSettled(watches);
  }));

test('the server’s time is that of the server', () =>
  scripted(async ({ client, clock, next }) => {
    const call = client.call({ method: 'GET', path: '/version' });
    (await next()).answer(200, {}, { date: 'Tue, 01 Jan 2030 12:00:00 GMT' });
    assert.is((await call).serverTime, clock.now() + 12 * 3_600_000);
  }));

test('a list is all of its pages', () =>
  scripted(async ({ client, next }) => {
    const metadata = (name: string) => ({ metadata: { name, uid: name, resourceVersion: '1' } });
    const listing = objects({ client }).list(SECRETS, 'ns', 'a');
    const first = await next();
    assert.is(first.path, '/api/v1/namespaces/ns/secrets');
    assert.equal(
      [...first.query],
      [
        ['limit', '500'],
        ['fieldSelector', 'metadata.name=a'],
      ],
    );
    first.answer(200, { metadata: { resourceVersion: '7', continue: 'more&' }, items: [metadata('a')] });
    const second = await next();
    assert.is(second.query.get('continue'), 'more&');
    second.answer(200, { metadata: { resourceVersion: '7' }, items: [metadata('b')] });
    const { items, resourceVersion } = await listing;
    assert.equal([items.map((item) => item.metadata.name), resourceVersion], [['a', 'b'], '7']);
  }));

test('33.C2: a page of more than 8 MiB is read no further, and asked for with half as many objects', () =>
  scripted(async ({ client, next }) => {
    const item = (name: string, text = '') => ({
      metadata: { name, uid: name, resourceVersion: '1', annotations: { a: text } },
    });
    const listing = objects({ client }).list(SECRETS);
    const large = Array.from({ length: 9 }, (_, at) => item(`l${at}`, 'x'.repeat(2 ** 20)));
    (await next()).answer(200, { metadata: { resourceVersion: '7' }, items: large });
    const half = await next();
    assert.equal([half.query.get('limit'), half.query.get('continue')], ['250', null]);
    half.answer(200, { metadata: { resourceVersion: '7', continue: 'c' }, items: [item('a')] });
    (await next()).answer(200, { metadata: { resourceVersion: '7' }, items: large });
    const again = await next();
    assert.equal([again.query.get('limit'), again.query.get('continue')], ['125', 'c']);
    again.answer(200, { metadata: { resourceVersion: '7' }, items: [item('b')] });
    const { items } = await listing;
    assert.equal(
      items.map(({ metadata }) => metadata.name),
      ['a', 'b'],
    );
  }));

test('33.C2: however many lists are asked for at once, two pages are read at a time', () =>
  scripted(async ({ client, next, waiting }) => {
    const { list } = objects({ client });
    const lists = ['a', 'b', 'c'].map((namespace) => list(SECRETS, namespace));
    const answered = { metadata: { resourceVersion: '7' }, items: [] };
    const [first, second] = [await next(), await next()];
    // What is asked for after the three arrives before the third of them.
    const other = get(client);
    const third = await next();
    assert.is(third.path, '/version');
    third.answer(200, {});
    await other;
    assert.is(waiting(), 0);
    first.answer(200, answered);
    (await next()).answer(200, answered);
    second.answer(200, answered);
    await Promise.all(lists);
  }));

test('a list whose next page is kept no more is asked for once more, all at once', () =>
  scripted(async ({ client, next }) => {
    const metadata = (name: string) => ({ metadata: { name, uid: name, resourceVersion: '1' } });
    const listing = objects({ client }).list(SECRETS, 'ns', 'a');
    (await next()).answer(200, { metadata: { resourceVersion: '7', continue: 'more' }, items: [metadata('gone')] });
    (await next()).answer(410, { message: 'the provided continue parameter is too old', code: 410 });
    const whole = await next();
    assert.equal([...whole.query], [['fieldSelector', 'metadata.name=a']]);
    whole.answer(200, { metadata: { resourceVersion: '9' }, items: [metadata('a')] });
    const { items, resourceVersion } = await listing;
    assert.equal([items.map((item) => item.metadata.name), resourceVersion], [['a'], '9']);
  }));

test('a list that is asked for all at once may be larger than a page', () =>
  scripted(async ({ client, next }) => {
    const item = (name: string, a = '') => ({
      metadata: { name, uid: name, resourceVersion: '1', annotations: { a } },
    });
    const listing = objects({ client }).list(SECRETS);
    (await next()).answer(200, { metadata: { resourceVersion: '7', continue: 'more' }, items: [item('gone')] });
    (await next()).answer(410, { message: 'too old', code: 410, metadata: { continue: 'the rest' } });
    const large = Array.from({ length: 9 }, (_, at) => item(`l${at}`, 'x'.repeat(2 ** 20)));
    (await next()).answer(200, { metadata: { resourceVersion: '9' }, items: large });
    const { items, resourceVersion } = await listing;
    assert.equal([items.length, resourceVersion], [9, '9']);
  }));

test('a list that is kept no more has failed: that says nothing of what is there', () =>
  scripted(async ({ client, next }) => {
    const listing = rejection(objects({ client }).list(SECRETS));
    (await next()).answer(410, { message: 'too old', code: 410 });
    const error = await listing;
    assert.not.instance(error, AbsentError);
    assert.instance(error, TransientError);
  }));

test.run();
