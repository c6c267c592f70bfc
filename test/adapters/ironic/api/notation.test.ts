// The notation of the files of kinds, and the changes from one version to the next.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Changes, changed, renamedPath } from '../../../../adapters/ironic/api/changes.ts';
import { openApi } from '../../../../adapters/ironic/api/notation.ts';

const test = suite('ironic: notation');

const noShapes = (name: string): never => {
  throw new Error(`there is no '${name}'`);
};

test('the first entry is type and description, what follows stays', () => {
  assert.equal(openApi({ string: 'level of it.', enum: ['0', '1'], default: '0' }, noShapes), {
    type: 'string',
    description: 'level of it.',
    enum: ['0', '1'],
    default: '0',
  });
  assert.equal(openApi({ 'int-or-string': 'A value.' }, noShapes), {
    anyOf: [{ type: 'integer' }, { type: 'string' }],
    'x-kubernetes-int-or-string': true,
    description: 'A value.',
  });
});

test('fields are within properties, items and values of maps', () => {
  const field = {
    object: 'all of it.',
    required: ['sizes'],
    properties: {
      sizes: { array: 'sizes of it.', items: { integer: 'A size.' } },
      string: { object: 'string is a field of that name.', additionalProperties: { boolean: 'A value.' } },
    },
  };
  assert.equal(openApi(field, noShapes), {
    type: 'object',
    description: 'all of it.',
    required: ['sizes'],
    properties: {
      sizes: { type: 'array', description: 'sizes of it.', items: { type: 'integer', description: 'A size.' } },
      string: {
        type: 'object',
        description: 'string is a field of that name.',
        additionalProperties: { type: 'boolean', description: 'A value.' },
      },
    },
  });
});

test('a shape gives all but the description, and keywords beside it go before', () => {
  const shapeOf = (name: string): { type: string } => ({ type: name.toLowerCase() });
  assert.equal(openApi({ Box: 'box is where it lies.', nullable: true }, shapeOf), {
    type: 'box',
    description: 'box is where it lies.',
    nullable: true,
  });
});

test('what is no field is refused', () => {
  for (const field of [{}, { enum: ['a'] }, { string: 1 }]) {
    assert.throws(() => openApi(field, noShapes), /a field begins with its type and its description/);
  }
  assert.throws(() => openApi({ Strang: 'name of it.' }, noShapes), "there is no 'Strang'");
});

const schema = {
  type: 'object',
  required: ['a', 'c'],
  properties: {
    a: { type: 'string' },
    b: { type: 'object', required: ['x'], properties: { x: { type: 'integer' }, y: { type: 'integer' } } },
    c: { type: 'string' },
  },
};

test('a field is removed, and not required any more', () => {
  assert.equal(changed(schema, { remove: ['a', 'b.x'] }), {
    type: 'object',
    required: ['c'],
    properties: { b: { type: 'object', properties: { y: { type: 'integer' } } }, c: { type: 'string' } },
  });
});

test('a field is renamed, and required by its new name', () => {
  assert.equal(changed(schema, { rename: { a: 'z', 'b.y': 'w' } }), {
    type: 'object',
    required: ['c', 'z'],
    properties: {
      z: { type: 'string' },
      b: { type: 'object', required: ['x'], properties: { x: { type: 'integer' }, w: { type: 'integer' } } },
      c: { type: 'string' },
    },
  });
});

test('keywords are set by the new path, and the schema that was given stays', () => {
  const before = structuredClone(schema);
  const after = changed(schema, { rename: { 'b.x': 'z' }, set: { 'b.z': { default: 1 } } });
  assert.equal(after['properties'], {
    ...schema.properties,
    b: { type: 'object', required: ['z'], properties: { z: { type: 'integer', default: 1 }, y: { type: 'integer' } } },
  });
  assert.equal(schema, before);
});

test('a path that leads nowhere is refused', () => {
  const nowhere: readonly Changes[] = [
    { remove: ['d'] },
    { remove: ['a.b'] },
    { rename: { 'b.z': 'w' } },
    { set: { toString: { default: 1 } } },
  ];
  for (const changes of nowhere) assert.throws(() => changed(schema, changes), /^there is no field/);
});

test('a path follows the field that it leads to', () => {
  const changes = { rename: { 'spec.online': 'poweredOn', model: 'modelContains' } };
  assert.is(renamedPath('spec.online', changes), 'spec.poweredOn');
  assert.is(renamedPath('model', changes), 'modelContains');
  assert.is(renamedPath('spec.onlines', changes), 'spec.onlines');
  assert.is(renamedPath('toString', changes), 'toString');
});

test.run();
