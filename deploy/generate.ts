// Generated files of deploy/, machines/README.md and chart-layouts.json: writes them, or checks that they are up to date.
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { rolesWith, VISUALIZER, WEBHOOKS } from '../actors/base/config.ts';
import { TROUPE_VERSION } from '../actors/base/version.ts';
import { diagramsPage } from '../actors/cli/machines/machines.ts';
import { BUILT_IN, configure } from '../actors/process/adapters.ts';
import { layoutsText } from '../actors/visualizer/chart-layout.ts';
import { chartNodeOf } from '../actors/visualizer/chart-nodes.ts';
import { knownMachines } from '../actors/visualizer/known-machines.ts';
import { checkCrds, writeCrds } from '../adapters/api/contract/crds.ts';
import { ROLE as WINDOWS } from '../adapters/windows/mod.ts';
import type { JsonObject } from '../bus/mod.ts';
import { prometheusRule, rulesFile } from './alerts.ts';
import { dashboard } from './dashboard.ts';
import {
  aggregatedRoles,
  clusterRole,
  crdsKustomization,
  migrationRole,
  rolePods,
  rolesComponent,
  VISUALIZER_PODS,
  WEBHOOK_PODS,
  webhookConfigurations,
  webhookConfigurationsFile,
  webhooksComponent,
} from './manifests.ts';
import { nodePods, nodeRoles } from './node-pods.ts';
import { examplesIn, kindPages } from './render/kind-pages.ts';
import { findKubectl, kustomized } from './render/kustomize.ts';
import { type Image, rendered } from './render/rendered.ts';
import { changedSince, SUMS_FILE, sumsOf } from './render/sums.ts';
import { scriptOptions } from './script-options.ts';

const USAGE = `Usage: npm run generate -- [--check | --image REPOSITORY@DIGEST --to FOLDER]

Writes the files that follow from the kinds; then install.yaml and the chart, by the kustomize in kubectl. Without a kubectl
these two stay as they are, and a line says so.

  --check     compares instead: files of the kinds by their text, the others by checksums, for which no kubectl is needed
  --image X   writes install.yaml and the chart of a release with this image, and leaves the tree as it is
  --to X      folder for the files of --image
  --help      this text
`;

const DEPLOY = fileURLToPath(new URL('.', import.meta.url));
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const CRDS = join(DEPLOY, 'crds');
const KINDS = join(DEPLOY, 'kinds');
const MACHINES = fileURLToPath(new URL('../machines/', import.meta.url));
const VISUALIZER_FOLDER = fileURLToPath(new URL('../actors/visualizer/', import.meta.url));

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
  if (values.check) await check();
  else if (values.image !== undefined || values.to !== undefined) {
    if (values.image === undefined || values.to === undefined) throw new Error('--image and --to go together');
    const kubectl = await findKubectl(process.env);
    if (kubectl === undefined) throw new Error(`${NO_KUBECTL}, whose kustomize makes install.yaml and the chart`);
    await render(kubectl, resolve(values.to), imageOf(values.image));
  } else {
    for (const name of await writeCrds(CRDS, contracts())) console.log(`deploy/crds/${name}`);
    await write(DEPLOY, await fromSources());
    await write(MACHINES, diagrams());
    await write(VISUALIZER_FOLDER, await chartLayouts());
    await write(KINDS, await pagesOfKinds());
    const kubectl = await findKubectl(process.env);
    if (kubectl === undefined) {
      console.log(`${NO_KUBECTL}: deploy/install.yaml and deploy/chart are as they were`);
      return;
    }
    await render(kubectl, DEPLOY);
    await write(DEPLOY, new Map([[SUMS_FILE, await sumsOf(DEPLOY)]]));
  }
}

const NO_KUBECTL = 'there is no kubectl 1.22 or later on the PATH';

async function check(): Promise<void> {
  const outdated = (await checkCrds(CRDS, contracts())).map((name) => `crds/${name}`);
  outdated.push(...(await differing(DEPLOY, await fromSources())));
  for (const name of outdated) console.error(`deploy/${name} is not what its sources say: run npm run generate`);
  const redrawn = await differing(MACHINES, diagrams());
  for (const name of redrawn) console.error(`machines/${name} is not what the machines are: run npm run generate`);
  const moved = await differing(VISUALIZER_FOLDER, await chartLayouts());
  for (const name of moved) {
    console.error(`actors/visualizer/${name} is not what the machines are: run npm run generate`);
  }
  const retold = await differing(KINDS, await pagesOfKinds());
  for (const name of retold) console.error(`deploy/kinds/${name} is not what its contract says: run npm run generate`);
  const unmade = (await changedSince(DEPLOY)).filter((name) => !outdated.includes(name));
  const isMakeable = unmade.length > 0 && (await findKubectl(process.env)) !== undefined;
  for (const name of unmade) {
    console.error(`deploy/${name} is not what install.yaml and the chart were made of, or as: run npm run generate`);
  }
  if (unmade.length > 0 && !isMakeable) console.error(`${NO_KUBECTL}: who has one makes them`);
  const { version } = parse(await readFile(join(DEPLOY, 'chart/Chart.yaml'), 'utf8')) as { version: string };
  if (version !== TROUPE_VERSION)
    console.error(`the chart is of ${version}, not ${TROUPE_VERSION}: run npm run generate`);
  process.exitCode =
    outdated.length + redrawn.length + moved.length + retold.length === 0 && !isMakeable && version === TROUPE_VERSION
      ? 0
      : 1;
}

