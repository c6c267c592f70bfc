// The public surface of `troupe/adapter` and `troupe/adapter/testing`: what is taken away, or changes its shape, is changed on purpose.
import { readFile, writeFile } from 'node:fs/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { declarationsOf } from './surface.ts';

const test = suite('public surface');
const SNAPSHOT = new URL('surface.txt', import.meta.url);

test('35.C2: the surface is that of surface.txt; TROUPE_WRITE_SURFACE=1 writes it after a change that is meant', async () => {
  const now = await declarationsOf(['adapters/mod.ts', 'actors/testing/mod.ts']);
  if (process.env['TROUPE_WRITE_SURFACE'] === '1') await writeFile(SNAPSHOT, now);
  const before = await readFile(SNAPSHOT, 'utf8');
  const [lines, others] = [before.split('\n'), new Set(now.split('\n'))];
  const gone = lines.filter((line) => !others.has(line));
  assert.equal(gone, [], 'these are not as they were');
  assert.is(now, before, 'something was added: write it down');
});

test.run();
