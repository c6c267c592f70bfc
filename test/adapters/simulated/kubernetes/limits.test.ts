import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readJson } from '../../../../adapters/text/exact-json.ts';
import { APPLY, JSON_PATCH, MERGE, STRATEGIC, serverChecks } from '../../../world/api-calls.ts';
import { fc } from '../../../world/properties.ts';
import { WIDGET_PATH, widget, widgetChecks } from './widgets.ts';

const test = suite('embedded api server: limits');
const onServer = serverChecks(test);
const onWidgets = widgetChecks(test);

const MAPS = '/api/v1/namespaces/default/configmaps';

onWidgets('an object that etcd would not store is refused in its words', async ({ call }) => {
  const large = (characters: number): Record<string, unknown> =>
    widget('a', { anything: { text: 'x'.repeat(characters) } });
  assert.is((await call('POST', WIDGET_PATH, { body: large(1_500_000) })).code, 201);
  const grown = await call('PATCH', `${WIDGET_PATH}/a`, {
    type: MERGE,
    body: { spec: { anything: { more: 'x'.repeat(100_000) } } },
  });
  assert.is(`${grown.code} ${grown.body['message']}`, '500 etcdserver: request is too large');
  const larger = { ...large(2_500_000), metadata: { name: 'b' } };
  const refused = await call('POST', WIDGET_PATH, { body: larger });
  assert.match(
    String(refused.body['message']),
    /^rpc error: code = ResourceExhausted desc = trying to send message larger than max \(\d+ vs\. 2097152\)$/,
  );
  assert.is((await call('POST', `${WIDGET_PATH}?dryRun=All`, { body: larger })).code, 201);
});

onWidgets('bodies nested too deeply are refused, whatever asks for them', async ({ call }) => {
  await call('POST', WIDGET_PATH, { body: widget('a') });
  const nested = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
  const object = `{"apiVersion":"example.org/v1","kind":"Widget","metadata":{"name":"b"},"x":${nested}}`;
  const created = await call('POST', WIDGET_PATH, { body: object });
  assert.is(created.code, 400);
  assert.match(String(created.body['message']), "json parse error: invalid character '[' exceeded max depth");
  for (const [type, body] of [
    [MERGE, `{"x":${nested}}`],
    [JSON_PATCH, `[{"op":"add","path":"/x","value":${nested}}]`],
  ] as const) {
    const patched = await call('PATCH', `${WIDGET_PATH}/a`, { type, body });
    assert.is(patched.body['message'], "error decoding patch: invalid character '[' exceeded max depth");
  }
  const deep = `${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}`;
  const body = `{"apiVersion":"example.org/v1","kind":"Widget","metadata":{"name":"b"},"spec":{"size":1,"anything":${deep}}}`;
  assert.is((await call('POST', WIDGET_PATH, { body })).code, 400);
});

// In square time it would not come to its end.
test('depth is counted outside of strings, and in linear time', () => {
  const brackets = '['.repeat(1_000_000);
  assert.equal(readJson(JSON.stringify({ a: brackets, b: '\\"{[' })), { a: brackets, b: '\\"{[' });
  assert.throws(() => readJson(brackets), /exceeded max depth/);
  assert.throws(() => readJson(`{"a":"${'\\"'.repeat(1_000_000)}`), SyntaxError);
});

onServer(
  'long headers are taken up to a mebibyte',
  async ({ call }) => {
    assert.is((await call('GET', MAPS, { headers: { 'x-long': 'a'.repeat(900_000) } })).code, 200);
    assert.is((await call('GET', `${MAPS}?x=${'a'.repeat(200_000)}`)).code, 200);
  },
  'sockets',
);

onServer('YAML that merges what is no map is refused', async ({ call }) => {
  const { code, body } = await call('POST', MAPS, { body: '{<<, a: 1}', type: 'application/yaml' });
  assert.is(code, 400);
  assert.match(String(body['message']), 'yaml: map merge requires map or sequence of maps as the value');
});

onWidgets('whatever the bytes of a body, the answer is a Status or an object', async ({ call }) => {
  const seed = Number(process.env['SEED'] ?? 20_261_121);
  const object =
    '{"apiVersion":"example.org/v1","kind":"Widget","metadata":{"name":"w"},"spec":{"size":1,"anything":{"x":[1,null]}}}';
  const piece = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.constantFrom(
      ...['{', '}', '[', ']', ':', ',', '"', '\\u', '&a', '*a'],
      ...['!!', '---\n', '- ', '? ', '1e999', 'null', '<<', '%', '\t', '\0'],
    ),
    fc.constantFrom(...(object.match(/"[^"]*"|[^"]/g) ?? [])),
  );
  const mutated = fc
    .tuple(fc.nat(object.length), fc.nat(10), fc.array(piece, { maxLength: 4 }))
    .map(([at, length, pieces]) => Buffer.from(object.slice(0, at) + pieces.join('') + object.slice(at + length)));
  const bytes = fc.uint8Array({ maxLength: 60 }).map((array) => Buffer.from(array));
  const body = fc.oneof(
    mutated,
    bytes,
    fc.json().map((text) => Buffer.from(text)),
  );
  const request = fc.constantFrom(
    ['POST', '', 'application/json'],
    ['POST', '', 'application/yaml'],
    ['POST', '', 'application/vnd.kubernetes.protobuf'],
    ['PUT', '/a', 'application/json'],
    ['PATCH', '/a', MERGE],
    ['PATCH', '/a', JSON_PATCH],
    ['PATCH', '/a', STRATEGIC],
    ['PATCH', '/a?fieldManager=me', APPLY],
    ['DELETE', '/zz', 'application/json'],
  );
  await call('POST', WIDGET_PATH, { body: widget('a') });
  await call('POST', MAPS, { body: { metadata: { name: 'a' }, data: { a: 'b' } } });
  await fc.assert(
    fc.asyncProperty(request, fc.constantFrom(WIDGET_PATH, MAPS), body, async ([method, rest, type], path, raw) => {
      const reply = await call(String(method), `${path}${rest}`, { type: String(type), raw });
      const { kind, code, message } = reply.body;
      assert.ok(reply.code >= 200 && typeof kind === 'string', reply.text);
      if (reply.code < 400) return;
      assert.is(code, reply.code);
      // Failures without a reason are those of the API server's own code; nothing of ours is among them.
      assert.not.match(String(message), /Internal error|is not a function|undefined/);
    }),
    { seed, numRuns: 1_500 },
  );
});

test.run();
