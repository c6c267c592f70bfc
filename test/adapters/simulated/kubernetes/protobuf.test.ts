// Built-in kinds in protobuf: what a Go client writes is read, and it is answered in JSON.
import protobuf from 'protobufjs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fromProtobuf, PROTOBUF } from '../../../../adapters/simulated/kubernetes/wire/protobuf.ts';
import { serverChecks } from '../../../world/api-calls.ts';

const test = suite('embedded api server: protobuf');
const onServer = serverChecks(test);

/** Some of the messages of the API, with their numbers. */
const { root } = protobuf.parse(`
syntax = "proto2";
message TypeMeta { optional string apiVersion = 1; optional string kind = 2; }
message Unknown { optional TypeMeta typeMeta = 1; optional bytes raw = 2; }
message Time { optional int64 seconds = 1; optional int32 nanos = 2; }
message Meta { optional string name = 1; optional int64 generation = 7; map<string, string> labels = 11; }
message Secret { optional Meta metadata = 1; map<string, bytes> data = 2; optional bool immutable = 5; }
message LeaseSpec { optional string holderIdentity = 1; optional Time renewTime = 4; optional int32 leaseTransitions = 5; }
message Lease { optional Meta metadata = 1; optional LeaseSpec spec = 2; }
message Texts { repeated string items = 1; }
message Rule { repeated string verbs = 1; repeated string apiGroups = 2; repeated string resources = 3; }
message Role { optional Meta metadata = 1; repeated Rule rules = 2; }
message DeleteOptions { optional int64 gracePeriodSeconds = 1; optional string propagationPolicy = 4; }
`);

function encoded(apiVersion: string, kind: string, message: object, type = kind): Buffer {
  const bytes = (name: string, value: object): Uint8Array => root.lookupType(name).encode(value).finish();
  const unknown = bytes('Unknown', { typeMeta: { apiVersion, kind }, raw: bytes(type, message) });
  return Buffer.concat([Buffer.from('k8s\0'), unknown]);
}

test('instants, numbers, bytes and lists become those of the JSON of the API', () => {
  const spec = { holderIdentity: '', renewTime: { seconds: 1_767_323_045, nanos: 6_000 }, leaseTransitions: 0 };
  assert.equal(fromProtobuf(encoded('coordination.k8s.io/v1', 'Lease', { metadata: { name: 'l' }, spec })), {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'l' },
    spec: { holderIdentity: '', renewTime: '2026-01-02T03:04:05.000006Z', leaseTransitions: 0 },
  });
  const secret = {
    metadata: { name: 's', generation: 7, labels: { a: '' } },
    data: { a: Buffer.from([0, 1, 2]) },
    immutable: false,
  };
  assert.equal(fromProtobuf(encoded('v1', 'Secret', secret)), {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 's', generation: 7, labels: { a: '' } },
    data: { a: 'AAEC' },
    immutable: false,
  });
  const rules = [{ verbs: ['get'], apiGroups: [''], resources: ['secrets'] }];
  const role = fromProtobuf(encoded('rbac.authorization.k8s.io/v1', 'Role', { metadata: { name: 'r' }, rules }));
  assert.equal(role['rules'], rules);
});

test('the bytes of other clients are read: field numbers are those of the API', () => {
  // typeMeta: v1, ConfigMap; raw: metadata with the name a and no creationTimestamp, data with a: tx
  const hex = '0a0f0a0276311209436f6e6669674d6170' + '12100a050a016142001207' + '0a0161' + '12027478';
  const bytes = Buffer.concat([Buffer.from('k8s\0'), Buffer.from(hex, 'hex')]);
  assert.equal(fromProtobuf(bytes), {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a' },
    data: { a: 'tx' },
  });
});

test('what is no protobuf, cut off, of an unknown kind or a definition is refused', () => {
  assert.throws(() => fromProtobuf(Buffer.from('{}')), /does not appear to be a protobuf message/);
  assert.throws(() => fromProtobuf(Buffer.from('k8s\0\x0a\x7f', 'latin1')), /unexpected EOF/);
  const unknown = Buffer.from('k8s\0\x0a\x07\x0a\x02v1\x12\x01X', 'latin1');
  assert.throws(() => fromProtobuf(unknown), /no kind "X" is registered for version "v1"/);
  const definition = encoded('apiextensions.k8s.io/v1', 'CustomResourceDefinition', {}, 'Secret');
  assert.throws(() => fromProtobuf(definition), /no kind "CustomResourceDefinition" is registered/);
});

onServer('a controller creates and deletes a Secret in protobuf, and is answered in JSON', async ({ call }) => {
  const path = '/api/v1/namespaces/default/secrets';
  const accept = `${PROTOBUF}, */*`;
  const raw = encoded('v1', 'Secret', { metadata: { name: 's' }, data: { a: Buffer.from('b') } });
  const created = await call('POST', path, { raw, type: PROTOBUF, accept });
  assert.is(created.code, 201, created.text);
  assert.is(created.headers['content-type'], 'application/json');
  assert.equal(created.body['data'], { a: 'Yg==' });
  const options = encoded('v1', 'DeleteOptions', { propagationPolicy: 'Background' });
  assert.is((await call('DELETE', `${path}/s`, { raw: options, type: PROTOBUF, accept })).code, 200);
});

test.run();
