// Generated files of deploy/, machines/README.md, chart-layouts.json, and what the chart makes: writes them, or checks that they are up to date.
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, parseDocument } from 'yaml';
import { diagramsPage } from '../actors/cli/machines/machines.ts';
import { BUILT_IN, configure } from '../actors/process/adapters.ts';
import { layoutsText } from '../actors/visualizer/chart-layout.ts';
import { chartNodeOf } from '../actors/visualizer/chart-nodes.ts';
import { knownMachines } from '../actors/visualizer/known-machines.ts';
import { checkCrds, writeCrds } from '../adapters/api/contract/crds.ts';
import type { JsonObject } from '../bus/mod.ts';
import { dashboard } from './dashboard.ts';
import { findHelm, type Helm, template } from './helm.ts';
import { examplesIn, kindPages } from './kind-pages.ts';
import { scriptOptions } from './script-options.ts';

const USAGE = `Usage: npm run generate -- [--check | --image REPOSITORY@DIGEST --to FOLDER]

Writes the files that follow from the kinds and the machines; then install.yaml, which is what Helm makes of the chart. Without
Helm (on the PATH, or in TROUPE_HELM) this one stays as it is, and a line says so.

  --check     compares instead
  --image X   writes install.yaml and the chart of a release with this image, and leaves the tree as it is
  --to X      folder for the files of --image
  --help      this text
`;

const DEPLOY = fileURLToPath(new URL('.', import.meta.url));
const ROOT = join(DEPLOY, '..');
const CRDS = join(DEPLOY, 'crds');
const CHART = join(DEPLOY, 'chart');
const KINDS = join(DEPLOY, 'kinds');
const NO_HELM = 'there is no helm on the PATH';

/** As callers whose names the chart does not know: with all permissions that the role asks for. */
const OCM = { enabled: true, tlsSecret: 'company-tls', writesAs: 'caller', users: ['*'], groups: ['*'] };

/** All that can be chosen, for tests: what install.yaml does not show. */
const EVERYTHING = {
  crds: { enabled: false },
  roles: { split: true },
  egress: { enabled: true },
  windows: { enabled: true },
  visualizer: { enabled: true },
  webhooks: { enabled: true },
  ocm: OCM,
  models: {
    volume: { configMap: { name: 'company-models' } },
    kinds: { 'fleet.models.troupe.dev': ['clusters', 'nodepools', 'regions'] },
  },
  metrics: { serviceMonitor: { enabled: true }, alerts: { enabled: true }, dashboard: { enabled: true } },
};

const HEADER = (values: string): string =>
  `# Made of deploy/chart${values} by \`npm run generate\`; changes made here are lost.`;

try {
  await generate();
} catch (error) {
  if (!(error instanceof Error)) throw error;
  console.error(`generate: ${error.message}`);
  process.exitCode = 1;
}

async function generate(): Promise<void> {
  const { values } = scriptOptions(USAGE, {
    options: { check: { type: 'boolean' }, image: { type: 'string' }, to: { type: 'string' } },
  });
  const helm = await findHelm(process.env);
  if (values.image !== undefined || values.to !== undefined) {
    if (values.image === undefined || values.to === undefined) throw new Error('--image and --to go together');
    if (helm === undefined) throw new Error(`${NO_HELM}, which makes install.yaml`);
    await release(helm, resolve(values.to), imageOf(values.image));
    return;
  }
  if (helm === undefined) console.log(`${NO_HELM}: deploy/install.yaml is as it was`);
  if (values.check) await check(helm);
  else {
    for (const name of await writeCrds(CRDS, contracts())) console.log(`deploy/crds/${name}`);
    await write(ROOT, await fromSources());
    if (helm !== undefined) await write(ROOT, await fromChart(helm));
  }
}

async function check(helm: Helm | undefined): Promise<void> {
  const outdated = (await checkCrds(CRDS, contracts())).map((name) => `deploy/crds/${name}`);
  outdated.push(...(await differing(ROOT, await fromSources())));
  if (helm !== undefined) outdated.push(...(await differing(ROOT, await fromChart(helm))));
  for (const name of outdated) console.error(`${name} is not what its sources say: run npm run generate`);
  if (outdated.length > 0) process.exitCode = 1;
}

