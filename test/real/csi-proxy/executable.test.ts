// apart
// limit: 900 s
// csi-proxy.exe as an administrator gets it, under Wine: built, started, called, and its log as files.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { allServices } from '../../../adapters/csi-proxy/client/all_services_generated.ts';
import { clock } from '../../adapters/csi-proxy/echo-group.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const BUILT = join(ROOT, '.csi-proxy');
const LARGEST_BYTES = 130e6;
/** What may be the process's own. */
const PRIVATE_BYTES = 90e6;
const CALLS = 1_000;
const START_LIMIT_MS = 180_000;
const CALLS_LIMIT_MS = 300_000;
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };

const test = suite('csi-proxy.exe');

/** Windows, as far as Wine is: a place for it and the programs in it. */
interface Wine {
  readonly folder: string;
  /** A program's standard output and error go to a file: they are read when it has ended, or while it runs. */
  start(program: string, args: readonly string[], log: string): ReturnType<typeof spawn>;
  run(program: string, args: readonly string[]): Promise<{ readonly code: number | null; readonly text: string }>;
}

async function underWine(body: (wine: Wine) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-exe-'));
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    WINEPREFIX: join(folder, 'prefix'),
    WINEARCH: 'win64',
    WINEDEBUG: '-all',
    // Wine says that it is an older Windows than Node supports.
    NODE_SKIP_PLATFORM_CHECK: '1',
    WINEDLLOVERRIDES: 'mscoree,mshtml,winemenubuilder.exe=',
  };
  const start: Wine['start'] = (program, args, log) => {
    const output = openSync(log, 'w');
    const child = spawn('wine', [program, ...args], { env, cwd: folder, stdio: ['ignore', output, output] });
    closeSync(output);
    return child;
  };
  const children: ReturnType<typeof spawn>[] = [];
  const wine: Wine = {
    folder,
    start(program, args, log) {
      const child = start(program, args, log);
      children.push(child);
      return child;
    },
    async run(program, args) {
      const log = join(folder, 'run.log');
      const [code] = await once(start(program, args, log), 'exit');
      return { code, text: readFileSync(log, 'utf8') };
    },
  };
  try {
    assert.is(spawnSync('wineboot', ['-i'], { env, stdio: 'ignore', timeout: START_LIMIT_MS }).status, 0);
    await body(wine);
  } finally {
    for (const child of children) child.kill('SIGKILL');
    spawnSync('wineserver', ['-k'], { env, stdio: 'ignore' });
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Copies a program for Wine 8: V8 reserves addresses in a way that ends it there, and takes another one where the system does
 * not have the function at all.
 */
function forWine(program: string, copy: string): string {
  const bytes = readFileSync(program);
  for (let at = bytes.indexOf('VirtualAlloc2'); at >= 0; at = bytes.indexOf('VirtualAlloc2')) {
    bytes.write('VirtualAllocX', at);
  }
  writeFileSync(copy, bytes);
  return copy;
}

async function until(condition: () => boolean, limitMs: number, what: string): Promise<void> {
  const endAt = clock.now() + limitMs;
  while (!condition()) {
    if (clock.now() > endAt) throw new Error(`in ${limitMs} ms it did not happen: ${what}`);
    await clock.sleep(100);
  }
}

/** In bytes: what is the process's own, and with it the pages of files that happen to be mapped, which varies by tens of MB. */
function memoryOf(pid: number | undefined): { readonly own: number; readonly resident: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const bytes = (field: string): number =>
    Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) * 1_024;
  return { own: bytes('RssAnon'), resident: bytes('VmRSS') };
}

const windows = (path: string): string => `Z:${path.replaceAll('/', '\\')}`;

test('one file serves every version at once, takes a thousand calls, and logs as the flags of the original say', async () => {
  const built = spawnSync(process.execPath, ['deploy/build-csi-proxy.ts'], { cwd: ROOT, encoding: 'utf8' });
  assert.is(built.status, 0, built.stderr);
  assert.ok(statSync(join(BUILT, 'csi-proxy.exe')).size < LARGEST_BYTES);
  await underWine(async ({ folder, start, run }) => {
    const executable = forWine(join(BUILT, 'csi-proxy.exe'), join(folder, 'csi-proxy.exe'));
    const node = forWine(join(BUILT, 'package/bin/node.exe'), join(folder, 'node.exe'));
    const refused = await run(executable, ['-no-such-flag']);
    assert.equal([refused.code, refused.text], [2, 'troupe: there is no flag --no-such-flag; --help lists them\n']);

    const logs = join(folder, 'logs');
    const args = ['-host=memory', '-logtostderr=false', `-log_dir=${windows(logs)}`, '-alsologtostderr', '-v=4'];
    const log = join(folder, 'serve.log');
    const server = start(executable, [...args, '-log_file_max_size=1', '-one_output'], log);
    await until(() => readFileSync(log, 'utf8').includes('"serving"'), START_LIMIT_MS, 'it serves');
    const line =
      readFileSync(log, 'utf8')
        .split('\n')
        .find((text) => text.includes('"serving"')) ?? '';
    const started = JSON.parse(line) as { version: string; pipes: string[] };
    const all = Object.values(allServices).flatMap((versions) => Object.keys(versions)).length;
    assert.equal([started.version, started.pipes.length], [version, all]);
    const first = memoryOf(server.pid);

    const answer = join(folder, 'answer.json');
    const client = start(
      node,
      [windows(join(ROOT, 'test/real/csi-proxy/all-calls.ts')), windows(answer), String(CALLS)],
      join(folder, 'client.log'),
    );
    await until(() => existsSync(answer) || client.exitCode !== null, CALLS_LIMIT_MS, 'the calls are answered');
    assert.ok(existsSync(answer), readFileSync(join(folder, 'client.log'), 'utf8'));
    assert.equal(JSON.parse(readFileSync(answer, 'utf8')), { versions: all, calls: CALLS });
    const then = memoryOf(server.pid);
    for (const [when, { own, resident }] of Object.entries({ first, then })) {
      process.stdout.write(`    ${when}: ${own / 1e6} MB of its own, ${resident / 1e6} MB resident\n`);
      assert.ok(own > 0 && own < PRIVATE_BYTES, `${when}: ${own} bytes`);
    }

    const files = readdirSync(logs).filter((name) => /\.log\.INFO\./.test(name));
    const reads = files.flatMap((name) => readFileSync(join(logs, name), 'utf8').split('\n'));
    assert.ok(reads.filter((text) => text.includes('"rpc":"ListDiskIDs"')).length >= CALLS);
    for (const name of files) assert.ok(statSync(join(logs, name)).size <= 2 ** 20, name);
  });
});

if (spawnSync('wine', ['--version']).status === 0) test.run();
else process.stdout.write('skipped: no Wine (apt-get install --no-install-recommends wine64 wine)\n');
