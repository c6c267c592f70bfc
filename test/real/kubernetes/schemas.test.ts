// needs: kube
// Random small schemas, rules and definitions: a real API server and the embedded one take and refuse the same, in the
// same words, and make the same of what they take. `SEED=n` replays a run.
import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compileSchema } from '../../../adapters/simulated/kubernetes/schemas/schema.ts';
import { type JsonMap, mapOf } from '../../../adapters/text/json.ts';
import { fc } from '../../world/properties.ts';
import { randomSchema, SUSPECT_SCHEMAS } from './schemas/random-schemas.ts';
import { DEFINITIONS, difference, forAll, type Servers, served, startServers } from './schemas/servers.ts';
import { anyValue, FLAW_NAMES, flawed, valuesOf } from './schemas/values.ts';

const kubeconfig = process.env['KUBECONFIG'];
const seed = Number(process.env['SEED'] ?? 20_261_121);

const GROUP = 'schemas.example.org';
/** Definitions, schemas of each, and values of each of those. */
const DEFINITIONS_TRIED = 4;
const SCHEMAS = 30;
const VALUES = 12;

/** A definition whose objects have the given fields. */
function definition(plural: string, properties: JsonMap, more: JsonMap = {}): JsonMap {
  const kind = `${plural[0]?.toUpperCase()}${plural.slice(1)}`;
  const version = {
    name: 'v1',
    served: true,
    storage: true,
    schema: { openAPIV3Schema: { type: 'object', properties } },
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${GROUP}` },
    spec: { group: GROUP, scope: 'Namespaced', names: { kind, plural }, versions: [version], ...more },
  };
}

async function withServers(run: (servers: Servers, differences: string[]) => Promise<void>): Promise<void> {
  const servers = await startServers(kubeconfig ?? '');
  const differences: string[] = [];
  try {
    await run(servers, differences);
  } finally {
    await servers.close();
  }
  assert.is(differences.length, 0, differences.join('\n'));
}

/** Serves a definition on both for a while. */
async function serving(
  servers: Servers,
  plural: string,
  properties: JsonMap,
  run: (path: string) => Promise<void>,
): Promise<void> {
  const body = definition(plural, properties);
  const { real, embedded } = await servers.both('POST', DEFINITIONS, body);
  try {
    assert.is(real.code, 201, JSON.stringify(real.body));
    assert.is(embedded.code, 201, JSON.stringify(embedded.body));
    await served(servers, { apiVersion: `${GROUP}/v1`, plural });
    await run(`/apis/${GROUP}/v1/namespaces/default/${plural}?dryRun=All`);
  } finally {
    await servers.both('DELETE', `${DEFINITIONS}/${plural}.${GROUP}`);
  }
}

/** Values that fit a schema, that nearly do, and that have nothing to do with it. */
function triedValues(schema: JsonMap, from: number): unknown[] {
  const compiled = compileSchema(schema);
  const fitting = fc.sample(valuesOf(compiled), { numRuns: VALUES, seed: from });
  const odd = fc.sample(anyValue, { numRuns: VALUES / 2, seed: from });
  const choices = fc.sample(fc.nat({ max: 1_000_000 }), { numRuns: VALUES, seed: from });
  const near = choices.flatMap((choice, index) => {
    const holder = compileSchema({ type: 'object', properties: { value: schema } });
    const changed = flawed(holder, { value: fitting[index] }, FLAW_NAMES[choice % FLAW_NAMES.length] ?? '', choice);
    return changed === undefined ? [] : [changed['value']];
  });
  return [...fitting, ...near, ...odd];
}

async function trySchemas(servers: Servers, differences: string[], index: number): Promise<void> {
  const schemas = fc.sample(randomSchema, { numRuns: SCHEMAS, seed: seed + index });
  // A schema that is refused by itself is compared here, and left out of what is served.
  const sound: JsonMap = {};
  await forAll(schemas.entries(), async ([at, schema]) => {
    const body = definition('alone', { field: schema });
    const { real, embedded } = await servers.both('POST', `${DEFINITIONS}?dryRun=All`, body);
    if (real.code < 300) sound[`field${at}`] = schema;
    else differences.push(...difference(schema, real, embedded));
  });
  assert.ok(Object.keys(sound).length > SCHEMAS / 2, 'most random schemas are valid');
  const kind = `Random${index}`;
  await serving(servers, kind.toLowerCase(), sound, async (path) => {
    const tried = Object.entries(sound).flatMap(([field, schema], at) =>
      triedValues(mapOf(schema), seed + at).map((value) => ({ field, value, schema })),
    );
    await forAll(tried.values(), async ({ field, value, schema }) => {
      const object = { apiVersion: `${GROUP}/v1`, kind, metadata: { name: 'a' }, [field]: value };
      const { real, embedded } = await servers.both('POST', path, object);
      differences.push(...difference({ schema, value }, real, embedded));
    });
    process.stdout.write(`${Object.keys(sound).length} schemas, ${tried.length} values\n`);
  });
}

/** Lines of a file beside this one, without empty ones and comments. */
function linesOf(name: string): string[] {
  const text = readFileSync(new URL(`schemas/${name}`, import.meta.url), 'utf8');
  return text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'));
}

const bounded = { type: 'string', maxLength: 100 };
const whole = { type: 'integer' };

/** What the rules of rules.txt and evaluations.txt see as `self`. */
const SELF: JsonMap = {
  s: bounded,
  free: { type: 'string' },
  n: whole,
  d: { type: 'number' },
  b: { type: 'boolean' },
  l: { type: 'array', maxItems: 20, items: bounded },
  fl: { type: 'array', items: { type: 'string' } },
  se: { type: 'array', maxItems: 5, items: { type: 'string', maxLength: 10 }, 'x-kubernetes-list-type': 'set' },
  il: { type: 'array', maxItems: 10, items: whole },
  m: { type: 'object', maxProperties: 5, additionalProperties: bounded },
  fm: { type: 'object', additionalProperties: { type: 'string' } },
  o: { type: 'object', properties: { x: whole } },
  ol: {
    type: 'array',
    maxItems: 10,
    items: { type: 'object', properties: { x: whole, y: { type: 'string', maxLength: 20 } } },
  },
  ios: { 'x-kubernetes-int-or-string': true, maxLength: 20 },
  t: { type: 'string', format: 'date-time' },
  du: { type: 'string', format: 'duration' },
  by: { type: 'string', format: 'byte', maxLength: 40 },
  nu: { type: 'string', nullable: true, maxLength: 10 },
  u: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  'a-b': { type: 'string' },
};

const VALUE: JsonMap = {
  s: 'aé😀b',
  n: 3,
  d: 2.5,
  b: true,
  l: ['x', 'y', 'x'],
  se: ['p', 'q'],
  il: [3, 1, 2],
  m: { a: '1', b: '2' },
  o: { x: 1 },
  ios: '50%',
  t: '2020-01-02T03:04:05Z',
  du: '1h30m',
  by: 'YWJj',
  nu: null,
};

const withRule = (rule: string): JsonMap => ({
  type: 'object',
  properties: SELF,
  'x-kubernetes-validations': [{ rule: rule.replaceAll('\\n', '\n'), message: 'no' }],
});

if (kubeconfig === undefined) {
  process.stdout.write('skipped: KUBECONFIG is not set\n');
} else {
  process.stdout.write(`SEED=${seed}\n`);
  const test = suite('schemas on a real API server and on the embedded one');
  for (let index = 0; index < DEFINITIONS_TRIED; index++) {
    test(`random values of random schemas get the same verdicts (${index})`, () =>
      withServers((servers, differences) => trySchemas(servers, differences, index)));
  }
  test('rules are compiled, and what they may cost is estimated, alike', () =>
    withServers(async (servers, differences) => {
      await forAll(linesOf('rules.txt').values(), async (rule) => {
        const body = definition('rules', { field: withRule(rule) });
        const { real, embedded } = await servers.both('POST', `${DEFINITIONS}?dryRun=All`, body);
        if (real.code > 201 || embedded.code > 201) differences.push(...difference(rule, real, embedded));
      });
    }));
  test('rules are evaluated alike', () =>
    withServers(async (servers, differences) => {
      const rules = linesOf('evaluations.txt');
      const properties = Object.fromEntries(rules.map((rule, index) => [`r${index}`, withRule(rule)]));
      await serving(servers, 'evaluations', properties, async (path) => {
        await forAll(rules.entries(), async ([index, rule]) => {
          const object = {
            apiVersion: `${GROUP}/v1`,
            kind: 'Evaluations',
            metadata: { name: 'a' },
            [`r${index}`]: VALUE,
          };
          const { real, embedded } = await servers.both('POST', path, object);
          differences.push(...difference(rule, real, embedded));
        });
      });
    }));
  test('suspect schemas are refused, or stored, alike', () =>
    withServers(async (servers, differences) => {
      await forAll(SUSPECT_SCHEMAS.values(), async (schema) => {
        const body = definition('suspects', { field: schema });
        const { real, embedded } = await servers.both('POST', `${DEFINITIONS}?dryRun=All`, body);
        differences.push(...difference(schema, real, embedded));
      });
    }));
  test.run();
}
