// long
// The development server: where its program comes from, and that it ends with its parent.
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { natsBus } from '../../bus/nats-bus.ts';
import { type NatsProgramOptions, natsProgram, OlderServerError } from '../../bus/nats-program.ts';
import { type NatsServerOptions, startNatsServer } from '../../bus/nats-server.ts';
import { natsVersion, recordWriter, writtenBy } from '../../bus/nats-store-version.ts';
import { findNatsServer } from '../world/environments.ts';
import { clock, rejection, until } from './harness.ts';

const natsFound = await findNatsServer();
const test = suite('nats server');
const run = promisify(execFile);
const PATH = process.env['PATH'] ?? '';

async function scratch(body: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-server-'));
  try {
    await body(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const nowhere = (): Promise<never> => Promise.reject(new TypeError('fetch failed', { cause: new Error('no network') }));

function program(folder: string, options: Partial<NatsProgramOptions> = {}): NatsProgramOptions {
  const cacheFolder = join(folder, 'cache');
  return { program: undefined, path: '', cacheFolder, fetch: nowhere, onProgress: () => undefined, ...options };
}

async function found(folder: string): Promise<NatsServerOptions> {
  const cacheFolder = join(homedir(), '.cache', 'troupe');
  const fetch = globalThis.fetch;
  const named = process.env['TROUPE_NATS_SERVER'];
  return {
    ...program(folder, { program: named, path: PATH, cacheFolder, fetch }),
    folder: join(folder, 'server'),
    clock,
  };
}

async function fakeProgram(folder: string, text: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'nats-server'), `#!/bin/sh\n${text}\n`);
  await chmod(join(folder, 'nats-server'), 0o755);
  return join(folder, 'nats-server');
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test('a named program is taken before one on the PATH, that before one in the cache', () =>
  scratch(async (folder) => {
    const named = await fakeProgram(join(folder, 'named'), 'true');
    const onPath = await fakeProgram(join(folder, 'path'), 'true');
    const cached = await fakeProgram(join(folder, 'cache'), 'true');
    const path = `/nowhere:${join(folder, 'path')}`;
    assert.is(await natsProgram(program(folder, { program: named, path })), named);
    assert.is(await natsProgram(program(folder, { path })), onPath);
    assert.is(await natsProgram(program(folder)), cached);
    const wrong = await rejection(natsProgram(program(folder, { program: '/nowhere/nats-server', path })));
    assert.is(wrong.message, "TROUPE_NATS_SERVER must name a program; got '/nowhere/nats-server'");
  }));

test('where none can be had, one line says why and names the variable', () =>
  scratch(async (folder) => {
    const { message } = await rejection(natsProgram(program(folder)));
    assert.is(
      message,
      'no nats-server on the PATH and none could be fetched (fetch failed: no network; there is no apt): ' +
        'set TROUPE_NATS_SERVER to one',
    );
    assert.equal(await readdir(join(folder, 'cache')), []);
  }));

test('of those at hand the newest is taken, for a folder that is new and for one of an older server', () =>
  scratch(async (folder) => {
    const old = await fakeProgram(join(folder, 'path'), 'echo nats-server: v2.9.10');
    const cached = await fakeProgram(join(folder, 'cache'), 'echo nats-server: v2.10.2');
    const named = await fakeProgram(join(folder, 'named'), 'echo nats-server: v2.9.10');
    const path = join(folder, 'path');
    assert.is(await natsProgram(program(folder, { path })), cached);
    assert.is(await natsProgram(program(folder, { path, program: named })), named);
    const store = { folder, writtenBy: '2.9.10' };
    assert.is(await natsProgram(program(folder, { path, store })), cached);
    await rm(cached);
    assert.is(await natsProgram(program(folder, { path, store: { folder, writtenBy: '2.9.25' } })), old, 'a patch');
  }));

test('a folder of a newer server is not opened by an older one: it is said at once, with what helps (BUS-NATS-SERVER-4)', () =>
  scratch(async (folder) => {
    const data = join(folder, 'server');
    await mkdir(join(data, 'data'), { recursive: true });
    const started = join(folder, 'started');
    const old = await fakeProgram(join(folder, 'bin'), `[ "$1" = --version ] && echo v2.9.10 || touch ${started}`);
    const options = { ...program(folder, { path: join(folder, 'bin') }), folder: data, clock };
    const says = async (): Promise<void> => {
      for (const how of [options, { ...options, program: old }]) {
        const error = await rejection(startNatsServer(how));
        assert.instance(error, OlderServerError);
        for (const part of [`'${data}' was written by nats-server 2.12.3`, `found was 2.9.10 ('${old}')`])
          assert.ok(error.message.includes(part), error.message);
        for (const part of ['TROUPE_NATS_SERVER to 2.12.3 or later', 'a new folder', `remove '${join(data, 'data')}'`])
          assert.ok(error.message.includes(part), error.message);
      }
      assert.not((await readdir(folder)).includes('started'));
    };
    // Before it was recorded, only the log said so.
    await writeFile(join(data, 'nats.log'), '[7] [INF]   Version:  2.9.10\n[9] [INF]   Version:  2.12.3\n');
    await says();
    await rm(join(data, 'nats.log'));
    await recordWriter(data, '2.12.3');
    await says();
    // Nothing is stored: nothing has to be read.
    await rm(join(data, 'data'), { recursive: true });
    assert.match((await rejection(startNatsServer(options))).message, 'did not start');
    assert.ok((await readdir(folder)).includes('started'));
  }));

test('who writes a folder is recorded before it begins, and an older patch changes nothing (BUS-NATS-SERVER-4)', () =>
  scratch(async (folder) => {
    const options = await found(folder);
    const server = await startNatsServer(options);
    const version = await natsVersion(server.program);
    assert.match(version ?? '', /^\d+\.\d+\.\d+$/);
    assert.is(await writtenBy(options.folder), version);
    await server.close();
    await recordWriter(options.folder, String(version).replace(/\d+$/, '9999'));
    await (await startNatsServer(options)).close();
    assert.match((await writtenBy(options.folder)) ?? '', /\.9999$/);
  }));

test('a release is fetched, checked and unpacked into the cache, once', () =>
  scratch(async (folder) => {
    const name = `nats-server-v9.9.9-linux-${process.arch === 'arm64' ? 'arm64' : 'amd64'}`;
    await fakeProgram(join(folder, name), 'echo release');
    await run('tar', ['-czf', 'release.tar.gz', name], { cwd: folder });
    const archive = await readFile(join(folder, 'release.tar.gz'));
    const sum = createHash('sha256').update(archive).digest('hex');
    let published = sum;
    const asked: string[] = [];
    const site = createServer((request, response) => {
      asked.push(String(request.url));
      if (request.url === `/v9.9.9/${name}.tar.gz`) response.end(archive);
      else if (request.url === '/v9.9.9/SHA256SUMS') response.end(`00  other.tar.gz\n${published}  ${name}.tar.gz\n`);
      else response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = site.address() as { port: number };
      const release = { version: '9.9.9', folder: `http://127.0.0.1:${port}/v9.9.9`, sha256: {} };
      const path = '/usr/bin:/bin'.split(':').map((each) => join(folder, 'bin', each.replaceAll('/', '')));
      const tools = path[0] ?? '';
      await mkdir(tools, { recursive: true });
      for (const tool of ['tar', 'gzip'])
        await writeFile(join(tools, tool), `#!/bin/sh\nPATH=/usr/bin:/bin exec ${tool} "$@"\n`, { mode: 0o755 });
      const lines: string[] = [];
      const options = program(folder, {
        fetch: globalThis.fetch,
        path: tools,
        release,
        onProgress: (line) => lines.push(line),
      });

      published = '0'.repeat(64);
      assert.match((await rejection(natsProgram(options))).message, `has the checksum ${sum}, not 0000`);
      const pinned = { ...release, sha256: { [`${name}.tar.gz`]: '1'.repeat(64) } };
      assert.match((await rejection(natsProgram({ ...options, release: pinned }))).message, 'not 1111');
      const old = { ...release, version: '8.8.8' };
      assert.match((await rejection(natsProgram({ ...options, release: old }))).message, 'answered 404');
      assert.equal(await readdir(join(folder, 'cache')), []);

      published = sum;
      const [first, second] = await Promise.all([natsProgram(options), natsProgram(options)]);
      assert.is(first, join(folder, 'cache', 'nats-server'));
      assert.is(second, first);
      assert.is((await run(first)).stdout, 'release\n');
      assert.match(lines[0] ?? '', `fetching ${name} from 127.0.0.1:${port} into the cache`);
      const before = asked.length;
      assert.is(await natsProgram(options), first);
      assert.is(asked.length, before);
      assert.equal(await readdir(join(folder, 'cache')), ['nats-server']);
    } finally {
      site.close();
    }
  }));

test('a package of Debian that is known must be what it was; of others the line says who vouches for them', () =>
  scratch(async (folder) => {
    const tools = join(folder, 'bin');
    await mkdir(tools);
    const file = 'nats-server_9.9.9-1_amd64.deb';
    const tool = (name: string, text: string): Promise<void> =>
      writeFile(join(tools, name), `#!/bin/sh\nPATH=/usr/bin:/bin\n${text}\n`, { mode: 0o755 });
    await tool('apt-get', `printf "$(cat ${join(folder, 'content')})" >${file}`);
    await tool('dpkg-deb', `mkdir -p "$3/usr/sbin" && printf '#!/bin/sh\necho unpacked\n' >"$3/usr/sbin/nats-server"`);
    const packages = { [file]: createHash('sha256').update('as it was').digest('hex') };
    const lines: string[] = [];
    const options = program(folder, { path: tools, packages, onProgress: (line) => lines.push(line) });

    await writeFile(join(folder, 'content'), 'as it was not');
    const { message } = await rejection(natsProgram(options));
    assert.match(message, `'${file}' has the checksum`);
    assert.match(message, `not ${packages[file]}`);
    assert.equal(await readdir(join(folder, 'cache')), []);

    const unknown = await natsProgram({ ...options, packages: {}, cacheFolder: join(folder, 'other') });
    assert.is((await run(unknown)).stdout, 'unpacked\n');
    assert.match(lines.at(-1) ?? '', 'has no checksum here');

    await writeFile(join(folder, 'content'), 'as it was');
    lines.length = 0;
    assert.is((await run(await natsProgram(options))).stdout, 'unpacked\n');
    assert.equal(
      lines.filter((line) => line.includes('checksum')),
      [],
    );
  }));

test('only who may read the configuration can connect; a second start finds data and password', () =>
  scratch(async (folder) => {
    const options = await found(folder);
    const first = await startNatsServer(options);
    for (const file of ['nats.conf', 'password']) {
      assert.is((await stat(join(options.folder, file))).mode & 0o777, 0o600);
    }
    assert.match(first.url, /^nats:\/\/troupe:[0-9a-f]{48}@127\.0\.0\.1:\d+$/);
    const open = new URL(first.url);
    const strange = await rejection(natsBus({ url: `nats://${open.host}`, process: 'x', clock }));
    assert.match(strange.message, 'it refuses us');
    const bus = await natsBus({ url: first.url, process: 'x', clock });
    const { id } = bus.mailbox.epoch();
    await bus.close();
    await first.close();
    await first.close();
    assert.not(isAlive(first.pid));
    const second = await startNatsServer({ ...options, port: Number(open.port) });
    assert.is(second.url, first.url);
    const again = await natsBus({ url: second.url, process: 'x', clock });
    assert.is(again.mailbox.epoch().id, id);
    await again.close();
    await second.close();
  }));

test('an end of the server by itself is told', () =>
  scratch(async (folder) => {
    const server = await startNatsServer(await found(folder));
    process.kill(server.pid, 'SIGKILL');
    await server.exited;
    await server.close();
  }));

test('a server that does not start says why', () =>
  scratch(async (folder) => {
    const broken = await fakeProgram(join(folder, 'bin'), 'exit 3');
    const options = { ...program(folder, { program: broken }), folder: join(folder, 'server'), clock };
    assert.match((await rejection(startNatsServer(options))).message, `'${broken}' did not start: it wrote no log`);
    const real = await found(folder);
    const taken = await startNatsServer(real);
    const port = Number(new URL(taken.url).port);
    const other = { ...real, folder: join(folder, 'other'), port };
    assert.match((await rejection(startNatsServer(other))).message, 'address already in use');
    await taken.close();
  }));

test('the server ends with its parent, even when that is killed (BUS-NATS-SERVER-1)', () =>
  scratch(async (folder) => {
    for (const signal of ['SIGKILL', 'SIGTERM', 'SIGINT'] as const) {
      const parent = spawn(process.execPath, [fileURLToPath(new URL('nats-server.parent.ts', import.meta.url))], {
        env: { ...process.env, FOLDER: join(folder, signal) },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let text = '';
      parent.stdout.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      const ended = new Promise((resolve) => parent.once('close', resolve));
      await until('the start', () => text.includes('\n'));
      const pid = Number(text);
      assert.ok(isAlive(pid));
      parent.kill(signal);
      await ended;
      await until(`the server’s end after ${signal}`, () => !isAlive(pid));
    }
  }));

if ('refusal' in natsFound) console.log(`skipped: ${natsFound.refusal}`);
else test.run();
