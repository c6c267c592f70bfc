// limit: 180 s
// Images on the simulated cloud: what only that can be made to do, and what no cloud is asked for.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../../actors/clock.ts';
import { openStackSessions } from '../../../adapters/openstack/sessions.ts';
import { type Fault, type Simulator, startSimulator } from '../../../adapters/openstack/simulator/mod.ts';
import type { JsonObject } from '../../../bus/bus.ts';
import { type FileHost, stalled, startFileHost } from './file-host.ts';
import { CONTENT, digest, imageWith } from './images.suite.ts';
import { fails, Scene } from './scene.ts';
import { shiftedClock } from './simulated.ts';

const test = suite('images on the simulator');
const HASH = { algorithm: 'sha256', value: digest('sha256') } as const;

interface Stage {
  readonly scene: Scene;
  readonly simulator: Simulator;
  readonly host: FileHost;
  /** Fires all timers of at least so many milliseconds. */
  hurry(leastMs: number): void;
  /** Sets the clock ahead; timers keep their pace. */
  advance(byMs: number): void;
}

function check(title: string, run: (stage: Stage) => Promise<void>): void {
  test(title, async () => {
    const shifted = shiftedClock();
    const timers = new Map<object, { readonly run: () => void; readonly delayMs: number }>();
    const clock = {
      ...shifted,
      setTimeout(callback: () => void, delayMs: number) {
        const timer = shifted.setTimeout(callback, delayMs);
        timers.set(timer, { run: callback, delayMs });
        return timer;
      },
      clearTimeout(timer: { readonly id: number }) {
        timers.delete(timer);
        shifted.clearTimeout(timer);
      },
    };
    const simulator = await startSimulator({ clock: systemClock() });
    const host = await startFileHost();
    const data = { 'clouds.yaml': Buffer.from(simulator.cloudsYaml('test')).toString('base64') };
    const readSecret = async () => ({ uid: 'uid', resourceVersion: '1', data });
    const sessions = openStackSessions({ clock, version: '0', readSecret });
    const scene = new Scene({
      sessions,
      clock,
      cloudName: 'test',
      extras: { Network: {}, Subnet: {} },
      imageId: async () => assert.unreachable() as never,
      close: () => sessions.close(),
    });
    const hurry = (leastMs: number): void => {
      for (const [timer, { run: fire, delayMs }] of [...timers]) if (delayMs >= leastMs && timers.delete(timer)) fire();
    };
    try {
      await run({ scene, simulator, host, hurry, advance: (byMs) => shifted.advance(byMs) });
    } finally {
      await scene.close();
      await host.close();
      await simulator.close();
    }
  });
}

/** An image without content, and what fills it. */
async function empty({ scene, host }: Stage, url = host.file('/content', CONTENT)) {
  const object = imageWith(scene, 'image', { download: { url, hash: HASH } });
  const { id } = await scene.create(object);
  return { object, id };
}

const UPLOAD = { service: 'image', method: 'PUT', path: /\/file$/ } as const;

for (const [title, fault, code, said, after] of [
  ['a connection that breaks off', { cutAfterBytes: 100_000 }, 'transient', /failed: /, 'queued'],
  ['a connection that is not taken', { dropBeforeWork: true }, 'transient', /failed: /, 'queued'],
  ['an answer that is lost', { dropAfterWork: true }, 'transient', /failed: /, 'active'],
  ['a conflict', { status: 409, body: refusal(409, 'busy') }, 'transient', /answered 409: busy$/, 'queued'],
  ['a quota', { status: 413, body: refusal(413, 'too large') }, 'transient', /answered 413: too large$/, 'queued'],
  ['a failure of its own', { status: 500, body: {} }, 'transient', /answered 500$/, 'queued'],
  [
    'a bad request',
    { status: 400, body: refusal(400, 'no disk format') },
    'terminal',
    /^invalid configuration uploading image: PUT \S+ of service 'image' answered 400: no disk format$/,
    'queued',
  ],
] as readonly (readonly [string, Omit<Fault, 'match'>, 'transient' | 'terminal', RegExp, string])[]) {
  check(`${title} at Glance ends an upload, and the next one goes on with what there is`, async (stage) => {
    const { scene, simulator } = stage;
    const { object, id } = await empty(stage);
    simulator.faults.inject({ match: UPLOAD, ...fault });
    await fails(scene.fill(object, id), code, said, code === 'terminal' ? 'InvalidConfiguration' : undefined);
    const statusOf = (): unknown => simulator.resources('images')[0]?.['status'];
    for (let tries = 0; tries < 100 && statusOf() !== after; tries++) await scene.cloud.clock.sleep(20);
    assert.is(statusOf(), after);
    await scene.fill(object, id);
    assert.is((await scene.observe(object, id))?.available, true);
  });
}

function refusal(status: number, message: string): JsonObject {
  return { message: `${message}<br /><br />\n\n\n`, code: `${status} Bad`, title: 'Bad' };
}

for (const isProtected of [false, true]) {
  const which = isProtected ? ', though it is protected' : '';
  check(`an image that Glance has otherwise than it was sent is removed${which}`, async (stage) => {
    const { scene, simulator, host } = stage;
    const download = { url: host.file('/content', CONTENT) };
    const object = imageWith(scene, 'image', { download, protected: isProtected });
    const { id } = await scene.create(object);
    simulator.faults.inject({ match: UPLOAD, altersContent: true });
    const said = `image data verification failed: Glance has ${CONTENT.length + 1} bytes, ${CONTENT.length} were sent`;
    await fails(scene.fill(object, id), 'transient', new RegExp(`^${said}$`));
    assert.is(await scene.observe(object, id), undefined);
  });
}

