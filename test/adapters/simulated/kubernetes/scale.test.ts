import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { APPLY, DEFINITIONS, type Harness, listAt, MERGE, TABLE, withServer } from '../../../world/api-calls.ts';

const test = suite('embedded api server: the scale subresource');
const onPool = (title: string, ...given: Parameters<typeof withPool>): void => void test(title, withPool(...given));

const PATH = '/apis/example.org/v1/namespaces/default/pools';
const POOLS = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'pools.example.org' },
  spec: {
    group: 'example.org',
    scope: 'Namespaced',
    names: { kind: 'Pool', plural: 'pools' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: {
            specReplicasPath: '.spec.size',
            statusReplicasPath: '.status.members.count',
            labelSelectorPath: '.status.selector',
          },
        },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: { type: 'object', properties: { size: { type: 'integer', maximum: 10 } } },
              status: {
                type: 'object',
                properties: {
                  members: { type: 'object', properties: { count: { type: 'integer' } } },
                  selector: { type: 'string' },
                },
              },
            },
          },
        },
      },
    ],
  },
};

/** Runs a test with a server that has a pool named `a` of three, two of which are there. */
function withPool(run: (harness: Harness) => Promise<void>): () => Promise<void> {
  return withServer(async (harness) => {
    const defined = await harness.call('POST', DEFINITIONS, { body: POOLS });
    assert.is(defined.code, 201, defined.text);
    const pool = { apiVersion: 'example.org/v1', kind: 'Pool', metadata: { name: 'a' }, spec: { size: 3 } };
    const created = await harness.call('POST', PATH, { body: pool });
    const status = { members: { count: 2 }, selector: 'pool=a' };
    const reported = await harness.call('PUT', `${PATH}/a/status`, { body: { ...created.body, status } });
    assert.is(reported.code, 200, reported.text);
    await run(harness);
  });
}

onPool('a Scale shows the numbers of the object, wherever they are', async ({ call }) => {
  const { body } = await call('GET', `${PATH}/a/scale`);
  assert.is(`${body['apiVersion']} ${body['kind']}`, 'autoscaling/v1 Scale');
  assert.equal(body['spec'], { replicas: 3 });
  assert.equal(body['status'], { replicas: 2, selector: 'pool=a' });
  const { metadata } = (await call('GET', `${PATH}/a`)).body;
  assert.is(body['metadata']?.['resourceVersion'], metadata?.['resourceVersion']);
  assert.is(body['metadata']?.['managedFields'], undefined);
  const table = await call('GET', `${PATH}/a/scale`, { accept: TABLE });
  const [name, wanted, there, age] = listAt(listAt(table.body['rows'])[0]?.['cells']);
  assert.equal([name, wanted, there], ['a', 3, 2]);
  assert.match(String(age), /^\d+s$/);
});

onPool('writing a Scale changes the wanted number and nothing else (KSIM-SCALING-1)', async ({ call }) => {
  const before = (await call('GET', `${PATH}/a/scale`)).body;
  const next = { ...before, spec: { replicas: 5 }, status: { replicas: 77 } };
  assert.is((await call('PUT', `${PATH}/a/scale`, { body: next })).body['spec']?.['replicas'], 5);
  const pool = (await call('GET', `${PATH}/a`)).body;
  assert.equal(pool['spec'], { size: 5 });
  assert.is(pool['status']?.['members']?.['count'], 2);
  assert.is(pool['metadata']?.['generation'], 2);
  assert.is((await call('PUT', `${PATH}/a/scale`, { body: next })).code, 409);
});

onPool('a number that the object must not have is refused in its words (KSIM-SCALING-1)', async ({ call }) => {
  const patch = async (replicas: unknown): Promise<string> => {
    const reply = await call('PATCH', `${PATH}/a/scale`, { type: MERGE, body: { spec: { replicas } } });
    return `${reply.code} ${reply.body['message']}`;
  };
  const invalid = '422 Pool.example.org "a" is invalid:';
  assert.is(
    await patch(11),
    `${invalid} spec.size: Invalid value: 11: spec.size in body should be less than or equal to 10`,
  );
  assert.is(await patch(-1), `${invalid} .spec.size: Invalid value: -1: should be a non-negative integer`);
  assert.match(
    await patch(3_000_000_000),
    /cannot unmarshal number 3000000000 into Go struct field ScaleSpec\.spec\.replicas of type int32/,
  );
  assert.match(
    await patch('x'),
    /cannot unmarshal string into Go struct field ScaleSpec\.spec\.replicas of type int32/,
  );
  assert.is((await call('PATCH', `${PATH}/a/scale`, { type: MERGE, body: { spec: { replicas: null } } })).code, 200);
  assert.equal((await call('GET', `${PATH}/a`)).body['spec'], { size: 0 });
});

