// What nodes are told of their BMCs.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseBmcAddress } from '../../../../adapters/ironic/host/bmc-address.ts';
import {
  type DriverInfo,
  type DriverInfoInput,
  didAddressChange,
  driverInfo,
} from '../../../../adapters/ironic/host/driver-info.ts';
import { DRIVERS } from '../../../../adapters/ironic/host/drivers.ts';

const test = suite('driver_info');

function info(address: string, rest: Partial<DriverInfoInput> = {}): DriverInfo {
  return driverInfo({ address: parseBmcAddress(address), username: 'admin', password: 's3cr3t', ...rest });
}

const IPMI = { ipmi_username: 'admin', ipmi_password: 's3cr3t', ipmi_port: '623', ipmi_priv_level: 'ADMINISTRATOR' };
const REDFISH = { redfish_username: 'admin', redfish_password: 's3cr3t' };
const SYSTEM = '/redfish/v1/Systems/1';

test('of IPMI: address, port, credentials, privilege level', () => {
  const cases: Readonly<Record<string, object>> = {
    'ipmi://192.168.122.1': { ipmi_address: '192.168.122.1' },
    'ipmi://192.168.122.1:6233': { ipmi_address: '192.168.122.1', ipmi_port: '6233' },
    'libvirt://bmc.example.org:6233/': { ipmi_address: 'bmc.example.org', ipmi_port: '6233' },
    'ipmi://[fe80::1]:6233': { ipmi_address: 'fe80::1', ipmi_port: '6233' },
    '[fe80::1]:6233': { ipmi_address: 'fe80::1', ipmi_port: '6233' },
    'ipmi://h?privilegelevel=OPERATOR': { ipmi_address: 'h', ipmi_priv_level: 'OPERATOR' },
    'ipmi://h/?a=b&privilegelevel=USER&privilegelevel=x': { ipmi_address: 'h', ipmi_priv_level: 'USER' },
    'ipmi://h?privilegelevel=': { ipmi_address: 'h' },
  };
  for (const [address, expected] of Object.entries(cases))
    assert.equal(info(address), { ...IPMI, ...expected }, address);
});

test('of Redfish: each scheme and transport has its address and system', () => {
  const redfish = [...DRIVERS.values()].filter(({ protocol }) => protocol === 'redfish');
  assert.is(redfish.length, 21);
  for (const { type } of redfish) {
    const transport = type.endsWith('+http') ? 'http' : 'https';
    assert.equal(
      info(`${type}://192.168.122.1${SYSTEM}`),
      { ...REDFISH, redfish_address: `${transport}://192.168.122.1`, redfish_system_id: SYSTEM },
      type,
    );
  }
});

test('of Redfish: the port is told if it is given, and IPv6 stays in brackets', () => {
  const addressOf = (address: string): unknown => info(address)['redfish_address'];
  assert.is(addressOf('redfish://bmc:8443/'), 'https://bmc:8443');
  assert.is(addressOf('redfish+http://bmc:80/'), 'http://bmc:80');
  assert.is(addressOf('redfish://[fe80::1]/'), 'https://[fe80::1]');
  assert.is(addressOf('redfish+http://[fe80::1]:8000/'), 'http://[fe80::1]:8000');
  assert.is(addressOf('redfish:bmc:8443/'), 'https://bmc:8443');
});

test('of Redfish: a path that names no system is not told, but for UEFI HTTP', () => {
  for (const path of ['', '/', '/redfish/v1', '/redfish/v1/', '//redfish/v1//']) {
    assert.is('redfish_system_id' in info(`redfish://bmc${path}`), false, path);
    assert.is('redfish_system_id' in info(`idrac-virtualmedia+http://bmc${path}`), false, path);
    assert.is(info(`redfish-uefihttp://bmc${path}`)['redfish_system_id'], path);
    assert.is(info(`redfish-uefihttp+http://bmc${path}`)['redfish_system_id'], path);
  }
  assert.is(info('redfish://bmc/redfish/v1/Systems/A%20b/')['redfish_system_id'], '/redfish/v1/Systems/A b/');
  assert.is(info('redfish://bmc/redfish/v2')['redfish_system_id'], '/redfish/v2');
  assert.is(info('redfish://bmc/Systems/1?a#b')['redfish_system_id'], '/Systems/1');
});

test('a certificate is not verified only where that is said', () => {
  for (const { type, protocol } of DRIVERS.values()) {
    const key = `${protocol}_verify_ca`;
    assert.is(info(`${type}://h`, { disableCertificateVerification: true })[key], false, type);
    assert.is(key in info(`${type}://h`, { disableCertificateVerification: false }), false, type);
    assert.is(key in info(`${type}://h`), false, type);
  }
});

