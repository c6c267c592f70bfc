// long
// HostFirmwareSettings and HostFirmwareComponents in a cluster: what their statuses say, what is made for them, and how seldom
// Ironic is asked. Hosts are what a test says that they are.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ConfiguredAdapter } from '../../../../adapters/api/adapter.ts';
import { nodePoller } from '../../../../adapters/ironic/client/poller.ts';
import { firmwareSchema } from '../../../../adapters/ironic/firmware-schema-kind.ts';
import type { Condition } from '../../../../adapters/ironic/host/condition.ts';
import { hostFirmwareComponents } from '../../../../adapters/ironic/kinds/host-firmware-components.ts';
import { hostFirmwareSettings } from '../../../../adapters/ironic/kinds/host-firmware-settings.ts';
import { metal3Resource, REALM, ROLE } from '../../../../adapters/ironic/serving.ts';
import {
  firmwareComponentsOperations,
  firmwareSettingsOperations,
} from '../../../../adapters/ironic/steps/firmware.ts';
import type { JsonObject } from '../../../../bus/json.ts';
import type { ReferencedKind } from '../../../../machines/kind.ts';
import { type HostWorld, type HostWorldOptions, NAMESPACE, openHostWorld, type Raw } from '../../../world/hosts.ts';
import { IRONIC_ORIGIN, type NodeWorld, withNode } from '../../../world/ironic.ts';

const test = suite('firmware in a cluster');

const SETTINGS = 'hostfirmwaresettings/host';
const COMPONENTS = 'hostfirmwarecomponents/host';
/** Longer than between two looks at a node at rest. */
const LOOK_MS = 70_000;

/** As the life of a host tells of it. */
const host: ReferencedKind = {
  ...metal3Resource('BareMetalHost', 'baremetalhosts'),
  publicState({ status = {} }) {
    const { ID, state = '' } = (status['provisioning'] ?? {}) as { ID?: string; state?: string };
    const machine = state === 'registering' ? {} : { vendor: 'Loopback', model: 'Simulated' };
    const attributes = { state, operationalStatus: 'OK', ...machine };
    return { ready: ID !== '' && !['', 'unmanaged'].includes(state), id: ID || undefined, attributes };
  },
};

/** Firmware alone. */
const firmwareOf = ({ clock, client: ironic }: NodeWorld): ConfiguredAdapter => ({
  realm: REALM,
  role: ROLE,
  contracts: [],
  referencedKinds: [host, firmwareSchema],
  createsKinds: [{ owner: 'hostfirmwaresettings', owned: 'firmwareschemas' }],
  kinds: [hostFirmwareSettings, hostFirmwareComponents],
  async serve({ readObject, log }) {
    const poller = nodePoller({ clock, log, ironic });
    return {
      operations: {
        hostfirmwaresettings: firmwareSettingsOperations({ ironic, poller, readObject }),
        hostfirmwarecomponents: firmwareComponentsOperations({ ironic, poller }),
      },
      close: async () => poller.close(),
    };
  },
});

interface World extends HostWorld, Omit<NodeWorld, 'request'> {
  /** How often the node was asked for its settings, or its components. */
  reads(): number;
  /** Whoever waits for the node has looked at it. */
  look(): Promise<void>;
  /** A host whose status says so; ready unless told otherwise. */
  host(name: string, status?: { readonly ID?: string; readonly state?: string }): Promise<void>;
}

function check(
  title: string,
  run: (world: World) => Promise<void>,
  processes: HostWorldOptions['processes'] = 'one',
): void {
  const played = async (node: NodeWorld): Promise<void> => {
    const { clock, wire, calls } = node;
    const given = { deadlineMs: 600_000, pollMs: 200, processes, adapter: firmwareOf(node) };
    const bare = await openHostWorld({ clock, wire, endpoint: `${IRONIC_ORIGIN}/v1/`, ...given });
    const world: World = Object.assign(bare, node, {
      reads: () => calls('GET /nodes/{id}/bios') + calls('GET /nodes/{id}/firmware'),
      look: () => clock.sleep(LOOK_MS),
      async host(name: string, { ID = node.node, state = 'available' } = {}) {
        const path = `baremetalhosts/${name}`;
        if ((await bare.read(path)) === undefined) {
          await bare.create(path, {
            spec: { online: true, bmc: { address: 'redfish://bmc.test', credentialsName: 'b' } },
          });
        }
        const provisioning = { ID, state, image: { url: '' } };
        const plain = { errorMessage: '', hardwareProfile: '', operationalStatus: 'OK', poweredOn: false };
        await bare.merge(`${path}/status`, { status: { ...plain, provisioning } });
      },
    });
    try {
      await run(world);
      assert.equal(world.errors, []);
    } finally {
      await world.close();
    }
  };
  test(title, () => withNode(played, { isManaged: true }));
}

function conditions({ status }: Raw): Readonly<Record<string, Condition>> {
  const all = (status?.['conditions'] ?? []) as unknown as readonly Condition[];
  return Object.fromEntries(all.map((condition) => [condition.type, condition]));
}

