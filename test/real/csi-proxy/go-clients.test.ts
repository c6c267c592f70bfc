// needs: wine go
// Go programs of the form that drivers have, built with versions of gRPC that put the path of the pipe into `:authority` and
// with some that do not, call all kinds of servers of this repository; and this repository's client calls one of theirs. On Unix
// sockets, and on the named pipes of Wine.
import { type ChildProcess, execFileSync, fork, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { pipePath } from '../../../adapters/csi-proxy/base/pipes.ts';
import { openConnection } from '../../../adapters/csi-proxy/client/open-connection.ts';
import { clock, echoMethod, freshPrefix, until } from '../../adapters/csi-proxy/echo-group.ts';
import { buildExecutable } from './built.ts';
import { forwardingDll } from './forwarding-dll.ts';
import { forWine, hasWine, NO_WINE, until as soon, underWine, windows } from './wine.ts';

/** Up to 1.56 the authority is the raw path; later it is percent-encoded. */
const GRPC_VERSIONS = ['1.38.0', '1.47.0', '1.54.0', '1.56.3', '1.58.3', '1.85.0'];
const CALLS = 20;
/** To a server of Go under Wine, which loses connections that it has just taken: each costs seconds. */
const CONNECTIONS = 5;
/** What programs of Go ask for random bytes; Wine 8 does not have it. */
const RANDOM = {
  library: 'bcryptprimitives.dll',
  function: 'ProcessPrng',
  target: 'advapi32.SystemFunction036',
};
/** Of a program under Wine, in milliseconds. */
const WINE_LIMIT_MS = 120_000;

const SOURCES = fileURLToPath(new URL('./go/', import.meta.url));
const SERVED_GROUPS = fileURLToPath(new URL('../../adapters/csi-proxy/served-groups.ts', import.meta.url));

/** The program of `go/`, with a version of gRPC. @returns its path; undefined: that version cannot be had here */
function built(folder: string, version: string): string | undefined {
  const place = join(folder, version);
  mkdirSync(place);
  for (const name of readdirSync(SOURCES)) copyFileSync(join(SOURCES, name), join(place, name));
  const requires = ['github.com/Microsoft/go-winio v0.6.2', `google.golang.org/grpc v${version}`];
  writeFileSync(
    join(place, 'go.mod'),
    `module pipes\n\ngo 1.21\n\n${requires.map((each) => `require ${each}\n`).join('')}`,
  );
  const options = { cwd: place, env: { ...process.env, CGO_ENABLED: '0' } };
  if (spawnSync('go', ['mod', 'tidy'], options).status !== 0) return undefined;
  execFileSync('go', ['build', '-o', 'pipes', '.'], options);
  if (hasWine) {
    execFileSync('go', ['build', '-o', 'pipes.exe', '.'], { ...options, env: { ...options.env, GOOS: 'windows' } });
  }
  return join(place, 'pipes');
}

if (spawnSync('go', ['version']).status !== 0) {
  process.stdout.write('skipped: no Go\n');
} else {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-go-'));
  const programs = GRPC_VERSIONS.map((version) => ({ version, program: built(folder, version) }));
  if (programs.some(({ program }) => program === undefined)) {
    process.stdout.write('skipped: the modules of Go cannot be had\n');
    rmSync(folder, { recursive: true });
  } else {
    const test = suite('csi-proxy, clients of Go');

    test('every version of gRPC is served', async () => {
      const { prefix, remove } = freshPrefix();
      const server: ChildProcess = fork(SERVED_GROUPS, [prefix]);
      await once(server, 'message');
      const results = programs.map(({ version, program = '' }) => {
        const result = join(folder, `${version}.result`);
        const path = pipePath('disk', 'v1', prefix);
        execFileSync(program, ['call', path, '/v1.Disk/ListDiskIDs', String(CALLS), result]);
        return `${version}: ${readFileSync(result, 'utf8')}`;
      });
      assert.equal(
        results,
        GRPC_VERSIONS.map((version) => `${version}: ok`),
      );
      const exit = once(server, 'exit');
      server.send('stop');
      await exit;
      remove();
    });

    test('a server of Go is called, connection after connection', async () => {
      const { prefix, remove } = freshPrefix();
      const path = pipePath('test', 'v1', prefix);
      const server = spawn(programs[0]?.program ?? '', ['serve', path], { stdio: 'ignore' });
      const exit = once(server, 'exit');
      await until(async () => {
        try {
          (await openConnection(path, { clock })).close();
          return true;
        } catch {
          return false;
        }
      }, 'the server of Go is there');
      for (let each = 0; each < CALLS; each++) {
        const connection = await openConnection(path, { clock });
        assert.is((await connection.call(echoMethod('v1', 'Echo'), { text: 'there' }, {})).text, 'there');
        connection.close();
      }
      server.kill();
      await exit;
      remove();
    });

    if (hasWine) {
      test('on named pipes every version of gRPC is served, and a server of Go is called', async () => {
        const built = buildExecutable();
        await underWine(async (wine) => {
          const place = (name: string): string => join(wine.folder, name);
          writeFileSync(join(wine.system, RANDOM.library), forwardingDll(RANDOM));
          const result = async (program: string, args: (file: string) => readonly string[], name: string) => {
            const [file, log] = [place(`${name}.result`), place(`${name}.log`)];
            const child = wine.start(program, args(windows(file)), log);
            await soon(() => existsSync(file) || child.exitCode !== null, WINE_LIMIT_MS, `${name} has called`);
            return readFileSync(existsSync(file) ? file : log, 'utf8');
          };

          wine.start(forWine(built.executable, place('csi-proxy.exe')), ['-host=memory'], place('serve.log'));
          await soon(() => readFileSync(place('serve.log'), 'utf8').includes('"serving"'), WINE_LIMIT_MS, 'it serves');
          for (const { version, program } of programs) {
            const pipe = '\\\\.\\pipe\\csi-proxy-disk-v1';
            const args = (file: string) => ['call', pipe, '/v1.Disk/ListDiskIDs', String(CALLS), file];
            assert.is(await result(`${program}.exe`, args, version), 'ok', version);
          }

          const echo = '\\\\.\\pipe\\csi-proxy-test-v1';
          wine.start(`${programs[0]?.program}.exe`, ['serve', echo], place('go.log'));
          const node = forWine(built.node, place('node.exe'));
          const script = windows(fileURLToPath(new URL('./echo-calls.ts', import.meta.url)));
          assert.is(
            await result(node, (file) => [script, file, echo, String(CONNECTIONS)], 'calls'),
            String(CONNECTIONS),
          );
        });
      });
    } else process.stdout.write(NO_WINE);
    test.run();
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  }
}
