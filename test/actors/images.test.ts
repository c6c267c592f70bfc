// long
// Images through the whole runtime, in memory: content that takes as long as it takes, what is told of it, and what becomes of
// it when a process ends, or an object goes.

import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../bus/mod.ts';
import { type FileHost, startFileHost } from '../adapters/openstack/file-host.ts';
import { inMemory } from '../world/environments.ts';
import type { Raw } from '../world/watched-objects.ts';
import { checkIn, condition, type World, type WorldOptions } from '../world/world.ts';

const test = suite('images in memory');

const CONTENT = Buffer.from('what an image holds'.repeat(50_000));
const HASH = { algorithm: 'sha256', value: createHash('sha256').update(CONTENT).digest('hex') };

function check(title: string, run: (world: World, host: FileHost) => Promise<void>, options: WorldOptions = {}): void {
  checkIn(test, inMemory)(
    title,
    async (world) => {
      const host = await startFileHost();
      try {
        await run(world, host);
      } finally {
        await host.close();
      }
    },
    options,
  );
}

function imageOf(url: string, more: JsonObject = { hash: HASH }, resource: JsonObject = {}): JsonObject {
  return { content: { diskFormat: 'raw', download: { url, ...more } }, ...resource };
}

/** Sends the first half, and the rest when it is told to. */
function slow(): { readonly serve: Parameters<FileHost['serve']>[1]; finish(): void; readonly begun: () => number } {
  const open: ServerResponse[] = [];
  return {
    serve(_, response) {
      response.writeHead(200, { 'Content-Length': CONTENT.length });
      response.write(CONTENT.subarray(0, CONTENT.length / 2));
      open.push(response);
    },
    finish() {
      for (const response of open) response.end(CONTENT.subarray(CONTENT.length / 2));
    },
    begun: () => open.length,
  };
}

const attempts = ({ status }: Raw): unknown => (status as JsonObject | undefined)?.['downloadAttempts'];

function downloading(object: Raw): string {
  const { status, reason, message } = condition(object, 'Downloading');
  return `${status} ${reason}: ${message}`;
}

/** Who wrote what of the status. */
function managerOf(object: Raw, path: readonly string[]): readonly string[] {
  const owns = (fields: unknown, [first, ...rest]: readonly string[]): boolean => {
    const inner = (fields as JsonObject | undefined)?.[first ?? ''];
    return inner !== undefined && (rest.length === 0 || owns(inner, rest));
  };
  return (object.metadata.managedFields ?? [])
    .filter(({ fieldsV1 }) => owns(fieldsV1, ['f:status', ...path]))
    .map(({ manager }) => manager);
}

check(
  'an image is made, filled and found available; what is told of it has a field manager of its own',
  async (world, host) => {
    await world.apply(world.managed('Image', world.name('a'), imageOf(host.file('/a', CONTENT))));
    const object = await world.available('Image', world.name('a'));
    assert.is(downloading(object), 'False Success: Data saved');
    assert.is(attempts(object), 1);
    assert.equal(object.status?.resource?.['sizeB'], CONTENT.length);
    assert.equal(object.status?.conditions?.map(({ type }) => type).sort(), [
      'Available',
      'Downloading',
      'Progressing',
    ]);
    const own = 'openstack.k-orc.cloud/imagecontroller/downloadingstatus';
    assert.equal(managerOf(object, ['f:downloadAttempts']), [own]);
    assert.equal(managerOf(object, ['f:conditions', 'k:{"type":"Downloading"}']), [own]);
    assert.equal(managerOf(object, ['f:conditions', 'k:{"type":"Available"}']), [
      'openstack.k-orc.cloud/imagecontroller/status',
    ]);
    const seen = world.follower.history('Image', world.name('a')).flatMap((each) => (each === undefined ? [] : [each]));
    const reported = seen.filter((each) => condition(each, 'Downloading').message !== '').map(downloading);
    assert.is(reported[0], 'True Progressing: Starting image upload');
    // An attempt is stored before it begins, and no status after it takes it back.
    assert.equal([...new Set(seen.map(attempts))], [undefined, 0, 1]);
    // Whatever is changed afterwards brings no content.
    await world.patch('Image', world.name('a'), { spec: { resource: { tags: ['x'] } } });
    await world.until('Image', world.name('a'), 'tagged', ({ status }) => {
      return JSON.stringify(status?.resource?.['tags']) === '["x"]';
    });
    assert.is(host.requests['/a']?.length, 1);
  },
);

