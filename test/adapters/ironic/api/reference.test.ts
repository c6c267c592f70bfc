// The definitions beside those that clients of v1alpha1 were written against.
import { existsSync, readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { DEFINITIONS, definitionOf, differences, fieldsOf, KINDS, type Schema } from './schemas.ts';

const REFERENCE = new URL('../../../../../shared/reference/metal3-crds/', import.meta.url);

const test = suite('ironic: definitions and the reference');

/** All but descriptions and the mark of the generator. A field may be called `description`. */
function structure(value: unknown, isMap = false): unknown {
  if (Array.isArray(value)) return value.map((item) => structure(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => isMap || (key !== 'description' && key !== 'annotations'))
      .map(([key, item]) => [key, structure(item, !isMap && key === 'properties')]),
  );
}

function referenceOf(kind: string): { readonly spec: { readonly versions: readonly Reference[] } } {
  const { plural } = definitionOf(0, kind).spec.names;
  return parse(readFileSync(new URL(`metal3.io_${plural}.yaml`, REFERENCE), 'utf8'));
}

interface Reference {
  readonly schema: { readonly openAPIV3Schema: Schema };
  readonly additionalPrinterColumns?: readonly { readonly description: string }[];
}

/** Words alone: what differs in case, spaces or punctuation is the same sentence. */
const words = (text: string | undefined): string =>
  (text ?? '')
    .toLowerCase()
    .match(/[a-z0-9]+/g)
    ?.join(' ') ?? '';

for (const kind of KINDS) {
  test(`${kind} of v1alpha1 is the reference's in all but descriptions (IRONIC-DEFINITIONS-1)`, () => {
    assert.equal(differences(structure(definitionOf(0, kind)), structure(referenceOf(kind))), []);
  });
}

test('what is described is described in words of our own', () => {
  const theirs = new Set(
    KINDS.flatMap((kind) => {
      const { versions } = referenceOf(kind).spec;
      return versions.flatMap(({ schema, additionalPrinterColumns = [] }) => [
        ...fieldsOf(schema.openAPIV3Schema).map((field) => words(field.schema.description)),
        ...additionalPrinterColumns.map(({ description }) => words(description)),
      ]);
    }),
  );
  const ours = DEFINITIONS[1].flatMap(({ spec }) =>
    spec.versions.flatMap(({ schema, additionalPrinterColumns = [] }) => [
      ...fieldsOf(schema.openAPIV3Schema as Schema).map((field) => field.schema.description),
      ...additionalPrinterColumns.map(({ description }) => description),
    ]),
  );
  assert.ok(ours.length > 1000, 'all are looked at');
  assert.equal(
    [...new Set(ours)].filter((description) => description !== undefined && theirs.has(words(description))),
    [],
  );
});

test('there is no kind in the reference that is not here', () => {
  const names = new Set(KINDS.map((kind) => `metal3.io_${definitionOf(0, kind).spec.names.plural}.yaml`));
  const readme = readFileSync(new URL('README.md', REFERENCE), 'utf8');
  assert.equal(new Set(readme.match(/metal3\.io_\w+\.yaml/g)), names);
});

if (existsSync(REFERENCE)) test.run();
else process.stdout.write('skipped: the reference definitions are not here\n');
