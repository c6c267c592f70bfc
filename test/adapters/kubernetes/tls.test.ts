// The client by TLS, at a server that offers HTTP/2 too, as a kube-apiserver does.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withTlsServer } from './tls-server.ts';

const test = suite('kubernetes client by TLS');

test('each watch has a connection of its own, and requests have others', () =>
  withTlsServer(async (server) => {
    const client = server.client();
    const stop = new AbortController();
    const watches = ['/a', '/b', '/c'].map((path) =>
      client.stream(path, undefined, stop.signal)[Symbol.asyncIterator](),
    );
    for (const watch of watches) assert.equal((await watch.next()).value, {});
    await client.call({ method: 'GET', path: '/version' });
    assert.equal(server.versions, ['1.1', '1.1', '1.1', '1.1']);
    assert.is(server.connections(), 4);
    stop.abort();
    for (const watch of watches) assert.ok((await watch.next()).done);
  }));

test.run();
