// Images on the simulated cloud: what only that can be made to do, and what no cloud is asked for.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Fault, Simulator } from '../../../adapters/simulated/openstack/mod.ts';
import type { JsonObject } from '../../../bus/bus.ts';
import type { SimulatedCloud } from '../../world/openstack.ts';
import { fails, type Tenant, withTenant } from '../../world/tenant.ts';
import { type FileHost, stalled, startFileHost } from './file-host.ts';
import { CONTENT, digest, imageWith } from './images.suite.ts';

const test = suite('images on the simulator');
const HASH = { algorithm: 'sha256', value: digest('sha256') } as const;

interface Stage {
  readonly tenant: Tenant;
  readonly simulator: Simulator;
  readonly clock: SimulatedCloud['clock'];
  readonly host: FileHost;
  until(isSo: () => boolean): Promise<void>;
}

function check(title: string, run: (stage: Stage) => Promise<void>): void {
  const staged = async (tenant: Tenant, simulator: Simulator, { clock }: SimulatedCloud): Promise<void> => {
    const host = await startFileHost();
    const until = async (isSo: () => boolean): Promise<void> => {
      for (let tries = 0; tries < 200 && !isSo(); tries++) await clock.sleep(10);
      assert.ok(isSo());
    };
    try {
      await run({ tenant, simulator, clock, host, until });
    } finally {
      await host.close();
    }
  };
  test(title, () => withTenant(staged));
}

/** An image without content, and what fills it. */
async function empty({ tenant, host }: Stage, url = host.file('/content', CONTENT)) {
  const object = imageWith(tenant, 'image', { download: { url, hash: HASH } });
  const { id } = await tenant.create(object);
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
    const { tenant, simulator } = stage;
    const { object, id } = await empty(stage);
    simulator.faults.inject({ match: UPLOAD, ...fault });
    await fails(tenant.fill(object, id), code, said, code === 'terminal' ? 'InvalidConfiguration' : undefined);
    const statusOf = (): unknown => simulator.resources('images')[0]?.['status'];
    await stage.until(() => statusOf() === after);
    await tenant.fill(object, id);
    assert.is((await tenant.observe(object, id))?.available, true);
  });
}

function refusal(status: number, message: string): JsonObject {
  return { message: `${message}<br /><br />\n\n\n`, code: `${status} Bad`, title: 'Bad' };
}

for (const isProtected of [false, true]) {
  const which = isProtected ? ', though it is protected' : '';
  check(`an image that Glance has otherwise than it was sent is removed${which}`, async (stage) => {
    const { tenant, simulator, host } = stage;
    const download = { url: host.file('/content', CONTENT) };
    const object = imageWith(tenant, 'image', { download, protected: isProtected });
    const { id } = await tenant.create(object);
    simulator.faults.inject({ match: UPLOAD, altersContent: true });
    const said = `image data verification failed: Glance has ${CONTENT.length + 1} bytes, ${CONTENT.length} were sent`;
    await fails(tenant.fill(object, id), 'transient', new RegExp(`^${said}$`));
    assert.is(await tenant.observe(object, id), undefined);
  });
}

check('a token that is worthless by the time of the upload is replaced, and all of it sent', async (stage) => {
  const { tenant, simulator, host } = stage;
  const { object, id } = await empty(stage);
  simulator.faults.inject({ match: UPLOAD, status: 401, body: {} });
  await tenant.fill(object, id);
  assert.is((await tenant.observe(object, id))?.resource['sizeB'], CONTENT.length);
  assert.ok((host.requests['/content']?.length ?? 0) <= 2);
});

check('the progress is told at most every ten seconds', async (stage) => {
  const { tenant, host, clock, until } = stage;
  const steps: (() => void)[] = [];
  const url = host.serve('/steps', (_, response) => {
    response.writeHead(200, { 'Content-Length': CONTENT.length });
    const half = CONTENT.length / 2;
    response.write(CONTENT.subarray(0, half));
    steps.push(() => response.end(CONTENT.subarray(half)));
  });
  const { object, id } = await empty(stage, url);
  const reported: JsonObject[] = [];
  const filled = tenant.fill(object, id, { progress: (progress) => void reported.push(progress) });
  await until(() => steps.length > 0);
  await clock.sleep(100);
  assert.equal(reported, []);
  clock.spend(10_000);
  for (const step of steps) step();
  await filled;
  assert.is(reported.length, 1);
  const { bytes, totalBytes } = reported[0] as { readonly bytes: number; readonly totalBytes: number };
  assert.ok(bytes > CONTENT.length / 2 && bytes <= CONTENT.length);
  assert.is(totalBytes, CONTENT.length);
});