check('Glance fetches what is neither checked nor decompressed, and is looked at every 15 s', async (world, host) => {
  await world.apply(world.managed('Image', world.name('web'), imageOf(host.file('/web', CONTENT), {})));
  const waiting = await world.progressing(
    'Image',
    world.name('web'),
    'Progressing',
    'Glance is downloading image content',
  );
  assert.is(downloading(waiting), 'True Progressing: Web download in progress');
  assert.is(attempts(waiting), 1);
  await world.eventually('Glance has it', async () => {
    const [image] = await world.contents('images');
    return image?.['status'] === 'active' ? undefined : JSON.stringify(image);
  });
  world.clock.hurry(7_000);
  const object = await world.available('Image', world.name('web'));
  assert.is(downloading(object), 'False Success: Data saved');
  assert.equal(host.requests['/web']?.[0]?.['user-agent'], undefined);
});

check('five attempts that fail are all that is made, and each is told', async (world, host) => {
  await world.apply(world.managed('Image', world.name('bad'), imageOf(`${host.file('/bad', CONTENT)}not`)));
  const said = "the download from '127.0.0.1' was answered 404";
  for (let attempt = 1; attempt <= 5; attempt++) {
    const object = await world.until('Image', world.name('bad'), `attempt ${attempt}`, (each) => {
      return attempts(each) === attempt && condition(each, 'Downloading').reason === 'TransientError';
    });
    assert.is(downloading(object), `False TransientError: ${said}`);
    await world.progressing('Image', world.name('bad'), 'TransientError', said);
    world.clock.hurry(10_000);
  }
  const object = await world.progressing(
    'Image',
    world.name('bad'),
    'InvalidConfiguration',
    'Unable to download content after 5 attempts',
  );
  assert.is(condition(object, 'Available').status, 'False');
  assert.is(downloading(object), `False TransientError: ${said}`);
  assert.is(host.requests['/badnot']?.length, 5);
  // Nothing that can be edited helps.
  await world.patch('Image', world.name('bad'), { spec: { resource: { name: world.name('renamed') } } });
  await world.progressing('Image', world.name('bad'), 'InvalidConfiguration', /after 5 attempts/);
  assert.is(host.requests['/badnot']?.length, 5);
  await world.delete('Image', world.name('bad'));
  await world.gone('Image', world.name('bad'));
  assert.equal(await world.contents('images'), []);
});

check(
  'a process that ends in the middle of an upload costs an attempt, and the next one brings the content (I9)',
  async (world, host) => {
    const part = slow();
    await world.apply(world.managed('Image', world.name('cut'), imageOf(host.serve('/cut', part.serve))));
    await world.eventually('the upload has begun', () => (part.begun() === 1 ? undefined : 'nothing was asked for'));
    await world.until('Image', world.name('cut'), 'said', (object) => attempts(object) === 1);
    await world.stop();
    host.file('/cut', CONTENT);
    await world.start();
    await world.eventually('Glance is looked at again', async () => {
      const object = await world.read('Image', world.name('cut'));
      // Glance may not have heard yet that the connection is gone.
      const isWaiting = object && condition(object, 'Progressing').message === 'Glance is downloading image content';
      if (isWaiting === true) world.clock.hurry(7_000);
      return object !== undefined && condition(object, 'Available').status === 'True'
        ? undefined
        : JSON.stringify(object?.status);
    });
    const object = await world.available('Image', world.name('cut'));
    assert.is(attempts(object), 2);
    assert.is(downloading(object), 'False Success: Data saved');
    const images = await world.contents('images');
    assert.equal(
      images.map(({ id, size }) => [id, size]),
      [[object.status?.id, CONTENT.length]],
    );
  },
);

