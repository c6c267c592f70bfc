// What is read of the firmware of a node, from a simulated Ironic, and what of it may leave the process.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Operation } from '../../../../adapters/api/adapter.ts';
import { nodePoller } from '../../../../adapters/ironic/client/poller.ts';
import type { IronicPorts } from '../../../../adapters/ironic/serving.ts';
import type { ComponentsReading, SettingsReading } from '../../../../adapters/ironic/steps/firmware.ts';
import {
  firmwareComponentsOperations,
  firmwareSettingsOperations,
} from '../../../../adapters/ironic/steps/firmware.ts';
import { AbsentError, TransientError } from '../../../../bus/errors.ts';
import type { JsonObject } from '../../../../bus/json.ts';
import type { KnownDependencies, OperationRequest } from '../../../../machines/kind.ts';
import type { KubeObject } from '../../../../machines/object.ts';
import { simulatedClock } from '../../../world/clock.ts';
import { hostOf, type NodeWorld, objectOf, TRACEPARENT, withNode } from '../../../world/ironic.ts';
import { rejection } from '../../../world/rejection.ts';
import { withIronic } from '../client/scripted-ironic.ts';

const test = suite('operations on firmware');

const SETTINGS = objectOf('HostFirmwareSettings', {});
const COMPONENTS = objectOf('HostFirmwareComponents', {});
const VENDOR = { vendor: 'Loopback', model: 'Simulated' };

type Ports = Pick<IronicPorts, 'ironic' | 'poller' | 'readObject'>;

function portsOf(
  { client, clock }: Pick<NodeWorld, 'client' | 'clock'>,
  known?: KubeObject,
  asked: string[] = [],
): Ports {
  const quiet = () => undefined;
  return {
    ironic: client,
    poller: nodePoller({ clock, log: { info: quiet, warn: quiet }, ironic: client }),
    async readObject({ plural }, namespace, name) {
      asked.push(`${plural}/${namespace}/${name}`);
      return known;
    },
  };
}

const call = (operation: Operation | undefined, given: object): Promise<unknown> =>
  (operation as (given: object) => Promise<unknown>)(given);

const withManaged = (run: (world: NodeWorld) => Promise<void>): Promise<void> => withNode(run, { isManaged: true });

const request = (object: KubeObject, dependencies: KnownDependencies): OperationRequest => ({
  object,
  dependencies,
  deadlineAt: Number.POSITIVE_INFINITY,
  traceparent: TRACEPARENT,
});

async function settingsOf(ports: Ports, node: string, attributes: JsonObject = VENDOR): Promise<SettingsReading> {
  const { read } = firmwareSettingsOperations(ports) ?? {};
  return (await call(read, request(SETTINGS, hostOf(node, attributes)))) as SettingsReading;
}

test('settings are read with what they may be set to, and whose machine it is', () =>
  withManaged(async (scene) => {
    const asked: string[] = [];
    const { settings, schema } = await settingsOf(portsOf(scene, undefined, asked), scene.node);
    const values = Object.fromEntries(settings.map(({ name, value }) => [name, value]));
    assert.equal([values['ProcTurboMode'], values['NumCores'], values['QuietBoot']], ['Enabled', '10', 'true']);
    assert.match(schema.name, /^schema-[0-9a-f]{8}$/);
    assert.equal(asked, [`firmwareschemas/ns/${schema.name}`]);
    const { hardwareVendor, hardwareModel, schema: rules } = schema.spec;
    assert.equal([hardwareVendor, hardwareModel], ['Loopback', 'Simulated']);
    assert.equal(rules['ProcTurboMode'], {
      attribute_type: 'Enumeration',
      allowable_values: ['Enabled', 'Disabled'],
      read_only: false,
    });
    assert.equal(scene.ironic.calls()['GET /nodes/{id}/bios'], 1);
  }));