check('an upload ends with its signal, and a host that sends nothing has stalled', async (stage) => {
  const { tenant, host, clock, until, simulator } = stage;
  const { object, id } = await empty(stage, host.serve('/stalled', stalled(CONTENT)));
  const begun = async (times: number): Promise<void> => {
    await until(() => host.requests['/stalled']?.length === times);
    await clock.sleep(50);
  };
  const abort = new AbortController();
  const aborted = tenant.fill(object, id, { signal: abort.signal });
  await begun(1);
  abort.abort();
  await fails(aborted, 'transient', /was ended$/);
  await until(() => simulator.resources('images')[0]?.['status'] === 'queued');
  const late = tenant.fill(object, id);
  await begun(2);
  await fails(late, 'transient', /^the download from '127\.0\.0\.1' has stalled$/);
});

check('a process that goes on after its lease has ended sends nothing any more', async (stage) => {
  const { tenant, simulator, host } = stage;
  const { object, id } = await empty(stage);
  // It stands still while it waits for the first answer, and hears of the lost lease when it has read that.
  let looks = 0;
  const validUntil = (): number => (looks++ === 0 ? Number.POSITIVE_INFINITY : tenant.cloud.clock.now());
  await fails(tenant.fill(object, id, { validUntil }), 'transient', /was not sent: its deadline had passed$/);
  assert.is(simulator.resources('images')[0]?.['status'], 'queued');
  assert.is(host.requests['/content'], undefined);
});

check('four uploads of a namespace run at a time, and the others wait without a connection', async (stage) => {
  const { tenant, host, clock, until } = stage;
  const open: (() => void)[] = [];
  const url = host.serve('/gate', (_, response) => {
    response.writeHead(200, { 'Content-Length': CONTENT.length });
    open.push(() => response.end(CONTENT));
  });
  const abort = new AbortController();
  const images = await Promise.all(
    Array.from({ length: 7 }, async (_, index) => {
      const object = imageWith(tenant, `image-${index}`, { download: { url } });
      return { object, id: (await tenant.create(object)).id };
    }),
  );
  const given = images.map(({ object, id }, index) =>
    tenant.fill(object, id, index === 6 ? { signal: abort.signal } : {}).then(
      () => 'filled',
      ({ message }: Error) => message,
    ),
  );
  await until(() => open.length >= 4);
  await clock.sleep(100);
  assert.is(open.length, 4);
  abort.abort();
  assert.is(await given[6], 'the download was ended before it began');
  for (let served = 0; served < 6; served++) {
    await until(() => open.length > 0);
    open.shift()?.();
  }
  assert.equal(await Promise.all(given.slice(0, 6)), Array(6).fill('filled'));
});

check('what Glance does not fetch itself is uploaded', async (stage) => {
  const { tenant, simulator } = stage;
  const object = imageWith(tenant, 'declined', { download: { url: 'http://elsewhere.example/x' } });
  const { id } = await tenant.create(object);
  const { delegate } = tenant.operations('Image');
  assert.is(await delegate?.({ ...tenant.request(object), id }), undefined);
  simulator.faults.inject({
    match: { service: 'image', path: /^\/info\/import$/ },
    status: 200,
    body: { 'import-methods': { value: ['glance-direct'] } },
  });
  assert.is(await delegate?.({ ...tenant.request(object), id }), undefined);
});

check('an upload needs a few calls', async (stage) => {
  const { tenant, simulator } = stage;
  const { object, id } = await empty(stage);
  simulator.resetCounts();
  await tenant.fill(object, id);
  assert.equal(simulator.calls(), { 'image GET /images/{id}': 2, 'image PUT /images/{id}/file': 1 });
});

test.run();
