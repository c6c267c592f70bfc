// needs: kube
// The definitions of this project and of others: accepted by a real API server and by the embedded one, and so are
// random objects of each; random flaws and updates get the same verdict, in the same words. `SEED=n` replays a run.
//
// Objects are compared whole but for ids and times, refusals by code, reason and every cause.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import type { KubeObject } from '../../../adapters/simulated/kubernetes/base/kube-object.ts';
import { compileObjectSchema, type Schema } from '../../../adapters/simulated/kubernetes/schemas/schema.ts';
import { type JsonMap, listOf, mapOf, stringOf } from '../../../adapters/text/json.ts';
import { fc } from '../../world/properties.ts';
import {
  type Answer,
  DEFINITIONS,
  difference,
  forAll,
  removed,
  type Server,
  type Servers,
  served,
  startServers,
} from './schemas/servers.ts';
import { FLAW_NAMES, flawed, valuesOf } from './schemas/values.ts';

const OWN = new URL('../../../deploy/crds/', import.meta.url);
const REFERENCE = ['openstack-crds', 'metal3-crds'].map(
  (name) => new URL(`../../../../shared/reference/${name}/`, import.meta.url),
);

/** Valid objects, and broken ones, that each definition is tried with. */
const WANTED = 50;
/** Objects that are made at most for the broken ones among them. */
const CANDIDATES = 40 * WANTED;
/** Objects of each definition that are stored, and updates of each. */
const STORED = 4;
const UPDATES = 10;

const SYSTEM_FIELDS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

const kubeconfig = process.env['KUBECONFIG'];
const seed = Number(process.env['SEED'] ?? 20_261_121);

interface Tally {
  accepted: number;
  refused: number;
  updated: number;
  updatesRefused: number;
  readonly differences: string[];
}

/** What is tried of a definition: its first version. */
interface Resource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  readonly schema: Schema;
}

function tried({ spec }: KubeObject): Resource {
  const { group, scope, names, versions } = mapOf(spec);
  const version = mapOf(listOf(versions)[0]);
  return {
    apiVersion: `${stringOf(group)}/${stringOf(version['name'])}`,
    kind: stringOf(mapOf(names)['kind']),
    plural: stringOf(mapOf(names)['plural']),
    namespaced: scope === 'Namespaced',
    schema: compileObjectSchema(mapOf(version['schema'])['openAPIV3Schema']),
  };
}

function definitionsIn(folder: URL): KubeObject[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => parse(readFileSync(new URL(name, folder), 'utf8')) as KubeObject)
    .filter(({ kind }) => kind === 'CustomResourceDefinition');
}

/** Objects without end, each time the same ones. */
function* objectsOf({ schema, apiVersion, kind }: Resource): Generator<JsonMap, undefined> {
  const properties = new Map([...(schema.properties ?? [])].filter(([name]) => !SYSTEM_FIELDS.has(name)));
  const arbitrary = valuesOf({ ...schema, properties });
  let count = 0;
  for (let round = 0; ; round++) {
    for (const value of fc.sample(arbitrary, { numRuns: 20, seed: seed + round })) {
      yield { apiVersion, kind, metadata: { name: `object-${count++}` }, ...mapOf(value) };
    }
  }
}

/** Objects with a flaw each, of every sort in turn. */
function* brokenOf({ schema }: Resource, sound: readonly JsonMap[]): Generator<JsonMap, undefined> {
  const choices = fc.sample(fc.nat({ max: 1_000_000 }), { numRuns: CANDIDATES, seed });
  for (const [index, choice] of choices.entries()) {
    const object = sound[index % sound.length] ?? {};
    const result = flawed(schema, object, FLAW_NAMES[index % FLAW_NAMES.length] ?? '', choice);
    if (result !== undefined) yield result;
  }
}

async function tryObjects(servers: Servers, resource: Resource, tally: Tally): Promise<void> {
  const base = `/apis/${resource.apiVersion}/${resource.namespaced ? 'namespaces/default/' : ''}${resource.plural}`;
  const path = `${base}?dryRun=All&fieldValidation=Strict`;
  const create = async (object: JsonMap): Promise<boolean> => {
    const { real, embedded } = await servers.both('POST', path, object);
    tally.differences.push(...difference(object, real, embedded));
    return real.code < 300;
  };
  const sound = [...objectsOf(resource).take(WANTED)];
  await forAll(sound.values(), async (object) => {
    if (await create(object)) tally.accepted += 1;
  });
  await forAll(brokenOf(resource, sound), async (object) => {
    if (tally.refused < WANTED && !(await create(object))) tally.refused += 1;
  });
  await forAll(sound.slice(-STORED).values(), (object) => tryUpdates(servers, resource, base, object, sound, tally));
}

