import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { invalidValue } from '../../../../adapters/simulated/kubernetes/base/field-error.ts';
import { exactNumber, jsonText, parseJson } from '../../../../adapters/text/exact-json.ts';
import { APPLY, DEFINITIONS, JSON_PATCH, MERGE, serverChecks } from '../../../world/api-calls.ts';
import { fc } from '../../../world/properties.ts';
import { WIDGET_PATH, widgetChecks } from './widgets.ts';

const test = suite('embedded api server: numbers');
const onServer = serverChecks(test);
const onWidgets = widgetChecks(test);

test('every integer of 64 bits is written as it was read (TEXT-EXACT-JSON-1)', () => {
  const seed = Number(process.env['SEED'] ?? 20_261_121);
  const integer = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
  fc.assert(
    fc.property(fc.array(integer), fc.string(), (numbers, text) => {
      const json = `{"a":[${numbers.join(',')}],"b":${JSON.stringify(text)}}`;
      assert.is(jsonText(parseJson(json)), json);
    }),
    { seed, numRuns: 500 },
  );
});

test('what fits a number is one (TEXT-EXACT-JSON-2)', () => {
  assert.is(exactNumber('9007199254740991'), 9_007_199_254_740_991);
  assert.is(exactNumber('9007199254740993'), 9_007_199_254_740_993n);
  assert.is(exactNumber('9223372036854775808'), 2 ** 63);
  assert.is(exactNumber('1e3'), 1000);
  assert.is(parseJson('-9223372036854775808'), -(2n ** 63n));
  assert.throws(() => parseJson('{"a":1e999}'), /cannot unmarshal number 1e999 into Go value of type float64/);
});

test('numbers in messages are integers as they are, and floats as Go shows them', () => {
  const shown = (value: unknown): string => invalidValue('x', value, '').body;
  assert.equal([1, 100_000_000, 2n ** 62n, 1.5, 2 ** 63, 1_234_567.5, 0.000_01].map(shown), [
    'Invalid value: 1',
    'Invalid value: 100000000',
    'Invalid value: 4611686018427387904',
    'Invalid value: 1.5',
    'Invalid value: 9.223372036854776e+18',
    'Invalid value: 1.2345675e+06',
    'Invalid value: 1e-05',
  ]);
});

onWidgets('large integers come through every way in, and are compared exactly', async ({ call }) => {
  const body =
    '{"apiVersion":"example.org/v1","kind":"Widget","metadata":{"name":"a"},"spec":{"size":3,"anything":{"x":9007199254740993}}}';
  const created = await call('POST', WIDGET_PATH, { body });
  assert.match(created.text, '"x":9007199254740993}');
  const path = `${WIDGET_PATH}/a`;
  const merged = await call('PATCH', path, { type: MERGE, body: '{"spec":{"anything":{"y":-9007199254740995}}}' });
  assert.match(merged.text, '"y":-9007199254740995');
  const tested = (value: string): ReturnType<typeof call> =>
    call('PATCH', path, { type: JSON_PATCH, body: `[{"op":"test","path":"/spec/anything/x","value":${value}}]` });
  assert.is((await tested('9007199254740992')).code, 422);
  assert.is((await tested('9007199254740993')).code, 200);
  const applied = await call('PATCH', `${path}?fieldManager=me`, {
    type: APPLY,
    body: 'apiVersion: example.org/v1\nkind: Widget\nmetadata: {name: a}\nspec: {anything: {z: 9223372036854775807}}\n',
  });
  assert.match(applied.text, '"z":9223372036854775807');
  assert.match((await call('GET', WIDGET_PATH)).text, '"x":9007199254740993');
  assert.match((await call('GET', path)).text, '"x":9007199254740993');
  const again = await call('PATCH', path, { type: MERGE, body: '{"spec":{"anything":{"x":9007199254740993}}}' });
  assert.is(again.body['metadata']?.['resourceVersion'], applied.body['metadata']?.['resourceVersion']);
});

onServer('schemas see them as the integers they are', async ({ call }) => {
  const spec = {
    type: 'object',
    properties: {
      most: { type: 'integer', maximum: 9_007_199_254_740_992 },
      twice: { type: 'array', items: { type: 'integer' }, 'x-kubernetes-list-type': 'set' },
      ruled: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self != 9007199254740993' }] },
    },
  };
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'nums.example.org' },
    spec: {
      group: 'example.org',
      scope: 'Namespaced',
      names: { kind: 'Num', plural: 'nums' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
        },
      ],
    },
  };
  assert.is((await call('POST', DEFINITIONS, { body: definition })).code, 201);
  const refused = async (text: string): Promise<string> => {
    const body = `{"apiVersion":"example.org/v1","kind":"Num","metadata":{"name":"a"},"spec":{${text}}}`;
    const reply = await call('POST', '/apis/example.org/v1/namespaces/default/nums?dryRun=All', { body });
    return reply.code === 201
      ? 'accepted'
      : String(reply.body['message']).replace('Num.example.org "a" is invalid: ', '');
  };
  assert.is(
    await refused('"most":9007199254740993'),
    'spec.most: Invalid value: 9007199254740993: spec.most in body should be less than or equal to 9007199254740992',
  );
  assert.is(await refused('"twice":[9007199254740993,9007199254740992]'), 'accepted');
  assert.is(
    await refused('"twice":[9007199254740993,9007199254740993]'),
    'spec.twice[1]: Duplicate value: 9007199254740993',
  );
  assert.is(
    await refused('"ruled":9007199254740993'),
    'spec.ruled: Invalid value: 9007199254740993: failed rule: self != 9007199254740993',
  );
  assert.is(await refused('"ruled":9007199254740994'), 'accepted');
  assert.match(await refused('"most":9223372036854775808'), /spec\.most in body must be of type integer: "number"/);
});

test.run();
