// own process: it looks at what is loaded
import { createHash, createPrivateKey, X509Certificate } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { certify, makeAuthority } from '../../../../adapters/kubernetes/tls/certificates.ts';

const test = suite('certificates');
const NOW = Date.UTC(2026, 5, 1, 12, 30, 15, 678);
const DAY_MS = 24 * 3_600_000;

/** Whether what makes certificates has been loaded: its polyfill shows. */
const isLoaded = (): boolean => 'getMetadata' in Reflect;
const wasLoadedAtStart = isLoaded();

/** Of an authority whose name is a UTF8String, as a folder may keep it. */
const KEPT = `-----BEGIN CERTIFICATE-----
MIIBbTCCARSgAwIBAgIQAb/tu2ftX5xI2qCzegI3SjAKBggqhkjOPQQDAjAXMRUw
EwYDVQQDDAxhbi1hdXRob3JpdHkwHhcNMjYxMTIxMjIxNjQxWhcNMzYxMTE5MjIx
NjQxWjAXMRUwEwYDVQQDDAxhbi1hdXRob3JpdHkwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAATnU9wpA/7hkqe3YBQ5SWp+WFz1cxsVQxu31El+bj5hlHhIqz3aEc5Z
CmqGTW0MuNfT5xGDqTn15QlkTn2paxvlo0IwQDAPBgNVHRMBAf8EBTADAQH/MA4G
A1UdDwEB/wQEAwIBBjAdBgNVHQ4EFgQU6uRxxc1ITnzZqVQogivXdLb6hHUwCgYI
KoZIzj0EAwIDRwAwRAIgfBFqJIVwjiF0xN1KiP1T0VEbcbsOIDYbhMeDMdIXawUC
IGwIcONeTDpw38T7IIkL6BFjY3YrtPlzPRslneS2jXaz
-----END CERTIFICATE-----
`;
const UTF8_STRING = 0x0c;
const PRINTABLE_STRING = 0x13;

interface Made {
  readonly authority: X509Certificate;
  readonly server: X509Certificate;
  readonly key: string;
}

const made = async (host: string, now = NOW): Promise<Made> => {
  const authority = await makeAuthority('an-authority', now);
  const { certificate, key } = await certify(authority, { name: 'a-server', hosts: [host] }, now);
  return { authority: new X509Certificate(authority.certificate), server: new X509Certificate(certificate), key };
};

test('what makes certificates is loaded with the first one', async () => {
  assert.is(wasLoadedAtStart, false);
  await made('localhost');
  assert.is(isLoaded(), true);
});

test('an authority signs itself, and may sign certificates', async () => {
  const { authority } = await made('localhost');
  assert.is(authority.subject, 'CN=an-authority');
  assert.is(authority.issuer, 'CN=an-authority');
  assert.ok(authority.ca);
  assert.ok(authority.checkIssued(authority));
  assert.ok(authority.verify(authority.publicKey));
});

test('a server has the certificate of its key, signed by the authority, for servers only', async () => {
  const { authority, server, key } = await made('localhost');
  assert.is(server.subject, 'CN=a-server');
  assert.is(server.issuer, 'CN=an-authority');
  assert.not.ok(server.ca);
  assert.ok(server.checkIssued(authority));
  assert.ok(server.verify(authority.publicKey));
  assert.ok(server.checkPrivateKey(createPrivateKey(key)));
  assert.equal(server.keyUsage, ['1.3.6.1.5.5.7.3.1']);
});

test('a server names its authority byte for byte, and by its key: clients look for no less', async () => {
  const authority = await makeAuthority('an-authority', NOW);
  for (const [certificate, type] of [
    [authority.certificate, PRINTABLE_STRING],
    [KEPT, UTF8_STRING],
  ] as const) {
    const server = await certify({ ...authority, certificate }, { name: 'a-server', hosts: [] }, NOW);
    const { raw } = new X509Certificate(server.certificate);
    const name = Buffer.from('an-authority');
    assert.ok(raw.includes(Buffer.concat([Buffer.of(type, name.length), name])), `${type}`);
    const point = new X509Certificate(certificate).publicKey.export({ type: 'spki', format: 'der' }).subarray(-65);
    assert.ok(raw.includes(createHash('sha1').update(point).digest()));
  }
});

test('a server is known by localhost, the loopback addresses and the host it is reached at', async () => {
  assert.is(
    (await made('localhost')).server.subjectAltName,
    'DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1',
  );
  assert.is((await made('api.example.org')).server.checkHost('api.example.org'), 'api.example.org');
  assert.is((await made('10.20.0.255')).server.checkIP('10.20.0.255'), '10.20.0.255');
  for (const address of ['fd00::12:0:abcd', '2001:db8:1:2:3:4:5:6', '::ffff:10.1.2.3', 'fe80::']) {
    assert.is((await made(address)).server.checkIP(address), address);
  }
  assert.is((await made('localhost')).server.checkIP('10.20.0.255'), undefined);
});

test('validity begins a day early, so that clocks may differ, and is in whole seconds', async () => {
  const { authority, server } = await made('localhost');
  const began = Math.floor((NOW - DAY_MS) / 1000) * 1000;
  assert.is(server.validFromDate.getTime(), began);
  assert.is(server.validToDate.getTime() - began, 366 * DAY_MS);
  assert.is(authority.validToDate.getTime() - began, 3651 * DAY_MS);
});

test('instants from 2050 on are written with all digits of the year', async () => {
  const { authority } = await made('localhost', Date.UTC(2045, 0, 1, 0, 0, 0, 500));
  assert.is(authority.validFrom, 'Dec 31 00:00:00 2044 GMT');
  assert.is(authority.validTo, 'Dec 30 00:00:00 2054 GMT');
});

test('no two certificates have the same serial number', async () => {
  const all = await Promise.all(Array.from({ length: 20 }, () => made('localhost')));
  const serials = all.map(({ server }) => server.serialNumber);
  assert.is(new Set(serials).size, 20);
  for (const serial of serials) assert.match(serial, /^01[0-9A-F]{30}$/);
});

test.run();