const isJudged = (object: Raw): boolean =>
  conditions(object)['ChangeDetected']?.observedGeneration === object.metadata.generation;
const verdicts = (object: Raw): readonly (string | undefined)[] =>
  ['ChangeDetected', 'Valid'].map((type) => conditions(object)[type]?.status);
const settingOf = ({ status }: Raw, name: string): unknown => (status?.['settings'] as JsonObject)?.[name];
const schemaOf = ({ status }: Raw): string => String((status?.['schema'] as JsonObject | undefined)?.['name']);

async function upAndJudged(world: World, spec: JsonObject = { settings: {} }): Promise<Raw> {
  await world.host('host');
  await world.create('hostfirmwaresettings/host', { spec });
  await world.start();
  return world.until(SETTINGS, 'judged', isJudged);
}

for (const processes of ['one', 'two'] as const) {
  const where = processes === 'two' ? ', by another process' : '';
  const read = async (world: World): Promise<void> => {
    await world.host('host', { state: 'registering', ID: '' });
    await world.create('hostfirmwaresettings/host', { spec: { settings: {} } });
    await world.create('hostfirmwarecomponents/host', {
      spec: { updates: [{ component: 'bmc', url: 'http://images/bmc-2' }] },
    });
    await world.start();
    await world.host('host', { state: 'unmanaged' });
    await world.host('host', { state: 'inspecting' });
    const settings = await world.until(SETTINGS, 'judged', isJudged);
    assert.equal(verdicts(settings), ['False', 'True']);
    assert.is(settingOf(settings, 'NumCores'), '10');
    assert.equal(settings.status?.['schema'], { name: schemaOf(settings), namespace: NAMESPACE });
    assert.is(settings.metadata.finalizers, undefined, 'it holds up no deletion (OBSERVED-NODE-5)');
    const components = await world.until(COMPONENTS, 'judged', isJudged);
    assert.equal(verdicts(components), ['True', 'True']);
    const { components: all = [] } = components.status as { components?: readonly JsonObject[] };
    assert.equal(
      all.map(({ component, currentVersion }) => `${component} ${currentVersion}`),
      ['bios 1.0.0', 'bmc 1.00'],
    );
    const [schema] = await world.list('firmwareschemas');
    assert.is(schema?.metadata.name, schemaOf(settings));
    assert.is(schema?.spec?.['hardwareVendor'], 'Loopback');
    assert.equal(
      schema?.metadata.ownerReferences?.map(({ kind, name, uid }) => [kind, name, uid]),
      [['HostFirmwareSettings', 'host', settings.metadata.uid]],
    );
  };
  check(`the firmware of a host is read when it may be, and said${where}`, read, processes);
}

check('an edit is judged; what is not valid is said, and told once for each problem', async (world) => {
  await upAndJudged(world);
  const settings = { ProcTurboMode: 'Disabled', NumCores: 1_000, Nonsense: 'x' };
  await world.merge(SETTINGS, { spec: { settings } });
  const invalid = await world.until(SETTINGS, 'judged', isJudged);
  assert.equal(verdicts(invalid), ['True', 'False']);
  assert.equal(
    [conditions(invalid)['Valid']?.reason, conditions(invalid)['Valid']?.message],
    ['ConfigurationError', 'Invalid BIOS setting'],
  );
  await world.eventually('both are told', async () => (await world.events()).length === 2);
  const reported = (await world.events()).map(({ reason, message, type }) => `${type} ${reason} ${message}`).sort();
  assert.equal(reported, [
    'Normal ValidationFailed Invalid BIOS setting: Setting Nonsense is invalid, the host has none of this name',
    'Normal ValidationFailed Invalid BIOS setting: Setting NumCores is invalid, its value must be at most 64',
  ]);
  await world.merge(SETTINGS, { spec: { settings: { NumCores: 12, Nonsense: null } } });
  const valid = await world.until(SETTINGS, 'judged', isJudged);
  assert.equal(verdicts(valid), ['True', 'True']);
  assert.is(
    conditions(valid)['ChangeDetected']?.lastTransitionTime,
    conditions(invalid)['ChangeDetected']?.lastTransitionTime,
  );
});

check('at rest nothing is asked for; what a clean step changed is read once, when it is over', async (world) => {
  await upAndJudged(world, { settings: { ProcTurboMode: 'Disabled' } });
  // The first look may tell of what the reading did not.
  await world.look();
  assert.is(world.reads(), 2);
  for (let looks = 0; looks < 3; looks += 1) await world.look();
  const before = await world.until(SETTINGS, 'judged', isJudged);
  assert.is(world.reads(), 2);
  const settings = [{ name: 'ProcTurboMode', value: 'Disabled' }];
  const bios = { interface: 'bios', step: 'apply_configuration', args: { settings } };
  await world.provision({ target: 'clean', clean_steps: [bios] });
  await world.look();
  const after = await world.until(SETTINGS, 'as it is now', (now) => settingOf(now, 'ProcTurboMode') === 'Disabled');
  assert.equal(verdicts(after), ['False', 'True']);
  assert.is(schemaOf(after), schemaOf(before));
  assert.is(world.reads(), 3);
  for (let looks = 0; looks < 3; looks += 1) await world.look();
  assert.is(world.reads(), 3);
});

