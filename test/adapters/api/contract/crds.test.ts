// Contracts to CRDs: what is generated, and that it is what existing manifests were written against.
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import {
  boolean,
  immutable,
  list,
  map,
  object,
  ref,
  required,
  string,
} from '../../../../adapters/api/contract/contract.ts';
import {
  type Contract,
  checkCrds,
  crd,
  crdFile,
  isWritten,
  type KindContract,
  type KindDefinition,
  openApi,
  writeCrds,
} from '../../../../adapters/api/contract/crds.ts';
import { openstackContracts } from '../../../../adapters/openstack/mod.ts';
import { customColumns } from '../../../../adapters/simulated/kubernetes/wire/columns.ts';
import type { Json, JsonObject } from '../../../../bus/bus.ts';

/** Known by what they connect. */
const UNIDENTIFIED: ReadonlySet<string> = new Set(['RoleAssignment', 'RouterInterface']);
const root = fileURLToPath(new URL('../../../..', import.meta.url));
const reference = join(root, '../shared/reference/openstack-crds');
const generated = join(root, 'deploy/crds');

const test = suite('crds');

/** Everything but descriptions, the generator's mark, and the order of what has none. */
function structure(value: unknown, parent = ''): Json {
  if (Array.isArray(value)) {
    const items = value.map((item) => structure(item));
    return parent === 'required' || parent === 'x-kubernetes-validations' || parent === 'enum'
      ? items.map((item) => JSON.stringify(item)).sort()
      : items;
  }
  if (typeof value !== 'object' || value === null) return value as Json;
  const entries = Object.entries(value)
    .filter(([key]) => parent === 'properties' || (key !== 'description' && key !== 'annotations'))
    .map(([key, item]) => [key, structure(item, parent === 'properties' ? '' : key)] as const);
  return Object.fromEntries(entries.sort(([left], [right]) => (left < right ? -1 : 1)));
}

const widget: KindContract = {
  group: 'example.org',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  categories: ['all'],
  description: 'Widget is a thing.',
  columns: [{ name: 'Size', description: 'how large', jsonPath: '.spec.size' }],
  spec: object('spec is what is wanted.', {
    size: required(immutable(string('size of it.', { enum: ['small', 'large'], default: 'small' }))),
    boxRef: ref('Box', 'boxRef is where it lies.'),
  }),
  status: object('status is what is.', { lit: boolean('lit or not.') }),
};

test('a contract becomes a CRD', () => {
  const { spec } = crd(widget) as { spec: JsonObject & { versions: readonly [JsonObject] } };
  assert.equal(crd(widget)['metadata'], { name: 'widgets.example.org' });
  assert.equal(spec['names'], {
    categories: ['all'],
    kind: 'Widget',
    listKind: 'WidgetList',
    plural: 'widgets',
    singular: 'widget',
  });
  const [version] = spec.versions;
  assert.equal(version['subresources'], { status: {} });
  assert.equal(version['additionalPrinterColumns'], [
    { name: 'Size', description: 'how large', jsonPath: '.spec.size', type: 'string' },
  ]);
  const { openAPIV3Schema } = version['schema'] as { openAPIV3Schema: { properties: JsonObject; required: Json } };
  assert.equal(openAPIV3Schema.required, ['spec']);
  assert.equal(openAPIV3Schema.properties['spec'], {
    type: 'object',
    description: 'spec is what is wanted.',
    required: ['size'],
    properties: {
      size: {
        type: 'string',
        description: 'size of it.',
        enum: ['small', 'large'],
        default: 'small',
        'x-kubernetes-validations': [{ message: 'size is immutable', rule: 'self == oldSelf' }],
      },
      boxRef: { type: 'string', description: 'boxRef is where it lies.', minLength: 1, maxLength: 253 },
    },
  });
});

test('lists and maps keep how they merge', () => {
  const item = object('An entry.', { key: required(string('key of it.', { maxLength: 9 })) });
  assert.equal(openApi(list('entries of it.', item, { type: 'map', keys: ['key'], maxItems: 3 }), 'entries'), {
    type: 'array',
    description: 'entries of it.',
    maxItems: 3,
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['key'],
    items: {
      type: 'object',
      description: 'An entry.',
      required: ['key'],
      properties: { key: { type: 'string', description: 'key of it.', maxLength: 9 } },
    },
  });
  assert.equal(openApi(map('hints of it.', string('A hint.', { maxLength: 5 }), { maxProperties: 3 }), 'hints'), {
    type: 'object',
    description: 'hints of it.',
    maxProperties: 3,
    additionalProperties: { type: 'string', description: 'A hint.', maxLength: 5 },
  });
});

test('an own rule stands beside the one of immutability', () => {
  const field = immutable(string('size of it.', { maxLength: 1, rules: [{ rule: "self != 'x'", message: 'no x' }] }));
  assert.equal(openApi(field, 'size')['x-kubernetes-validations'], [
    { message: 'size is immutable', rule: 'self == oldSelf' },
    { message: 'no x', rule: "self != 'x'" },
  ]);
});

