// Objects written as YAML or JSON: what is read, what is refused, and that no reason quotes it.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readObject } from '../../../../adapters/ironic/host/yaml-object.ts';
import type { JsonObject } from '../../../../bus/bus.ts';

const test = suite('yaml object');

function value(text: string): JsonObject {
  const read = readObject(text);
  return read.kind === 'object' ? read.value : (assert.unreachable(`${text.slice(0, 80)}: ${read.reason}`) as never);
}

function reason(text: string): string {
  const read = readObject(text);
  return read.kind === 'unreadable' ? read.reason : (assert.unreachable(`was read: ${text.slice(0, 80)}`) as never);
}

test('JSON and YAML are read alike', () => {
  const expected = { links: [{ id: 'eth0', mtu: 1500 }], on: true, none: null, f: 1.5 };
  assert.equal(value(JSON.stringify(expected)), expected);
  assert.equal(value('links:\n- id: eth0\n  mtu: 1500\non: true\nnone:\nf: 1.5\n'), expected);
  assert.equal(value('{links: [{id: eth0, mtu: 1500}], on: true, none: ~, f: 1.5}'), expected);
});

test('scalars are those of YAML 1.2, so that addresses and words stay texts', () => {
  assert.equal(value('mac: 52:54:00:12:34:56\nno: no\nday: 2020-01-01\noctal: 0o17\nleading: 0123\nv: 1.2.3'), {
    mac: '52:54:00:12:34:56',
    no: 'no',
    day: '2020-01-01',
    octal: 15,
    leading: 123,
    v: '1.2.3',
  });
  assert.equal(value('%YAML 1.1\n---\nday: 2020-01-01\nno: no'), { day: '2020-01-01', no: 'no' });
  assert.equal(value('1: a\ntrue: b\nnull: c'), { 1: 'a', true: 'b', null: 'c' });
});

test('nothing is an empty object', () => {
  for (const text of ['', ' \n', '# a comment', 'null', '~', '---\n', '{}']) assert.equal(value(text), {}, text);
});

test('anchors and merge keys work; of names the last counts, of documents the first', () => {
  assert.equal(value('a: &x {b: 1, c: 2}\nd:\n  <<: *x\n  c: 3\ne: *x'), {
    a: { b: 1, c: 2 },
    d: { b: 1, c: 3 },
    e: { b: 1, c: 2 },
  });
  assert.equal(value('a: 1\na: 2'), { a: 2 });
  assert.equal(value('a: 1\n---\nb: 2'), { a: 1 });
});

test('an anchor may be used many times', () => {
  assert.equal(value(`a: &x 1\nb: [${Array(90).fill('*x').join(', ')}]`)['b'], Array(90).fill(1));
});

test('what is no object is refused', () => {
  for (const text of ['[]', '- a', 'text', '"text"', '5', 'true', '[{"a": 1}]'])
    assert.is(reason(text), 'is no object', text);
});

test('what is no YAML is refused with code and line, tags too', () => {
  assert.is(reason('a: 1\nb: ['), 'is neither JSON nor YAML: BAD_INDENT at line 2');
  for (const text of ['a: !mine b', 'a: !!js/function x', 'a: !!binary aGk=', '!!set {a, b}', '%MINE\n---\na: 1']) {
    assert.match(reason(text), /^is neither JSON nor YAML: (TAG_RESOLVE_FAILED|BAD_DIRECTIVE) at line/, text);
  }
  assert.match(reason('? [a, b]\n: c'), 'NON_STRING_KEY at line 1');
  assert.match(reason('{"a": 1'), 'is neither JSON nor YAML');
});

test('what JSON cannot say is refused (IRONIC-YAML-OBJECT-3)', () => {
  for (const text of ['a: .nan', 'a: [.inf]', 'a: -.inf', 'a: &x [*x]', 'a: &x [*x, *x, *x]']) {
    assert.match(reason(text), /^(holds what JSON cannot say|is neither JSON nor YAML)/, text);
  }
});

test('depth, length and aliases are bounded (IRONIC-YAML-OBJECT-2)', () => {
  const nested = (levels: number): string => `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`;
  assert.ok(value(nested(60)));
  assert.match(reason(nested(70)), 'more than 64 levels');
  assert.match(reason(nested(100_000)), 'more than 64 levels');
  assert.match(reason(`a: ${'['.repeat(30_000)}`), 'is neither JSON nor YAML');
  const long = 'x'.repeat(200_000);
  assert.is(value(JSON.stringify({ long }))['long'], long);
  assert.is(reason(`long: ${long}`), 'is no JSON, and too long for YAML (65536 characters)');
  const levels = Array.from({ length: 12 }, (_, n) => `l${n + 1}: &l${n + 1} [${Array(9).fill(`*l${n}`).join(', ')}]`);
  assert.match(reason(['l0: &l0 [x]', ...levels].join('\n')), 'too many of them');
});

test('no reason quotes what was written (IRONIC-YAML-OBJECT-1)', () => {
  for (const text of [
    'a: *hunter2',
    'a: "hunter2',
    'a: @hunter2',
    'a: hunter2: hunter2',
    'a: !hunter2 x',
    '? {hunter2: hunter2}\n: x',
    '<<: hunter2',
    'hunter2',
    '["hunter2"]',
    '{"a": hunter2',
    '%hunter2\n---\na: 1',
    'a: |hunter2\n',
  ]) {
    assert.not.match(reason(text), 'hunter2', text);
  }
});

test('names of prototypes are names', () => {
  for (const text of [
    '{"__proto__": {"polluted": true}, "constructor": 1}',
    '__proto__: {polluted: true}\nconstructor: 1',
  ]) {
    const read = value(text);
    assert.equal(Object.keys(read), ['__proto__', 'constructor']);
    assert.is(JSON.stringify(read), '{"__proto__":{"polluted":true},"constructor":1}');
    assert.is((read as { polluted?: unknown }).polluted, undefined);
  }
  assert.is(({} as { polluted?: unknown }).polluted, undefined);
});

test.run();
