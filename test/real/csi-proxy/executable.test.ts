// needs: wine
// csi-proxy.exe as an administrator gets it, under Wine: built, started, called, its log as files, and as a service.
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { allServices } from '../../../adapters/csi-proxy/client/all_services_generated.ts';
import { buildExecutable } from './built.ts';
import { forWine, hasWine, NO_WINE, underWine, until, windows } from './wine.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const LARGEST_BYTES = 130e6;
/** What may be the process's own, and what may be resident once it serves: less than of the original. */
const PRIVATE_BYTES = 70e6;
const RESIDENT_BYTES = 109e6;
const CALLS = 1_000;
const START_LIMIT_MS = 180_000;
const CALLS_LIMIT_MS = 300_000;
const SETTLED_LIMIT_MS = 60_000;
/** What a call takes that a stop comes in between. */
const SLOW_MS = 8_000;
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };

const test = suite('csi-proxy.exe');
const built = hasWine ? buildExecutable() : { executable: '', node: '' };

/** In bytes: what is the process's own, and with it the pages of files that are mapped. */
function memoryOf(pid: number | undefined): { readonly own: number; readonly resident: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const bytes = (field: string): number =>
    Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) * 1_024;
  return { own: bytes('RssAnon'), resident: bytes('VmRSS') };
}

test('one file serves every version at once, takes a thousand calls, and logs as the flags of the original say', async () => {
  assert.ok(statSync(built.executable).size < LARGEST_BYTES);
  await underWine(async ({ folder, memoryFolder, start, run, runPiped }) => {
    const executable = forWine(built.executable, join(memoryFolder, 'csi-proxy.exe'));
    const node = forWine(built.node, join(folder, 'node.exe'));
    const refused = await run(executable, ['-no-such-flag']);
    assert.equal([refused.code, refused.text], [2, 'troupe: there is no flag --no-such-flag; --help lists them\n']);
    // 33.C7: the same where its output is a pipe.
    const piped = await runPiped(executable, ['-no-such-flag']);
    assert.equal([piped.code, piped.text], [2, refused.text]);
    assert.match((await runPiped(executable, ['--help'])).text, /without a command it serves/);

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
    // What the calls have left behind goes when the server has nothing to do.
    const isSmall = (): boolean => memoryFolder === folder || memoryOf(server.pid).resident < RESIDENT_BYTES;
    await until(isSmall, SETTLED_LIMIT_MS, `less than ${RESIDENT_BYTES} bytes are resident`);
    for (const [when, { own, resident }] of Object.entries({ first, then, settled: memoryOf(server.pid) })) {
      process.stdout.write(`    ${when}: ${own / 1e6} MB of its own, ${resident / 1e6} MB resident\n`);
      assert.ok(own > 0 && own < PRIVATE_BYTES, `${when}: ${own} bytes`);
    }
    if (memoryFolder !== folder) assert.ok(first.resident < RESIDENT_BYTES, `${first.resident} bytes are resident`);

    const files = readdirSync(logs).filter((name) => /\.log\.INFO\./.test(name));
    const reads = files.flatMap((name) => readFileSync(join(logs, name), 'utf8').split('\n'));
    assert.ok(reads.filter((text) => text.includes('"rpc":"ListDiskIDs"')).length >= CALLS);
    for (const name of files) assert.ok(statSync(join(logs, name)).size <= 2 ** 20, name);
  });
});

