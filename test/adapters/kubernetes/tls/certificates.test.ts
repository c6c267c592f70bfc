import { createPrivateKey, X509Certificate } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { certify, makeAuthority } from '../../../../adapters/kubernetes/tls/certificates.ts';

const test = suite('certificates');
const NOW = Date.UTC(2026, 5, 1, 12, 30, 15, 678);
const DAY_MS = 24 * 3_600_000;

const made = (host: string, now = NOW): { authority: X509Certificate; server: X509Certificate; key: string } => {
  const authority = makeAuthority('an-authority', now);
  const { certificate, key } = certify(authority, { name: 'a-server', host }, now);
  return { authority: new X509Certificate(authority.certificate), server: new X509Certificate(certificate), key };
};

test('an authority signs itself, and may sign certificates', () => {
  const { authority } = made('localhost');
  assert.is(authority.subject, 'CN=an-authority');
  assert.is(authority.issuer, 'CN=an-authority');
  assert.ok(authority.ca);
  assert.ok(authority.checkIssued(authority));
  assert.ok(authority.verify(authority.publicKey));
});

test('a server has the certificate of its key, signed by the authority, for servers only', () => {
  const { authority, server, key } = made('localhost');
  assert.is(server.subject, 'CN=a-server');
  assert.is(server.issuer, 'CN=an-authority');
  assert.not.ok(server.ca);
  assert.ok(server.checkIssued(authority));
  assert.ok(server.verify(authority.publicKey));
  assert.ok(server.checkPrivateKey(createPrivateKey(key)));
  assert.equal(server.keyUsage, ['1.3.6.1.5.5.7.3.1']);
});

test('a server is known by localhost, the loopback addresses and the host it is reached at', () => {
  assert.is(made('localhost').server.subjectAltName, 'DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1');
  assert.is(made('api.example.org').server.checkHost('api.example.org'), 'api.example.org');
  assert.is(made('10.20.0.255').server.checkIP('10.20.0.255'), '10.20.0.255');
  for (const address of ['fd00::12:0:abcd', '2001:db8:1:2:3:4:5:6', '::ffff:10.1.2.3', 'fe80::']) {
    assert.is(made(address).server.checkIP(address), address);
  }
  assert.is(made('localhost').server.checkIP('10.20.0.255'), undefined);
});

test('validity begins a day early, so that clocks may differ, and is in whole seconds', () => {
  const { authority, server } = made('localhost');
  const began = Math.floor((NOW - DAY_MS) / 1000) * 1000;
  assert.is(server.validFromDate.getTime(), began);
  assert.is(server.validToDate.getTime() - began, 366 * DAY_MS);
  assert.is(authority.validToDate.getTime() - began, 3651 * DAY_MS);
});

test('instants from 2050 on are written with all digits of the year', () => {
  const { authority } = made('localhost', Date.UTC(2045, 0, 1, 0, 0, 0, 500));
  assert.is(authority.validFrom, 'Dec 31 00:00:00 2044 GMT');
  assert.is(authority.validTo, 'Dec 30 00:00:00 2054 GMT');
});

test('no two certificates have the same serial number', () => {
  const serials = Array.from({ length: 20 }, () => made('localhost').server.serialNumber);
  assert.is(new Set(serials).size, 20);
  for (const serial of serials) assert.match(serial, /^01[0-9A-F]{30}$/);
});

test.run();
