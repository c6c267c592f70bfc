// long
// Manifests and values that documents tell to write: they parse, go together with the sources, and name what is there.
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseAllDocuments } from 'yaml';
import type { JsonObject } from '../../bus/mod.ts';
import { findHelm } from '../../deploy/helm.ts';
import { templated } from '../deploy/helm.ts';
import { findKubectl } from '../deploy/kubectl.ts';
import { everyAdapter, type Manifest, one, parseManifests } from '../deploy/manifests.ts';
import { type Block, blocksOf, documents, ROOT } from './blocks.ts';

const run = promisify(execFile);
const test = suite('manifests of the documentation');
const DEPLOY = 'deploy/README.md';

async function yamlOf(file: string): Promise<readonly Block[]> {
  const blocks = blocksOf(file, await readFile(join(ROOT, file), 'utf8'));
  return blocks.filter(({ language }) => language === 'yaml');
}

const objectsIn = ({ text }: Block): readonly JsonObject[] =>
  parseAllDocuments(text, { prettyErrors: true }).map((document) => {
    if (document.errors.length > 0) throw document.errors[0];
    return document.toJS() as JsonObject;
  });

/** What of a pod of Troupe says how Ironic is reached. */
function wayToIronic(manifests: readonly Manifest[]): readonly string[] {
  const found = manifests.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'troupe');
  if (found === undefined) throw new Error('there is no Deployment troupe');
  const { template } = found['spec'] as { template: { spec: { volumes: JsonObject[]; containers: JsonObject[] } } };
  const { volumes, containers } = template.spec;
  const [{ env = [], volumeMounts = [] } = {}] = containers as { env?: JsonObject[]; volumeMounts?: JsonObject[] }[];
  const mounted = volumeMounts.filter(({ name }) => volumes.some((volume) => volume['name'] === name));
  return [
    ...env.flatMap(({ name }) => (name === 'IRONIC_ENDPOINT' ? [name] : [])),
    ...mounted.flatMap(({ mountPath }) => (String(mountPath).startsWith('/opt/metal3/') ? [String(mountPath)] : [])),
  ];
}

test('all of them can be read', async () => {
  let count = 0;
  for (const file of documents()) {
    for (const block of await yamlOf(file)) {
      count += objectsIn(block).length;
    }
  }
  assert.ok(count > 2, `only ${count} were found`);
});

const kubectl = await findKubectl(process.env);
if (kubectl === undefined) console.log('kubectl is not on the PATH: kustomizations are not rendered');
else {
  test('each kustomization goes together with install.yaml', async () => {
    const blocks = (await yamlOf(DEPLOY)).filter(({ text }) => /^kind: Kustomization$/m.test(text));
    assert.ok(blocks.length > 1, `only ${blocks.length} were found`);
    const ways: (readonly string[])[] = [];
    for (const { text, line } of blocks) {
      const folder = await realpath(await mkdtemp(join(tmpdir(), 'troupe-docs-')));
      try {
        await mkdir(join(folder, 'own'));
        await cp(join(ROOT, 'deploy/install.yaml'), join(folder, 'own', 'install.yaml'));
        await writeFile(join(folder, 'own', 'kustomization.yaml'), text);
        const { stdout } = await run(kubectl, ['kustomize', join(folder, 'own')], { maxBuffer: 64 * 1024 * 1024 });
        const manifests = parseManifests(stdout);
        assert.ok(manifests.length > 20, `${DEPLOY}:${line}`);
        if (text.includes('IRONIC_ENDPOINT')) ways.push(wayToIronic(manifests));
      } finally {
        await rm(folder, { recursive: true });
      }
    }
    assert.equal(ways, [['IRONIC_ENDPOINT', '/opt/metal3/auth/ironic']]);
  });
}

const helm = await findHelm(process.env);
if (helm === undefined) console.log('helm is not on the PATH: values are not rendered');
else {
  test('the values are those of the chart, and lead to Ironic, and to the kinds of a model', async () => {
    const blocks = (await yamlOf(DEPLOY)).filter(({ text }) => text.startsWith('# values.yaml'));
    const all = blocks.flatMap(objectsIn);
    for (const values of all) assert.ok((await templated(helm, values)).length > 0, JSON.stringify(values));
    const [ironic = {}] = all.filter(({ env }) => env !== undefined);
    const [models = {}] = all.filter(({ ocm }) => ocm !== undefined);
    const way = wayToIronic(await templated(helm, ironic));
    assert.equal(way, ['IRONIC_ENDPOINT', '/opt/metal3/auth/ironic', '/opt/metal3/certs/ca']);
    const served = await templated(helm, models);
    const { rules } = one(served, 'ClusterRole', 'troupe-ocm');
    // The kinds of the model that the commands below these values deploy.
    const [model] = everyAdapter().slice(-1);
    assert.equal(
      [...((rules as readonly { resources: readonly string[] }[])[0]?.resources ?? [])],
      model?.contracts.map(({ plural }) => plural).sort(),
    );
  });
}

test.run();