async function tryUpdates(
  servers: Servers,
  { schema }: Resource,
  base: string,
  object: JsonMap,
  others: readonly JsonMap[],
  tally: Tally,
): Promise<void> {
  const { name } = mapOf(object['metadata']);
  const created = await servers.both('POST', base, object);
  tally.differences.push(...difference(object, created.real, created.embedded));
  const target = `${base}/${String(name)}`;
  const put = ({ call }: Server, { body }: Answer, next: JsonMap): Promise<Answer> => {
    const { resourceVersion, uid } = mapOf(mapOf(body)['metadata']);
    const metadata = { name, resourceVersion, uid };
    return call('PUT', `${target}?dryRun=All&fieldValidation=Strict`, { ...next, metadata });
  };
  const choices = fc.sample(fc.nat({ max: 1_000_000 }), { numRuns: 4 * UPDATES, seed: seed + 1 });
  const updates = choices.map((choice, index) =>
    index % 3 > 0
      ? flawed(schema, object, FLAW_NAMES[choice % FLAW_NAMES.length] ?? '', choice)
      : { ...object, spec: others[choice % others.length]?.['spec'] ?? {} },
  );
  for (const next of updates.filter((one) => one !== undefined).slice(0, UPDATES)) {
    const [real, embedded] = await Promise.all([
      put(servers.real, created.real, next),
      put(servers.embedded, created.embedded, next),
    ]);
    tally.differences.push(...difference({ was: object, next }, real, embedded));
    if (real.code < 300) tally.updated += 1;
    else tally.updatesRefused += 1;
  }
  await servers.both('DELETE', target);
}

async function tryDefinition(servers: Servers, definition: KubeObject): Promise<Tally> {
  const tally: Tally = { accepted: 0, refused: 0, updated: 0, updatesRefused: 0, differences: [] };
  const resource = tried(definition);
  await served(servers, resource);
  await tryObjects(servers, resource, tally);
  return tally;
}

async function tryFolder(folder: URL, path: string): Promise<void> {
  const definitions = definitionsIn(folder);
  const servers = await startServers(path);
  const differences: string[] = [];
  try {
    for (const definition of definitions) {
      await removed(servers, definition);
      const { real, embedded } = await servers.both('POST', `${DEFINITIONS}?fieldValidation=Strict`, definition);
      assert.is(real.code, 201, JSON.stringify(real.body));
      assert.is(embedded.code, 201, JSON.stringify(embedded.body));
    }
    for (const definition of definitions) {
      const { differences: found, ...figures } = await tryDefinition(servers, definition);
      const { name } = definition.metadata;
      process.stdout.write(`${name}: ${JSON.stringify({ ...figures, differences: found.length })}\n`);
      differences.push(...found);
      assert.is(figures.accepted, WANTED, `valid objects of ${name}`);
      assert.ok(figures.refused >= WANTED, `broken objects of ${name}`);
    }
  } finally {
    await forAll(definitions.values(), async ({ metadata }) => {
      await servers.both('DELETE', `${DEFINITIONS}/${metadata.name}`);
    });
    await servers.close();
  }
  assert.is(differences.length, 0, differences.join('\n'));
}

if (kubeconfig === undefined) {
  process.stdout.write('skipped: KUBECONFIG is not set\n');
} else {
  process.stdout.write(`SEED=${seed}\n`);
  const test = suite('definitions on a real API server and on the embedded one');
  const missing = REFERENCE.filter((folder) => !existsSync(folder));
  for (const folder of missing) process.stdout.write(`not there, and not tried: ${basename(folder.pathname)}\n`);
  for (const folder of [OWN, ...REFERENCE].filter((one) => !missing.includes(one))) {
    test(`objects of the definitions in ${basename(folder.pathname)} get the same verdicts`, () =>
      tryFolder(folder, kubeconfig));
  }
  test.run();
}
