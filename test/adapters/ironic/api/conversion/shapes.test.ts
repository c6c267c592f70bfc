// The types of fields against those of the reference definitions.
import { existsSync, readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { HARDWARE_DETAILS, HOST_STATUS, type Shape } from '../../../../../adapters/ironic/api/conversion/shapes.ts';

const REFERENCE = new URL('../../../../../../shared/reference/metal3-crds/', import.meta.url);

interface Schema {
  readonly type: string;
  readonly nullable?: boolean;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

function shapeOf({ type, nullable, properties, items }: Schema): Shape {
  if (type === 'array') return { list: shapeOf(items as Schema), ...(nullable && { orNull: true as const }) };
  if (type === 'object') {
    return { fields: Object.fromEntries(Object.entries(properties ?? {}).map(([key, of]) => [key, shapeOf(of)])) };
  }
  return (nullable ? `${type} or null` : type) as Shape;
}

function schemaOf(plural: string): Schema {
  const { spec } = parse(readFileSync(new URL(`metal3.io_${plural}.yaml`, REFERENCE), 'utf8'));
  return spec.versions[0].schema.openAPIV3Schema;
}

if (existsSync(REFERENCE)) {
  const test = suite('shapes');

  test('the status of a host has the fields of the definition', () => {
    assert.equal(HOST_STATUS, shapeOf(schemaOf('baremetalhosts').properties?.['status'] as Schema));
  });

  test('the details of hardware have the fields of the definition', () => {
    const spec = schemaOf('hardwaredata').properties?.['spec'] as Schema;
    assert.equal(HARDWARE_DETAILS, shapeOf(spec.properties?.['hardware'] as Schema));
  });

  test.run();
} else {
  process.stdout.write('skipped: no ../shared/reference/metal3-crds\n');
}