check('a token that is worthless by the time of the upload is replaced, and all of it sent', async (stage) => {
  const { scene, simulator, host } = stage;
  const { object, id } = await empty(stage);
  simulator.faults.inject({ match: UPLOAD, status: 401, body: {} });
  await scene.fill(object, id);
  assert.is((await scene.observe(object, id))?.resource['sizeB'], CONTENT.length);
  assert.ok((host.requests['/content']?.length ?? 0) <= 2);
});

check('the progress is told at most every ten seconds', async (stage) => {
  const { scene, host, advance } = stage;
  const steps: (() => void)[] = [];
  const url = host.serve('/steps', (_, response) => {
    response.writeHead(200, { 'Content-Length': CONTENT.length });
    const half = CONTENT.length / 2;
    response.write(CONTENT.subarray(0, half));
    steps.push(() => response.end(CONTENT.subarray(half)));
  });
  const { object, id } = await empty(stage, url);
  const told: JsonObject[] = [];
  const filled = scene.fill(object, id, { progress: (progress) => void told.push(progress) });
  for (let tries = 0; tries < 200 && steps.length === 0; tries++) await scene.cloud.clock.sleep(10);
  await scene.cloud.clock.sleep(100);
  assert.equal(told, []);
  advance(10_000);
  for (const step of steps) step();
  await filled;
  assert.is(told.length, 1);
  const { bytes, totalBytes } = told[0] as { readonly bytes: number; readonly totalBytes: number };
  assert.ok(bytes > CONTENT.length / 2 && bytes <= CONTENT.length);
  assert.is(totalBytes, CONTENT.length);
});

check('an upload ends with its signal, and a host that sends nothing has stalled', async (stage) => {
  const { scene, host, hurry, simulator } = stage;
  const { object, id } = await empty(stage, host.serve('/stalled', stalled(CONTENT)));
  const begun = async (times: number): Promise<void> => {
    for (let tries = 0; tries < 200 && host.requests['/stalled']?.length !== times; tries++)
      await scene.cloud.clock.sleep(10);
    await scene.cloud.clock.sleep(50);
  };
  const abort = new AbortController();
  const aborted = scene.fill(object, id, { signal: abort.signal });
  await begun(1);
  abort.abort();
  await fails(aborted, 'transient', /was ended$/);
  for (let tries = 0; tries < 100 && simulator.resources('images')[0]?.['status'] !== 'queued'; tries++)
    await scene.cloud.clock.sleep(20);
  const late = scene.fill(object, id);
  await begun(2);
  hurry(60_000);
  await fails(late, 'transient', /^the download from '127\.0\.0\.1' has stalled$/);
});

check('a process that goes on after its lease has ended sends nothing any more', async (stage) => {
  const { scene, simulator, host } = stage;
  const { object, id } = await empty(stage);
  // It stands still while it waits for the first answer, and hears of the lost lease when it has read that.
  let looks = 0;
  const validUntil = (): number => (looks++ === 0 ? Number.POSITIVE_INFINITY : scene.cloud.clock.now());
  await fails(scene.fill(object, id, { validUntil }), 'transient', /was not sent: its deadline had passed$/);
  assert.is(simulator.resources('images')[0]?.['status'], 'queued');
  assert.is(host.requests['/content'], undefined);
});

check('four uploads of a namespace run at a time, and the others wait without a connection', async (stage) => {
  const { scene, host } = stage;
  const open: (() => void)[] = [];
  const url = host.serve('/gate', (_, response) => {
    response.writeHead(200, { 'Content-Length': CONTENT.length });
    open.push(() => response.end(CONTENT));
  });
  const abort = new AbortController();
  const images = await Promise.all(
    Array.from({ length: 7 }, async (_, index) => {
      const object = imageWith(scene, `image-${index}`, { download: { url } });
      return { object, id: (await scene.create(object)).id };
    }),
  );
  const given = images.map(({ object, id }, index) =>
    scene.fill(object, id, index === 6 ? { signal: abort.signal } : {}).then(
      () => 'filled',
      ({ message }: Error) => message,
    ),
  );
  for (let tries = 0; tries < 200 && open.length < 4; tries++) await scene.cloud.clock.sleep(10);
  await scene.cloud.clock.sleep(100);
  assert.is(open.length, 4);
  abort.abort();
  assert.is(await given[6], 'the download was ended before it began');
  for (let served = 0; served < 6; served++) {
    for (let tries = 0; tries < 200 && open.length === 0; tries++) await scene.cloud.clock.sleep(10);
    open.shift()?.();
  }
  assert.equal(await Promise.all(given.slice(0, 6)), Array(6).fill('filled'));
});

check('what Glance does not fetch itself is uploaded', async (stage) => {
  const { scene, simulator } = stage;
  const object = imageWith(scene, 'declined', { download: { url: 'http://elsewhere.example/x' } });
  const { id } = await scene.create(object);
  const { delegate } = scene.operations('Image');
  assert.is(await delegate?.({ ...scene.request(object), id }), undefined);
  simulator.faults.inject({
    match: { service: 'image', path: /^\/info\/import$/ },
    status: 200,
    body: { 'import-methods': { value: ['glance-direct'] } },
  });
  assert.is(await delegate?.({ ...scene.request(object), id }), undefined);
});

check('an upload needs a few calls', async (stage) => {
  const { scene, simulator } = stage;
  const { object, id } = await empty(stage);
  simulator.resetCounts();
  await scene.fill(object, id);
  assert.equal(simulator.calls(), { 'image GET /images/{id}': 2, 'image PUT /images/{id}/file': 1 });
});

test.run();
