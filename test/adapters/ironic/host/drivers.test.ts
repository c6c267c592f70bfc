// Which driver a scheme names, row by row.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseBmcAddress } from '../../../../adapters/ironic/host/bmc-address.ts';
import { DRIVERS, type Driver, driverOf, inspectInterfaceOf } from '../../../../adapters/ironic/host/drivers.ts';
import { TerminalError } from '../../../../bus/errors.ts';

const test = suite('drivers');

const REDFISH = { firmware_interface: 'redfish', raid_interface: 'redfish' };
const IDRAC = {
  bios_interface: 'idrac-redfish',
  firmware_interface: 'redfish',
  management_interface: 'idrac-redfish',
  power_interface: 'idrac-redfish',
  raid_interface: 'idrac-redfish',
  vendor_interface: 'idrac-redfish',
};

/** Driver, boot interface, other interfaces, secure boot, ISO ramdisk, needs a provisioning network, fast inspection. */
const ROWS: readonly (readonly [string, string, string, object, boolean, boolean, boolean, string | undefined])[] = [
  ['ipmi', 'ipmi', 'ipxe', { raid_interface: 'no-raid' }, false, false, true, undefined],
  ['libvirt', 'ipmi', 'ipxe', { raid_interface: 'no-raid' }, false, false, true, undefined],
  ['redfish', 'redfish', 'ipxe', REDFISH, true, false, true, 'redfish'],
  ['ilo5-redfish', 'redfish', 'ipxe', REDFISH, true, false, true, 'redfish'],
  ['redfish-virtualmedia', 'redfish', 'redfish-virtual-media', REDFISH, true, true, false, 'redfish'],
  ['ilo5-virtualmedia', 'redfish', 'redfish-virtual-media', REDFISH, true, true, false, 'redfish'],
  ['redfish-uefihttp', 'redfish', 'redfish-https', REDFISH, true, true, false, 'redfish'],
  ['idrac-redfish', 'idrac', 'ipxe', IDRAC, true, false, true, 'redfish'],
  ['idrac-virtualmedia', 'idrac', 'idrac-redfish-virtual-media', IDRAC, true, true, false, 'redfish'],
];

function named(scheme: string): Driver {
  return driverOf(parseBmcAddress(`${scheme}://192.168.122.1`));
}

for (const [scheme, driver, boot, others, secureBoot, iso, network, fast] of ROWS) {
  test(`${scheme} names its driver and interfaces`, () => {
    const plain = named(scheme);
    assert.is(plain.type, scheme);
    assert.is(plain.driver, driver);
    assert.equal(plain.interfaces, { boot_interface: boot, ...others });
    assert.is(plain.supportsSecureBoot, secureBoot);
    assert.is(plain.supportsIsoPreprovisioningImage, iso);
    assert.is(plain.requiresProvisioningNetwork, network);
    assert.is(plain.fastInspectInterface, fast);
    assert.is(plain.needsMac, scheme === 'libvirt');
    assert.is(plain.alwaysSendsSystemId, scheme === 'redfish-uefihttp');
  });

  test(`${scheme} has transports if it speaks Redfish`, () => {
    for (const transport of ['http', 'https'] as const) {
      const type = `${scheme}+${transport}`;
      if (driver === 'ipmi') {
        assert.is(DRIVERS.has(type), false);
      } else {
        assert.equal(named(type), { ...named(scheme), type, transport });
      }
    }
    assert.is(named(scheme).transport, 'https');
  });
}

test('there are no others', () => {
  const schemes = ROWS.flatMap(([scheme, driver]) =>
    driver === 'ipmi' ? [scheme] : [scheme, `${scheme}+http`, `${scheme}+https`],
  );
  assert.equal([...DRIVERS.keys()].sort(), schemes.sort());
});

test('a scheme of no driver is refused, removed ones too', () => {
  const removed = ['idrac', 'idrac+http', 'ibmc', 'irmc', 'ilo4', 'ilo4-virtualmedia', 'ilo5'];
  for (const scheme of [...removed, 'foo', 'ipmi+http', 'redfish+ftp', 'constructor']) {
    try {
      named(scheme);
      assert.unreachable(scheme);
    } catch (error) {
      assert.instance(error, TerminalError);
      assert.is((error as Error).message, `Unknown BMC type '${scheme}' for address ${scheme}://192.168.122.1`);
    }
  }
});

test('an inspection has the interface of its mode', () => {
  for (const mode of ['', undefined, 'agent', 'disabled']) {
    for (const driver of DRIVERS.values()) assert.is(inspectInterfaceOf(driver, mode), 'agent');
  }
  assert.is(inspectInterfaceOf(named('redfish'), 'fast'), 'redfish');
  assert.is(inspectInterfaceOf(named('idrac-virtualmedia'), 'fast'), 'redfish');
});

test.run();
