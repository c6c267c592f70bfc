// The check of imports, on trees that are made up.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { importsIn, problemsOf, readImports } from './imports.ts';

const test = suite('imports');

const ROOMS = ['machines', 'bus', 'adapters', 'actors', 'deploy', 'test'];

/** What is wrong in a tree of these files, given by what they import. */
function problems(tree: Readonly<Record<string, string | readonly string[]>>): readonly string[] {
  const root = mkdtempSync(join(tmpdir(), 'troupe-imports-'));
  try {
    for (const room of ROOMS) mkdirSync(join(root, room));
    for (const [file, content] of Object.entries(tree)) {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      const text = typeof content === 'string' ? content : content.map((from) => `import '${from}';\n`).join('');
      writeFileSync(join(root, file), text);
    }
    return problemsOf(readImports(root));
  } finally {
    rmSync(root, { recursive: true });
  }
}

test('every way to import is seen, and nothing else', () => {
  const text = `
    import a, { b } from './a.ts';
    import type { C } from './c.ts';
    import './d.ts';
    export { e } from './e.ts';
    export type * from './f.ts';
    const g = await import('./g.ts');
    let h: import('./h.ts').H;
    // import './comment.ts';
    const template = \`import './template.ts';\`;
    const text = "import './text.ts'";
  `;
  assert.equal(
    [...importsIn(text)].sort(),
    ['a', 'c', 'd', 'e', 'f', 'g', 'h'].map((name) => `./${name}.ts`),
  );
});

test('a tree in order has no problem', () => {
  const found = problems({
    'machines/lifecycle.ts': ['xstate', './kind.ts'],
    'machines/kind.ts': [],
    'bus/mod.ts': ['nats', 'node:net', './subjects.ts'],
    'bus/subjects.ts': [],
    'adapters/text/nearest.ts': [],
    'adapters/http/undici.ts': ['undici', '../text/nearest.ts', '../api/contract/contract.ts'],
    'adapters/api/contract/contract.ts': ['../../../bus/mod.ts', '../../text/nearest.ts'],
    'adapters/kubernetes/client.ts': ['../http/undici.ts'],
    'adapters/kubernetes/tls/certificates.ts': [],
    'adapters/simulated/kubernetes/mod.ts': ['./server.ts'],
    'adapters/simulated/kubernetes/server.ts': ['../../kubernetes/tls/certificates.ts'],
    'adapters/openstack/kind.ts': ['../api/contract/contract.ts', '../../machines/kind.ts', '../http/undici.ts'],
    'adapters/openstack/tools/dev-backend.ts': ['../../simulated/kubernetes/mod.ts'],
    'adapters/windows/kind.ts': ['../csi-proxy/hosts/host.ts'],
    'adapters/csi-proxy/hosts/host.ts': [],
    'actors/base/clock.ts': [],
    'actors/object/actor.ts': ['../base/clock.ts', '../../bus/mod.ts', '../../machines/lifecycle.ts'],
    'actors/process/run.ts': ['../object/actor.ts', '../../adapters/simulated/kubernetes/mod.ts'],
    'actors/cli.js': ['./process/run.ts'],
    'deploy/generate.ts': ['../adapters/openstack/kind.ts'],
    'test/a.test.ts': ['../actors/object/actor.ts', '../adapters/simulated/kubernetes/server.ts'],
  });
  assert.equal(found, []);
});

const WRONG: readonly (readonly [file: string, target: string, says: RegExp])[] = [
  ['machines/a.ts', '../bus/x.ts', /machines import xstate/],
  ['machines/a.ts', 'node:fs', /machines import xstate/],
  ['machines/a.ts', 'xstate-like', /machines import xstate/],
  ['bus/a.ts', '../machines/x.ts', /the bus is a leaf/],
  ['adapters/one/a.ts', '../../actors/x.ts', /adapters import machines/],
  ['adapters/one/a.ts', '../../deploy/x.ts', /adapters import machines/],
  ['adapters/one/a.ts', '../other/x.ts', /of another adapter/],
  ['adapters/one/a.ts', '../kubernetes/client.ts', /of another adapter/],
  ['adapters/kubernetes/a.ts', '../openstack/x.ts', /of another adapter/],
  ['adapters/csi-proxy/a.ts', '../windows/x.ts', /of another adapter/],
  ['adapters/simulated/kubernetes/a.ts', '../../kubernetes/client.ts', /of another adapter/],
  ['adapters/one/a.ts', '../simulated/one/mod.ts', /of another adapter/],
  ['adapters/text/a.ts', '../api/x.ts', /what all adapters share/],
  ['adapters/api/a.ts', '../http/x.ts', /what all adapters share/],
  ['adapters/http/a.ts', '../one/x.ts', /what all adapters share/],
  ['actors/a.ts', '../adapters/simulated/kubernetes/x.ts', /a simulated system/],
  ['actors/base/a.ts', '../object/x.ts', /those below/],
  ['actors/webhooks/a.ts', '../process/x.ts', /those below/],
  ['actors/cli/a.ts', '../loose.ts', /those below/],
  ['adapters/simulated/kubernetes/wire/a.ts', '../objects/x.ts', /those below/],
  ['adapters/simulated/kubernetes/base/a.ts', '../server.ts', /those below/],
  ['actors/a.ts', '../test/x.ts', /nobody imports tests/],
  ['deploy/a.mjs', '../test/x.ts', /nobody imports tests/],
];
for (const [file, target, says] of WRONG) {
  test(`${file} must not import ${target}`, () => {
    const found = problems({ [file]: [target] });
    assert.is(found.length, 1, found.join('\n'));
    assert.ok(found[0]?.startsWith(`${file} imports `));
    assert.match(found[0] ?? '', says);
  });
}

test('a circle is told as its shortest way round, whatever leads into it', () => {
  const found = problems({
    'actors/0.ts': ['./a.ts'],
    'actors/a.ts': ['./b.ts', './c.ts'],
    'actors/b.ts': ['./c.ts'],
    'actors/c.ts': ['./a.ts', './end.ts'],
    'actors/end.ts': [],
  });
  assert.equal(found, ['a circle of imports: actors/a.ts -> actors/c.ts -> actors/a.ts']);
});

test('types, and imports that wait, make circles too; so does a file by itself', () => {
  const found = problems({
    'actors/a.ts': `import type { B } from './b.ts';`,
    'actors/b.ts': `export const a = () => import('./a.ts');`,
    'actors/self.ts': ['./self.ts'],
  });
  assert.equal(found, [
    'a circle of imports: actors/a.ts -> actors/b.ts -> actors/a.ts',
    'a circle of imports: actors/self.ts -> actors/self.ts',
  ]);
});

test('folders that import each other are told, where no file is in a circle', () => {
  const found = problems({
    'adapters/one/client/a.ts': ['../kinds/a.ts'],
    'adapters/one/kinds/a.ts': [],
    'adapters/one/kinds/b.ts': ['../client/b.ts', '../../text/x.ts', '../mod.ts'],
    'adapters/one/client/b.ts': [],
    'adapters/one/mod.ts': ['./client/a.ts'],
    'adapters/text/x.ts': [],
  });
  assert.equal(found, ['a circle of folders: adapters/one/client -> adapters/one/kinds -> adapters/one/client']);
});

test('two circles are both told', () => {
  const pair = (name: string) => ({
    [`actors/${name}1.ts`]: [`./${name}2.ts`],
    [`actors/${name}2.ts`]: [`./${name}1.ts`],
  });
  assert.is(problems({ ...pair('a'), ...pair('b') }).length, 2);
});

test.run();
