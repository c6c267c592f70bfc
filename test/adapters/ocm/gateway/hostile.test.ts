// long
// 100,000 hostile requests, idle connections by the thousand, and clients that are slow: others are answered, and memory does not grow.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { memoryStore } from '../../../../adapters/ocm/gateway/store/memory.ts';
import { bombard } from './fuzz.ts';
import { serving } from './served.ts';
import { CLUSTERS } from './store.suite.ts';

const test = suite('model gateway under attack');
const SEED = Number(process.env['SEED'] ?? 7);
const CONNECTIONS = 10_000;
/** What 80,000 requests may leave behind: the tests note each answer, and the objects that were added stay. */
const GROWTH = 40 * 1024 * 1024;
/** Of the process, for one connection. */
const CONNECTION_BYTES = 40 * 1024;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

test(`100,000 requests, seed ${SEED}, without growth of memory`, async () => {
  const served = await serving(memoryStore());
  try {
    assert.is(await bombard(served.client, SEED, 20_000), undefined);
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    assert.is(await bombard(served.client, SEED + 1, 80_000), undefined);
    collectGarbage();
    assert.ok(process.memoryUsage().heapUsed - before < GROWTH, 'memory grows');
    assert.equal(served.defects, []);
  } finally {
    await served.close();
  }
});

test('idle connections, half requests and readers that do not read harm nobody', async () => {
  const served = await serving(memoryStore());
  const script = fileURLToPath(new URL('./idle-connections.process.ts', import.meta.url));
  const args = [script, String(served.port), String(CONNECTIONS), CLUSTERS];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  try {
    for (let n = 0; n < 200; n++)
      await served.client.post(CLUSTERS, { name: `n${n}`, tags: Array(50).fill('x'.repeat(100)) });
    collectGarbage();
    const before = process.memoryUsage().rss;
    await once(child.stdout, 'data');
    collectGarbage();
    const each = (process.memoryUsage().rss - before) / CONNECTIONS;
    assert.ok(each < CONNECTION_BYTES, `a connection takes ${each} bytes`);
    for (let n = 0; n < 100; n++) assert.is((await served.client.get(`${CLUSTERS}?size=1`)).status, 200);
    assert.equal(served.defects, []);
  } finally {
    child.stdin.end();
    await ended;
    await served.close();
  }
});

test.run();
