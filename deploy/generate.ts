// Writes the generated files of deploy/, or checks that they are up to date: `node deploy/generate.ts [--check]`.
import { fileURLToPath } from 'node:url';
import { checkCrds, writeCrds } from '../adapters/kubernetes/crds.ts';
import { openstackContracts } from '../adapters/openstack/mod.ts';

const folder = fileURLToPath(new URL('crds', import.meta.url));
const contracts = [...openstackContracts];

if (process.argv.includes('--check')) {
  const outdated = await checkCrds(folder, contracts);
  for (const name of outdated) console.error(`deploy/crds/${name} is not what its contract says: run npm run generate`);
  process.exitCode = outdated.length === 0 ? 0 : 1;
} else {
  for (const name of await writeCrds(folder, contracts)) console.log(`deploy/crds/${name}`);
}
