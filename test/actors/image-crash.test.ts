// long
// A process that is killed while the content of an image is on its way: the next one brings all of it, to the same image (CONTENT-TRANSFER-1,
// CONTENT-TRANSFER-3, I4, I9).
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../bus/mod.ts';
import { startFileHost } from '../adapters/openstack/file-host.ts';
import { findNatsServer, type OpenGround, onNats } from '../world/environments.ts';
import type { Raw } from '../world/watched-objects.ts';
import { condition, World } from '../world/world.ts';
import { TroupeProcess } from './processes.ts';

const LEASE_MS = 1_500;
/** A lease, a start, an attempt, and a look at Glance every 15 s. */
const DONE_WITHIN_MS = 45_000;
/** More than buffers on the way hold of it. */
const CONTENT = Buffer.alloc(32 << 20, 'what an image holds');
const HALF = CONTENT.length / 2;
const digest = (algorithm: string): string => createHash(algorithm).update(CONTENT).digest('hex');

/** A way to a port that counts what goes there. */
async function countingWay(port: () => number) {
  let bytes = 0;
  const server = createServer((socket) => {
    const behind = connect(port(), '127.0.0.1');
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    for (const each of [socket, behind]) each.on('error', () => undefined);
    socket.on('close', () => behind.destroy());
    behind.on('close', () => socket.destroy());
    socket.pipe(behind).pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    bytes: () => bytes,
    close: async () => void server.close(),
  };
}

/** Sends the first half to the first who asks, and the rest when it is told to; all of it to others. */
function halting() {
  let halted: ServerResponse | undefined;
  const half = Promise.withResolvers<void>();
  return {
    serve(_: unknown, response: ServerResponse): void {
      response.writeHead(200, { 'Content-Length': CONTENT.length });
      if (halted !== undefined) {
        response.end(CONTENT);
        return;
      }
      halted = response;
      response.write(CONTENT.subarray(0, HALF), () => half.resolve());
    },
    /** Half of it has left. */
    half: half.promise,
    finish: () => void halted?.end(CONTENT.subarray(HALF)),
  };
}

interface Scene {
  readonly world: World;
  readonly host: Awaited<ReturnType<typeof startFileHost>>;
  /** What went to the cloud so far. */
  readonly bytes: () => number;
  start(): TroupeProcess;
}

async function play(openGround: OpenGround, run: (scene: Scene) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-image-crash-'));
  const host = await startFileHost();
  let port = 0;
  const way = await countingWay(() => port);
  const world = await World.open(
    async (options) => {
      const ground = await openGround({ ...options, simulator: { publicOrigin: `http://127.0.0.1:${way.port}` } });
      port = ground.simulator?.port ?? 0;
      return ground;
    },
    { runtime: 'stopped', leaseMs: LEASE_MS },
  );
  const pods: TroupeProcess[] = [];
  const files = { TMPDIR: folder, HOME: folder, NODE_DISABLE_COMPILE_CACHE: '1' };
  const env = { TROUPE_LEASE_MS: String(LEASE_MS), ...files };
  try {
    await run({
      world,
      host,
      bytes: way.bytes,
      start() {
        const pod = new TroupeProcess(world, env);
        pods.push(pod);
        return pod;
      },
    });
    assert.equal(await readdir(folder, { recursive: true }), [], 'nothing of it is kept in files');
    const errors = pods.flatMap(({ lines }) => lines).filter(({ level }) => Number(level) >= 50);
    assert.equal(errors, []);
  } finally {
    for (const pod of pods) await pod.kill();
    await world.close();
    await way.close();
    await host.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function imageOf(world: World, url: string, more: JsonObject = {}): JsonObject {
  return world.managed('Image', world.name('image'), { content: { diskFormat: 'raw', download: { url, ...more } } });
}

const statusOf = ({ simulator }: World): unknown => simulator.resources('images')[0]?.['status'];

/** It is there once, whole, and its object says so. */
async function isWhole({ world }: Scene, attempts: number): Promise<void> {
  const isSo = (object: Raw | undefined): boolean => condition(object, 'Available').status === 'True';
  const name = world.name('image');
  const object = (await world.follower.until('Image', name, 'available', isSo, DONE_WITHIN_MS)) as Raw;
  const images = world.simulator.resources('images');
  assert.equal(
    images.map(({ id, status, size, checksum, os_hash_value: hash }) => [id, status, size, checksum, hash]),
    [[object.status?.id, 'active', CONTENT.length, digest('md5'), digest('sha512')]],
  );
  const { status, reason, message } = condition(object, 'Downloading');
  assert.is(`${status} ${reason}: ${message}`, 'False Success: Data saved');
  assert.is((object.status as JsonObject | undefined)?.['downloadAttempts'], attempts);
  assert.equal(object.status?.resource?.['hash'], { algorithm: 'sha512', value: digest('sha512') });
}

const found = await findNatsServer();
if ('refusal' in found) {
  console.log(`skipped: ${found.refusal}`);
} else {
  const test = suite('images whose process is killed');
  const openGround = onNats(found.program);

  test('an upload that is cut off is begun anew, for the same image', () =>
    play(openGround, async (scene) => {
      const { world, host, bytes } = scene;
      const first = scene.start();
      const content = halting();
      const hash = { algorithm: 'sha256', value: digest('sha256') };
      await world.apply(imageOf(world, host.serve('/image', content.serve), { hash }));
      await content.half;
      await world.eventually('half of it is at Glance', () => (bytes() >= HALF ? undefined : `${bytes()} bytes`));
      const sent = bytes();
      assert.ok(sent >= HALF && sent < CONTENT.length, `${sent} of ${CONTENT.length}`);
      assert.is(statusOf(world), 'saving');
      await first.kill();
      await world.eventually('Glance has noticed', () => (statusOf(world) === 'queued' ? undefined : 'it is saving'));
      assert.is.not(condition(await world.read('Image', world.name('image')), 'Available').status, 'True');
      scene.start();
      await isWhole(scene, 2);
      assert.is(host.requests['/image']?.length, 2);
    }));

  test('a download by Glance goes on without the process that asked for it, and is not asked for again', () =>
    play(openGround, async (scene) => {
      const { world, host } = scene;
      const first = scene.start();
      const content = halting();
      await world.apply(imageOf(world, host.serve('/image', content.serve)));
      await content.half;
      assert.is(statusOf(world), 'importing');
      await first.kill();
      // More than the host's half on its way to Glance cannot have come, and less than the kernel's buffers cannot be missing.
      assert.is(statusOf(world), 'importing');
      const calls = (): unknown => world.simulator.calls()['image POST /images/{id}/import'];
      assert.is(calls(), 1);
      scene.start();
      await world.follower.until(
        'Image',
        world.name('image'),
        'waiting for Glance',
        (object) => condition(object, 'Progressing').message === 'Glance is downloading image content',
        DONE_WITHIN_MS,
      );
      content.finish();
      await isWhole(scene, 1);
      assert.is(calls(), 1);
      assert.is(host.requests['/image']?.length, 1);
    }));

  test.run();
}
