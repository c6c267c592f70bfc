// What a scaffolded kind is called, and where it goes. That it checks, generates and passes its test: .ci/run, on a clean clone.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { scaffoldKind } from '../../../../adapters/openstack/tools/scaffold.ts';

const test = suite('scaffold');

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const REGISTRY = 'adapters/openstack/kinds/registry.ts';

test('import and entry go to their alphabetical place', async () => {
  const before = await readFile(join(root, REGISTRY), 'utf8');
  for (const kind of ['AddressGroup', 'Mountain', 'Zone']) {
    const { text } = scaffoldKind(kind, before).registry;
    const imported = [...text.matchAll(/^import \{ (\w+) \}/gm)].map(([, name]) => name);
    const listed = [...text.matchAll(/^ {2}(\w+),$/gm)].map(([, name]) => name);
    assert.equal(imported, [...imported].sort(), kind);
    assert.equal(listed, imported, kind);
  }
});

test('a kind is CamelCase, and new', () => {
  assert.throws(() => scaffoldKind('addressGroup', ''), /CamelCase; got 'addressGroup'/);
  assert.throws(() => scaffoldKind('Network', "import { network } from './network.ts';"), /knows 'Network' already/);
});

test.run();
