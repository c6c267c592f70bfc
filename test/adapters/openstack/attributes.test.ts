// What operations keep of a cloud's answers: all that a kind reads, and nothing else.
import { inspect } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { sample } from '../../../adapters/api/contract/check/samples.ts';
import { integer } from '../../../adapters/api/contract/contract.ts';
import {
  isCompared,
  named,
  observed,
  observedAs,
  type StatusField,
  sent,
} from '../../../adapters/openstack/base/fields.ts';
import { EVERY, mapped, type Projection, plain, projected } from '../../../adapters/openstack/base/projection.ts';
import { NEUTRON } from '../../../adapters/openstack/base/services.ts';
import { openstackName, text } from '../../../adapters/openstack/base/values.ts';
import { HttpError, type Session } from '../../../adapters/openstack/client/session.ts';
import { answerOf, knowing } from '../../../adapters/openstack/contract-check/answers.ts';
import { contractTrial } from '../../../adapters/openstack/contract-check/trial.ts';
import { defineKind } from '../../../adapters/openstack/kinds/kind.ts';
import { KINDS } from '../../../adapters/openstack/kinds/registry.ts';
import type { KindTable, OpenStackKind } from '../../../adapters/openstack/resource/table.ts';
import type { Json, JsonObject } from '../../../bus/bus.ts';
import type { Observation, ResourceOperations } from '../../../machines/external-resource/operations.ts';
import type { OperationRequest } from '../../../machines/kind.ts';
import { attentive, isTableKind } from '../../world/attentive.ts';
import { simulatedClock } from '../../world/clock.ts';
import { NO_DOWNLOADS } from './no-downloads.ts';

const test = suite('attributes');

const clock = simulatedClock({ seed: 1 });

const ID = '00000000-0000-4000-8000-000000000000';
const NAME = 'wanted';
/** Rounds of made-up answers, and of sampled values. */
const ROUNDS = 40;
const EXAMPLES = {
  'spec.resyncPeriod': ['1h'],
  'spec.resource.portSecurity': ['Inherit'],
  'spec.resource.schedulerHints.query': ['["=", "$vcpus", 1]'],
};

const SECRETS = {
  admin_pass: 'hunter-1',
  adminPass: 'hunter-2',
  password: 'hunter-3',
  private_key: 'hunter-4',
  user_data: 'hunter-5',
  'OS-EXT-SRV-ATTR:user_data': 'hunter-6',
  secret: 'hunter-8',
};

/** The operations of a kind on a cloud that answers everything with this resource. */
function operationsOn(kind: OpenStackKind, resource: JsonObject): ResourceOperations {
  const named = new Proxy<JsonObject>(
    { port_id: ID },
    { get: (target, name) => Reflect.get(target, name) ?? resource },
  );
  const body = isTableKind(kind) && kind.service.bodies === 'bare' ? resource : named;
  const session: Session = {
    call: async () => ({ status: 200, body }),
    list: async () => [resource],
    userId: async () => ID,
  };
  return kind.operations({
    sessions: { open: async () => session, identify: async () => ({ cloud: 'cloud', scope: 'scope', user: 'user' }) },
    lookUps: { find: async () => [resource], read: async () => resource },
    poller: { deadlineAt: () => 0, watch: () => new Promise(() => undefined), close: () => undefined },
    clock: clock,
    downloads: NO_DOWNLOADS,
    readSecret: async () => ({
      uid: 'u',
      resourceVersion: '1',
      data: { password: 'aHVudGVyLTc=', value: 'aHVudGVyLTc=' },
    }),
  });
}

function requestFor(kind: OpenStackKind, round: number, more: JsonObject = {}): OperationRequest {
  const sampling = { round, focus: 'spec.resource', as: 'given', examples: EXAMPLES } as const;
  const spec = sample('spec', kind.contract.spec, sampling) as JsonObject;
  const published = { cloudCredentialsRef: { secretName: 's', cloudName: 'c' }, networkID: ID, type: 'compute' };
  return {
    object: {
      apiVersion: 'openstack.k-orc.cloud/v1alpha1',
      kind: kind.kind,
      metadata: { name: NAME, namespace: 'ns', uid: 'u', resourceVersion: '1', generation: 1 },
      spec: { ...spec, managementPolicy: 'managed', ...more },
    },
    dependencies: new Proxy({}, { get: (_, name) => ({ id: String(name), ready: true, attributes: published }) }),
    deadlineAt: 0,
    traceparent: '',
  };
}

/** Of what makes the identity of a resource it has one each. */
function ofOneEach(kind: OpenStackKind, request: OperationRequest): OperationRequest {
  if (kind.recording === undefined) return request;
  const resource = { roleRef: 'role', userRef: 'user', projectRef: 'project' };
  const dependencies = new Proxy({}, { get: () => ({ id: ID, ready: true }) });
  return { ...request, dependencies, object: { ...request.object, spec: { ...request.object.spec, resource } } };
}

/** A resource with secrets beside, and instead of, all that is declared. */
function hostile(projection: Projection, nested: (inner: JsonObject) => Json): JsonObject {
  // Every member of a map is declared.
  if (EVERY in projection) return { chosen: 'harmless' };
  const inside = Object.entries(projection).map(([name, inner]) => [name, nested(hostile(inner, nested))] as const);
  // What users name themselves is theirs to show.
  return { ...(projection[EVERY] === undefined && SECRETS), ...Object.fromEntries(inside) };
}

