// What annotations may hold against the published definition: each field of its status and hardware details, and no other
// but those that v1beta1 calls otherwise.
import { existsSync, readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { HARDWARE_SHAPE, STATUS_SHAPE } from '../../../../../adapters/ironic/api/admission/annotation-shapes.ts';
import type { Shape } from '../../../../../adapters/ironic/api/admission/shapes.ts';
import { isMap, mapOf } from '../../../../../adapters/ironic/json-values.ts';

const REFERENCE = new URL('../../../../../../shared/reference/metal3-crds/', import.meta.url);

const test = suite('shapes of annotations');

function schemaOf(file: string, part: 'spec' | 'status'): unknown {
  const { versions } = parse(readFileSync(new URL(file, REFERENCE), 'utf8')).spec;
  return versions[0].schema.openAPIV3Schema.properties[part];
}

/** Each leaf as `path: type`, as a definition has them. */
function leavesOfSchema(schema: unknown, path = ''): readonly string[] {
  const { type, format, properties, items } = mapOf(schema);
  if (items !== undefined) return leavesOfSchema(items, `${path}[]`);
  if (isMap(properties)) {
    return Object.entries(properties).flatMap(([name, member]) => leavesOfSchema(member, `${path}.${name}`));
  }
  return [`${path}: ${format === 'date-time' ? 'time' : String(type)}`];
}

function leavesOfShape(shape: Shape, path = ''): readonly string[] {
  if (typeof shape === 'string') return [`${path}: ${shape}`];
  if (Array.isArray(shape)) return leavesOfShape(shape[0], `${path}[]`);
  return Object.entries(shape).flatMap(([name, member]) => leavesOfShape(member, `${path}.${name}`));
}

const RENAMED = /\.(devicePath|modelContains|vendorContains): string$/;

if (existsSync(REFERENCE)) {
  test('a status is that of the published definition', () => {
    const published = leavesOfSchema(schemaOf('metal3.io_baremetalhosts.yaml', 'status'));
    const own = leavesOfShape(STATUS_SHAPE);
    assert.equal(own.filter((leaf) => !RENAMED.test(leaf)).toSorted(), published.toSorted());
    assert.is(own.filter((leaf) => RENAMED.test(leaf)).length, 6);
  });

  test('hardware details are those of the published definition', () => {
    const { properties } = mapOf(schemaOf('metal3.io_hardwaredata.yaml', 'spec'));
    const published = leavesOfSchema(mapOf(properties)['hardware']);
    assert.equal(leavesOfShape(HARDWARE_SHAPE).toSorted(), published.toSorted());
  });

  test.run();
} else {
  process.stdout.write('skipped: the published definitions of Metal3 are not here\n');
}