test('the YAML says to every reader what the object says', () => {
  const { name, text } = crdFile({ ...widget, description: 'on, off, yes, True and 012' });
  assert.is(name, 'example.org_widgets.yaml');
  assert.equal(parse(text), crd({ ...widget, description: 'on, off, yes, True and 012' }));
  assert.equal(parse(text, { version: '1.1' }), parse(text));
});

test('writing makes the folder what the contracts say, and a check finds what is not', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'crds-'));
  const gadget = { ...widget, kind: 'Gadget', plural: 'gadgets' };
  await writeFile(join(folder, 'elsewhere.org_things.yaml'), '');
  assert.equal(await checkCrds(folder, [widget, gadget]), ['example.org_widgets.yaml', 'example.org_gadgets.yaml']);
  await writeCrds(folder, [widget, gadget]);
  assert.equal(await checkCrds(folder, [widget, gadget]), []);
  assert.equal(await checkCrds(folder, [widget]), ['example.org_gadgets.yaml']);
  await writeCrds(folder, [widget]);
  assert.equal((await readdir(folder)).sort(), ['elsewhere.org_things.yaml', 'example.org_widgets.yaml']);
  await rm(folder, { recursive: true });
});

test('short names are those of the contract, and a finished definition is taken as it is', async () => {
  const namesOf = (contract: Contract): unknown => (crd(contract) as { spec: { names: JsonObject } }).spec.names;
  assert.equal((namesOf({ ...widget, shortNames: ['wi'] }) as JsonObject)['shortNames'], ['wi']);
  assert.not.ok('shortNames' in (namesOf(widget) as JsonObject));
  const definition = crd(widget);
  const finished: KindDefinition = {
    group: widget.group,
    version: widget.version,
    kind: widget.kind,
    plural: widget.plural,
    definition: () => definition,
  };
  assert.is(crd(finished), definition);
  assert.equal(crdFile(finished), crdFile(widget));
  assert.equal([isWritten(widget), isWritten(finished)], [true, false]);
  const folder = await mkdtemp(join(tmpdir(), 'crds-'));
  await writeCrds(folder, [widget]);
  assert.equal(await checkCrds(folder, [finished]), []);
  await rm(folder, { recursive: true });
});

test('deploy/crds is up to date', async () => {
  assert.equal(await checkCrds(generated, openstackContracts), []);
});

test('every OpenStack kind has the parts that clients rely on', () => {
  for (const contract of openstackContracts) {
    const { spec } = crd(contract) as unknown as {
      spec: { versions: [{ additionalPrinterColumns: { name: string }[] }] };
    };
    const names = spec.versions[0].additionalPrinterColumns.map(({ name }) => name);
    const first = UNIDENTIFIED.has(contract.kind) ? [] : ['ID'];
    assert.equal(
      [...names.slice(0, first.length + 1), names.at(-1)],
      [...first, 'Available', 'Message'],
      contract.kind,
    );
    assert.equal(contract.categories, ['openstack'], contract.kind);
    assert.ok(contract.spec.rules.length >= 4, contract.kind);
  }
});

if (existsSync(reference)) {
  for (const contract of openstackContracts) {
    test(`${contract.kind} has the schema of the reference`, async () => {
      const file = `${contract.group}_${contract.plural}.yaml`;
      const [ours, theirs] = await Promise.all(
        [generated, reference].map(async (folder) => structure(parse(await readFile(join(folder, file), 'utf8')))),
      );
      assert.equal(ours, theirs);
    });
  }
}

test('columns are those of the existing definitions, none of which has an age, and kubectl is shown just these', async () => {
  for (const contract of openstackContracts) {
    const file = await readFile(join(generated, `${contract.group}_${contract.plural}.yaml`), 'utf8');
    const [version] = parse(file).spec.versions;
    const own = { Port: ['Addresses'], FloatingIP: ['Address'] }[contract.kind] ?? [];
    const id = UNIDENTIFIED.has(contract.kind) ? [] : ['ID'];
    const shown = customColumns(version.additionalPrinterColumns);
    assert.equal(
      shown.map(({ name, type }) => [name, type]),
      ['Name', ...id, 'Available', ...own, 'Message'].map((name) => [name, 'string']),
      contract.kind,
    );
    const before = join(reference, `${contract.group}_${contract.plural}.yaml`);
    if (!existsSync(before)) continue;
    const [known] = parse(await readFile(before, 'utf8')).spec.versions;
    const facts = ({ name, type, jsonPath, priority }: JsonObject): JsonObject =>
      JSON.parse(JSON.stringify({ name, type, jsonPath, priority }));
    assert.equal(version.additionalPrinterColumns.map(facts), known.additionalPrinterColumns.map(facts), contract.kind);
  }
  // A definition without columns of its own has one.
  assert.equal(
    customColumns(undefined).map(({ name }) => name),
    ['Name', 'Age'],
  );
});

test.run();
