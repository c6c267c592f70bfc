// Firmware of a host that somebody wants otherwise, on the whole runtime and a simulated Ironic: it is applied, and once.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../bus/mod.ts';
import {
  conditionOf,
  IMAGE,
  isIn,
  isSwitched,
  RAMDISK,
  type Raw,
  type SimulatedHosts,
  withHosts,
} from '../../world/hosts.ts';

const test = suite('firmware of hosts');
const HOST = 'baremetalhosts/one';
const SETTINGS = 'hostfirmwaresettings/one';
const COMPONENTS = 'hostfirmwarecomponents/one';
const BMC_2 = { component: 'bmc', url: 'http://images/bmc-2' };

const changed = (object: Raw): unknown => conditionOf(object, 'ChangeDetected')?.['status'];
const settingOf = ({ status }: Raw, name: string): unknown => (status?.['settings'] as JsonObject | undefined)?.[name];

/** How often each step was done on the machine. */
function done(world: SimulatedHosts): Readonly<Record<string, number>> {
  const steps = world.ironic
    .machine('bm1')
    .events.flatMap(({ of }) => (of?.startsWith('bios.') || of?.startsWith('firmware.') ? [of] : []));
  return Object.fromEntries(
    Object.entries(Object.groupBy(steps, (step) => step)).map(([step, all]) => [step, all?.length ?? 0]),
  );
}

const on = (run: (world: SimulatedHosts) => Promise<void>): Promise<void> =>
  withHosts(
    async (world) => {
      await world.host();
      await world.until(HOST, 'available', isIn('available'));
      await run(world);
    },
    { env: RAMDISK },
  );

test('settings of a free host are brought about by one cleaning', () =>
  on(async (world) => {
    await world.until(SETTINGS, 'read', (object) => settingOf(object, 'ProcTurboMode') === 'Enabled');
    assert.equal(done(world), {});
    await world.merge(SETTINGS, { spec: { settings: { ProcTurboMode: 'Disabled' } } });
    await world.until(HOST, 'being prepared', isIn('preparing'));
    await world.until(HOST, 'available', isIn('available'));
    await world.until(SETTINGS, 'applied', (object) => settingOf(object, 'ProcTurboMode') === 'Disabled');
    await world.until(SETTINGS, 'settled', (object) => changed(object) === 'False');
    await world.until(HOST, 'available', isIn('available'));
    assert.equal(done(world), { 'bios.apply_configuration': 1 });
  }));

test('components of a free host are updated by one cleaning, which is recorded', () =>
  on(async (world) => {
    await world.until(COMPONENTS, 'read', (object) => changed(object) === 'False');
    await world.merge(COMPONENTS, { spec: { updates: [BMC_2] } });
    await world.until(HOST, 'being prepared', isIn('preparing'));
    await world.until(HOST, 'available', isIn('available'));
    const { status } = await world.until(COMPONENTS, 'settled', (object) => changed(object) === 'False');
    assert.equal(status?.['updates'], [BMC_2]);
    await world.until(COMPONENTS, 'read again', (object) => JSON.stringify(object.status).includes('"bmc-2"'));
    assert.equal(done(world), { 'firmware.update': 1 });
  }));

test('settings of a provisioned host are applied at a reboot, once, if its policy permits', () =>
  on(async (world) => {
    await world.create('hostupdatepolicies/one', { spec: { firmwareSettings: 'onReboot' } });
    await world.merge(HOST, { spec: { image: IMAGE } });
    const isOn = (host: Raw): boolean => isIn('provisioned')(host) && isSwitched(true)(host);
    await world.until(HOST, 'provisioned', isOn);
    await world.merge(SETTINGS, { spec: { settings: { ProcTurboMode: 'Disabled' } } });
    await world.until(SETTINGS, 'judged', (object) => changed(object) === 'True');
    assert.equal(done(world), {}, 'nothing is done before the reboot');
    await world.merge(HOST, { metadata: { annotations: { 'reboot.metal3.io': '' } } });
    await world.until(HOST, 'serviced', ({ status }) => status?.['operationalStatus'] === 'servicing');
    await world.until(SETTINGS, 'applied', (object) => changed(object) === 'False');
    await world.until(HOST, 'on again', (host) => isOn(host) && host.status?.['operationalStatus'] === 'OK');
    assert.equal(done(world), { 'bios.apply_configuration': 1 });
  }));

test.run();