function contracts() {
  return BUILT_IN.flatMap((adapter) => adapter.contracts);
}

/** Files that are generated without Helm: from the kinds, the machines, and the tables beside this file. Keys are paths from the root. */
async function fromSources(): Promise<ReadonlyMap<string, string>> {
  const pages = [...(await pagesOfKinds())].map(([name, text]) => [`deploy/kinds/${name}`, text] as const);
  return new Map([
    ['machines/README.md', diagramsPage(BUILT_IN.map((adapter) => configure(adapter, {})))],
    ['deploy/chart/files/dashboard.json', dashboard()],
    ['actors/visualizer/chart-layouts.json', await chartLayouts()],
    ...pages,
  ]);
}

/** Layouts of all machines for the page. */
function chartLayouts(): Promise<string> {
  const machines = knownMachines(BUILT_IN.map((adapter) => configure(adapter, {})));
  return layoutsText(machines.map(({ name, machine }) => [name, chartNodeOf(machine)] as const));
}

/** The examples are objects of the samples, and of the manifests in `deploy/kinds` for kinds that the samples have none of. */
async function pagesOfKinds(): Promise<ReadonlyMap<string, string>> {
  const samples = ['company-cloud', 'company-racks', 'company-windows'].map((name) => join(DEPLOY, 'samples', name));
  const files = await Promise.all(
    [...samples, KINDS].map(async (folder) =>
      (await readdir(folder))
        .filter((name) => name.endsWith('.yaml'))
        .sort()
        .map((name) => join(folder, name)),
    ),
  );
  const texts = await Promise.all(files.flat().map((path) => readFile(path, 'utf8')));
  const documents = texts.flatMap((text) =>
    text.split(/^---\n/m).flatMap((part) => {
      const object = parse(part) as JsonObject | null;
      return object === null ? [] : [{ text: part.replaceAll(/^#.*\n/gm, ''), object }];
    }),
  );
  return kindPages({ contracts: contracts(), examples: examplesIn(documents) });
}

async function fromChart(helm: Helm): Promise<ReadonlyMap<string, string>> {
  return new Map([
    ['deploy/install.yaml', await installFile(helm, CHART)],
    ['test/deploy/everything.yaml', `${HEADER(' with all that it has')}\n${await template(helm, CHART, EVERYTHING)}`],
  ]);
}

async function installFile(helm: Helm, chart: string): Promise<string> {
  const text = await template(helm, chart, { createNamespace: true });
  return `${HEADER('')} \`kubectl apply --server-side -f\` installs it.\n${text}`;
}

/** The chart with an image of its own, and what it makes. */
async function release(helm: Helm, folder: string, { repository, digest }: Image): Promise<void> {
  const chart = join(folder, 'chart');
  await cp(CHART, chart, { recursive: true, dereference: true });
  const values = parseDocument(await readFile(join(chart, 'values.yaml'), 'utf8'));
  values.setIn(['image', 'repository'], repository);
  values.setIn(['image', 'digest'], digest);
  await writeFile(join(chart, 'values.yaml'), values.toString({ lineWidth: 0 }));
  await write(folder, new Map([['install.yaml', await installFile(helm, chart)]]));
}

/** Image of Troupe in the pods. */
interface Image {
  readonly repository: string;
  readonly digest: string;
}

/** @throws {Error} it is no image with a digest */
function imageOf(text: string): Image {
  const [, repository, digest] = /^([^@\s]+)@(sha256:[0-9a-f]{64})$/.exec(text) ?? [];
  if (repository === undefined || digest === undefined)
    throw new Error(`--image must be REPOSITORY@DIGEST; got '${text}'`);
  return { repository, digest };
}

async function differing(folder: string, files: ReadonlyMap<string, string>): Promise<readonly string[]> {
  const texts = await Promise.all(
    [...files.keys()].map((name) => readFile(join(folder, name), 'utf8').catch(() => '')),
  );
  return [...files].flatMap(([name, text], index) => (texts[index] === text ? [] : name));
}

async function write(folder: string, files: ReadonlyMap<string, string>): Promise<void> {
  for (const name of await differing(folder, files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), files.get(name) ?? '');
    console.log(folder === ROOT ? name : join(folder, name));
  }
}
