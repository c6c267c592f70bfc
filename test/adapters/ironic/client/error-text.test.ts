// What Ironic says of a refusal, and what may be told of it.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { wordsOf } from '../../../../adapters/ironic/client/error-text.ts';
import { refusalIn, refusalOf, secretsIn } from '../../../../adapters/ironic/client/errors.ts';
import type { Json, JsonObject } from '../../../../bus/bus.ts';

const test = suite('words of Ironic');

const plain = (text: string): string => text;
const faultOf = (text: string): JsonObject => ({ faultcode: 'Client', faultstring: text, debuginfo: null });
const routed = (title: string, description: string): JsonObject => ({ code: 404, title, description });

const FORMS: readonly (readonly [what: string, body: JsonObject, text: string, kind: 'fault' | 'other'])[] = [
  ['a fault as JSON in JSON', { error_message: JSON.stringify(faultOf('no "a"')) }, 'no "a"', 'fault'],
  ['a fault as an object', { error_message: faultOf('no a') }, 'no a', 'fault'],
  ['a fault wrapped twice', { error_message: JSON.stringify(JSON.stringify(faultOf('no a'))) }, 'no a', 'fault'],
  [
    'a fault whose text is one',
    { error_message: JSON.stringify(faultOf(JSON.stringify(faultOf('no a')))) },
    'no a',
    'fault',
  ],
  ['words alone', { error_message: 'no a' }, 'no a', 'fault'],
  ['words that look like JSON', { error_message: '{no a' }, '{no a', 'fault'],
  ['what the router says', { error_message: JSON.stringify(routed('Not Found', '')) }, 'Not Found', 'other'],
  ['what the router explains', { error_message: JSON.stringify(routed('Bad', 'no uuid')) }, 'no uuid', 'other'],
  [
    'what stands before it',
    { error: { message: 'Incorrect username or password', code: 401 } },
    'Incorrect username or password',
    'other',
  ],
  ['a fault without words', { error_message: JSON.stringify(faultOf('')) }, '', 'other'],
  ['a list', { error_message: ['no a'] }, '', 'other'],
  ['a number', { error_message: 5 }, '', 'other'],
  ['null', { error_message: null }, '', 'other'],
  ['an empty object', {}, '', 'other'],
  ['somebody else', { detail: 'Not Found' }, '', 'other'],
  ['somebody else, with a message', { message: 'no route', code: 404 }, '', 'other'],
  ['no own member', { error_message: JSON.parse('{"__proto__": {"faultstring": "no a"}}') as JsonObject }, '', 'other'],
];

for (const [what, body, text, kind] of FORMS) {
  test(`${what}: '${text}' (IRONIC-ERROR-TEXT-1)`, () => assert.equal(wordsOf(body, plain), { text, kind }));
}

test('what is wrapped without end comes to one', () => {
  let body: Json = faultOf('deep');
  for (let wrap = 0; wrap < 9; wrap++) body = { error_message: JSON.stringify({ faultstring: JSON.stringify(body) }) };
  assert.type(wordsOf(body as JsonObject, plain).text, 'string');
});

test('long words are cut after secrets were taken out', () => {
  const secret = 'hunter22'.repeat(400);
  const hide = (text: string): string => text.replace(secret, '***');
  assert.is(wordsOf({ error_message: `no ${secret}!` }, hide).text, 'no ***!');
  assert.is(wordsOf({ error_message: 'a'.repeat(5_000) }, plain).text.length, 2_001);
});

test('what of a request is a secret, by name', () => {
  const patch = [
    { op: 'add', path: '/driver_info/redfish_password', value: 'p1' },
    { op: 'add', path: '/driver_info', value: { ipmi_password: 'p2', ipmi_username: 'root', ipmi_port: '623' } },
    { op: 'add', path: '/instance_info/image_pull_secret', value: 'user:p3' },
    { op: 'add', path: '/name', value: 'plain' },
    { op: 'remove', path: '/driver_info/redfish_password' },
  ];
  assert.equal(secretsIn(patch), ['p1', 'p2', 'user:p3', 'p3']);
  assert.equal(secretsIn({ driver_info: { redfish_password: 'p' }, name: 'n' }), ['p']);
  const subscription = { Destination: 'https://x', HttpHeaders: [{ 'Content-Type': 'text' }, { Authorization: 'p' }] };
  assert.equal(secretsIn(subscription), ['text', 'p']);
  const image = [{ op: 'add', path: '/instance_info/image_source', value: 'http://user:p%404@host/a' }];
  assert.equal(secretsIn(image), ['p%404', 'p@4'], 'the password of a URL, in both spellings');
  for (const body of [undefined, null, 'text', 5, [], {}]) assert.equal(secretsIn(body), []);
});

const asked = (requestBody: Json | undefined, words: string, status = 400): string =>
  refusalOf({
    label: 'PATCH /v1/nodes/n of Ironic',
    answer: { status, body: { error_message: words }, retryAfterMs: undefined },
    requestBody,
    secrets: ['hunter22', 'YWRtaW46aHVudGVyMjI='],
  }).message;

test('no password is told, whose ever it is (IRONIC-ERRORS-2)', () => {
  const body = { driver_info: { redfish_password: "it's" } };
  assert.is(
    asked(body, `bad: {'redfish_password': "it's"}, Basic YWRtaW46aHVudGVyMjI= hunter22`),
    `PATCH /v1/nodes/n of Ironic answered 400: bad: {'redfish_password': "***"}, Basic *** ***`,
  );
});

test('words about a config drive are not told where one was sent (IRONIC-ERRORS-2)', () => {
  const body = { target: 'active', configdrive: { user_data: 'hunter33' } };
  assert.is(
    asked(body, "Invalid configdrive format: {'user_data': 'hunt…"),
    'PATCH /v1/nodes/n of Ironic answered 400',
  );
  assert.match(asked(body, 'The requested action "active" can not be performed'), /answered 400: The requested/);
  assert.match(asked({ target: 'active' }, 'Invalid configdrive format'), /answered 400: Invalid configdrive/);
});

test('the answer that an error is about is told by it', () => {
  const error = refusalOf({
    label: 'x',
    answer: { status: 409, body: { error_message: 'locked' }, retryAfterMs: undefined },
    requestBody: undefined,
    secrets: [],
  });
  const { status, detail } = refusalIn(error) ?? {};
  assert.equal([status, detail], [409, 'locked']);
  for (const other of [new Error('x'), undefined, null, 'x']) assert.is(refusalIn(other), undefined);
});

test.run();
