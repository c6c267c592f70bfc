// What the page's server gives, and to whom.
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { assets } from '../../../actors/visualizer/files.ts';
import { serveVisualizer } from '../../../actors/visualizer/server.ts';
import { SseStream } from '../../../actors/visualizer/sse-stream.ts';
import type { Changes, Steps, Tree } from '../../../actors/visualizer/wire.ts';
import { bundlePage } from '../../../deploy/bundle-page.ts';
import { simulatedClock } from '../../world/clock.ts';
import { Scripted } from './scripted.ts';

const test = suite("the page's server");
const clock = simulatedClock();

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A request as it is written: `fetch` would tidy the path. */
async function ask(
  port: number,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
): Promise<Answer> {
  const sent = httpRequest({ host: '127.0.0.1', port, path, method, headers });
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  let body = '';
  response.setEncoding('utf8');
  for await (const chunk of response) body += chunk;
  return { status: response.statusCode ?? 0, headers: response.headers, body };
}

async function withServer(
  token: string | undefined,
  run: (port: number, source: Scripted) => Promise<void>,
): Promise<void> {
  const source = new Scripted(() => clock.now());
  const server = await serveVisualizer({ source, clock, token, address: { host: '127.0.0.1', port: 0 } });
  try {
    await run(Number(new URL(server.url).port), source);
  } finally {
    await server.close();
  }
}

test('without a token only who names this machine is answered (UI-SERVER-1)', () =>
  withServer(undefined, async (port) => {
    assert.is((await ask(port, '/api/hello')).status, 200);
    assert.is((await ask(port, '/api/hello', { host: `localhost:${port}` })).status, 200);
    for (const host of ['evil.example', `evil.example:${port}`, '127.0.0.1.evil.example', 'localhost.evil.example']) {
      assert.is((await ask(port, '/api/hello', { host })).status, 421, host);
    }
  }));

