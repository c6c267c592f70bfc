// OpenAPI documents: the rules that the published ones follow, the options beyond them, and that they are valid.
import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { mulberry32 } from '../../../actors/base/clock.ts';
import { type OpenApiOptions, openApi } from '../../../adapters/ocm/openapi/mod.ts';
import { OWN } from './corpus.ts';
import { synthesize } from './synthetic.ts';
import { versionOf, versionsIn } from './versions.ts';

const test = suite('openapi');

const GOLDEN = new URL('./golden/shelf.openapi.txt', import.meta.url);
const ALL: OpenApiOptions = {
  operationIds: true,
  required: true,
  readOnly: true,
  methodGet: true,
  hints: true,
  closeLinks: true,
};

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** The document of one file, and what is at a path of keys in it. */
function documentOf(text: string, options: OpenApiOptions = {}): (...path: string[]) => Json | undefined {
  return at(openApi(versionOf({ 'x.model': text }), options));
}

function at(document: string): (...path: string[]) => Json | undefined {
  const value = JSON.parse(document) as Json;
  return (...path) =>
    path.reduce<Json | undefined>(
      (inner, key) => (inner !== null && typeof inner === 'object' && !Array.isArray(inner) ? inner[key] : undefined),
      value,
    );
}

const keys = (value: Json | undefined): string[] => Object.keys((value ?? {}) as object);

// Those that are published are in openapi-reference.test.ts.
test('a small document is equal byte for byte', () => {
  const shelf = `
    resource Root { locator Books { target Book variable ID } }
    resource Book {
      // Changes one.
      method Update {
        in DryRun Boolean = false
        in out Body Book
      }
    }
    // A book "held" by the library.
    class Book {
      Genre Genre
      Keywords []String
      link Sequel Book
    }
    enum Genre { Fiction }`;
  assert.is(openApi(versionOf({ 'x.model': shelf })), readFileSync(GOLDEN, 'utf8'));
});

test('every document is valid OpenAPI, with and without options, once its links are closed', async () => {
  const made = [...synthesize(mulberry32(7), { files: 30, lines: 1_000, services: 1 })];
  const synthetic = versionOf(Object.fromEntries(made), 'service_0/v1');
  for (const version of [...versionsIn(OWN), synthetic]) {
    for (const options of [{ closeLinks: true }, ALL]) {
      const document = JSON.parse(openApi(version, options)) as Record<string, unknown>;
      const { valid, errors } = await new Validator().validate(document);
      assert.ok(valid, `${version.directory}: ${JSON.stringify(errors)}`);
    }
  }
});

test('a document that is not valid is not taken for a valid one', async () => {
  const [library] = versionsIn(OWN);
  assert.ok(library !== undefined);
  const document = JSON.parse(openApi(library).replace('"responses"', '"answers"')) as Record<string, unknown>;
  assert.not((await new Validator().validate(document)).valid);
});

test('paths are in the order of their characters, and actions directly behind what they act on', () => {
  const document = documentOf(`
    resource Root { method Restart { } method Update { in out Body S } locator Items { target Items } }
    resource Items {
      method List { in out Page Integer = 1 in out Size Integer = 100 out Total Integer out Items []S }
      method Zap { }
      locator Item { target Item variable ID }
      locator Labels { target Empty }
    }
    resource Item { method Get { out Body S } method Aim { } @http(name = "letGo") method Release { } locator Deep { target Empty } }
    resource Empty { locator Leaf { target Leaf } }
    resource Leaf { method Delete { } }
    struct S { }`);
  assert.equal(keys(document('paths')), [
    '/api/svc/v1',
    '/api/svc/v1/restart',
    '/api/svc/v1/items',
    '/api/svc/v1/items/zap',
    '/api/svc/v1/items/labels/leaf',
    '/api/svc/v1/items/{item_id}',
    '/api/svc/v1/items/{item_id}/aim',
    '/api/svc/v1/items/{item_id}/letGo',
    '/api/svc/v1/items/{item_id}/deep/leaf',
  ]);
  assert.equal(keys(document('paths', '/api/svc/v1')), ['get', 'patch']);
});

test('statuses, bodies and parameters follow the kind of the method', () => {
  const document = documentOf(`
    resource Root { locator A { target A } @http(name = "bThing") locator B { target B variable ID } }
    resource A {
      method AsyncPost { in Request S out Response T }
      method AsyncUpdate { in out Body []S @http(name = "q") @json(name = "j") in Q E @json(name = "jj") in R Interface }
      method AsyncDelete { @deprecated in Now Boolean }
    }
    @deprecated
    resource B {
      method Search { in Body S in out Page Integer = 1 in out Size Integer = 100 out Total Integer out Items []String }
      method Act { @json(name = "other") in Some [E]Long @deprecated in Flag Float out Only Date }
    }
    struct S { } class T { } enum E { A }`);
  const a = (...path: string[]) => document('paths', '/api/svc/v1/a', ...path);
  const schema = ['content', 'application/json', 'schema'];
  assert.equal(a('post', 'requestBody', ...schema), { $ref: '#/components/schemas/S' });
  assert.equal(a('post', 'responses', '202', ...schema), { $ref: '#/components/schemas/T' });
  assert.equal(a('patch', 'requestBody', ...schema), { type: 'array', items: { $ref: '#/components/schemas/S' } });
  assert.equal(a('patch', 'parameters'), [
    { name: 'q', in: 'query', schema: { $ref: '#/components/schemas/E' } },
    { name: 'jj', in: 'query', schema: { type: 'object' } },
  ]);
  assert.equal(a('delete', 'parameters'), [
    { name: 'now', in: 'query', deprecated: true, schema: { type: 'boolean' } },
  ]);
  assert.equal(a('delete', 'responses', '202'), { description: 'Success.' });
  const b = (...path: string[]) => document('paths', '/api/svc/v1/{bThing_id}', ...path);
  assert.is(b('post', 'deprecated'), true);
  assert.equal(b('post', 'requestBody', ...schema), { $ref: '#/components/schemas/S' });
  assert.equal(keys(b('post', 'responses', '200', ...schema, 'properties')), ['items', 'page', 'size', 'total']);
  const act = (...path: string[]) => document('paths', '/api/svc/v1/{bThing_id}/act', 'post', ...path);
  assert.equal(act('requestBody', ...schema, 'properties'), {
    flag: { deprecated: true, type: 'number', format: 'float' },
    some: { type: 'object', additionalProperties: { type: 'integer', format: 'int64' } },
  });
  assert.equal(act('responses', '200', ...schema), {
    type: 'object',
    properties: { only: { type: 'string', format: 'date-time' } },
  });
});

