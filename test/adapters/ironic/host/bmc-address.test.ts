// Addresses of BMCs in all their forms.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type BmcAddress, parseBmcAddress } from '../../../../adapters/ironic/host/bmc-address.ts';
import { TerminalError } from '../../../../bus/errors.ts';

const test = suite('BMC addresses');

function refusal(text: string): string {
  try {
    parseBmcAddress(text);
  } catch (error) {
    assert.instance(error, TerminalError);
    return (error as Error).message;
  }
  return assert.unreachable(`was parsed: ${text}`) as never;
}

/** `scheme|hostname|port|path|query`, the hostname of IPv6 in brackets. */
function shown({ scheme, hostname, isIpv6, port, path, query }: BmcAddress): string {
  return [scheme, isIpv6 ? `[${hostname}]` : hostname, port, path, query].join('|');
}

const PARSED: Readonly<Record<string, string>> = {
  // Without a scheme.
  '192.168.122.1': 'ipmi|192.168.122.1|||',
  '192.168.122.1:6233': 'ipmi|192.168.122.1|6233||',
  'bmc.example.org': 'ipmi|bmc.example.org|||',
  'bmc.example.org:6233': 'ipmi|bmc.example.org|6233||',
  'bmc:6233/': 'ipmi|bmc|6233|/|',
  'bmc:6233?privilegelevel=USER': 'ipmi|bmc|6233||privilegelevel=USER',
  '192.168.122.1:6233?privilegelevel=USER': 'ipmi|192.168.122.1|6233||privilegelevel=USER',
  'bmc/path': 'ipmi|bmc||/path|',
  '//bmc/path': 'ipmi|bmc||/path|',
  '[fe80::fc33:62ff:fe83:8a76]:6233': 'ipmi|[fe80::fc33:62ff:fe83:8a76]|6233||',
  // Without slashes.
  'ipmi:192.168.122.1': 'ipmi|192.168.122.1|||',
  'ipmi:192.168.122.1:6233': 'ipmi|192.168.122.1|6233||',
  'libvirt:192.168.122.1:6233/': 'libvirt|192.168.122.1|6233|/|',
  'ipmi:[fe80::1]': 'ipmi|[fe80::1]|||',
  'ipmi:[fe80::1]:6233': 'ipmi|[fe80::1]|6233||',
  'redfish:bmc:8000/redfish/v1/Systems/1': 'redfish|bmc|8000|/redfish/v1/Systems/1|',
  'ipmi:6233': 'ipmi|6233|||',
  'IPMI:6233': 'ipmi|6233|||',
  // Whole.
  'ipmi://192.168.122.1': 'ipmi|192.168.122.1|||',
  'ipmi://192.168.122.1:6233': 'ipmi|192.168.122.1|6233||',
  'ipmi://bmc:': 'ipmi|bmc|||',
  'ipmi://192.168.122.1:6233/?privilegelevel=OPERATOR': 'ipmi|192.168.122.1|6233|/|privilegelevel=OPERATOR',
  'redfish+https://[2001:DB8::ffff:1.2.3.4]:8443/a/../b': 'redfish+https|[2001:DB8::ffff:1.2.3.4]|8443|/a/../b|',
  'redfish://[::1]/redfish/v1/Systems/1': 'redfish|[::1]||/redfish/v1/Systems/1|',
  'REDFISH+HTTP://BMC/Systems/A%20b%2Fc?q#f': 'redfish+http|BMC||/Systems/A b/c|q',
  'idrac-virtualmedia://10.0.0.1/redfish/v1/Systems/System.Embedded.1':
    'idrac-virtualmedia|10.0.0.1||/redfish/v1/Systems/System.Embedded.1|',
  // Schemes of no driver are somebody else's to refuse.
  'ilo4://bmc': 'ilo4|bmc|||',
  'fe80::1': 'fe80||1||',
  // Hosts may be empty.
  'ipmi:': 'ipmi||||',
  'ipmi://': 'ipmi||||',
  'redfish:///redfish/v1/Systems/1': 'redfish|||/redfish/v1/Systems/1|',
  '/path': 'ipmi|||/path|',
};

test('an address is read in each form', () => {
  for (const [text, expected] of Object.entries(PARSED)) assert.is(shown(parseBmcAddress(text)), expected, text);
});

test('no address is said to be missing', () => {
  assert.is(refusal(''), 'missing BMC address');
});

test('a host that is none is refused, by name', () => {
  const hosts: Readonly<Record<string, string>> = {
    'ipmi://not_a_host/': 'not_a_host',
    'ipmi://-bmc': '-bmc',
    'ipmi://bmc-': 'bmc-',
    'ipmi://a..b': 'a..b',
    'redfish://a b/': 'a b',
    'not a host': 'not a host',
    'redfish://bmc:https/': 'bmc:https',
    'redfish://fe80::1/': 'fe80:',
    '2001:db8::1': '2001:db8:',
    'ipmi://b%C3%BCro/': 'b%C3%BCro',
    'ipmi://büro/': 'büro',
    [`ipmi://${'a'.repeat(64)}/`]: 'a'.repeat(64),
    [`ipmi://${'a.'.repeat(127)}/`]: 'a.'.repeat(127),
  };
  for (const [text, host] of Object.entries(hosts)) {
    assert.is(
      refusal(text),
      `failed to parse BMC address information: BMC address hostname/IP : [${host}] is invalid`,
      text,
    );
  }
});

test('what is no URL is refused', () => {
  const bad = [
    '[fe80::1]', // without a scheme only with a port
    '[fe80::1]/path',
    '//[fe80::1]',
    'ipmi://[fe80::1',
    'ipmi://fe80::1]',
    'ipmi://[192.168.122.1]',
    'ipmi://[fe80::1%25eth0]',
    'ipmi://[fe80::1]x',
    'ipmi://bmc:0',
    'ipmi://bmc:65536',
    'redfish://bmc/%zz',
    'redfish://bmc/\n',
  ];
  for (const text of bad) assert.match(refusal(text), /^failed to parse BMC address information: /, text);
});

test('a user name and a password are neither part of the address nor told', () => {
  const address = parseBmcAddress('foo://admin:s3cr3t@bmc:1/x');
  assert.is(shown(address), 'foo|bmc|1|/x|');
  for (const text of [
    'foo://admin:s3cr3t@bmc/',
    'foo:admin:s3cr3t@bmc/',
    'FOO://admin:s3cr3t@bmc',
    'admin:s3cr3t@bmc',
    '//a:s3cr3t@bmc',
  ]) {
    assert.not.match(JSON.stringify(parseBmcAddress(text)), 's3cr3t', text);
  }
  assert.not.match(refusal('ipmi://admin:s3cr3t@b_c/'), 's3cr3t');
});

test('a long text is refused or read in linear time', () => {
  const long = 'a.'.repeat(500_000);
  const slashes = '/'.repeat(1_000_000);
  // In square time none of them would come to its end.
  for (const text of [
    long,
    `ipmi://${long}`,
    `redfish://bmc${slashes}x`,
    ':'.repeat(1_000_000),
    '['.repeat(1_000_000),
  ]) {
    try {
      parseBmcAddress(text);
    } catch (error) {
      assert.instance(error, TerminalError);
    }
  }
});

test.run();
