// What the status annotation of a host is worth: it is taken over where the node that it names has the name of the host, or Ironic has
// no such node.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createActor, type PromiseActorLogic, toPromise } from 'xstate';
import { hostEffects } from '../../../../adapters/ironic/kinds/host-effects.ts';
import { type Recognition, recognize } from '../../../../adapters/ironic/steps/owners.ts';
import type { LifecyclePorts } from '../../../../machines/lifecycle.ts';
import type { JsonObject, KubeObject } from '../../../../machines/object.ts';

const test = suite('a status that is brought along');
const STATUS = 'baremetalhost.metal3.io/status';
const ID = '00000000-0000-4000-8000-00000000000a';

function hostObject(name: string, namespace: string, more: Partial<KubeObject['metadata']> = {}, status?: JsonObject) {
  const metadata = { name, namespace, uid: `${namespace}-${name}`, resourceVersion: '1', ...more };
  return { apiVersion: 'metal3.io/v1alpha1', kind: 'BareMetalHost', metadata, spec: {}, ...(status && { status }) };
}

interface Restored {
  readonly status: JsonObject | undefined;
  readonly isAnnotated: boolean;
  readonly error: unknown;
}

async function restored(
  brought: JsonObject,
  { node = 'own', metadata = {}, status }: RestoredOptions = {},
): Promise<Restored> {
  const annotations = { [STATUS]: JSON.stringify(brought) };
  let stored: JsonObject | undefined;
  let isAnnotated = true;
  const ports = {
    now: () => 0,
    object: () => hostObject('one', 'ns', { ...metadata, ...(isAnnotated && { annotations }) }, status),
    async call(operation: string, extra?: JsonObject) {
      if (operation !== 'recognize') return {};
      assert.equal(extra, { named: ID });
      if (node === 'away') throw { code: 'transient', message: 'Ironic is away' };
      return { node } satisfies Recognition;
    },
    async storeStatus(_manager: string, next: JsonObject) {
      stored = next;
    },
    async removeAnnotations() {
      isAnnotated = false;
    },
  } as unknown as LifecyclePorts;
  const { restore } = hostEffects(() => ports, { speed: 1 }).implementations.actors as {
    restore: PromiseActorLogic<unknown>;
  };
  const error = await toPromise(createActor(restore, { input: { key: 'key' } as never }).start()).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return { status: stored, isAnnotated, error };
}

interface RestoredOptions {
  readonly node?: Recognition['node'] | 'away';
  readonly metadata?: Partial<KubeObject['metadata']>;
  readonly status?: JsonObject;
}

const PROVISIONED = { provisioning: { state: 'provisioned', ID } };
const idOf = ({ status }: Restored): unknown => (status?.['provisioning'] as JsonObject | undefined)?.['ID'];

for (const node of ['own', 'unknown'] as const) {
  test(`33.A2: it is taken over where the node is ${node}`, async () => {
    const now = await restored(PROVISIONED, { node });
    assert.is(idOf(now), ID);
    assert.not(now.isAnnotated);
  });
}

test("33.A2b: it is not where the node is another's, and stays where it is", async () => {
  const now = await restored(PROVISIONED, { node: 'foreign' });
  assert.is(now.status, undefined);
  assert.ok(now.isAnnotated);
  assert.match((now.error as { message: string }).message, /which is not this host's/);
});

test('33.A2b: a host on its way out goes without it', async () => {
  const now = await restored(PROVISIONED, {
    node: 'foreign',
    metadata: { deletionTimestamp: '2026-08-20T10:00:00Z' },
  });
  assert.is(now.error, undefined);
  assert.is(now.status, undefined);
  assert.not(now.isAnnotated);
});

test('33.A2a: an id that is no UUID is none', async () => {
  for (const named of ['other~host', 'host', ID.toUpperCase(), ID.replaceAll('-', '')]) {
    const now = await restored({ provisioning: { state: 'provisioned', ID: named } }, { node: 'foreign' });
    assert.is(idOf(now), '');
    assert.not(now.isAnnotated);
  }
});

test('33.A2: where Ironic does not answer nothing is lost, whatever the conditions tell of that', async () => {
  const away = await restored(PROVISIONED, { node: 'away' });
  assert.ok(away.isAnnotated && away.status === undefined);
  const conditions = { lastUpdated: '2026-08-20T10:00:00Z', provisioning: { state: '', ID: '' } };
  assert.is(idOf(await restored(PROVISIONED, { status: conditions })), ID);
  const registered = { ...conditions, provisioning: { state: 'registering', ID: '' } };
  assert.is((await restored(PROVISIONED, { status: registered })).status, undefined);
});

/** What is stored of hardware details that an annotation brings, with those that HardwareData has. */
async function detailed(details: unknown, known: JsonObject = {}): Promise<unknown> {
  const annotations = { 'inspect.metal3.io/hardwaredetails': JSON.stringify(details), 'inspect.metal3.io': 'disabled' };
  const stored: JsonObject[] = [];
  const ports = {
    now: () => 0,
    object: () => hostObject('one', 'ns', { annotations }),
    call: async () => known,
    storeStatus: async (_manager: string, status: JsonObject) => void stored.push(status),
    removeAnnotations: async () => undefined,
    recordEvents: () => undefined,
  } as unknown as LifecyclePorts;
  const { restore } = hostEffects(() => ports, { speed: 1 }).implementations.actors as {
    restore: PromiseActorLogic<unknown>;
  };
  await toPromise(createActor(restore, { input: { key: 'key' } as never }).start());
  return stored.map(({ hardware }) => hardware);
}

test('33.D: hardware details with a field that nobody knows, or a value of another type, store nothing', async () => {
  assert.equal(await detailed({ hostname: 'h', cpu: { count: 2 } }), [{ hostname: 'h', cpu: { count: 2 } }]);
  assert.equal(await detailed({ hostname: 'h', color: 'red' }), []);
  assert.equal(await detailed({ hostname: 'h', nics: [{ mac: 'm', color: 'red' }] }), []);
  assert.equal(await detailed({ hostname: 7 }), []);
});

test('33.D: those of HardwareData win', async () => {
  assert.equal(await detailed({ hostname: 'annotated' }, { hostname: 'known' }), [{ hostname: 'known' }]);
});

const SELF = hostObject('one', 'ns');
const RECOGNIZED: readonly (readonly [string, JsonObject | undefined, readonly KubeObject[], Recognition['node']])[] = [
  ['has the name of the host', { name: 'ns~one' }, [], 'own'],
  ['has its older name', { name: 'one' }, [SELF], 'own'],
  ['is not there', undefined, [], 'unknown'],
  ['has no name', { name: null }, [], 'foreign'],
  ["has another host's name", { name: 'other~one' }, [], 'foreign'],
  ['has any other name', { name: 'rack-7' }, [], 'foreign'],
  ['has a name that hosts share', { name: 'one' }, [SELF, hostObject('one', 'other')], 'foreign'],
  [
    'has its older name, and another has recorded it',
    { name: 'one' },
    [SELF, hostObject('two', 'other', {}, PROVISIONED)],
    'foreign',
  ],
];
for (const [title, node, hosts, expected] of RECOGNIZED) {
  test(`33.A2: a node that ${title} is ${expected}`, async () => {
    const ports = {
      ironic: { node: async () => node && { uuid: ID, ...node } },
      listObjects: async () => hosts,
      readObject: async () => undefined,
    };
    const request = { named: ID, object: SELF, deadlineAt: 0, traceparent: '' };
    assert.equal(await recognize(ports as never, request), { node: expected });
  });
}

test.run();
