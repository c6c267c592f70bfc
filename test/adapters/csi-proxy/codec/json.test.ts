// Messages as JSON.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  bool,
  bytes,
  double,
  enumOf,
  fromJson,
  int64,
  type Json,
  list,
  map,
  message,
  type OpenEnum,
  one,
  secret,
  text,
  toJson,
  uint32,
  WireError,
} from '../../../../adapters/csi-proxy/codec/mod.ts';

const test = suite('messages as JSON');

interface Share {
  remotePath: text;
  password: text;
}
interface All {
  flag: bool;
  size: int64;
  ratio: double;
  data: bytes;
  state: OpenEnum<0 | 1>;
  diskIDs: text[];
  shares: Share[];
  byNumber: Map<uint32, Share>;
  byFlag: Map<bool, text>;
  share: Share | undefined;
}
const Share = message<Share>('v1.Share', { remotePath: one(1, text), password: secret(one(2, text)) });
const All = message<All>('v1.All', {
  flag: one(1, bool),
  size: one(2, int64),
  ratio: one(3, double),
  data: one(4, bytes),
  state: one(5, enumOf({ OFF: 0, ON: 1 } as const)),
  diskIDs: list(6, text),
  shares: list(7, () => Share),
  byNumber: map(8, uint32, () => Share),
  byFlag: map(9, bool, text),
  share: one(10, () => Share),
});

const all = All.create({
  flag: true,
  size: 2n ** 60n,
  ratio: Number.POSITIVE_INFINITY,
  data: new Uint8Array([1, 2, 3]),
  state: 1,
  diskIDs: ['0'],
  shares: [{ remotePath: '\\\\a\\b', password: 'p' }],
  byNumber: new Map([[3, { remotePath: 'r', password: 'q' }]]),
  byFlag: new Map([[false, 'x']]),
});
const json: Json = {
  flag: true,
  size: '1152921504606846976',
  ratio: 'Infinity',
  data: 'AQID',
  state: 'ON',
  diskIDs: ['0'],
  shares: [{ remotePath: '\\\\a\\b', password: 'p' }],
  byNumber: { 3: { remotePath: 'r', password: 'q' } },
  byFlag: { false: 'x' },
};

test('a message is the same after JSON', () => {
  assert.equal(toJson(All, all, { showSecrets: true }), json);
  assert.equal(fromJson(All, JSON.parse(JSON.stringify(json))), all);
});

test('a secret is not shown unless asked for', () => {
  assert.equal(toJson(Share, { remotePath: 'r', password: 'p' }), { remotePath: 'r', password: '***' });
  assert.not.match(JSON.stringify(toJson(All, all)), /"[pq]"/);
});

test('names of the proto, numbers for 64 bits and for enums, and null are understood', () => {
  assert.equal(fromJson(Share, { remote_path: 'r' }), { remotePath: 'r', password: '' });
  assert.is(fromJson(All, { size: 5 }).size, 5n);
  assert.is(fromJson(All, { state: 7 }).state, 7);
  assert.equal(toJson(All, All.create({ state: 7 })) as { state: Json }, { ...blank, state: 7 });
  assert.equal(fromJson(All, { flag: null, share: null }), All.create());
});

const blank = {
  flag: false,
  size: '0',
  ratio: 0,
  data: '',
  state: 'OFF',
  diskIDs: [],
  shares: [],
  byNumber: {},
  byFlag: {},
};

test('what does not fit is refused, and it is said where and what would', () => {
  const refuses = (json: unknown, pattern: RegExp): void =>
    assert.throws(
      () => fromJson(All, json),
      (error: unknown) => error instanceof WireError && pattern.test(error.message),
    );
  refuses([], /^an object is wanted/);
  refuses({ sise: 1 }, /^v1\.All has no field 'sise'; its fields: flag, size, /);
  refuses({ __proto__x: 1 }, /has no field '__proto__x'/);
  refuses(JSON.parse('{"__proto__": {"flag": true}}'), /has no field '__proto__'/);
  refuses({ toString: 1 }, /has no field 'toString'/);
  refuses({ flag: 'yes' }, /^flag: true or false is wanted, got a text$/);
  refuses({ size: 0.5 }, /^size: a bigint from/);
  refuses({ size: '1e3' }, /^size: a bigint from/);
  refuses({ ratio: 'much' }, /^ratio: a number is wanted, got a text$/);
  refuses({ data: '?' }, /^data: base64 is wanted/);
  refuses({ state: 'BROKEN' }, /^state: one of OFF, ON is wanted, got 'BROKEN'$/);
  refuses({ shares: {} }, /^shares: a list is wanted/);
  refuses({ byNumber: { x: {} } }, /^byNumber: a whole number from/);
  refuses({ share: { remotePath: 1 } }, /^share\.remotePath: a text is wanted, got 1$/);
});

test.run();
