// What the operations of images must do, whoever implements the cloud. The host of their content is on this machine.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import * as assert from 'uvu/assert';
import type { Infer } from '../../../adapters/api/contract/contract.ts';
import type { image } from '../../../adapters/openstack/kinds/image.ts';
import type { content } from '../../../adapters/openstack/kinds/image-properties.ts';
import type { ResourceOf } from '../../../adapters/openstack/resource/table.ts';
import type { JsonObject } from '../../../bus/bus.ts';
import { toErrorData } from '../../../bus/errors.ts';
import type { Observation } from '../../../machines/external-resource/operations.ts';
import type { KubeObject } from '../../../machines/object.ts';
import { type Check, fails, type Tenant } from '../../world/tenant.ts';
import { type FileHost, redirection, startFileHost, truncated } from './file-host.ts';

type Resource = ResourceOf<typeof image>;
type Download = Infer<typeof content>['download'];

/** Of no form that any tool knows. */
export const CONTENT = Buffer.from(Array.from({ length: 200_000 }, (_, at) => (at * at + (at >> 7)) & 0xff));
const URL = 'http://127.0.0.1:1/nothing';

export function digest(algorithm: string, content: Uint8Array = CONTENT): string {
  return createHash(algorithm).update(content).digest('hex');
}

export function imageWith(
  tenant: Tenant,
  suffix: string,
  { download = {}, ...resource }: Partial<Resource> & { readonly download?: Partial<Download> } = {},
): KubeObject {
  const content = { diskFormat: 'raw', containerFormat: 'bare', download: { url: URL, ...download } } as const;
  return tenant.managed('Image', suffix, { content, ...resource });
}

async function onHost(run: (host: FileHost) => Promise<void>): Promise<void> {
  const host = await startFileHost();
  try {
    await run(host);
  } finally {
    await host.close();
  }
}

/** An image as it is seen now. */
async function seen(tenant: Tenant, object: KubeObject, id: string): Promise<Observation> {
  return (await tenant.observe(object, id)) as Observation;
}

