// Installation and removal as the pages describe them: an image is named, and objects of every kind are deleted before the definitions,
// which Troupe's finalizers need.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BUILT_IN } from '../../actors/process/adapters.ts';
import { blocksOf, documents, ROOT } from './blocks.ts';

const test = suite('installation and removal');

test('each command that installs Troupe creates the namespace and names the image', async () => {
  const commands: string[] = [];
  for (const file of documents()) {
    const blocks = blocksOf(file, await readFile(join(ROOT, file), 'utf8')).filter(({ language }) => language === 'sh');
    commands.push(...blocks.flatMap(({ text }) => text.split('\n')));
  }
  const byHelm = commands.filter((command) => command.startsWith('helm install '));
  assert.ok(byHelm.length >= 3);
  for (const command of byHelm) {
    assert.match(command, ' --create-namespace');
    assert.match(command, / --set image\.repository=| --values values\.yaml/);
  }
  const byFile = commands.filter((command) => /^kubectl apply .*install\.yaml/.test(command));
  assert.ok(byFile.length > 0);
  for (const command of byFile) assert.match(command, '"registry.example.com/troupe:0.1.0"');
});

test('the commands of the removal delete the objects of all kinds, by category or by name, before the definitions', async () => {
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