test("IPv6 BMCs are told Ironic's other URL", () => {
  const externalUrlV6 = 'http://[2001:db8::1]:6180';
  const urlOf = (address: string, rest: Partial<DriverInfoInput>): unknown => info(address, rest)['external_http_url'];
  for (const { type } of DRIVERS.values()) {
    assert.is(urlOf(`${type}://[fe80::1]`, { externalUrlV6 }), externalUrlV6);
    assert.is(urlOf(`${type}://bmc`, { externalUrlV6, isIpv6: true }), externalUrlV6);
    assert.is(urlOf(`${type}://bmc`, { externalUrlV6, isIpv6: false }), undefined);
    assert.is(urlOf(`${type}://192.168.122.1`, { externalUrlV6 }), undefined);
    assert.is(urlOf(`${type}://[fe80::1]`, { externalUrlV6: '' }), undefined);
    assert.is(urlOf(`${type}://[fe80::1]`, {}), undefined);
  }
});

test('an address of no driver has none, and its refusal tells no password', () => {
  assert.throws(() => info('ilo4://admin:s3cr3t@bmc'), "Unknown BMC type 'ilo4' for address ilo4://bmc");
});

/** As Ironic tells it. */
function stored(info: DriverInfo): Readonly<Record<string, unknown>> {
  const masked = Object.entries(info).map(([key, value]) => [key, key.endsWith('_password') ? '******' : value]);
  return Object.fromEntries(masked);
}

test('the same address did not change, whatever the credentials', () => {
  const rests: readonly Partial<DriverInfoInput>[] = [{}, { disableCertificateVerification: true }];
  for (const { type } of DRIVERS.values()) {
    for (const rest of rests) {
      const wanted = info(`${type}://bmc:1${SYSTEM}`, rest);
      assert.is(didAddressChange(stored(wanted), wanted), false, type);
      assert.is(didAddressChange(stored(wanted), info(`${type}://bmc:1${SYSTEM}`, { ...rest, username: 'x' })), false);
      assert.is(didAddressChange({ ...stored(wanted), deploy_kernel: 'http://k' }, wanted), false, type);
    }
  }
});

test('what Ironic takes where nothing is told is no change, nor how it is spelt', () => {
  const wanted = info('ipmi://bmc');
  assert.is(didAddressChange({ ipmi_address: 'bmc' }, wanted), false);
  assert.is(didAddressChange({ ipmi_address: 'bmc', ipmi_port: 623, ipmi_verify_ca: true }, wanted), false);
  assert.is(didAddressChange({ ipmi_address: 'bmc', ipmi_verify_ca: 'True' }, wanted), false);
  const unverified = info('redfish://bmc', { disableCertificateVerification: true });
  assert.is(didAddressChange({ redfish_address: 'https://bmc', redfish_verify_ca: 'False' }, unverified), false);
});

test('each part of an address is noticed when it changes', () => {
  const changes: readonly (readonly [string, string])[] = [
    ['ipmi://bmc', 'ipmi://other'],
    ['ipmi://bmc', 'ipmi://bmc:6233'],
    ['ipmi://bmc:6233', 'ipmi://bmc'],
    ['ipmi://bmc', 'ipmi://bmc?privilegelevel=USER'],
    ['ipmi://bmc?privilegelevel=USER', 'ipmi://bmc'],
    ['redfish://bmc', 'redfish://other'],
    ['redfish://bmc', 'redfish://bmc:8443'],
    ['redfish://bmc', 'redfish+http://bmc'],
    ['redfish://bmc', `redfish://bmc${SYSTEM}`],
    [`redfish://bmc${SYSTEM}`, 'redfish://bmc'],
    [`redfish://bmc${SYSTEM}`, `redfish://bmc${SYSTEM}0`],
    ['ipmi://bmc', 'redfish://bmc'],
    ['redfish://bmc', 'ipmi://bmc'],
  ];
  for (const [before, after] of changes) {
    assert.is(didAddressChange(stored(info(before)), info(after)), true, `${before} -> ${after}`);
  }
});

test('the check of the certificate is noticed when it changes', () => {
  for (const { type } of DRIVERS.values()) {
    const [checked, unchecked] = [info(`${type}://h`), info(`${type}://h`, { disableCertificateVerification: true })];
    assert.is(didAddressChange(stored(checked), unchecked), true, type);
    assert.is(didAddressChange(stored(unchecked), checked), true, type);
  }
});

test('a node without driver_info has another address', () => {
  for (const none of [undefined, null, {}, { ipmi_address: null }]) {
    assert.is(didAddressChange(none, info('ipmi://bmc')), true);
  }
});

test.run();