export function describeImages(check: Check): void {
  check('an image with every field, and its content', (tenant) =>
    onHost(async (host) => {
      const object = tenant.managed('Image', 'full', {
        name: tenant.name('renamed'),
        protected: true,
        tags: ['b', 'a'],
        visibility: 'private',
        properties: {
          architecture: 'x86_64',
          hypervisorType: 'qemu',
          minDiskGB: 3,
          minMemoryMB: 64,
          hardware: {
            cdromBus: 'ide',
            cpuCores: 2,
            cpuPolicy: 'dedicated',
            cpuSockets: 1,
            cpuThreadPolicy: 'require',
            cpuThreads: 4,
            diskBus: 'virtio',
            qemuGuestAgent: true,
            rngModel: 'virtio',
            scsiModel: 'virtio-scsi',
            vifModel: 'e1000e',
          },
          operatingSystem: { distro: 'debian', version: '12' },
        },
        content: {
          diskFormat: 'raw',
          containerFormat: 'bare',
          download: { url: host.file('/plain', CONTENT), hash: { algorithm: 'sha256', value: digest('sha256') } },
        },
      });
      const created = await tenant.create(object);
      assert.is(created.resource['status'], 'queued');
      assert.equal([created.available, created.pollAfterMs], [false, 15_000]);
      const { passes, observation: empty } = await tenant.settle(object, created);
      assert.is(passes, 0);
      assert.equal(await tenant.update(object, empty), { changed: false, empty: true });
      await tenant.fill(object, created.id);
      const { resource, available, pollAfterMs } = await seen(tenant, object, created.id);
      assert.equal([available, pollAfterMs], [true, undefined]);
      const { tags, ...rest } = resource;
      assert.equal(tags, ['a', 'b']);
      assert.equal(rest, {
        name: tenant.name('renamed'),
        status: 'active',
        protected: true,
        visibility: 'private',
        hash: { algorithm: 'sha512', value: digest('sha512') },
        sizeB: CONTENT.length,
      });
      assert.equal(await tenant.update(object, await seen(tenant, object, created.id)), { changed: false });
      const stored = await tenant.call('GET', `/images/${created.id}`);
      for (const [name, value] of Object.entries({
        architecture: 'x86_64',
        hypervisor_type: 'qemu',
        min_disk: 3,
        min_ram: 64,
        disk_format: 'raw',
        container_format: 'bare',
        checksum: digest('md5'),
        hw_cdrom_bus: 'ide',
        hw_cpu_cores: '2',
        hw_cpu_policy: 'dedicated',
        hw_cpu_sockets: '1',
        hw_cpu_thread_policy: 'require',
        hw_cpu_threads: '4',
        hw_disk_bus: 'virtio',
        hw_qemu_guest_agent: 'yes',
        hw_rng_model: 'virtio',
        hw_scsi_model: 'virtio-scsi',
        hw_vif_model: 'e1000e',
        os_distro: 'debian',
        os_version: '12',
      }))
        assert.is(stored[name], value, name);
    }),
  );

  check('each field of an image is updated, and its default restored', async (tenant) => {
    const bare = imageWith(tenant, 'changing');
    let observation = await tenant.create(bare);
    const { name, protected: isProtected, visibility, tags, hash, sizeB } = observation.resource;
    assert.equal([name, isProtected, visibility], [tenant.name('changing'), false, 'shared']);
    assert.equal([tags, hash, sizeB], [undefined, undefined, 0]);
    for (const [change, attribute, expected, restored] of [
      [{ name: tenant.name('other') }, 'name', tenant.name('other'), tenant.name('changing')],
      [{ protected: true }, 'protected', true, false],
      [{ visibility: 'private' }, 'visibility', 'private', 'private'],
      [{ visibility: 'community' }, 'visibility', 'community', 'community'],
      [{ tags: ['x', 'y'] }, 'tags', ['x', 'y'], undefined],
    ] as const) {
      const changed = await tenant.settle(imageWith(tenant, 'changing', change), observation);
      assert.equal([changed.passes, changed.observation.resource[attribute]], [1, expected], attribute);
      ({ observation } = await tenant.settle(bare, changed.observation));
      assert.equal(observation.resource[attribute], restored, attribute);
    }
    await tenant.call('GET', `/images/${observation.id}`);
  });

  check('what an interrupted create left of an image is found, by name, visibility and tags', async (tenant) => {
    const { find } = tenant.operations('Image');
    const object = imageWith(tenant, 'left', { visibility: 'private', tags: ['one', 'two'] });
    const before = await find(tenant.request(object));
    assert.equal([before.matches, before.exact], [[], true]);
    for (const other of [{ tags: ['one'] }, { tags: ['one', 'two'], visibility: 'shared' }])
      await tenant.outside('Image', { name: tenant.name('left'), ...other });
    await tenant.outside('Image', { name: tenant.name('left-over'), visibility: 'private', tags: ['one', 'two'] });
    assert.equal((await find(tenant.request(object))).matches, []);
    const { id } = await tenant.create(object);
    const { matches, exact } = await find(tenant.request(object));
    assert.equal([matches.map((match) => match.id), exact], [[id], true]);
    assert.is((await find(tenant.request(imageWith(tenant, 'left')))).matches.length, 3);
  });

  check('an import of an image is by id, or selects by each field', async (tenant) => {
    const id = await tenant.outside('Image', {
      name: tenant.name('mine'),
      visibility: 'community',
      tags: [tenant.name('t'), tenant.name('u')],
    });
    await tenant.outside('Image', { name: tenant.name('mine'), visibility: 'private', tags: [tenant.name('u')] });
    const { import: find } = tenant.operations('Image');
    const found = async (by: JsonObject): Promise<string | undefined> =>
      (await find(tenant.request(tenant.imported('Image', { ...by }))))?.id;
    assert.is(await found({ id }), id);
    for (const [filter, isFound] of [
      [{ name: tenant.name('mine'), visibility: 'community' }, true],
      [{ name: tenant.name('min') }, false],
      [{ name: tenant.name('mine'), visibility: 'public' }, false],
      [{ tags: [tenant.name('t')], visibility: 'community' }, true],
      [{ tags: [tenant.name('t'), tenant.name('u')], visibility: 'community' }, true],
      [{ tags: [tenant.name('t'), tenant.name('v')], visibility: 'community' }, false],
    ] as const)
      assert.is(await found({ filter }), isFound ? id : undefined, JSON.stringify(filter));
    await tenant.outside('Image', { name: tenant.name('twin'), tags: [tenant.name('w')] });
    await tenant.outside('Image', { name: tenant.name('twin'), tags: [tenant.name('w')] });
    for (const filter of [{ name: tenant.name('twin') }, { tags: [tenant.name('w')] }])
      await fails(found({ filter }), 'terminal', /found more than one matching OpenStack resource during import/);
    const nobodys = { id: '11111111-1111-4111-8111-111111111111' };
    await fails(found(nobodys), 'terminal', /^referenced resource does not exist in OpenStack$/, 'UnrecoverableError');
  });

  check('an image is removed, and one that is protected is not', async (tenant) => {
    const object = imageWith(tenant, 'gone', { protected: true });
    const created = await tenant.create(object);
    const { remove } = tenant.operations('Image');
    await fails(remove({ ...tenant.request(object), id: created.id }), 'transient', /403: .*protected/);
    await tenant.settle(imageWith(tenant, 'gone'), created);
    await remove({ ...tenant.request(object), id: created.id });
    assert.is(await tenant.observe(object, created.id), undefined);
    await remove({ ...tenant.request(object), id: created.id });
  });

  check('content is decompressed on its way, and checked before that', (tenant) =>
    onHost(async (host) => {
      const compressed = {
        gz: gzipSync(CONTENT),
        xz: execFileSync('xz', ['-c'], { input: CONTENT }),
        bz2: execFileSync('bzip2', ['-c'], { input: CONTENT }),
      };
      for (const [decompress, file] of Object.entries(compressed) as ['gz' | 'xz' | 'bz2', Buffer][]) {
        for (const algorithm of ['md5', 'sha1', 'sha256', 'sha512'] as const) {
          if (decompress !== 'gz' && algorithm !== 'sha1') continue;
          const hash = { algorithm, value: digest(algorithm, file) };
          const download = { url: host.file(`/${decompress}`, file), decompress, hash };
          const object = imageWith(tenant, `${decompress}-${algorithm}`, { download });
          const { id } = await tenant.create(object);
          await tenant.fill(object, id);
          const { resource } = await seen(tenant, object, id);
          assert.equal([resource['status'], resource['sizeB']], ['active', CONTENT.length], decompress);
          assert.equal(resource['hash'], { algorithm: 'sha512', value: digest('sha512') }, decompress);
        }
      }
    }),
  );

  check('an upload that fails leaves the image empty, and one after it fills it', (tenant) =>
    onHost(async (host) => {
      const wrong = { algorithm: 'sha256', value: digest('md5') } as const;
      const gz = gzipSync(CONTENT);
      const half = gz.subarray(0, gz.length / 2);
      for (const [name, download, said] of [
        [
          'wrong checksum',
          { url: host.file('/whole', CONTENT), hash: wrong },
          `download hash verification failed. got: ${digest('sha256')}`,
        ],
        [
          'wrong checksum, compressed',
          { url: host.file('/gz', gz), decompress: 'gz', hash: wrong },
          `download hash verification failed. got: ${digest('sha256', gz)}`,
        ],
        [
          'truncated',
          { url: host.serve('/truncated', truncated(CONTENT)) },
          /^the download from '127\.0\.0\.1' failed: /,
        ],
        [
          'truncated, compressed',
          { url: host.file('/half', half), decompress: 'gz' },
          /^the downloaded content cannot be decompressed: /,
        ],
        ['not compressed', { url: host.file('/plain', CONTENT), decompress: 'xz' }, /: it is no xz file$/],
        ['absent', { url: host.file('/absent', CONTENT).replace('absent', 'nothing') }, /was answered 404$/],
        [
          'a loop',
          { url: host.serve('/loop', (request, response) => redirection(request.url ?? '')(request, response)) },
          /is redirected more than 10 times$/,
        ],
        ['a closed port', { url: URL }, /^the download from '127\.0\.0\.1' failed: /],
      ] as const) {
        const object = imageWith(tenant, 'failing', { download });
        const { id } = await tenant.create(object);
        await fails(tenant.fill(object, id), 'transient', typeof said === 'string' ? literally(said) : said);
        assert.is((await seen(tenant, object, id)).available, false, name);
        const better = imageWith(tenant, 'failing', { download: { url: host.file('/better', CONTENT) } });
        // Glance hears of the end a little later than we, and refuses until then: it may end the connection before its answer is read.
        await until(async () => {
          await tenant
            .fill(better, id)
            .catch((error: Error) => assert.is(toErrorData(error).code, 'transient', error.message));
          return (await seen(tenant, better, id)).available;
        }, tenant);
        assert.is((await seen(tenant, better, id)).resource['sizeB'], CONTENT.length, name);
      }
    }),
  );

  check('redirections are followed, and no image is filled twice', (tenant) =>
    onHost(async (host) => {
      const last = host.file('/last', CONTENT);
      const url = host.serve('/first', redirection('/second', 301));
      host.serve('/second', redirection(last, 307));
      const object = imageWith(tenant, 'moved', { download: { url } });
      const { id } = await tenant.create(object);
      await tenant.fill(object, id);
      assert.equal((await seen(tenant, object, id)).resource['sizeB'], CONTENT.length);
      await tenant.fill(object, id);
      assert.is(host.requests['/last']?.length, 1);
    }),
  );

  check('Glance is asked to fetch what is neither checked nor decompressed', (tenant) =>
    onHost(async (host) => {
      const url = host.file('/plain', CONTENT);
      const object = imageWith(tenant, 'fetched', { download: { url } });
      const { id } = await tenant.create(object);
      const { delegate } = tenant.operations('Image');
      assert.ok(delegate);
      for (const download of [
        { url, decompress: 'gz' },
        { url, hash: { algorithm: 'md5', value: '0' } },
      ] as const) {
        const request = tenant.request(imageWith(tenant, 'fetched', { download }));
        assert.is(await delegate({ ...request, id }), undefined);
      }
      const outcome = await delegate({ ...tenant.request(object), id });
      const waiting = ['Glance is downloading image content'];
      assert.equal(outcome, { changed: false, waiting, pollAfterMs: 15_000 });
      await until(async () => (await seen(tenant, object, id)).available, tenant);
      assert.is((await seen(tenant, object, id)).resource['sizeB'], CONTENT.length);
      await fails(delegate({ ...tenant.request(object), id }), 'transient', /answered 409: /);
      // Its task ends a little later, and removes nothing that is being removed.
      await until(
        async () => (await tenant.call('GET', `/images/${id}`))['os_glance_import_task'] === undefined,
        tenant,
      );
    }),
  );
}

function literally(text: string): RegExp {
  return new RegExp(`^${text.replaceAll(/[.*+?()[\]{}|\\^$]/g, '\\$&')}$`);
}

/** Waits for what a service does by itself. */
async function until(condition: () => Promise<boolean>, { cloud: { clock } }: Tenant): Promise<void> {
  const giveUpAt = clock.now() + 20_000;
  while (!(await condition())) {
    if (clock.now() > giveUpAt) throw new Error('it did not come to pass');
    await clock.sleep(50);
  }
}