check('the deletion of an object ends its upload', async (world, host) => {
  const part = slow();
  await world.apply(world.managed('Image', world.name('going'), imageOf(host.serve('/going', part.serve))));
  const waiting = await world.progressing('Image', world.name('going'), 'Progressing', 'Starting image upload');
  assert.is(condition(waiting, 'Available').status, 'False');
  await world.eventually('the upload has begun', () => (part.begun() === 1 ? undefined : 'nothing was asked for'));
  await world.delete('Image', world.name('going'));
  await world.gone('Image', world.name('going'));
  assert.equal(await world.contents('images'), []);
});

check('an edit does not end an upload, and comes after it', async (world, host) => {
  const part = slow();
  const name = world.name('edited');
  await world.apply(world.managed('Image', name, imageOf(host.serve('/edited', part.serve))));
  await world.eventually('the upload has begun', () => (part.begun() === 1 ? undefined : 'nothing was asked for'));
  await world.patch('Image', name, { spec: { resource: { name: world.name('other') } } });
  part.finish();
  const object = await world.available('Image', name);
  assert.equal([object.status?.resource?.['name'], attempts(object)], [world.name('other'), 1]);
  assert.is(part.begun(), 1);
});

check('an image that vanishes is made anew, and its attempts are counted anew', async (world, host) => {
  const name = world.name('lost');
  await world.apply(
    world.managed('Image', name, imageOf(host.file('/lost', CONTENT), { hash: HASH }, { tags: ['a'] })),
  );
  const before = await world.available('Image', name);
  world.simulator.drift.remove('images', String(before.status?.id));
  await world.patch('Image', name, { spec: { resource: { tags: ['b'] } } });
  const after = await world.until('Image', name, 'another image', ({ status, metadata }) => {
    const { observedGeneration, status: isAvailable } = condition({ status, metadata } as Raw, 'Available');
    return isAvailable === 'True' && observedGeneration === metadata.generation && status?.id !== before.status?.id;
  });
  assert.is(attempts(after), 1);
  assert.is(host.requests['/lost']?.length, 2);
});

check(
  'an image that was only imported is told nothing of downloads, and looked at until it is active',
  async (world) => {
    const id = world.simulator.drift.add('images', {
      name: world.name('theirs'),
      status: 'queued',
      visibility: 'public',
      tags: [],
      owner: world.simulator.projectId,
      created_at: '2026-01-01T00:00:00Z',
    });
    const by = { filter: { name: world.name('theirs') } };
    await world.apply(world.unmanaged('Image', world.name('imported'), by));
    await world.progressing(
      'Image',
      world.name('imported'),
      'Progressing',
      'Waiting for OpenStack resource to be ready',
    );
    world.simulator.drift.change('images', id, { status: 'active', size: 7 });
    world.clock.hurry(7_000);
    const object = await world.available('Image', world.name('imported'));
    assert.equal(object.status?.conditions?.map(({ type }) => type).sort(), ['Available', 'Progressing']);
    assert.equal([object.status?.id, attempts(object), object.status?.resource?.['sizeB']], [id, undefined, 7]);
    await world.delete('Image', world.name('imported'));
    await world.gone('Image', world.name('imported'));
    assert.is(world.simulator.resources('images').length, 1);
  },
);

for (const [status, reason, message] of [
  ['killed', 'UnrecoverableError', 'a glance error occurred while saving image content'],
  ['pending_delete', 'UnrecoverableError', 'image status is deleting'],
  ['saving', 'Progressing', 'Glance is downloading image content'],
  ['deactivated', 'Progressing', 'Waiting for OpenStack resource to be ready'],
  ['uploading', 'Progressing', 'Waiting for OpenStack resource to be ready'],
] as const) {
  check(`an image that is ${status}: ${message}`, async (world, host) => {
    const name = world.name(status.replace('_', '-'));
    await world.apply(world.managed('Image', name, imageOf(host.file('/x', CONTENT), { hash: HASH }, { tags: ['a'] })));
    const { status: known } = await world.available('Image', name);
    world.simulator.drift.change('images', String(known?.id), { status });
    await world.patch('Image', name, { spec: { resource: { tags: ['b'] } } });
    const object = await world.progressing('Image', name, reason, message);
    assert.is(condition(object, 'Available').status, 'False');
    assert.is(downloading(object), 'False Success: Data saved');
  });
}

test.run();