test('as a service it is installed, told of, stopped without loss, and says when it cannot serve', async () => {
  await underWine(async ({ folder, start, run }) => {
    const executable = forWine(built.executable, join(folder, 'csi-proxy.exe'));
    const call = (...args: readonly string[]) => run(executable, ['call', 'system', ...args]);
    const query = async (): Promise<string> => (await run('sc', ['query', 'csiproxy'])).text;
    // Wine ends with the last program that is no service.
    start(
      forWine(built.node, join(folder, 'node.exe')),
      ['-e', 'setInterval(() => {}, 1e6)'],
      join(folder, 'idle.log'),
    );

    assert.equal(await run(executable, ['status']), { code: 1, text: 'csiproxy: not installed\n' });
    assert.equal(await run(executable, ['uninstall']), { code: 2, text: 'troupe: there is no service csiproxy\n' });
    const misspelt = await run(executable, ['install', '-log_fil=x']);
    assert.equal(misspelt.code, 2);
    assert.match(misspelt.text, /there is no flag --log_fil; did you mean /);

    const machine = join(folder, 'machine.json');
    const log = join(folder, 'the log.txt');
    const flags = ['-host=memory', `-machine=${windows(machine)}`, '-logtostderr=false', `-log_file=${windows(log)}`];
    const installed = await run(executable, ['install', ...flags]);
    assert.is(installed.code, 0, installed.text);
    const command = `${windows(executable)} --windows-service ${flags.slice(0, 3).join(' ')} "${flags[3]}"`;
    assert.match(installed.text, `installed: service csiproxy runs ${command}\n`);
    const again = await run(executable, ['install', ...flags]);
    assert.equal([again.code, /there is a service csiproxy already/.test(again.text)], [2, true]);
    assert.equal(await run(executable, ['status']), { code: 1, text: `csiproxy: stopped\n  ${command}\n` });

    // Without its machine it cannot serve: Windows hears that it failed, and its log has the reason.
    await run('sc', ['start', 'csiproxy']);
    await until(async () => /WIN32_EXIT_CODE +: 1066/.test(await query()), START_LIMIT_MS, 'it has failed');
    assert.match(readFileSync(log, 'utf8'), /"level":60,.*machine\.json.*"msg":"the service fails"/);

    writeFileSync(machine, JSON.stringify({ services: [{ name: 'MSiSCSI', takesMs: SLOW_MS }] }));
    await run('sc', ['start', 'csiproxy']);
    await until(async () => (await run(executable, ['status'])).code === 0, START_LIMIT_MS, 'it runs');
    assert.match((await run(executable, ['status'])).text, /^csiproxy: running, process \d+\n/);

    const answer = join(folder, 'answer.txt');
    const slow = start(executable, ['call', 'system', 'StartService', '{"name": "MSiSCSI"}'], answer);
    const ended = once(slow, 'exit');
    await until(
      async () => (await call('GetService', '{"name": "MSiSCSI"}')).text.includes('START_PENDING'),
      START_LIMIT_MS,
      'the call is under way',
    );
    const stopped = run('sc', ['stop', 'csiproxy']);
    await until(async () => /STATE +: 3 /.test(await query()), START_LIMIT_MS, 'it stops');
    // New calls are refused while the one that runs comes to its end.
    assert.match((await call('GetBIOSSerialNumber')).text, /stopping|no process serves/);
    await ended;
    assert.equal([slow.exitCode, readFileSync(answer, 'utf8')], [0, '{}\n']);
    await until(async () => /STATE +: 1 /.test(await query()), START_LIMIT_MS, 'it has stopped');
    assert.match(await query(), /WIN32_EXIT_CODE +: 0 /);
    await stopped;

    // What runs is stopped first.
    await run('sc', ['start', 'csiproxy']);
    await until(async () => (await run(executable, ['status'])).code === 0, START_LIMIT_MS, 'it runs again');
    assert.equal(await run(executable, ['uninstall']), { code: 0, text: 'uninstalled: service csiproxy\n' });
    assert.equal(await run(executable, ['status']), { code: 1, text: 'csiproxy: not installed\n' });
    assert.match(readFileSync(log, 'utf8'), /"msg":"stopped"\}\n$/);

    const alone = await run(executable, ['--windows-service', '-host=memory']);
    assert.equal([alone.code, /did not start this process as a service \(error 1063\)/.test(alone.text)], [2, true]);
  });
});

if (hasWine) test.run();
else process.stdout.write(NO_WINE);