test("a type called Error gives way to everybody's, one called Metadata does not", () => {
  const document = documentOf(
    'resource Root { } class Error { Own String } struct Metadata { Mine String } enum Z { }',
  );
  assert.equal(keys(document('components', 'schemas')), ['Metadata', 'Z', 'Error']);
  assert.equal(document('components', 'schemas', 'Metadata'), { properties: { mine: { type: 'string' } } });
  assert.is(document('components', 'schemas', 'Error', 'properties', 'own'), undefined);
});

test('texts are escaped as little as JSON allows; empty objects and arrays have a line for nothing', () => {
  const version = versionOf({
    'x.model': '// <a> & "ü" \\ tab\tend \b\f\u0001\u2028\nstruct S { }\nresource Root { }\nenum E { }',
  });
  const document = openApi(version);
  assert.match(document, '"description": "<a> & \\"ü\\" \\\\ tab\\tend \\u0008\\u000c\\u0001\u2028"');
  assert.match(document, '      "E": {\n        "type": "string",\n        "enum": [\n          \n        ]\n      },');
  assert.match(document, '"properties": {\n          \n        }');
  assert.not.match(document, /\n$/);
});

test('properties stand where the model has them, not where their text would be sorted', () => {
  const document = documentOf(
    'resource Root { } struct S { @json(name = "10") B String A String @json(name = "z") C String }',
  );
  const text = openApi(versionOf({ 'x.model': 'resource Root { } struct S { @json(name = "10") B String A String }' }));
  assert.ok(text.indexOf('"a": {') < text.indexOf('"10": {'));
  assert.equal(keys(document('components', 'schemas', 'S', 'properties')).sort(), ['10', 'a', 'z']);
});

test('links to types that were not taken over dangle, unless they are closed', () => {
  const files = {
    'other/v1/x.model': 'resource Root { } class A { link B B Own Own } class B { } struct Own { }',
    'x.model': 'resource Root { } @ref(path = "/other/v1/a") class A { }',
  };
  const open = at(openApi(versionOf(files)));
  assert.equal(keys(open('components', 'schemas')), ['Metadata', 'A', 'Own', 'Error']);
  assert.equal(open('components', 'schemas', 'A', 'properties', 'b'), { $ref: '#/components/schemas/B' });
  const closed = at(openApi(versionOf(files), { closeLinks: true }));
  assert.equal(keys(closed('components', 'schemas')), ['Metadata', 'A', 'B', 'Own', 'Error']);
  assert.equal(keys(closed('components', 'schemas', 'B', 'properties')), ['kind', 'id', 'href']);
});

test('options add what they say, and nothing else', () => {
  const text = `
    resource Root { locator Things { target Things } locator Mine { target Things } }
    resource Things {
      method Add { in out Body Thing in DryRun Boolean = false }
      method List { in out Page Integer = 1 in out Size Integer = 100 in Search String out Total Integer out Items []Thing }
    }
    class Thing { }`;
  const schema = ['content', 'application/json', 'schema'];
  const path = '/api/svc/v1/things';
  const document = documentOf(text, ALL);
  assert.is(document('paths', path, 'get', 'operationId'), 'thingsList');
  assert.is(document('paths', '/api/svc/v1/mine', 'get', 'operationId'), 'mineList');
  assert.is(document('paths', '/api/svc/v1', 'get', 'operationId'), 'getMetadata');
  assert.equal(document('paths', path, 'get', 'responses', '200', ...schema, 'required'), [
    'items',
    'page',
    'size',
    'total',
  ]);
  assert.is(document('components', 'schemas', 'Thing', 'properties', 'href', 'readOnly'), true);
  assert.is(document('components', 'schemas', 'Thing', 'properties', 'id', 'readOnly'), undefined);
  const [own, asked] = document('paths', path, 'post', 'requestBody', ...schema, 'anyOf') as { [name: string]: Json }[];
  assert.equal(own, { $ref: '#/components/schemas/Thing' });
  assert.equal(keys(asked?.['properties']), ['page', 'search', 'size']);
  assert.equal(keys(document('paths', path, 'post', 'responses')), ['200', '201', 'default']);
  const [page] = document('paths', path, 'get', 'parameters') as { schema: Json }[];
  assert.equal(page?.schema, { type: 'integer', format: 'int32', minimum: 1, default: 1 });
  for (const option of Object.keys(ALL)) {
    const one = openApi(versionOf({ 'x.model': text }), { [option]: true });
    assert.is(one === openApi(versionOf({ 'x.model': text })), option === 'closeLinks', option);
  }
});

test.run();
