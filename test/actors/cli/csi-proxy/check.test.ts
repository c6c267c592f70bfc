// `troupe csi-proxy check`, `status` and `record` at a prompt: what they print, and how they end.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { check, status } from '../../../../actors/cli/csi-proxy/check.ts';
import type { CsiProxyCommand } from '../../../../actors/cli/csi-proxy/command.ts';
import { record } from '../../../../actors/cli/csi-proxy/record.ts';
import type { Finding } from '../../../../adapters/csi-proxy/check/mod.ts';
import { TerminalError } from '../../../../bus/errors.ts';

const test = suite('csi-proxy check');
const CLI = fileURLToPath(new URL('../../../../actors/cli.js', import.meta.url));

async function withTrees(
  trees: Readonly<Record<string, string>>,
  use: (folder: string) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-check-'));
  try {
    for (const [path, text] of Object.entries(trees)) {
      mkdirSync(join(folder, path, '..'), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    await use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

interface Ended {
  readonly stdout: string;
  readonly status: number;
}

async function run(command: CsiProxyCommand, cwd: string, ...args: readonly string[]): Promise<Ended> {
  const out = new PassThrough();
  const status = await command(args, { env: {}, cwd, out, stopSignal: () => new AbortController().signal });
  out.end();
  return { stdout: await text(out), status };
}

const proto = (fields: string): string => `syntax = "proto3";
package v1;
service Disk { rpc Do(A) returns (A); }
message A {
  ${fields}
}
`;

test('a break is shown with its place, what it breaks and what to do, and ends with 1', async () => {
  await withTrees(
    { 'old/disk/v1/api.proto': proto('int32 a = 1;'), 'new/disk/v1/api.proto': proto('int64 a = 1;') },
    async (cwd) => {
      const ended = await run(check, cwd, 'old', 'new/');
      assert.is(
        ended.stdout,
        `new/disk/v1/api.proto:5:9: break C12 disk/v1 A.a: it was 'int32' and is 'int64'; the encodings happen to agree where the values fit
    breaks: values of old peers are cut or misread, and the source of clients
    do: keep the field, and add one of the new type under a new name
not checked: C31, C32: 'old' has no recorded calls
not checked: C33: generated code was not looked at
1 break, 0 warn, 0 info
`,
      );
      assert.is(ended.status, 1);
    },
  );
});

test('a compatible change ends with 0 and the questions for the reviewer, unless versions are immutable', async () => {
  const trees = { 'old/disk/v1/api.proto': proto(''), 'new/disk/v1/api.proto': proto('int64 a = 1;') };
  await withTrees(trees, async (cwd) => {
    const plain = await run(check, cwd, 'old', 'new');
    assert.match(plain.stdout, /^new\/disk\/v1\/api\.proto:5:9: info C18 disk\/v1 A\.a: added\nFor the reviewer/);
    assert.match(plain.stdout, /\n0 break, 0 warn, 1 info\n$/);
    assert.is(plain.status, 0);
    const json = await run(check, cwd, 'old', 'new', '--policy', 'immutable', '-o', 'json', '--date', '2026-06-15');
    const { breaks, date, findings, review } = JSON.parse(json.stdout);
    assert.equal([breaks, date, json.status, review.length], [1, '2026-06-15', 1, 4]);
    assert.equal(findings, [
      {
        rule: 'C00',
        severity: 'break',
        group: 'disk',
        version: 'v1',
        element: 'A.a',
        text: 'added, but the version is released',
        at: { file: 'new/disk/v1/api.proto', line: 5, column: 9 },
      },
    ]);
  });
});

test('generated code that is not there, or not as it should be, breaks; where it is is known, or said', async () => {
  const api = 'adapters/csi-proxy/api';
  const own = await run(check, fileURLToPath(new URL('../../../..', import.meta.url)), api, api);
  assert.is(own.stdout, 'nothing has changed that matters\n');
  await withTrees({ 'api/disk/v1/api.proto': proto('int64 a = 1;') }, async (cwd) => {
    const ended = await run(check, cwd, 'api', 'api', '--server', 'server', '--client', 'client', '-o', 'json');
    const { findings, notChecked } = JSON.parse(ended.stdout);
    assert.is(ended.status, 1);
    assert.equal(
      notChecked.map(({ rules }: { rules: string[] }) => rules),
      [['C31', 'C32']],
    );
    const found = findings.map(({ rule, severity, at }: Finding) => `${rule} ${severity} ${at.file}`);
    assert.ok(found.includes('C33 break server/disk/internal/v1/server_generated.ts'), found.join('\n'));
    assert.ok(found.every((one: string) => one.startsWith('C33 break ')));
  });
});

test('a tree that does not generate is judged all the same, and why it does not is told', async () => {
  const files = {
    'old/disk/v1/api.proto': proto('int32 a = 1;'),
    'api/disk/v1/api.proto': proto('int64 a = 1;'),
    'server/disk/internal/types.ts': 'export interface A { a: number }\n',
  };
  await withTrees(files, async (cwd) => {
    const ended = await run(check, cwd, 'old', 'api', '--server', 'server', '--client', 'client');
    assert.is(ended.status, 1);
    assert.match(ended.stdout, /^api\/disk\/v1\/api\.proto:5:9: break C12 disk\/v1 A\.a: /m);
    assert.match(
      ended.stdout,
      /^server\/disk\/internal\/types\.ts:1:\d+: break C33: nothing is generated: 'A\.a': which number\?/m,
    );
  });
});

test('before the first release there is nothing to compare with, and the first version is no alpha (C29, C30)', async () => {
  await withTrees({ 'old/README.md': '', 'new/disk/v1/api.proto': proto('') }, async (cwd) => {
    const ended = await run(check, cwd, 'old', 'new', '-o', 'json');
    const { findings } = JSON.parse(ended.stdout);
    assert.equal(
      [ended.status, ...findings.map(({ rule, severity }: Finding) => `${rule} ${severity}`)],
      [0, 'C29 warn', 'C30 warn'],
    );
    try {
      await run(check, cwd, 'new', 'old');
      assert.unreachable();
    } catch (error) {
      assert.match(error instanceof Error ? error.message : '', /^'old' has no <group>\/<version>\/api\.proto$/);
    }
  });
});

test('the history in the new tree decides what may go, and the status says when', async () => {
  const marked = 'int32 a = 1 [deprecated = true];';
  const releases = [
    { name: '1.0.0', date: '2024-01-31', api: 'old' },
    { name: '1.1.0', date: '2024-02-29', api: 'old' },
  ];
  const trees = {
    'old/disk/v1/api.proto': proto(marked),
    'new/disk/v1/api.proto': proto('reserved 1; reserved "a";'),
    'new/releases.json': JSON.stringify({ releases }),
    'next/disk/v1/api.proto': proto(marked),
    'next/releases.json': JSON.stringify({ releases }),
  };
  await withTrees(trees, async (cwd) => {
    const ended = await run(check, cwd, 'old', 'new', '--date', '2026-06-15');
    assert.match(
      ended.stdout,
      /^old\/disk\/v1\/api\.proto:5:9: break C09 .*: deprecated since 1\.0\.0 of 2024-01-31, it may go with release number 4, not before 2025-01-31; this is number 3, on 2026-06-15\n/,
    );
    assert.is(ended.status, 1);
    const line = 'disk/v1 A.a: deprecated since 1.0.0; may go with release number 4, not before 2025-01-31\n';
    assert.is((await run(status, cwd, 'next', '--date', '2026-06-15')).stdout, line);
  });
});

test('a call that makes no sense, and a tree that cannot be read, are refused', async () => {
  await withTrees({ 'old/disk/v1/api.proto': proto('int32 a = ;') }, async (cwd) => {
    for (const [args, expected] of [
      [['old', 'old'], /^old\/disk\/v1\/api\.proto:5:13: illegal id ';'$/],
      [['old'], /^'check' takes two API trees/],
      [['old', 'old', '--policy', 'none'], /^--policy must be compatible or immutable; got 'none'$/],
      [['old', 'old', '--date', '2026-02-30'], /^--date: a date is YYYY-MM-DD; got '2026-02-30'$/],
      [['old', 'old', '-o', 'xml'], /^--output must be text or json; got 'xml'$/],
      [['--nonsense'], /^'csi-proxy check' has no option '--nonsense'; --help lists them$/],
    ] as const) {
      try {
        await run(check, cwd, ...args);
        assert.unreachable(args.join(' '));
      } catch (error) {
        assert.instance(error, TerminalError);
        assert.match(error instanceof Error ? error.message : '', expected);
      }
    }
  });
});

test('record fills in what is answered, and check holds the servers to it', async () => {
  const api = 'adapters/csi-proxy/api';
  const file = `${api}/disk/v1/recorded.json`;
  const disk = readFileSync(new URL(`../../../../${api}/disk/v1/api.proto`, import.meta.url), 'utf8');
  const trees = {
    [`${api}/disk/v1/api.proto`]: disk,
    [`${api}/disk/v1beta3/api.proto`]: disk.replace('package v1;', 'package v1beta3;'),
    [file]: '{"calls": [{"rpc": "GetDiskStats", "request": {"diskNumber": 1}}]}',
  };
  await withTrees(trees, async (cwd) => {
    const missing = `${api}/disk/v1beta3/recorded.json: not there, nothing recorded\n`;
    const pending = `${missing}${file}: would be written\n`;
    assert.equal(await run(record, cwd, '--check'), { stdout: pending, status: 1 });
    assert.equal(await run(record, cwd), { stdout: `${missing}${file}: written\n`, status: 0 });
    const call = '{"rpc":"GetDiskStats","request":{"diskNumber":1},"response":{"totalBytes":"10737418240"}}';
    assert.is(readFileSync(join(cwd, file), 'utf8'), `{"calls": [\n${call}\n]}\n`);
    const again = await run(record, cwd, 'disk', 'v1', '--check');
    assert.equal(again, { stdout: 'recordings are up to date\n', status: 0 });
    assert.is(
      (await run(check, cwd, api, api)).stdout,
      'not checked: C33: generated code was not looked at\nnothing has changed that matters\n',
    );
    writeFileSync(join(cwd, file), readFileSync(join(cwd, file), 'utf8').replace('10737418240', '1'));
    const changed = await run(check, cwd, api, api);
    assert.match(changed.stdout, /: break C32 disk\/v1 Disk\.GetDiskStats: recorded call 1, /);
    assert.is(changed.status, 1);
    for (const [args, expected] of [
      [['disk', 'v1beta3'], "there is no 'adapters/csi-proxy/api/disk/v1beta3/recorded.json' with calls to record"],
      [['disk', 'v7'], "there is no 'adapters/csi-proxy/api/disk/v7'"],
      [['disk', 'v1bta3'], "there is no 'adapters/csi-proxy/api/disk/v1bta3'; did you mean 'v1beta3'?"],
      [['dsk'], "there is no 'adapters/csi-proxy/api/dsk'; did you mean 'disk'?"],
      [['disk', 'v1', 'more'], "'record' takes a group and a version, such as 'record disk v1'"],
    ] as const) {
      try {
        await run(record, cwd, ...args);
        assert.unreachable(args.join(' '));
      } catch (error) {
        assert.instance(error, TerminalError);
        assert.is((error as Error).message, expected);
      }
    }
  });
});

test('at a prompt a refusal is a line and ends with 2', async () => {
  await withTrees({}, async (cwd) => {
    const { stdout, stderr, status } = spawnSync(process.execPath, [CLI, 'csi-proxy', 'check', 'a', 'b'], {
      cwd,
      encoding: 'utf8',
    });
    assert.match(
      stderr,
      /^troupe: 'a' is no folder, and git knows no 'a:adapters\/csi-proxy\/api' \(fatal: [^\n]*\)\n$/,
    );
    assert.equal([stdout, status], ['', 2]);
  });
});

test.run();
