// Built-in kinds in protobuf: what goes in comes out, and what a Go client wrote is read.
import { request } from 'node:https';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  fromProtobuf,
  PROTOBUF,
  toFrame,
  toProtobuf,
} from '../../../../adapters/simulated/kubernetes/wire/protobuf.ts';
import { DEFINITIONS, serverChecks } from '../../../world/api-calls.ts';
import { WIDGETS } from './widgets.ts';

const test = suite('embedded api server: protobuf');
const onServer = serverChecks(test);

/** An object through protobuf and back. */
function through(object: unknown): unknown {
  const bytes = toProtobuf(JSON.stringify(object));
  if (bytes === undefined) throw new Error('no message for this kind');
  return fromProtobuf(bytes);
}

test('schemas that may be something else, free values, instants and numbers survive', () => {
  const anySchema = {
    type: 'object',
    additionalProperties: true,
    properties: {
      list: { type: 'array', items: { type: 'string', maxLength: 0 } },
      map: { type: 'object', additionalProperties: { $ref: '#', 'x-kubernetes-int-or-string': true } },
      closed: { enum: [1, 'two', { three: [null] }], default: { a: 1.5 }, minimum: 0, not: { required: ['x'] } },
      rules: { 'x-kubernetes-validations': [{ rule: 'true', optionalOldSelf: false }] },
    },
    dependencies: { a: ['b', 'c'] },
  };
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'x', generation: 7, creationTimestamp: '2026-01-02T03:04:05Z', labels: { a: '' } },
    spec: {
      group: 'x',
      names: { plural: 'y', kind: 'Y' },
      scope: 'Cluster',
      versions: [{ name: 'v1', served: false, storage: true, schema: { openAPIV3Schema: anySchema } }],
    },
  };
  assert.equal(through(definition), definition);
  const lease = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'l' },
    spec: { renewTime: '2026-01-02T03:04:05.000006Z', leaseTransitions: 0, holderIdentity: '' },
  };
  assert.equal(through(lease), lease);
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, data: { a: 'AAEC' }, immutable: false };
  assert.equal(through(secret), secret);
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

test('what is no protobuf, cut off, or of an unknown kind is refused', () => {
  assert.throws(() => fromProtobuf(Buffer.from('{}')), /does not appear to be a protobuf message/);
  assert.throws(() => fromProtobuf(Buffer.from('k8s\0\x0a\x7f', 'latin1')), /unexpected EOF/);
  const unknown = Buffer.from('k8s\0\x0a\x07\x0a\x02v1\x12\x01X', 'latin1');
  assert.throws(() => fromProtobuf(unknown), /no kind "X" is registered for version "v1"/);
});

onServer(
  'a client that asks for protobuf gets objects, lists and events in it, and JSON of custom kinds',
  async ({ server, call }) => {
    const ask = (path: string): Promise<{ readonly type: string; readonly body: Buffer }> =>
      new Promise((resolve, reject) => {
        const headers = { authorization: `Bearer ${server.token}`, accept: `${PROTOBUF},application/json` };
        request(`${server.url}${path}`, { headers, ca: server.caCertificate }, (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('end', () =>
            resolve({ type: response.headers['content-type'] ?? '', body: Buffer.concat(chunks) }),
          );
        })
          .on('error', reject)
          .end();
      });
    const given = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: { a: 'b' } };
    const bytes = toProtobuf(JSON.stringify(given));
    assert.ok(bytes !== undefined);
    const path = '/api/v1/namespaces/default/configmaps';
    const created = await call('POST', path, { body: given });
    assert.is(created.code, 201);

    const one = await ask(`${path}/c`);
    assert.is(one.type, PROTOBUF);
    assert.equal(fromProtobuf(one.body), (await call('GET', `${path}/c`)).body);

    const list = await ask(path);
    assert.is(list.type, PROTOBUF);
    assert.ok(list.body.includes('ConfigMapList'));

    const watch = await ask(`${path}?watch=true&timeoutSeconds=1`);
    assert.is(watch.type, `${PROTOBUF};stream=watch`);
    const line = JSON.stringify({ type: 'ADDED', object: (await call('GET', `${path}/c`)).body });
    assert.equal(watch.body.subarray(0, toFrame(line).length), toFrame(line));

    await call('POST', DEFINITIONS, { body: WIDGETS });
    const custom = await ask('/apis/example.org/v1/namespaces/default/widgets');
    assert.is(custom.type, 'application/json');
  },
  'sockets',
);

test.run();
