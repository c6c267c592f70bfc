// Recorded calls made again (C31, C32), and generated code that is out of date (C33).
import { mkdtempSync, rmSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Stale } from '../../../../adapters/csi-proxy/check/check.ts';
import { checkTrees, type Finding, type Outcome, type Replay } from '../../../../adapters/csi-proxy/check/mod.ts';
import { parseRecorded } from '../../../../adapters/csi-proxy/check/recorded.ts';
import { findingText } from '../../../../adapters/csi-proxy/check/text.ts';
import { WireError } from '../../../../adapters/csi-proxy/codec/mod.ts';
import { brief } from './trees.ts';

const test = suite('recorded calls');

const PROTO = `syntax = "proto3";
package v1;
service Disk { rpc List(ListRequest) returns (ListResponse); }
message ListRequest { string name = 1; }
message ListResponse {
  message Place { string LUNID = 1; uint64 size_bytes = 2; }
  map<uint32, Place> disk_places = 1;
  repeated Place others = 2;
  int64 total = 3;
}
`;
const RECORDED = {
  calls: [
    {
      rpc: 'List',
      request: { name: 'a' },
      response: { diskPlaces: { 1: { LUNID: '0' } }, others: [{ sizeBytes: '5' }] },
    },
    { rpc: 'List', request: { name: '?' }, refusal: { code: 'INVALID_ARGUMENT', text: 'no such name' } },
  ],
};

interface Now {
  readonly base?: string;
  readonly current?: string;
  readonly stale?: readonly Stale[];
  readonly heard?: (request: unknown) => void;
}

/** The findings where the server answers all calls so. */
async function replayed(
  outcome: Outcome,
  { base = PROTO, current = PROTO, stale = [], heard = () => undefined }: Now = {},
): Promise<readonly Finding[]> {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-recorded-'));
  let isClosed = false;
  const replay: Replay = async (group, version) => {
    assert.equal([group, version], ['disk', 'v1']);
    return {
      async call(_rpc, request) {
        heard(request);
        return outcome;
      },
      close: async () => {
        isClosed = true;
      },
    };
  };
  try {
    for (const [tree, text] of [
      ['base', base],
      ['current', current],
    ] as const) {
      await mkdir(join(folder, tree, 'disk/v1'), { recursive: true });
      await writeFile(join(folder, tree, 'disk/v1/api.proto'), text);
    }
    await writeFile(join(folder, 'base/disk/v1/recorded.json'), JSON.stringify(RECORDED));
    const input = {
      base: 'base',
      current: 'current',
      policy: 'compatible',
      today: '2026-06-15',
      cwd: folder,
      api: '',
    } as const;
    const { findings, notChecked } = await checkTrees(input, { replay, stale: async () => stale });
    assert.ok(isClosed);
    assert.equal(notChecked, []);
    return findings;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('C31 refuses that an accepted request is refused now', async () => {
  const findings = await replayed({ kind: 'refusal', code: 'INVALID_ARGUMENT', text: 'too short' });
  assert.equal(brief(findings), ['C31 break Disk.List']);
  assert.is(findings[0]?.text, 'recorded call 1, {"name":"a"}, is refused now: INVALID_ARGUMENT, too short');
});

test('C31 and C32 accept the same response, more fields, defaults that are written out, and what was refused before', async () => {
  const place = { LUNID: '0', sizeBytes: '0', color: 'blue' };
  const message = { diskPlaces: { 1: place }, others: [{ LUNID: '', sizeBytes: '5' }], total: '0', more: true };
  assert.equal(await replayed({ kind: 'response', message }), []);
});

test('C31 refuses that a value of a request is none any more', async () => {
  const heard = () => {
    throw new WireError('name: a number is wanted');
  };
  const findings = await replayed({ kind: 'response', message: {} }, { heard });
  assert.equal(brief(findings), ['C31 break Disk.List']);
  assert.match(findings[0]?.text ?? '', / is refused now: INVALID_ARGUMENT, name: a number is wanted$/);
});

test('a field that is gone is not sent, and an RPC that is gone is not called: other rules speak of them', async () => {
  const requests: unknown[] = [];
  const heard = (request: unknown) => requests.push(request);
  const refusal = { kind: 'refusal', code: 'UNIMPLEMENTED', text: 'gone' } as const;
  const fieldless = PROTO.replace('string name = 1;', 'reserved 1; reserved "name";');
  const withoutField = await replayed({ kind: 'response', message: {} }, { current: fieldless, heard });
  assert.equal(brief(withoutField).toSorted(), ['C09 break ListRequest.name', 'C32 break Disk.List']);
  assert.equal(requests, [{}, {}]);
  const rpcless = PROTO.replace('rpc List(', 'rpc ListAll(');
  assert.not.ok(brief(await replayed(refusal, { current: rpcless, heard })).some((one) => one.startsWith('C31')));
  assert.is(requests.length, 2);
});

test('C31 shows no secret of a request', async () => {
  const marked = PROTO.replace('string name = 1;', '\n// +secret\nstring name = 1;\n');
  const findings = await replayed({ kind: 'refusal', code: 'UNKNOWN', text: 'no' }, { base: marked });
  assert.is(findings[0]?.text, 'recorded call 1, {"name":"***"}, is refused now: UNKNOWN, no');
});

for (const [title, message] of [
  ['another value in a map', { diskPlaces: { 1: { LUNID: '1' } }, others: [{ sizeBytes: '5' }] }],
  ['another key', { diskPlaces: { 2: { LUNID: '0' } }, others: [{ sizeBytes: '5' }] }],
  ['a longer list', { diskPlaces: { 1: { LUNID: '0' } }, others: [{ sizeBytes: '5' }, {}] }],
  ['a field that was empty', { diskPlaces: { 1: { LUNID: '0' } }, others: [{ sizeBytes: '5' }], total: '1' }],
  ['nothing', {}],
] as const) {
  test(`C32 refuses ${title}`, async () => {
    assert.equal(brief(await replayed({ kind: 'response', message })), ['C32 break Disk.List']);
  });
}

test('C33 refuses generated code that is out of date', async () => {
  const message = RECORDED.calls[0]?.response ?? {};
  const findings = await replayed(
    { kind: 'response', message },
    { stale: [{ at: { file: 'server/disk/types_generated.ts' } }] },
  );
  assert.equal(
    findings.map(({ rule, severity, at }) => [rule, severity, at.file]),
    [['C33', 'break', 'server/disk/types_generated.ts']],
  );
  assert.match(
    findings.map(findingText).join('\n'),
    /^server\/disk\/types_generated\.ts:1:1: break C33: it is not what the generator makes of 'current'\n/,
  );
});

test('a recording that is none is refused', () => {
  for (const text of ['{', '[]', 'null', '{"calls": {}}']) {
    assert.throws(() => parseRecorded(text, 'recorded.json'), /'recorded\.json' (is not JSON|must be)/);
  }
  const good = { rpc: 'List', request: {}, response: {} };
  for (const bad of [{}, { rpc: 1 }, { request: [] }, { response: undefined }, { refusal: {} }]) {
    const call = Object.keys(bad).length === 0 ? {} : { ...good, ...bad };
    assert.throws(
      () => parseRecorded(JSON.stringify({ calls: [good, call] }), 'recorded.json'),
      /'recorded\.json', call 2: expected "rpc", "request", and either "response" or "refusal"$/,
    );
  }
});

test.run();
