// `troupe csi-proxy serve`, `call` and `ls`, together as at a prompt.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { call, ls } from '../../../../actors/cli/csi-proxy/call.ts';
import type { CsiProxyCommand } from '../../../../actors/cli/csi-proxy/command.ts';
import { serve } from '../../../../actors/cli/csi-proxy/serve.ts';
import { freshPrefix, until } from '../../../adapters/csi-proxy/echo-group.ts';
import { written } from '../../../world/written.ts';

const test = suite('csi-proxy commands');

async function run(command: CsiProxyCommand, args: readonly string[], signal = new AbortController().signal) {
  let text = '';
  const out = written((more) => {
    text += more;
  });
  const code = await command(args, { env: {}, cwd: '/', stopSignal: () => signal, out });
  return { code, text };
}

async function problem(command: CsiProxyCommand, args: readonly string[]): Promise<string> {
  try {
    await run(command, args);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('it ended well');
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

test('what serve offers, ls lists and call calls; pages tell of it, the log keeps secrets', async () => {
  const { prefix, remove } = freshPrefix();
  const folder = mkdtempSync(join(tmpdir(), 'csi-proxy-'));
  const [metricsPort, healthPort] = [await freePort(), await freePort()];
  const stop = new AbortController();
  const at = ['--pipe-prefix', prefix];
  const log = join(folder, 'csi-proxy.log');
  const machine = join(folder, 'machine.yaml');
  writeFileSync(machine, "disks: [{page83: 'Google  data'}]\nfaults: [{operation: disk.rescan, message: it is busy}]");
  const ended = run(
    serve,
    [
      ...at,
      ...['--host', 'memory', '--files', join(folder, 'drives'), '-logtostderr=false', `-log_file=${log}`],
      '-vmodule=disk=4',
      ...['--machine', machine],
      ...['-metrics-bind-address', `127.0.0.1:${metricsPort}`, '-health-probe-bind-address', `127.0.0.1:${healthPort}`],
      ...['-group', 'filesystem', '-group', 'disk', '-version', 'v1', '-version', 'v1beta2', '-group', 'smb'],
    ],
    stop.signal,
  );
  await until(() => existsSync(log) && readFileSync(log, 'utf8').includes('serving'), 'it serves');

  const listed = await run(ls, [...at, '-o', 'json']);
  const disks = (JSON.parse(listed.text) as { group: string; version: string }[]).filter(
    ({ group }) => group === 'disk',
  );
  assert.equal(
    disks.map(({ version }) => version),
    ['v1', 'v1beta2'],
  );
  assert.match((await run(ls, at)).text, /^GROUP +VERSION +PIPE\ndisk +v1 +\S*csi-proxy-disk-v1/);

  const answer = await run(call, [...at, 'disk', 'listdiskids']);
  assert.is(JSON.parse(answer.text).diskIDs[0].page83, 'system');
  assert.is(JSON.parse(answer.text).diskIDs[1].page83, 'Google  data');
  assert.match(await problem(call, [...at, 'disk', 'Rescan']), 'UNKNOWN: it is busy');
  const old = await run(call, [...at, 'disk', 'DiskStats', '{"diskID": "0"}']);
  assert.equal(JSON.parse(old.text), { diskSize: String(64 * 2 ** 30) });
  await run(call, [...at, 'filesystem', 'Mkdir', JSON.stringify({ path: 'C:\\var\\lib\\kubelet\\a' })]);
  await run(call, [...at, 'filesystem', 'PathExists', JSON.stringify({ path: 'C:\\var\\lib\\kubelet\\a' })]);
  const request = { remotePath: '//files/data', username: 'me', password: 'hunter2' };
  await run(call, [...at, 'smb', 'NewSmbGlobalMapping', JSON.stringify(request)]);
  for (const [args, message] of [
    [['disk', 'GetDiskState', '{"diskNumber": 9}'], /^NOT_FOUND: /],
    [['disk', 'GetDiskState', '{"disk": 9}'], /has no field 'disk'; its fields: diskNumber/],
    [['disk', 'GetDiskState', '{'], /^the request is no JSON/],
    [['disk', 'Format'], /^group disk has no method 'Format'; it has: .*Rescan/],
    [['tape', 'Rescan'], /^there is no group 'tape'; there is: disk, /],
    [['volume', 'FormatVolume'], /^no process serves .* of group volume/],
    [['disk', 'Rescan', '--version', 'v1alpha1'], /^no process serves on '.*v1alpha1/],
    [['disk', 'GetDiskState', '--version', 'v1beta2'], /^disk v1beta2 has no GetDiskState; these have: v1beta3, v1/],
    [['disk', 'Rescan', '--pipe', 'x'], /^--pipe needs --version/],
  ] as const) {
    assert.match(await problem(call, [...at, ...args]), message);
  }

  const figures = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  assert.match(
    figures,
    'grpc_server_started_total{grpc_method="ListDiskIDs",grpc_service="v1.Disk",grpc_type="unary"} 1',
  );
  assert.is((await fetch(`http://127.0.0.1:${healthPort}/readyz`)).status, 200);
  stop.abort();
  assert.is((await ended).code, 0);
  const lines = readFileSync(log, 'utf8');
  assert.match(lines, '"remotePath":"//files/data"');
  assert.not.match(lines, 'hunter2');
  assert.match(lines, '"rpc":"ListDiskIDs"', 'reads of the group that -vmodule names');
  assert.not.match(lines, '"rpc":"PathExists"');
  assert.match(await problem(ls, at), /^no process serves on /);
  rmSync(folder, { recursive: true });
  remove();
});

test('what cannot be served is refused before anything is', async () => {
  const { prefix, remove } = freshPrefix();
  const at = ['--host', 'memory', '--pipe-prefix', prefix, '-logtostderr=false', `-log_file=${prefix}log`];
  for (const [args, message] of [
    [['--group', 'tape'], "there is no group 'tape'; there is: disk, filesystem"],
    [['--group', 'disk', '--version', 'v7'], "group disk has no version 'v7'; it has: v1alpha1"],
    [['--machine', `${prefix}absent`], '--machine: ENOENT'],
    [['--metrics-bind-address', 'here'], "--metrics-bind-address must be an address like ':8081'"],
  ] as const) {
    assert.match(await problem(serve, [...at, ...args]), message);
  }
  assert.match(await problem(ls, ['--pipe-prefix', prefix]), 'no process serves');
  remove();
});

test('the help of csi-proxy.exe names its commands and the flags of the original, however it is asked for', () => {
  const entry = fileURLToPath(new URL('../../../../actors/cli/csi-proxy/executable.ts', import.meta.url));
  const [first = '', ...others] = ['--help', '-h', 'help'].map((asked) => {
    const { status, stdout } = spawnSync(process.execPath, ['--conditions=@troupe/source', entry, asked], {
      encoding: 'utf8',
    });
    assert.is(status, 0);
    return stdout;
  });
  assert.equal(others, [first, first]);
  for (const text of ['csi-proxy.exe install', 'csi-proxy.exe call', '--kubelet-path']) assert.match(first, text);
});

test.run();
