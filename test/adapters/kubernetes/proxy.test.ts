// The client through a proxy that only opens tunnels: calls and watches, by `proxy-url` and by the environment.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TransientError } from '../../../bus/mod.ts';
import { rejection } from '../../world/rejection.ts';
import { withProxy } from '../http/connect-proxy.ts';
import { soon } from './manual-clock.ts';
import { withTlsServer } from './tls-server.ts';

const test = suite('kubernetes client through a proxy');

const version = { method: 'GET', path: '/version' } as const;

test('calls and watches go through the proxy of the cluster, each watch by a connection of its own', () =>
  withTlsServer((server) =>
    withProxy(server, async (proxy) => {
      const client = server.client({ 'proxy-url': `http://me:se%20cret@127.0.0.1:${proxy.port}` });
      const stop = new AbortController();
      const watches = ['/a', '/b', '/c'].map((path) =>
        client.stream(path, undefined, stop.signal)[Symbol.asyncIterator](),
      );
      for (const watch of watches) assert.equal((await watch.next()).value, {});
      await client.call(version);
      assert.equal(server.versions, ['1.1', '1.1', '1.1', '1.1']);
      assert.is(server.connections(), 4);
      const authorization = `Basic ${Buffer.from('me:se cret').toString('base64')}`;
      const tunnel = { to: `127.0.0.1:${server.port}`, authorization };
      assert.equal(proxy.tunnels, [tunnel, tunnel, tunnel, tunnel]);
      stop.abort();
      for (const watch of watches) assert.ok((await watch.next()).done);
      const again = client.stream('/d', undefined, new AbortController().signal)[Symbol.asyncIterator]();
      await again.next();
      const ended = rejection(again.next());
      await client.close();
      assert.instance(await soon(ended, 'the end of the watch'), TransientError);
    }),
  ));

test('the proxy of the environment is used for servers elsewhere, unless NO_PROXY excepts them', () =>
  withTlsServer((server) =>
    withProxy(server, async (proxy) => {
      const env = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` };
      await server.client({}, env).call(version);
      assert.equal(proxy.tunnels, []);
      // Nothing has that name here: only the proxy knows it.
      const elsewhere = { server: `https://api.example:${server.port}` };
      await server.client(elsewhere, env).call(version);
      assert.equal(
        proxy.tunnels.map(({ to }) => to),
        [`api.example:${server.port}`],
      );
      const excepted = { server: `https://0.0.0.0:${server.port}`, 'tls-server-name': 'api.example' };
      const direct = server.client(excepted, { ...env, NO_PROXY: '0.0.0.0/8' });
      await direct.call(version);
      assert.is(proxy.tunnels.length, 1);
    }),
  ));

test('the certificate of the API server is verified through the proxy, by its name', () =>
  withTlsServer((server) =>
    withProxy(server, async (proxy) => {
      const by = { 'proxy-url': `http://127.0.0.1:${proxy.port}` };
      const other = { ...by, server: `https://other.example:${server.port}` };
      const error = await rejection(server.client(other).call({ ...version, method: 'POST' }));
      assert.instance(error, TransientError);
      assert.match(error.message, 'ERR_TLS_CERT_ALTNAME_INVALID');
      await server.client({ ...other, 'tls-server-name': 'api.example' }).call(version);
      await server
        .client({ ...other, 'certificate-authority-data': undefined, 'insecure-skip-tls-verify': true })
        .call(version);
    }),
  ));

test('a proxy with a certificate of the cluster’s authority', () =>
  withTlsServer((server) =>
    withProxy(
      server,
      async (proxy) => {
        await server.client({ 'proxy-url': `https://localhost:${proxy.port}` }).call(version);
        assert.is(proxy.tunnels.length, 1);
      },
      { isSecure: true },
    ),
  ));

test('a proxy that refuses is a transient failure, and nothing was sent', () =>
  withTlsServer((server) =>
    withProxy(
      server,
      async (proxy) => {
        const client = server.client({ 'proxy-url': `http://127.0.0.1:${proxy.port}` });
        const error = await rejection(client.call({ method: 'POST', path: '/version', body: {} }));
        assert.is(error.name, 'TransientError');
        assert.match(error.message, 'Proxy response (403) !== 200');
      },
      { status: 403 },
    ),
  ));

test.run();
