// The removal in deploy/README.md: objects of every kind are deleted before the definitions, which Troupe's finalizers need.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BUILT_IN } from '../../actors/process/adapters.ts';
import { ROOT } from './blocks.ts';

const test = suite('removal');

test('its commands delete the objects of all kinds, by category or by name, before the definitions', async () => {
  const text = await readFile(join(ROOT, 'deploy/README.md'), 'utf8');
  const [, section = ''] = /\n### Removal\n(.*?)\n## /s.exec(text) ?? [];
  const [before = '', after = ''] = section.split('helm uninstall');
  assert.match(after, /^kubectl delete crds /m);
  const deleted = new Set(
    [...before.matchAll(/^kubectl delete (\S+) --all -A --wait$/gm)].flatMap(([, names = '']) => names.split(',')),
  );
  const left = BUILT_IN.flatMap(({ contracts }) => contracts).filter(
    ({ plural, shortNames = [], ...contract }) =>
      ![plural, ...shortNames, ...('categories' in contract ? (contract.categories ?? []) : [])].some((name) =>
        deleted.has(name),
      ),
  );
  assert.equal(
    left.map(({ plural, group }) => `${plural}.${group}`),
    [],
  );
});

test.run();
