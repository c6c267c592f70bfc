// long
// own process: it measures the memory of one
// What an upload takes: an image of one gibibyte goes through a process that holds none of it. Its host and Glance are in
// another process, so that the growth is that of the upload alone.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../actors/base/clock.ts';
import { openStackSessions } from '../../../adapters/openstack/client/sessions.ts';
import { Tenant } from '../../world/tenant.ts';
import { imageWith } from './images.suite.ts';

const test = suite('memory of an upload');

const GIB = 1 << 30;
const MIB = 1 << 20;

test('an image of 1 GiB grows the process by less than 100 MiB', async () => {
  const far = fork(fileURLToPath(new URL('image-memory.process.ts', import.meta.url)), [String(GIB)], {
    execArgv: process.execArgv,
  });
  const exited = once(far, 'exit');
  const [{ cloudsYaml, url, digest }] = (await once(far, 'message')) as [
    Record<'cloudsYaml' | 'url' | 'digest', string>,
  ];
  const clock = systemClock();
  const data = { 'clouds.yaml': Buffer.from(cloudsYaml).toString('base64') };
  const readSecret = async () => ({ uid: 'uid', resourceVersion: '1', data });
  const sessions = openStackSessions({ clock, version: '0', readSecret });
  const close = () => sessions.close();
  const extras = { Network: {}, Subnet: {} };
  const imageId = async (): Promise<never> => assert.unreachable() as never;
  const tenant = new Tenant({ sessions, clock, cloudName: 'test', extras, imageId, close });
  try {
    // What is loaded and compiled once is no part of it.
    const warm = imageWith(tenant, 'warm', { download: { url: `${url}?bytes=${32 * MIB}` } });
    await tenant.fill(warm, (await tenant.create(warm)).id);
    const before = process.memoryUsage().rss;
    let most = before;
    const object = imageWith(tenant, 'large', {
      download: { url: `${url}?bytes=${GIB}`, hash: { algorithm: 'sha256', value: digest } },
    });
    const { id } = await tenant.create(object);
    const filled = tenant.fill(object, id).then(() => 'filled' as const);
    const pause = async () => clock.sleep(20);
    while ((await Promise.race([filled, pause()])) !== 'filled') most = Math.max(most, process.memoryUsage().rss);
    const resource = (await tenant.observe(object, id))?.resource;
    assert.equal([resource?.['status'], resource?.['sizeB']], ['active', GIB]);
    const grown = (most - before) / MIB;
    assert.ok(grown < 100, `it grew by ${grown.toFixed(1)} MiB`);
    process.stderr.write(`grown by ${grown.toFixed(1)} MiB\n`);
  } finally {
    await tenant.close();
    far.disconnect();
    await exited;
  }
});

test.run();
