// API trees out of folders and revisions.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readSource } from '../../../../adapters/csi-proxy/check/source.ts';
import { apiTree } from '../../../../adapters/csi-proxy/check/tree.ts';

const test = suite('sources of API trees');
const PROTO = (text: string): string => `syntax = "proto3"; // ${text}\npackage v1;\n`;

/** A repository whose first commit has `api/disk/v1` and whose working tree has another text there. */
async function withRepository(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-source-'));
  const git = (...args: readonly string[]): void => {
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@localhost', ...args], { cwd: folder, stdio: 'pipe' });
  };
  try {
    mkdirSync(join(folder, 'api/disk/v1'), { recursive: true });
    mkdirSync(join(folder, 'api/volume/v1'), { recursive: true });
    writeFileSync(join(folder, 'api/disk/v1/api.proto'), PROTO('first: ä\0\n// blob 9'));
    writeFileSync(join(folder, 'api/volume/v1/api.proto'), PROTO('volume'));
    writeFileSync(join(folder, 'api/disk/v1/notes.txt'), 'none');
    writeFileSync(join(folder, 'api/releases.json'), '{"releases": []}');
    git('init', '-q', '-b', 'main');
    git('add', '.');
    git('commit', '-q', '-m', 'one');
    writeFileSync(join(folder, 'api/disk/v1/api.proto'), PROTO('second'));
    await use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function refusal(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return 'accepted';
}

test('a folder, a revision with a folder, and a revision alone are read, from wherever in the repository', async () => {
  await withRepository(async (folder) => {
    const paths = ['disk/v1/api.proto', 'releases.json', 'volume/v1/api.proto'];
    for (const cwd of [folder, join(folder, 'api/disk')]) {
      for (const source of ['main', 'main:api', 'HEAD:api/']) {
        const { name, files } = await readSource(source, { cwd, api: 'api' });
        assert.is(name, `${source.split(':')[0]}:api`);
        assert.equal([...files.keys()], paths);
        assert.is(files.get('disk/v1/api.proto'), PROTO('first: ä\0\n// blob 9'));
        assert.is(files.get('volume/v1/api.proto'), PROTO('volume'));
      }
    }
    const { name, files } = await readSource('api/', { cwd: folder, api: 'elsewhere' });
    assert.is(name, 'api');
    assert.equal([...files.keys()], paths);
    assert.is(files.get('disk/v1/api.proto'), PROTO('second'));
  });
});

test('what is neither folder nor revision is refused, and no option of git is made of it', async () => {
  await withRepository(async (cwd) => {
    const deps = { cwd, api: 'api' };
    assert.match(
      await refusal(readSource('nope', deps)),
      /^'nope' is no folder, and git knows no 'nope:api' \(fatal: /,
    );
    assert.match(await refusal(readSource('main:nope', deps)), /git knows no 'main:nope'/);
    assert.match(await refusal(readSource('--git-dir', deps)), /git knows no '--git-dir:api'/);
    assert.match(await refusal(readSource('main', { cwd: '/', api: 'api' })), /not a git repository/);
    assert.match(await refusal(readSource('', deps)), /^an API tree is a folder or a revision/);
  });
});

test('files out of place and wrong protos are all named', () => {
  const files = new Map([
    ['disk/v1/api.proto', 'syntax = "proto3";\nmessage A {'],
    ['disk/v1/deeper/api.proto', ''],
    ['disk/1/api.proto', ''],
  ]);
  assert.throws(
    () => apiTree({ name: 'api', files }),
    (error: Error) =>
      error.message ===
      `api/disk/1/api.proto: expected <group>/<version>/api.proto, with a version such as v1alpha1
api/disk/v1/api.proto:2:11: the file ends too early
api/disk/v1/deeper/api.proto: expected <group>/<version>/api.proto, with a version such as v1alpha1`,
  );
  assert.throws(() => apiTree({ name: 'api', files: new Map() }), /'api' has no <group>/);
  assert.equal(apiTree({ name: 'api', files: new Map() }, { empty: 'allowed' }).versions, []);
});

test.run();