for (const [shape, nested] of [
  ['beside what is declared', (): Json => 'harmless'],
  ['in objects', (inner: JsonObject): Json => inner],
  ['in lists', (inner: JsonObject): Json => [inner, [inner]]],
] as const) {
  test(`no operation returns a secret that the cloud's answer holds ${shape} (OS-PROJECTION-1)`, async () => {
    for (const kind of KINDS) {
      const operations = operationsOn(kind, { ...hostile(kind.projection, nested), id: ID, name: NAME });
      const request = ofOneEach(kind, requestFor(kind, 1));
      const imports = (by: JsonObject): OperationRequest =>
        requestFor(kind, 1, { managementPolicy: 'unmanaged', import: by });
      const observations: (Observation | undefined)[] = [
        ...(await operations.find(request)).matches,
        await operations.create(request),
        await operations.observe({ ...request, id: ID }),
      ];
      // What has no id is imported by what it is made of, which is no secret's place.
      if (kind.kind !== 'RouterInterface' && kind.recording === undefined) {
        observations.push(await operations.import(imports({ id: ID })));
        observations.push(await operations.import(imports({ filter: { name: NAME } })));
      }
      for (const observation of observations) {
        // Some are known by their name.
        assert.ok([ID, NAME].includes(observation?.id ?? ''), kind.kind);
        assert.not.match(JSON.stringify(observation), 'hunter', kind.kind);
        assert.equal(projected(kind.projection, observation?.attributes ?? {}), observation?.attributes, kind.kind);
      }
    }
  });
}

test('an error shows nothing of the body that it was made from, but its message (OS-PROJECTION-1)', () => {
  const error = new HttpError('no', { status: 409, body: { server: SECRETS } });
  assert.equal(error.body, { server: SECRETS });
  assert.not.match(JSON.stringify([error, Object.entries(error)]) + inspect(error, { depth: 9 }), 'hunter');
});

/** What a kind reads without having declared it, on made-up answers and in its contract's trial. */
async function undeclaredIn(kind: OpenStackKind): Promise<readonly string[]> {
  const undeclared = new Set<string>();
  const watched = attentive(kind, (what) => undeclared.add(what));
  for (let round = 0; round < ROUNDS; round++) {
    const resource = knowing(answerOf(round).attributes, { id: ID });
    const request = { ...requestFor(kind, round), id: ID };
    // What a made-up answer makes of an object is not the question here.
    const ignore = (): undefined => undefined;
    const operations = operationsOn(watched, resource);
    const observation = await operations.observe(request).catch(ignore);
    if (observation !== undefined) await operations.update({ ...request, observation }).catch(ignore);
    await contractTrial(watched).treat(request.object);
  }
  return [...undeclared];
}

test('no kind reads what it does not declare', async () => {
  for (const kind of KINDS) assert.equal(await undeclaredIn(kind), [], kind.kind);
});

interface Reading extends Pick<KindTable, 'available' | 'pollAfterMs' | 'steps' | 'reads'> {
  readonly status?: Readonly<Record<string, StatusField>>;
}

function plugWith({ status = {}, ...reading }: Reading): OpenStackKind {
  return defineKind({
    kind: 'Plug',
    description: 'Plug is a thing.',
    service: NEUTRON,
    collection: 'plugs',
    member: 'plug',
    resource: {
      name: named(openstackName('name of it.')),
      size: sent('size', integer('size of it.', { minimum: 0 }), { unset: 0 }),
    },
    filter: {},
    status: { name: observed('name', text('name of it.')), ...status },
    adoption: { query: ['name'] },
    ...reading,
  });
}

test('whatever of a kind reads more than is declared is caught', async () => {
  const read: readonly Reading[] = [
    { available: ({ color }) => color === 'red' },
    { pollAfterMs: ({ color }) => (color === 'red' ? 1 : undefined) },
    {
      steps: [
        async ({ request: { observation } }) => ({ changed: observation.attributes['color'] === 'red', waiting: [] }),
      ],
    },
    {
      status: {
        // Declared for the name, which says nothing of what this field reads.
        color: { ...observed('name', text('color of it.')), read: ({ color = '' }) => color },
      },
    },
  ];
  for (const reading of read) {
    const expected = ["Plug reads 'color', which it does not declare"];
    assert.equal(await undeclaredIn(plugWith(reading)), expected, Object.keys(reading).join());
  }
  for (const { status: _, ...reading } of read) {
    assert.equal(await undeclaredIn(plugWith({ ...reading, reads: plain('color') })), []);
  }
});

test('a kind keeps what its tables read: for comparing, for its status, for the revision, and what is said besides', () => {
  const status = { maker: observedAs({ made: { by: {} } }, text('maker of it.'), () => undefined) };
  assert.equal(plugWith({ status, reads: { made: plain('at') } }).projection, {
    id: {},
    revision_number: {},
    name: {},
    size: {},
    made: { by: {}, at: {} },
  });
});

test('of a map whose members users name every plain value is kept, and nothing that is in one', () => {
  const answer = { labels: { a: '1', b: { secret: 'hunter' }, c: [{ secret: 'hunter' }] }, others: { a: '1' } };
  assert.equal(projected(mapped('labels'), answer), { labels: { a: '1', b: {}, c: [{}] } });
});

test('what an update compares with is kept as it would be sent', () => {
  let compared = 0;
  for (const kind of KINDS.filter(isTableKind)) {
    for (const [name, { schema, change, encode }] of Object.entries(kind.resource)) {
      if (!isCompared(change)) continue;
      for (let round = 0; round < ROUNDS; round++) {
        const path = `spec.resource.${name}`;
        const wanted = encode(sample(path, schema, { round, focus: path, as: 'given', examples: {} }));
        assert.equal(projected(kind.projection, wanted), wanted, `${kind.kind} ${path}`);
        compared += Object.keys(wanted).length;
      }
      const unset = change.kind === 'always' ? change.unset : {};
      assert.equal(projected(kind.projection, unset), unset, `${kind.kind} ${name}`);
    }
  }
  assert.ok(compared > ROUNDS * KINDS.length);
});

test.run();
