// long
// 100,000 hostile requests, idle connections by the thousand, and clients that are slow: others are answered, and memory does not grow.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { memoryStore } from '../../../../adapters/ocm/gateway/store/memory.ts';
import { bombard } from './fuzz.ts';
import { serving } from './served.ts';
import { CLUSTERS } from './store.suite.ts';

const test = suite('model gateway under attack');
const SEED = Number(process.env['SEED'] ?? 7);
const CONNECTIONS = 10_000;
const GROWTH = 60 * 1024 * 1024;

test(`100,000 requests, seed ${SEED}, without growth of memory`, async () => {
  const served = await serving(memoryStore());
  try {
    assert.is(await bombard(served.client, SEED, 20_000), undefined);
    globalThis.gc?.();
    const before = process.memoryUsage().heapUsed;
    assert.is(await bombard(served.client, SEED + 1, 80_000), undefined);
    globalThis.gc?.();
    assert.ok(process.memoryUsage().heapUsed - before < GROWTH, 'memory grows');
    assert.equal(served.defects, []);
  } finally {
    await served.close();
  }
});

test('idle connections, half requests and readers that do not read harm nobody', async () => {
  const served = await serving(memoryStore());
  const sockets: Socket[] = [];
  try {
    for (let n = 0; n < 200; n++)
      await served.client.post(CLUSTERS, { name: `n${n}`, tags: Array(50).fill('x'.repeat(100)) });
    for (let n = 0; n < CONNECTIONS; n++) {
      const socket = connect(served.port, '127.0.0.1').on('error', () => undefined);
      await once(socket, 'connect');
      // Some begin a request, some ask for much and do not read, the others say nothing.
      if (n % 10 === 0) socket.write(`POST ${CLUSTERS} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{`);
      if (n % 50 === 1) {
        socket.pause();
        socket.write(`GET ${CLUSTERS}?size=-1 HTTP/1.1\r\nHost: localhost\r\n\r\n`);
      }
      sockets.push(socket);
    }
    for (let n = 0; n < 100; n++) assert.is((await served.client.get(`${CLUSTERS}?size=1`)).status, 200);
    assert.equal(served.defects, []);
  } finally {
    for (const socket of sockets) socket.destroy();
    await served.close();
  }
});

test.run();
