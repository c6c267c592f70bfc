// What a schema does to objects: types and limits, defaults, unknown fields, rules.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Harness, MERGE } from '../../../world/api-calls.ts';
import { WIDGET_PATH, widget, widgetChecks } from './widgets.ts';

const test = suite('embedded api server: schemas');
const onWidgets = widgetChecks(test);

const UNCHECKED =
  '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';

/** Piece of a spec, what is wrong with it, and whether it keeps the rules from being checked. */
const REFUSALS: readonly (readonly [Record<string, unknown>, string, 'blocks' | 'alone'])[] = [
  [{ size: 11 }, 'spec.size: Invalid value: 11: spec.size in body should be less than or equal to 10', 'alone'],
  [{ size: 'a' }, 'spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"', 'blocks'],
  [{ size: 1.5 }, 'spec.size: Invalid value: "number": spec.size in body must be of type integer: "number"', 'blocks'],
  [{ size: null }, 'spec.size: Required value', 'blocks'],
  [{ min: 1e19 }, 'spec.min: Invalid value: "number": spec.min in body must be of type integer: "number"', 'blocks'],
  [
    { ratio: 1e19 },
    'spec.ratio: Invalid value: 1e+19: spec.ratio in body should be less than or equal to 1e+06',
    'alone',
  ],
  [{ tags: ['a', 'a', 'a'] }, 'spec.tags[1]: Duplicate value: "a"', 'alone'],
  [{ color: 'blue' }, 'spec.color: Unsupported value: "blue": supported values: "red", "green"', 'blocks'],
  [{ name: '' }, 'spec.name: Invalid value: "": spec.name in body should be at least 1 chars long', 'alone'],
  [{ name: 'abcdef' }, 'spec.name: Too long: may not be more than 5 bytes', 'blocks'],
  [{ name: 'ABC' }, `spec.name: Invalid value: "ABC": spec.name in body should match '^[a-zé]+$'`, 'alone'],
  [{ id: 'zz' }, 'spec.id: Invalid value: "zz": spec.id in body must be of type uuid: "zz"', 'blocks'],
  [{ id: 5 }, 'spec.id: Invalid value: "int64": spec.id in body must be of type uuid: "int64"', 'blocks'],
  [
    { net: '1.2.3.4' },
    'spec.net: Invalid value: "1.2.3.4": spec.net in body must be of type cidr: "1.2.3.4"',
    'blocks',
  ],
  [{ at: 'soon' }, 'spec.at: Invalid value: "soon": spec.at in body must be of type date-time: "soon"', 'blocks'],
  [{ tags: [] }, 'spec.tags: Invalid value: 0: spec.tags in body should have at least 1 items', 'alone'],
  [{ tags: ['a', 'b', 'c', 'd'] }, 'spec.tags: Too many: 4: must have at most 3 items', 'blocks'],
  [{ tags: ['a', 'a'] }, 'spec.tags[1]: Duplicate value: "a"', 'alone'],
  [{ ports: [{ name: 'a' }, { name: 'a', port: 1 }] }, 'spec.ports[1]: Duplicate value: {"name":"a"}', 'alone'],
  [{ ports: [{ port: 1 }] }, 'spec.ports[0].name: Required value', 'blocks'],
  [{ options: {} }, 'spec.options: Invalid value: 0: spec.options in body should have at least 1 properties', 'alone'],
  [{ options: { a: '', b: '', c: '' } }, 'spec.options: Too many: 3: must have at most 2 items', 'blocks'],
  [
    { options: { a: 1 } },
    'spec.options.a: Invalid value: "integer": spec.options.a in body must be of type string: "integer"',
    'blocks',
  ],
  [
    { quantity: true },
    'spec.quantity: Invalid value: "boolean": spec.quantity in body must be of type integer,string: "boolean"',
    'blocks',
  ],
  [{ steps: 'x' }, 'spec.steps: Invalid value: "string": spec.steps in body must be of type array: "string"', 'blocks'],
  [{ min: 5 }, 'spec: Invalid value: size must not be below min', 'alone'],
  [{ name: 'bad' }, `spec: Invalid value: failed rule: !has(self.name) || self.name != 'bad'`, 'alone'],
  [{ name: 'a', import: { id: 'x' } }, 'spec: Invalid value: name and import exclude each other', 'alone'],
];

const create = (call: Harness['call'], spec: Record<string, unknown>): ReturnType<Harness['call']> =>
  call('POST', `${WIDGET_PATH}?dryRun=All`, { body: widget('w', spec) });