function contracts() {
  return BUILT_IN.flatMap((adapter) => adapter.contracts);
}

function diagrams(): ReadonlyMap<string, string> {
  return new Map([['README.md', diagramsPage(BUILT_IN.map((adapter) => configure(adapter, {})))]]);
}

/** Layouts of all machines for the page. */
async function chartLayouts(): Promise<ReadonlyMap<string, string>> {
  const machines = knownMachines(BUILT_IN.map((adapter) => configure(adapter, {})));
  const charts = machines.map(({ name, machine }) => [name, chartNodeOf(machine)] as const);
  return new Map([['chart-layouts.json', await layoutsText(charts)]]);
}

/** The examples are objects of the samples, and of a file for kinds that the samples have none of. */
async function pagesOfKinds(): Promise<ReadonlyMap<string, string>> {
  const samples = ['company-cloud', 'company-racks', 'company-windows'].map((name) => join(DEPLOY, 'samples', name));
  const files = await Promise.all(
    samples.map(async (folder) =>
      (await readdir(folder))
        .filter((name) => name.endsWith('.yaml'))
        .sort()
        .map((name) => join(folder, name)),
    ),
  );
  const texts = await Promise.all(
    [...files.flat(), join(KINDS, 'examples.yaml')].map((path) => readFile(path, 'utf8')),
  );
  const documents = texts.flatMap((text) =>
    text.split(/^---\n/m).flatMap((part) => {
      const object = parse(part) as JsonObject | null;
      return object === null ? [] : [{ text: part.replaceAll(/^#.*\n/gm, ''), object }];
    }),
  );
  return kindPages({ contracts: contracts(), examples: examplesIn(documents) });
}

/** What is made without kubectl: of the kinds, and of the tables beside this file. */
async function fromSources(): Promise<ReadonlyMap<string, string>> {
  const read = (name: string): Promise<string> => readFile(join(DEPLOY, name), 'utf8');
  const deployment = await read('base/deployment.yaml');
  const { namespace } = parse(await read('base/kustomization.yaml')) as { namespace: string };
  return new Map([
    ['base/cluster-role.yaml', clusterRole(BUILT_IN)],
    ['base/aggregated-roles.yaml', aggregatedRoles(BUILT_IN)],
    ['base/migration-role.yaml', migrationRole(BUILT_IN)],
    ['crds/kustomization.yaml', crdsKustomization(BUILT_IN)],
    ['monitoring/rules.yaml', rulesFile()],
    ['monitoring/prometheus-rule.yaml', prometheusRule(namespace)],
    ['monitoring/dashboard.json', dashboard()],
    ['roles/kustomization.yaml', rolesComponent(BUILT_IN, TROUPE_VERSION)],
    ...rolesWith(BUILT_IN).flatMap((role): [string, string][] => [
      [`roles/${role}.yaml`, clusterRole(BUILT_IN, [role])],
      [`roles/${role}-pods.yaml`, rolePods(role, deployment, namespace)],
    ]),
    ['visualizer/cluster-role.yaml', clusterRole(BUILT_IN, [VISUALIZER])],
    ['visualizer/pods.yaml', rolePods(VISUALIZER, deployment, namespace, VISUALIZER_PODS)],
    ['webhooks/kustomization.yaml', webhooksComponent(BUILT_IN, TROUPE_VERSION)],
    ['webhooks/cluster-role.yaml', clusterRole(BUILT_IN, [WEBHOOKS])],
    ['webhooks/pods.yaml', rolePods(WEBHOOKS, deployment, namespace, WEBHOOK_PODS)],
    ['windows/cluster-roles.yaml', nodeRoles(BUILT_IN, WINDOWS)],
    ['windows/pods.yaml', nodePods(WINDOWS, deployment, namespace)],
    ...(webhookConfigurations(BUILT_IN, namespace).length === 0
      ? []
      : [['webhooks/configuration.yaml', webhookConfigurationsFile(BUILT_IN, namespace)] as [string, string]]),
  ]);
}

async function render(kubectl: string, folder: string, image?: Image): Promise<void> {
  const files = await rendered((sources) => kustomized(kubectl, sources), TROUPE_VERSION, image);
  for (const name of await readdir(join(folder, 'chart'), { recursive: true }).catch(() => [])) {
    if (!files.has(`chart/${name}`) && /\.\w+$/.test(name)) await rm(join(folder, 'chart', name));
  }
  await write(folder, files);
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
    console.log(relative(ROOT, join(folder, name)));
  }
}