test('33.C5: a page of another site gets nothing, though a link there may lead here (UI-SERVER-5)', () =>
  withServer(undefined, async (port) => {
    const own = `http://127.0.0.1:${port}`;
    for (const path of ['/', '/api/hello', '/page/main.js']) {
      for (const site of ['cross-site', 'same-site']) {
        const embedded = { 'sec-fetch-site': site, 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'script' };
        assert.is((await ask(port, path, embedded)).status, 403, path);
        const framed = { 'sec-fetch-site': site, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' };
        assert.is((await ask(port, path, framed)).status, 403, path);
      }
      assert.is((await ask(port, path, { origin: 'https://evil.example' })).status, 403, path);
      assert.is((await ask(port, path, { origin: own, host: `127.0.0.1:${port}` })).status, 200, path);
      assert.is((await ask(port, path, { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' })).status, 200);
      assert.is((await ask(port, path, { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' })).status, 200);
    }
    const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
    assert.is((await ask(port, '/', link)).status, 200);
  }));

test('33.C5: a file is kept once, however its path is spelled', () => {
  const { find } = assets();
  const page = String(find('/')?.bytes);
  const path = /"elkjs":\s*"([^"]+)"/.exec(page)?.[1] ?? '';
  const file = find(path);
  assert.ok(file?.lasting);
  const name = path.slice(path.lastIndexOf('/') + 1);
  const encoded = `%${name.charCodeAt(0).toString(16)}${name.slice(1)}`;
  const folder = path.slice(0, -name.length);
  for (const spelled of [`${folder}${encoded}`, `${folder}./${name}`, `${folder}x/../${name}`, `${folder}/${name}`])
    assert.is(find(spelled), file, spelled);
});

test('35.A: the page names all its modules at once: a browser waits for none of them to learn of the next', () => {
  const { find } = assets();
  const links = [...String(find('/')?.bytes).matchAll(/rel="modulepreload" href="([^"]+)"/g)].map(
    ([, path = '']) => path,
  );
  assert.ok(links.length > 40, String(links.length));
  for (const path of links) assert.ok(find(path), path);
  const named = links.map((path) => path.split('/').at(-1));
  for (const name of ['main.js', 'feed.ts', 'map.ts', 'lit-html.js', 'repeat.js'])
    assert.ok(named.includes(name), name);
});

test('35.A: the package holds the page as one module and one style sheet, beside the feed, which begins before them', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-page-'));
  try {
    await bundlePage(folder);
    const { find } = assets(folder);
    const markup = String(find('/')?.bytes);
    const named = (pattern: RegExp): readonly string[] => [...markup.matchAll(pattern)].map(([, path = '']) => path);
    assert.equal(named(/modulepreload" href="([^"]+)"/g).toSorted(), ['/page/feed.ts', '/page/main.js']);
    assert.equal(named(/stylesheet" href="([^"]+)"/g), ['/page/page.css']);
    // A script behind a style sheet waits for it, but for an asynchronous one.
    assert.match(markup, /<script type="module" async src="\/page\/feed.ts">/);
    const [main = '', feed = '', styles = ''] = ['main.js', 'feed.ts', 'page.css'].map((name) =>
      String(find(`/page/${name}`)?.bytes),
    );
    assert.equal(
      [...main.matchAll(/\bfrom\s*"(\.[^"]+)"/g)].map(([, path]) => path),
      ['./feed.ts'],
    );
    assert.match(feed, '/api/feed');
    for (const rule of ['.top', '.hist', '.card', '.inspector', '.tl']) assert.match(styles, rule);
    assert.ok(gzipSync(main).length < 60_000, 'smaller than the budget of the page code');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('what is open to others needs a token', async () => {
  const source = new Scripted(() => clock.now());
  for (const host of ['', '0.0.0.0', '192.0.2.1']) {
    try {
      await serveVisualizer({ source, clock, token: undefined, address: { host, port: 0 } });
      assert.unreachable(host);
    } catch (error) {
      assert.match((error as Error).message, /--visualizer-token-file/);
    }
  }
});

test('where the page is says no token: the link alone, which is for no log, does', async () => {
  const source = new Scripted(() => clock.now());
  const server = await serveVisualizer({ source, clock, token: 's3cr3t', address: { host: '127.0.0.1', port: 0 } });
  await server.close();
  assert.not.match(server.url, /s3cr3t/);
  assert.is(server.link, `${server.url}?token=s3cr3t`);
});

test('a token lets in as a bearer, and by a link, which leaves a cookie and no trace in the address (UI-SERVER-1)', () =>
  withServer('s3cr3t/+', async (port) => {
    for (const path of ['/', '/api/hello', '/api/feed', '/page/main.ts', '/?token=wrong', '/api/hello?token=s3cr3t']) {
      assert.is((await ask(port, path)).status, 401, path);
    }
    assert.is((await ask(port, '/api/hello', { authorization: 'Bearer s3cr3t/+' })).status, 200);
    assert.is((await ask(port, '/api/hello', { authorization: 'Bearer s3cr3t' })).status, 401);
    const { status, headers } = await ask(port, `/?token=${encodeURIComponent('s3cr3t/+')}`);
    assert.equal([status, headers.location], [303, '/']);
    const [cookie = ''] = headers['set-cookie'] ?? [];
    assert.match(cookie, /; HttpOnly; SameSite=Strict$/);
    assert.is((await ask(port, '/api/hello', { cookie: `a=b; ${cookie.split(';')[0]}` })).status, 200);
    assert.is((await ask(port, '/api/hello', { cookie: 'troupe-token=%E0%A4%A' })).status, 401);
  }));

test('files of the page and of its libraries are given, and no others', () =>
  withServer(undefined, async (port) => {
    const { status, headers, body } = await ask(port, '/');
    assert.is(status, 200);
    assert.match(String(headers['content-security-policy']), /default-src 'none'.*require-trusted-types-for 'script'/);
    assert.not.match(String(headers['content-security-policy']), /unsafe/);
    assert.is(headers['x-content-type-options'], 'nosniff');
    const module = await ask(port, '/page/main.ts');
    assert.match(String(module.headers['content-type']), /^text\/javascript/);
    assert.not.match(module.body, /^import type/m);
    assert.is((await ask(port, '/page/main.js')).status, 200, 'as the build names it');
    assert.is((await ask(port, '/adapters/text/shell-word.ts')).status, 200, 'the page imports it');
    const { imports } = JSON.parse(/<script type="importmap">(.*)<\/script>/.exec(body)?.[1] ?? '{}') as {
      imports: Record<string, string>;
    };
    for (const [name, path] of Object.entries(imports).filter(([, path]) => !path.endsWith('/'))) {
      const library = await ask(port, path);
      assert.equal([library.status, /immutable/.test(String(library.headers['cache-control']))], [200, true], name);
    }
    const lit = imports['lit-html/'] ?? '';
    for (const path of [
      '/page/../server.ts',
      '/adapters/text/without-end.ts',
      '/page/..%2fserver.ts',
      '/page/%2e%2e/server.ts',
      '/page/tsconfig.json',
      '/page/',
      '/page/none.ts',
      '/page/main.ts%00',
      `${lit}package.json`,
      `${lit}..%2f@nats-io/transport-node/index.js`,
      `${lit}../@nats-io/transport-node/index.js`,
      '/lib/@nats-io/transport-node@3.4.0/index.js',
      '/etc/passwd',
      '/api/none',
      '/api/machines/none',
    ]) {
      assert.is((await ask(port, path)).status, 404, path);
    }
    assert.is((await ask(port, '/api/hello', {}, 'POST')).status, 405);
    const { etag = '' } = module.headers;
    assert.is((await ask(port, '/page/main.ts', { 'if-none-match': etag })).status, 304);
  }));

test('whoever leaves is followed no more', () =>
  withServer(undefined, async (port, source) => {
    const sent = httpRequest({ host: '127.0.0.1', port, path: '/api/feed' });
    sent.end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    await once(response, 'data');
    assert.is(source.followers, 1);
    sent.destroy();
    for (let tries = 0; tries < 200 && source.followers > 0; tries++) await clock.sleep(10);
    assert.is(source.followers, 0);
  }));

function tree(key: string, state: string): Tree {
  const rest = { kind: 'Network', namespace: 'n', name: key, uid: key, since: 0, createdAt: 0, said: '', needs: [] };
  const more = { attempts: 0, retryAt: 0, id: '', addresses: [] };
  return { key, state, tone: 'busy', ...rest, ...more };
}

test('a slow reader gets the last value of each object, and nothing piles up (UI-SERVER-2)', async () => {
  const stream = new PassThrough({ highWaterMark: 1_000 });
  const response = Object.assign(stream, {
    writeHead: () => response,
    flushHeaders: () => undefined,
  }) as unknown as ServerResponse;
  const feed = new SseStream(response, clock);
  const steps = [{ key: 'a', at: 1, from: 'x', to: 'y', cause: 'c', tone: 'busy' as const }];
  for (let number = 0; number < 5_000; number++) {
    feed.onChanges({
      at: number,
      trees: [tree('a', `s${number}`), tree(`k${number % 7}`, 's')],
      gone: ['gone'],
      steps,
      missed: 0,
    });
  }
  assert.ok(stream.readableLength < 10_000, `${stream.readableLength} bytes wait`);
  const events: Changes[] = [];
  stream.setEncoding('utf8').on('data', (text: string) => {
    for (const [, data = ''] of text.matchAll(/^data: (.*)$/gm)) events.push(JSON.parse(data) as Changes);
  });
  while (events.at(-1)?.at !== 4_999) await clock.sleep(5);
  feed.close();
  const last = events.at(-1) as Changes;
  assert.is(last.trees.find(({ key }) => key === 'a')?.state, 's4999');
  assert.equal([last.trees.length, last.steps.length, last.gone], [8, 2_000, ['gone']]);
  const reported = events.reduce((sum, { steps: { length }, missed }) => sum + length + missed, 0);
  assert.is(reported, 5_000, 'what is left out is counted');
});

test('a slow reader gets a problem after the snapshot that clears the banner', async () => {
  const stream = new PassThrough({ highWaterMark: 100 });
  const response = Object.assign(stream, {
    writeHead: () => response,
    flushHeaders: () => undefined,
  }) as unknown as ServerResponse;
  const feed = new SseStream(response, clock);
  const snapshot = { at: 1, trees: [tree('a', 's')] };
  feed.onSnapshot(snapshot);
  feed.onTrouble({ what: 'the bus is away' });
  feed.onSnapshot({ ...snapshot, at: 2 });
  const events: string[] = [];
  stream.setEncoding('utf8').on('data', (text: string) => {
    for (const [, name = ''] of text.matchAll(/^event: (.*)$/gm)) events.push(name);
  });
  while (events.length < 3) await clock.sleep(5);
  feed.close();
  assert.equal(events, ['snapshot', 'snapshot', 'problem']);
});

test('an answer that several readers share is written as text once', async () => {
  let written = 0;
  const steps = { keys: ['a'.repeat(2_000)], texts: [], rows: [], truncated: false };
  const answer = {
    ...steps,
    toJSON(): Steps {
      written += 1;
      return steps;
    },
  };
  const source = new Scripted(() => clock.now());
  source.history = async () => answer;
  const server = await serveVisualizer({ source, clock, token: undefined, address: { host: '127.0.0.1', port: 0 } });
  const port = Number(new URL(server.url).port);
  const zipped = { 'accept-encoding': 'gzip' };
  const bodies = await Promise.all([1, 2, 3].map(() => ask(port, '/api/history')));
  const compressed = await Promise.all([1, 2].map(() => ask(port, '/api/history', zipped)));
  await server.close();
  assert.is(written, 1);
  for (const { body } of bodies) assert.equal(JSON.parse(body), steps);
  for (const { headers } of compressed) assert.is(headers['content-encoding'], 'gzip');
});

test.run();
