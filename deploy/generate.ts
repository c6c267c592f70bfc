// Writes the generated files of deploy/, or checks that they are up to date: `node deploy/generate.ts [--check]`.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { BUILT_IN } from '../actors/process/adapters.ts';
import { rolesWith } from '../actors/process/config.ts';
import { checkCrds, writeCrds } from '../adapters/kubernetes/crds.ts';
import { clusterRole, crdsKustomization } from './manifests.ts';

const folder = fileURLToPath(new URL('crds', import.meta.url));
const contracts = BUILT_IN.flatMap((adapter) => adapter.contracts);
const texts = [
  { name: 'base/cluster-role.yaml', text: clusterRole(BUILT_IN) },
  ...rolesWith(BUILT_IN).map((role) => ({ name: `roles/${role}.yaml`, text: clusterRole(BUILT_IN, [role]) })),
  { name: 'crds/kustomization.yaml', text: crdsKustomization(BUILT_IN) },
];
const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const read = await Promise.all(texts.map(({ name }) => readFile(pathOf(name), 'utf8').catch(() => '')));
const changed = texts.filter(({ text }, index) => read[index] !== text);

if (process.argv.includes('--check')) {
  const outdated = (await checkCrds(folder, contracts)).map((name) => `crds/${name}`);
  outdated.push(...changed.map(({ name }) => name));
  for (const name of outdated) console.error(`deploy/${name} is not what the kinds say: run npm run generate`);
  process.exitCode = outdated.length === 0 ? 0 : 1;
} else {
  await mkdir(pathOf('roles'), { recursive: true });
  for (const name of await writeCrds(folder, contracts)) console.log(`deploy/crds/${name}`);
  for (const { name, text } of changed) {
    await writeFile(pathOf(name), text);
    console.log(`deploy/${name}`);
  }
}
