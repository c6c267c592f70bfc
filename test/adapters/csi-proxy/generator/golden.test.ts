// What the generator makes of protos, byte by byte. After a change that is meant, in the project's folder:
//   F=test/adapters/csi-proxy/generator/golden/one-version
//   npm run -s troupe -- csi-proxy gen --api $F/api --server $F/server --client $F/client
// and the same for the other folders below; then read the difference.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { DEFAULT_BASES, run } from '../../../../adapters/csi-proxy/generator/mod.ts';
import { withTree } from './tree.ts';

const test = suite('golden output of the generator');

const GOLDEN = fileURLToPath(new URL('golden/', import.meta.url));
const EXAMPLE = fileURLToPath(new URL('../example/', import.meta.url));
const GENERATED = '_generated.ts';

function filesBelow(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  return Object.fromEntries(
    files.map((path) => [relative(folder, path).split(sep).join('/'), readFileSync(path, 'utf8')]),
  );
}

/** Generates anew, at the same depth, from the files of which `isGiven` says so, and compares all. */
function regenerates(folder: string, parent: string, isGiven: (path: string) => boolean): void {
  const golden = filesBelow(folder);
  const given = Object.fromEntries(Object.entries(golden).filter(([path]) => isGiven(path)));
  withTree(
    given,
    (tree) => {
      const { ok, report } = tree.run();
      assert.ok(ok, report);
      const made = tree.files();
      assert.equal(Object.keys(made), Object.keys(golden).sort());
      for (const [path, text] of Object.entries(golden)) assert.fixture(made[path] ?? '', text, path);
    },
    parent,
  );
}

test('a new group with one version: all but the proto is made', () => {
  regenerates(join(GOLDEN, 'one-version'), GOLDEN, (path) => path.endsWith('.proto'));
});

test('a deprecated version with hand-written conversions', () => {
  const isScaffold = (path: string): boolean => path.endsWith('/shelf/server.ts');
  regenerates(join(GOLDEN, 'deprecated-version'), GOLDEN, (path) => !path.endsWith(GENERATED) && !isScaffold(path));
});

test('the dummy group', () => {
  regenerates(EXAMPLE, join(EXAMPLE, '..'), (path) => !path.endsWith(GENERATED));
});

test('all 23 versions are up to date', () => {
  const { ok, report, changes } = run({ bases: DEFAULT_BASES, root: process.cwd(), isCheck: true });
  assert.ok(ok, report);
  assert.is(changes.kept.filter((path) => path.endsWith(join('v1', 'client_generated.ts'))).length, 4);
  assert.is(changes.kept.filter((path) => path.endsWith('client_generated.ts')).length, 23);
});

test('running twice changes nothing, and rewrites nothing', () => {
  const protos = Object.entries(filesBelow(join(GOLDEN, 'one-version'))).filter(([path]) => path.endsWith('.proto'));
  withTree(Object.fromEntries(protos), (tree) => {
    assert.ok(tree.run().ok);
    const before = { files: tree.files(), times: tree.times() };
    const { ok, changes } = tree.run();
    assert.ok(ok);
    assert.equal([changes.written, changes.scaffolded, changes.removed], [[], [], []]);
    assert.equal({ files: tree.files(), times: tree.times() }, before);
  });
});

test('files have neither dates nor absolute paths, and lines end in one way', () => {
  for (const folder of [GOLDEN, EXAMPLE]) {
    for (const [path, text] of Object.entries(filesBelow(folder))) {
      if (!path.endsWith(GENERATED)) continue;
      assert.not.match(text, /\r|20\d\d-\d\d/, path);
      assert.not.ok(text.includes(process.cwd()), path);
    }
  }
});

test.run();
