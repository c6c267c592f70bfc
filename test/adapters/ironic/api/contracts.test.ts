// The kinds of metal3.io as contracts: what is known at once, and what is read from disk when it is asked for.
import { syncBuiltinESMExports } from 'node:module';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { crd, crdFile, crdName, isWritten } from '../../../../adapters/api/contract/crds.ts';
import { contractsIn, metal3Contracts } from '../../../../adapters/ironic/api/contracts.ts';
import type { Phase } from '../../../../adapters/ironic/api/definitions.ts';
import { TerminalError } from '../../../../bus/errors.ts';
import { DEFINITIONS, WEBHOOK } from './schemas.ts';

const test = suite('ironic: contracts');

/** What is read from crds/ meanwhile, by name. */
async function readsOf(run: () => unknown): Promise<readonly string[]> {
  const fs = process.getBuiltinModule('node:fs');
  const { readFileSync } = fs;
  const names: string[] = [];
  fs.readFileSync = ((path: string | URL, ...more: []) => {
    names.push(String(path).replace(/.*\//, ''));
    return readFileSync(path, ...more);
  }) as typeof readFileSync;
  syncBuiltinESMExports();
  try {
    await run();
  } finally {
    fs.readFileSync = readFileSync;
    syncBuiltinESMExports();
  }
  return names.filter((name) => name.endsWith('.yaml')).sort();
}

test('names are known without any file, and all files are read once, when a definition is asked for (IRONIC-CONTRACTS-1)', async () => {
  let [first, ...others] = metal3Contracts;
  const before = await readsOf(() => {
    [first, ...others] = contractsIn({ phase: 0 });
    assert.equal([first?.group, first?.version, first?.kind], ['metal3.io', 'v1alpha1', 'BareMetalHost']);
    assert.equal([first?.plural, first?.shortNames], ['baremetalhosts', ['bmh', 'bmhost']]);
  });
  assert.equal(before, []);
  const asked = await readsOf(() => first?.definition());
  assert.equal(asked, [...metal3Contracts.map(({ plural }) => plural), 'shapes', 'v1beta1'].map(fileOf).sort());
  assert.equal(await readsOf(() => others.map((contract) => contract.definition())), []);
});

const fileOf = (name: string): string => `${name}.yaml`;

test('each stands for the definition of its kind, under the names that this has', () => {
  assert.equal(metal3Contracts.map(crd), DEFINITIONS[0]);
  for (const contract of metal3Contracts) {
    const { metadata, spec } = crd(contract) as unknown as (typeof DEFINITIONS)[0][number];
    assert.is(crdName(contract), metadata.name);
    const { group, kind, plural, shortNames } = contract;
    assert.equal([group, kind, plural], [spec.group, spec.names.kind, spec.names.plural]);
    assert.equal(shortNames, spec.names.shortNames);
    assert.not(isWritten(contract));
    assert.is(crdFile(contract).name, `metal3.io_${plural}.yaml`);
  }
});

test('their version is one that is served, v1alpha1 as long as that is', () => {
  const versionOf = (phase: Phase): readonly string[] => [
    ...new Set(contractsIn({ phase, webhook: WEBHOOK }).map(({ version }) => version)),
  ];
  assert.equal(([0, 1, 2, 3, 4] as const).map(versionOf), [
    ['v1alpha1'],
    ['v1alpha1'],
    ['v1alpha1'],
    ['v1beta1'],
    ['v1beta1'],
  ]);
  for (const contract of contractsIn({ phase: 3, webhook: WEBHOOK })) {
    const definition = DEFINITIONS[3].find(({ spec }) => spec.names.plural === contract.plural);
    assert.equal(crd(contract), definition);
  }
});

test('what no definition could be made of is refused before one is asked for', () => {
  for (const options of [{ phase: 7 as Phase }, { phase: 1 as const }]) {
    assert.throws(
      () => contractsIn(options),
      (error: unknown) => error instanceof TerminalError,
    );
  }
});

test.run();
