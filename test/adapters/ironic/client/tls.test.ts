// Ironic over TLS: whose certificate is trusted, and which is shown.
import { X509Certificate } from 'node:crypto';
import type { ServerOptions } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Trust } from '../../../../adapters/http/transport.ts';
import { NotReadyError } from '../../../../adapters/ironic/client/errors.ts';
import { certify, makeAuthority } from '../../../../adapters/kubernetes/tls/certificates.ts';
import { rejection } from '../../../world/rejection.ts';
import { selfSigned } from '../../openstack/certificate.ts';
import { withIronic } from './scripted-ironic.ts';

const test = suite('Ironic over TLS');

const authority = await makeAuthority('an-authority', Date.now());
const { certificate: cert, key } = await certify(authority, { name: 'ironic', hosts: [] }, Date.now());
const SERVER: ServerOptions = { cert, key };
const client = selfSigned();

/** What comes of a look whether an Ironic is ready that is reached so. */
async function readyWith(trust: Trust, tls: ServerOptions = SERVER): Promise<string> {
  let reported = '';
  await withIronic(
    async (scene) => {
      const looked = scene.client.ready(scene.asking());
      reported = await looked.then(
        () => 'ready',
        (error: Error) => {
          assert.instance(error, NotReadyError);
          return error.message;
        },
      );
    },
    { tls, with: { trust } },
  );
  return reported;
}

test('who is signed by the given authority is trusted, and nobody else', async () => {
  const other = await makeAuthority('another', Date.now());
  assert.is(await readyWith({ ca: authority.certificate, verify: 'verified' }), 'ready');
  assert.is(await readyWith({ ca: `${other.certificate}${authority.certificate}`, verify: 'verified' }), 'ready');
  assert.match(
    await readyWith({ ca: other.certificate, verify: 'verified' }),
    /^GET \/v1\/ of Ironic failed: unable to/,
  );
  assert.match(await readyWith({ ca: undefined, verify: 'verified' }), /^GET \/v1\/ of Ironic failed: unable to/);
});

test('where nothing is verified, anybody will do', async () => {
  assert.is(await readyWith({ ca: undefined, verify: 'unverified' }), 'ready');
});

test('a certificate for another name is not that of Ironic', async () => {
  let endpoint = '';
  const trust: Trust = { ca: client.certificate, verify: 'verified' };
  await withIronic(
    async ({ client: ironic, asking, url }) => {
      endpoint = url;
      await ironic.ready(asking());
      endpoint = url.replace('localhost', '127.0.0.1');
      assert.match((await rejection(ironic.ready(asking()))).message, /Hostname\/IP does not match/);
    },
    {
      tls: { cert: client.certificate, key: client.key },
      connection: async () => ({ endpoint, trust, credentials: undefined }),
      cacheTtlMs: 0,
    },
  );
});

test('a server that wants a certificate is shown the own one (mutual TLS)', async () => {
  const mutual: ServerOptions = { ...SERVER, requestCert: true, rejectUnauthorized: true, ca: client.certificate };
  const trust: Trust = { ca: authority.certificate, verify: 'verified' };
  assert.is(await readyWith({ ...trust, client }, mutual), 'ready');
  assert.match(await readyWith(trust, mutual), /^GET \/v1\/ of Ironic failed: /);
  assert.match(await readyWith({ ...trust, client: selfSigned() }, mutual), /^GET \/v1\/ of Ironic failed: /);
});

test('a certificate that was renewed is shown from the next look on', async () => {
  const seen: string[] = [];
  const later = selfSigned();
  let shown = client;
  let endpoint = '';
  await withIronic(
    async (scene) => {
      endpoint = scene.url;
      await scene.client.ready(scene.asking());
      await scene.client.ready(scene.asking());
      shown = later;
      await scene.client.ready(scene.asking());
    },
    {
      // Of two that are named alike a server that verifies knows one.
      tls: { ...SERVER, requestCert: true, rejectUnauthorized: false },
      onRequest: ({ socket }) => seen.push((socket as TLSSocket).getPeerCertificate().fingerprint256),
      connection: async () => ({
        endpoint,
        trust: { ca: authority.certificate, verify: 'verified', client: shown },
        credentials: undefined,
      }),
      cacheTtlMs: 0,
    },
  );
  const of = ({ certificate }: { readonly certificate: string }): string =>
    new X509Certificate(certificate).fingerprint256;
  assert.equal(seen, [...Array(4).fill(of(client)), ...Array(2).fill(of(later))]);
});

test.run();