check('what is applied is told by the host, and judged anew', async (world) => {
  const updates = [{ component: 'bmc', url: 'http://images/bmc-2' }];
  await world.host('host');
  await world.create('hostfirmwarecomponents/host', { spec: { updates } });
  await world.start();
  await world.until(COMPONENTS, 'judged', (object) => verdicts(object)[0] === 'True');
  await world.merge(`${COMPONENTS}/status`, { status: { updates } });
  const applied = await world.until(COMPONENTS, 'judged', (object) => verdicts(object)[0] === 'False');
  assert.equal(applied.status?.['updates'], updates);
  await world.merge(COMPONENTS, { spec: { updates: [{ component: 'fan', url: 'http://images/fan' }] } });
  const invalid = await world.until(COMPONENTS, 'judged', isJudged);
  assert.equal(verdicts(invalid), ['True', 'False']);
  assert.is(conditions(invalid)['Valid']?.reason, 'InvalidComponent');
  await world.eventually('it is told', async () => (await world.events()).length === 1);
});

check(
  'equal hosts share a schema, which goes with the last of them, and is made again when it is taken away',
  async (world) => {
    const first = await upAndJudged(world);
    await world.host('other');
    await world.create('hostfirmwaresettings/other', { spec: { settings: {} } });
    const other = 'hostfirmwaresettings/other';
    const second = await world.until(other, 'judged', isJudged);
    assert.is(schemaOf(second), schemaOf(first));
    const schema = `firmwareschemas/${schemaOf(first)}`;
    const ownersOf = ({ metadata }: Raw): string =>
      (metadata.ownerReferences ?? [])
        .map(({ name }) => name)
        .sort()
        .join();
    const { metadata } = await world.until(schema, 'both’s', (object) => ownersOf(object) === 'host,other');
    await world.remove(schema);
    await world.until(
      schema,
      'both’s again',
      (object) => ownersOf(object) === 'host,other' && object.metadata.uid !== metadata.uid,
    );
    await world.remove(SETTINGS);
    await world.until(schema, 'the other’s', (object) => ownersOf(object) === 'other');
    await world.remove(other);
    await world.eventually('nobody’s is gone', async () => (await world.list('firmwareschemas')).length === 0);
  },
);

check('a schema that was made before the inspection is told the vendor after it', async (world) => {
  await world.host('host', { state: 'registering' });
  await world.create('hostfirmwaresettings/host', { spec: { settings: {} } });
  await world.start();
  const schema = `firmwareschemas/${schemaOf(await world.until(SETTINGS, 'judged', isJudged))}`;
  assert.is((await world.read(schema))?.spec?.['hardwareVendor'], undefined);
  await world.host('host', { state: 'preparing' });
  await world.until(schema, 'reported', ({ spec }) => spec?.['hardwareVendor'] === 'Loopback');
});

check('a host with another machine has another schema, and the one before goes unless others use it', async (world) => {
  const before = await upAndJudged(world);
  const made = await world.client.createNode(
    { driver: 'fake-hardware', name: 'another' },
    { namespace: '', traceparent: '', deadlineAt: world.clock.now() + 10_000 },
  );
  await world.host('host', { ID: made.uuid });
  const after = await world.until(SETTINGS, 'of the other machine', (object) => schemaOf(object) !== schemaOf(before));
  assert.equal(after.status?.['settings'], {});
  await world.eventually('the one before is gone', async () => (await world.list('firmwareschemas')).length === 1);
});

check('what another controller had said goes where it is not true, and a new start writes nothing', async (world) => {
  await world.host('host');
  const made = await world.create('hostfirmwaresettings/host', { spec: { settings: {} } });
  const stale = { type: 'Valid', status: 'False', reason: 'ConfigurationError', message: 'old', observedGeneration: 1 };
  const lastTransitionTime = '2026-01-01T00:00:00Z';
  const other = { ...stale, type: 'Else', lastTransitionTime };
  const status = { settings: { Gone: 'x' }, conditions: [{ ...stale, lastTransitionTime }, other] };
  await world.merge(`${SETTINGS}/status`, { status });
  await world.start();
  const judged = await world.until(SETTINGS, 'judged', isJudged);
  assert.is(settingOf(judged, 'Gone'), undefined);
  assert.equal(verdicts(judged), ['False', 'True']);
  assert.is(conditions(judged)['Else']?.reason, 'ConfigurationError', 'what is not judged is left');
  assert.is(made.metadata.uid, judged.metadata.uid);
  await world.stop();
  const reads = world.reads();
  await world.start();
  await world.eventually('it was read', () => world.reads() > reads);
  await world.look();
  const { metadata } = (await world.read(SETTINGS)) ?? judged;
  assert.is(metadata.resourceVersion, judged.metadata.resourceVersion);
  await world.merge(`${SETTINGS}/status`, { status: { settings: { Gone: 'again' } } });
  await world.until(SETTINGS, 'said again', (object) => settingOf(object, 'Gone') === undefined);
});

test.run();
