// What the page for who comes from ORC tells to type goes together with the manifests: what is installed is removed, and what must
// stay is not. On a real API server test/real/deploy/ways.test.ts types it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openstackWith } from '../../adapters/openstack/mod.ts';
import { parseManifests } from '../deploy/manifests.ts';
import { blocksOf, commandsOf, ROOT } from './blocks.ts';

const test = suite('from ORC');
const FILE = 'deploy/from-orc.md';
const text = readFileSync(join(ROOT, FILE), 'utf8');
const commands = blocksOf(FILE, text)
  .filter(({ language }) => language === 'sh')
  .flatMap((block) => commandsOf(block));
const installed = parseManifests(readFileSync(join(ROOT, 'deploy/install.yaml'), 'utf8'));
const DEFINITION = 'CustomResourceDefinition';

test('33.F3: what is removed is all that was installed but the definitions, pods first', () => {
  const removals = commands.filter((command) => command.startsWith('kubectl delete '));
  const removed = removals.flatMap((command) => {
    const [, , kind = '', ...names] = command.split(/ +/);
    return names.map((name) => `${kind}/${name}`);
  });
  assert.is(removed[0], 'namespace/troupe-system');
  const clustered = installed
    .filter(({ kind, metadata }) => kind !== DEFINITION && metadata.namespace === undefined)
    .map(({ kind, metadata }) => `${kind.toLowerCase()}/${metadata.name}`);
  assert.equal([...removed].sort(), clustered.sort());
  const elsewhere = installed.filter(
    ({ metadata: { namespace } }) => namespace !== undefined && namespace !== 'troupe-system',
  );
  assert.equal(elsewhere, [], 'what is in the namespace goes with it');
});

test('33.F3: definitions that another manager owns are taken over, and none is deleted', () => {
  const applied = commands.filter((command) => command.startsWith('kubectl apply --server-side --force-conflicts -f '));
  assert.ok(applied.some((command) => command.includes(' deploy/install.yaml')));
  assert.ok(installed.some(({ kind }) => kind === DEFINITION));
  assert.equal(
    commands.filter((command) => /delete.*(crd|customresourcedefinition)/.test(command)),
    [],
  );
});

test('33.F3: the lease is the one that Troupe waits for, and no kinds are taken over beside it', () => {
  const { legacyController } = openstackWith({});
  assert.ok(commands.some((command) => command.includes(`get lease ${legacyController?.lease} `)));
  assert.not.match(commands.join('\n'), /--kinds/);
  assert.not.match(text, /^## Kind by kind/m);
});

test('33.F3: Events, credentials and the lease of a killed leader are spoken of', () => {
  for (const what of [/leaseDurationSeconds/, /^- Events:/m, /without usable credentials/i]) assert.match(text, what);
});

test.run();