onPool('an object that says nothing has no Scale to read, but one to write', async ({ call }) => {
  const body = { apiVersion: 'example.org/v1', kind: 'Pool', metadata: { name: 'b' }, spec: {} };
  await call('POST', PATH, { body });
  const read = await call('GET', `${PATH}/b/scale`);
  assert.is(read.code, 500);
  assert.is(read.body['message'], 'Internal error occurred: the spec replicas field ".spec.size" does not exist');
  const empty = await call('PATCH', `${PATH}/b/scale`, { type: MERGE, body: {} });
  assert.is(empty.body['message'], 'the spec replicas field ".spec.size" cannot be empty');
  const set = await call('PATCH', `${PATH}/b/scale`, { type: MERGE, body: { spec: { replicas: 1 } } });
  assert.is(set.code, 200, set.text);
});

onPool(
  'owners of the number are owners in both, and the last writer is the only one (KSIM-SCALING-2)',
  async ({ call }) => {
    const apply = (query: string): ReturnType<typeof call> =>
      call('PATCH', `${PATH}/a/scale?fieldManager=boss${query}`, {
        type: APPLY,
        body: { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'a' }, spec: { replicas: 4 } },
      });
    const refused = await apply('');
    assert.is(refused.code, 409);
    assert.match(String(refused.body['message']), /conflict with "tester" using autoscaling\/v1: \.spec\.replicas$/);
    assert.match(
      String((await apply('&force=true')).body['message']),
      /^failed to convert new object \(\/a; autoscaling/,
    );
    const patched = await call('PATCH', `${PATH}/a/scale?fieldManager=boss`, {
      type: MERGE,
      body: { spec: { replicas: 4 } },
    });
    assert.is(patched.code, 200, patched.text);
    const entries = listAt((await call('GET', `${PATH}/a`)).body['metadata']?.['managedFields']);
    const boss = entries.find(({ manager }) => manager === 'boss');
    assert.is(boss?.['subresource'], 'scale');
    assert.is(boss?.['apiVersion'], 'example.org/v1');
    assert.equal(boss?.['fieldsV1'], { 'f:spec': { 'f:size': {} } });
    const tester = entries.find(({ manager, subresource }) => manager === 'tester' && subresource === undefined);
    assert.equal(tester?.['fieldsV1'], { 'f:spec': {} });
  },
);

onPool('what is no Scale is refused, and so is a definition whose paths lead elsewhere', async ({ call }) => {
  const put = await call('PUT', `${PATH}/a/scale`, {
    body: { apiVersion: 'v1', kind: 'Pool', metadata: { name: 'a' } },
  });
  assert.is(put.code, 400);
  assert.match(String(put.body['message']), /^no kind is registered for the type v1\.Scale/);
  const [version] = POOLS.spec.versions;
  const versions = [{ ...version, subresources: { scale: { specReplicasPath: '.status.size' } } }];
  const other = {
    ...POOLS,
    metadata: { name: 'ponds.example.org' },
    spec: { ...POOLS.spec, names: { kind: 'Pond', plural: 'ponds' }, versions },
  };
  const defined = await call('POST', DEFINITIONS, { body: other });
  assert.is(defined.code, 422);
  assert.match(
    String(defined.body['message']),
    /specReplicasPath: Invalid value: "\.status\.size": should be a json path under \.spec/,
  );
  assert.match(String(defined.body['message']), /statusReplicasPath: Required value/);
});

onPool('discovery and OpenAPI name the kind of the subresource', async ({ call }) => {
  const { body } = await call('GET', '/apis/example.org/v1');
  const scale = listAt(body['resources']).find(({ name }) => name === 'pools/scale');
  assert.equal([scale?.['group'], scale?.['version'], scale?.['kind']], ['autoscaling', 'v1', 'Scale']);
  const document = (await call('GET', '/openapi/v3/apis/example.org/v1')).text;
  assert.match(document, '"#/components/schemas/io.k8s.api.autoscaling.v1.Scale"');
  assert.match(document, '"io.k8s.api.autoscaling.v1.Scale":{');
});

test.run();