onWidgets("what does not fit is refused in the API server's words", async ({ call }) => {
  for (const [spec, problem, effect] of REFUSALS) {
    const { code, body } = await create(call, spec);
    assert.is(code, 422, problem);
    const whole = effect === 'blocks' ? `[${problem}, ${UNCHECKED}]` : problem;
    assert.is(body['message'], `Widget.example.org "w" is invalid: ${whole}`);
    assert.is(body['details']?.['kind'], 'Widget');
  }
});

onWidgets('causes carry reason, message and field', async ({ call }) => {
  const { body } = await create(call, { name: '' });
  assert.equal(body['details']?.['causes'], [
    {
      reason: 'FieldValueInvalid',
      message: 'Invalid value: "": spec.name in body should be at least 1 chars long',
      field: 'spec.name',
    },
  ]);
});

onWidgets('what fits is taken: code points, open maps, int-or-string, nulls', async ({ call }) => {
  const spec = {
    name: 'ééééé',
    anything: { a: [1, { b: null }] },
    quantity: '5',
    ratio: 1,
    maybe: null,
    flag: null,
    id: '42a23b5e-5d4b-4a0c-9f4b-7d3b8d1f1a11',
    net: '10.0.0.0/8',
    at: '2026-01-01T00:00:00Z',
  };
  const { code, body, text } = await create(call, spec);
  assert.is(code, 201, text);
  const { flag: _, ...kept } = spec;
  assert.equal(body['spec'], { size: 3, color: 'red', min: 1, ...kept });
});

onWidgets('unknown fields are dropped, warned about or refused, as asked', async ({ call }) => {
  const body = { ...widget('w', { foo: 1, ports: [{ name: 'a', x: 1 }] }, { bar: 1 }), zap: 2 };
  const warned = await call('POST', `${WIDGET_PATH}?dryRun=All`, { body });
  assert.equal(warned.body['spec'], { size: 3, color: 'red', min: 1, ports: [{ name: 'a' }] });
  assert.match(warned.headers['warning'] ?? '', '299 - "unknown field \\"spec.foo\\""');
  const silent = await call('POST', `${WIDGET_PATH}?dryRun=All&fieldValidation=Ignore`, { body });
  assert.is(silent.headers['warning'], undefined);
  const strict = await call('POST', `${WIDGET_PATH}?fieldValidation=Strict`, { body });
  assert.is(strict.code, 400);
  assert.is(
    strict.body['message'],
    'Widget in version "v1" cannot be handled as a Widget: strict decoding error: unknown field "metadata.bar", unknown field "spec.foo", unknown field "spec.ports[0].x", unknown field "zap"',
  );
  await call('POST', WIDGET_PATH, { body: widget('w') });
  const patched = await call('PATCH', `${WIDGET_PATH}/w?fieldValidation=Strict`, {
    body: { spec: { foo: 1 } },
    type: MERGE,
  });
  assert.is(patched.code, 422);
  assert.match(
    patched.body['message'] ?? '',
    /^ "" is invalid: patch: Invalid value: .*: strict decoding error: unknown field "spec.foo"$/,
  );
});

onWidgets('rules about change hold on updates only, where there was a value before', async ({ call }) => {
  await call('POST', WIDGET_PATH, { body: widget('w', { tags: ['a', 'b'], ports: [{ name: 'p', fixed: 'x' }] }) });
  const change = (spec: Record<string, unknown>): ReturnType<Harness['call']> =>
    call('PATCH', `${WIDGET_PATH}/w`, { body: { spec }, type: MERGE });
  assert.is((await change({ name: 'abc' })).code, 200, 'set for the first time');
  assert.match((await change({ name: 'xyz' })).text, 'spec.name: Invalid value: \\"xyz\\": name is immutable');
  assert.is((await change({ tags: ['b', 'a'] })).code, 200, 'a set has no order');
  assert.match((await change({ tags: ['b', 'c'] })).text, 'spec.tags: Invalid value: tags are immutable');
  const moved = await change({
    ports: [
      { name: 'q', fixed: '1' },
      { name: 'p', fixed: 'x' },
    ],
  });
  assert.is(moved.code, 200, 'items of a map are known by their keys');
  const changed = await change({ ports: [{ name: 'p', fixed: 'y' }] });
  assert.match(changed.text, 'spec.ports[0].fixed: Invalid value: \\"y\\": fixed is immutable');
});

onWidgets('status is checked by its own schema', async ({ call }) => {
  await call('POST', WIDGET_PATH, { body: widget('w') });
  const { body } = await call('PATCH', `${WIDGET_PATH}/w/status`, { body: { status: { id: '' } }, type: MERGE });
  assert.is(
    body['message'],
    'Widget.example.org "w" is invalid: status.id: Invalid value: "": id in body should be at least 1 chars long',
  );
});

test.run();