test('after a clean step the settings and the components are others, and the schema is the same', () =>
  withManaged(async (scene) => {
    const asked: string[] = [];
    const ports = portsOf(scene, undefined, asked);
    const before = await settingsOf(ports, scene.node);
    const bios = {
      interface: 'bios',
      step: 'apply_configuration',
      args: { settings: [{ name: 'ProcTurboMode', value: 'Disabled' }] },
    };
    const firmware = {
      interface: 'firmware',
      step: 'update',
      args: { settings: [{ component: 'bmc', url: 'http://images/bmc-2' }] },
    };
    await scene.provision({ target: 'clean', clean_steps: [bios, firmware] });
    const { settings, schema } = await settingsOf(ports, scene.node);
    assert.is(settings.find(({ name }) => name === 'ProcTurboMode')?.value, 'Disabled');
    assert.equal(schema, before.schema);
    assert.equal([schema.isThere, asked.length], [false, 2]);
    const there = {
      [`FirmwareSchema/${schema.name}`]: { id: schema.name, ready: true, attributes: { hasVendor: true } },
    };
    const { read: again } = firmwareSettingsOperations(ports) ?? {};
    const reported = request(SETTINGS, { ...hostOf(scene.node, VENDOR), ...there });
    assert.equal(((await call(again, reported)) as SettingsReading).schema, { ...schema, isThere: true });
    assert.is(asked.length, 2, 'what is there is not looked for');
    const { read } = firmwareComponentsOperations(ports) ?? {};
    const { components } = (await call(read, request(COMPONENTS, hostOf(scene.node)))) as ComponentsReading;
    const versions = components.map(({ component, currentVersion }) => `${component} ${currentVersion}`);
    assert.equal(versions, ['bios 1.0.0', 'bmc bmc-2']);
  }));

test('a schema that is there stays as the first host wrote it', () =>
  withManaged(async (scene) => {
    const spec = { hardwareVendor: 'First', hardwareModel: 'Model', schema: {} };
    const known = { metadata: { name: 'n' }, spec } as unknown as KubeObject;
    assert.equal((await settingsOf(portsOf(scene, known), scene.node)).schema.spec, spec);
  }));

test('a schema that was made before anybody knew the vendor is told it', () =>
  withManaged(async (scene) => {
    const nameless = { metadata: { name: 'n' }, spec: { schema: {} } } as unknown as KubeObject;
    const ports = portsOf(scene, nameless);
    const { name } = (await settingsOf(ports, scene.node)).schema;
    const { read } = firmwareSettingsOperations(ports) ?? {};
    const reading = async (vendor: JsonObject, hasVendor: boolean): Promise<SettingsReading> => {
      const schema = { [`FirmwareSchema/${name}`]: { id: name, ready: true, attributes: { hasVendor } } };
      return (await call(read, request(SETTINGS, { ...hostOf(scene.node, vendor), ...schema }))) as SettingsReading;
    };
    const reported = (await reading(VENDOR, false)).schema;
    assert.equal(
      [reported.isThere, reported.spec],
      [false, { ...nameless.spec, hardwareVendor: 'Loopback', hardwareModel: 'Simulated' }],
    );
    assert.is((await reading({}, false)).schema.isThere, true);
    assert.is((await reading(VENDOR, true)).schema.isThere, true);
  }));

test('no password leaves the process, whatever it is called', () =>
  withIronic(async (scene) => {
    const bios = [
      { name: 'SetupPassword', value: 'hidden-1', attribute_type: 'String' },
      { name: 'Key', value: 'hidden-2', attribute_type: 'Password' },
      { name: 'Mode', value: 'On', attribute_type: 'String' },
    ];
    scene.answer = () => ({ body: { bios } });
    const reading = await settingsOf(portsOf({ client: scene.client, clock: simulatedClock() }), 'node');
    assert.equal(
      reading.settings.map(({ name, value }) => [name, value]),
      [
        ['SetupPassword', ''],
        ['Key', ''],
        ['Mode', 'On'],
      ],
    );
    assert.not.match(JSON.stringify(reading), /hidden/);
    assert.equal(Object.keys(reading.schema.spec.schema), ['Mode']);
  }));

test('a host that is not to be touched is not, and a node that is gone is said to be', () =>
  withManaged(async (scene) => {
    const ports = portsOf(scene);
    const { node, ironic } = scene;
    ironic.resetCounts();
    const away = { 'BareMetalHost/h': { id: node, ready: false } };
    for (const { read } of [firmwareSettingsOperations(ports) ?? {}, firmwareComponentsOperations(ports) ?? {}]) {
      for (const dependencies of [away, {}, { 'BareMetalHost/other': { id: node, ready: true } }]) {
        assert.instance(await rejection(call(read, request(SETTINGS, dependencies))), TransientError);
      }
      assert.is(
        Object.keys(ironic.calls()).some((path) => /bios|firmware/.test(path)),
        false,
      );
    }
    const gone = hostOf('00000000-0000-4000-8000-000000000009');
    const { read } = firmwareSettingsOperations(ports) ?? {};
    assert.instance(await rejection(call(read, request(SETTINGS, gone))), AbsentError);
  }));

test.run();
