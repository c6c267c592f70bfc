// What Glance answers about images: part of `services.suite.ts`.
import { createHash } from 'node:crypto';
import type { JsonObject } from '../../../bus/bus.ts';
import { startFileHost } from './file-host.ts';
import { glanceDetail, glanceError, type Like, mustHaveKeys, type Register } from './probe.ts';

const ABSENT_ID = '11111111-1111-4111-8111-111111111111';
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
const IMAGE_KEYS =
  'checksum container_format created_at disk_format file id min_disk min_ram name os_hash_algo os_hash_value os_hidden owner protected schema self size status tags updated_at virtual_size visibility'.split(
    ' ',
  );
const PATCH = { 'content-type': 'application/openstack-images-v2.1-json-patch' };
const RAW = { disk_format: 'raw', container_format: 'bare' };
const CONTENT = Buffer.from('what an image holds'.repeat(1_000));

export function images(test: Register): void {
  test('an image as it is made, shown and changed', async ({ prefix, expect, make }) => {
    const name = `${prefix}image`;
    const made = await make('images', { name, tags: ['b', 'a', 'b'], hw_cpu_cores: '2', ...RAW });
    mustHaveKeys(made, [...IMAGE_KEYS, 'hw_cpu_cores']);
    const path = `/images/${made['id']}` as const;
    const self = `/v2${path}`;
    await expect(`GET ${path}`, {}, 200, {
      id: UUID,
      name,
      status: 'queued',
      visibility: 'shared',
      protected: false,
      os_hidden: false,
      size: null,
      virtual_size: null,
      checksum: null,
      os_hash_algo: null,
      os_hash_value: null,
      min_disk: 0,
      min_ram: 0,
      hw_cpu_cores: '2',
      created_at: TIME,
      updated_at: TIME,
      self,
      file: `${self}/file`,
      schema: '/v2/schemas/image',
      ...RAW,
    });
    const patch = async (changes: readonly JsonObject[], status: number, like?: Like): Promise<void> => {
      await expect(`PATCH ${path}`, { body: changes, headers: PATCH }, status, like);
    };
    const set = (attribute: string, value: JsonObject[string]): JsonObject => ({
      op: 'replace',
      path: `/${attribute}`,
      value,
    });
    await patch([set('name', `${name}2`), set('protected', true)], 200, { name: `${name}2`, protected: true });
    await patch([set('tags', ['x'])], 200, { tags: ['x'] });
    await patch([set('tags', [])], 200, { tags: [] });
    await patch([set('visibility', 'private')], 200, { visibility: 'private' });
    await patch([set('hw_cpu_cores', '4'), { op: 'add', path: '/os_distro', value: 'debian' }], 200, {
      hw_cpu_cores: '4',
      os_distro: 'debian',
    });
    await patch([{ op: 'remove', path: '/os_distro' }], 200);
    await patch([set('os_distro', 'debian')], 409, glanceDetail('Property os_distro does not exist.'));
    await patch([{ op: 'remove', path: '/os_distro' }], 409, glanceDetail('Property os_distro does not exist.'));
    await patch([{ op: 'remove', path: '/name' }], 403, glanceDetail('Property name may not be removed.'));
    await patch([set('status', 'active')], 403, glanceError("Attribute 'status' is read-only."));
    await patch([set('deleted', 'true')], 403, glanceError("Attribute 'deleted' is reserved."));
    await patch([set('protected', 'perhaps')], 400, glanceError(/not of type 'boolean'/));
    await patch([set('visibility', 'hidden')], 400, glanceError(/'hidden' is not one of /));
    await patch([{ op: 'replace', path: '/name' }], 400, glanceError(/member named "value"/));
    await expect(
      `PATCH ${path}`,
      { body: { name }, headers: PATCH },
      400,
      glanceError('Request body must be a JSON array of operation objects.'),
    );
    await expect(`PATCH ${path}`, { body: [set('name', name)] }, 415);
    await expect(`DELETE ${path}`, {}, 403, glanceError(`Image ${made['id']} is protected and cannot be deleted.`));
    await patch([set('protected', false)], 200);
    await expect(`DELETE ${path}`, {}, 204, {});
    const gone = glanceError(`No image found with ID ${made['id']}`);
    await expect(`GET ${path}`, {}, 404, gone);
    await expect(`PATCH ${path}`, { body: [set('name', name)], headers: PATCH }, 404, gone);
    await expect(`DELETE ${path}`, {}, 404, glanceError(/^Failed to find image \S+ to delete/));
  });

  test('images that are refused', async ({ prefix, expect, make }) => {
    const name = `${prefix}bad`;
    const refused: readonly (readonly [JsonObject, number, string | RegExp])[] = [
      [{ name: 5 }, 400, /5 is not of type /],
      [{ name: 'x'.repeat(256) }, 400, /is too long/],
      [{ disk_format: 'floppy' }, 400, /'floppy' is not one of /],
      [{ container_format: 'box' }, 400, /'box' is not one of /],
      [{ visibility: 'hidden' }, 400, /'hidden' is not one of /],
      [{ protected: 'yes' }, 400, /'yes' is not of type 'boolean'/],
      [{ min_disk: 'one' }, 400, /'one' is not of type 'integer'/],
      [{ tags: 'one' }, 400, /'one' is not of type 'array'/],
      [{ tags: ['x'.repeat(256)] }, 400, /is too long/],
      [{ hw_cpu_cores: 2 }, 400, /2 is not of type 'string'/],
      [{ status: 'active' }, 403, "Attribute 'status' is read-only."],
      [{ self: '/' }, 403, "Attribute 'self' is read-only."],
    ];
    for (const [attributes, status, message] of refused)
      await expect('POST /images', { body: { name, ...attributes } }, status, glanceError(message));
    const id = String((await make('images', { name: `${prefix}one` }))['id']);
    await expect('POST /images', { body: { name, id } }, 409, glanceError(/already exists/));
    await expect('GET /images', { query: `name=${name}` }, 200, { images: [] });
  });

  test('lists of images are filtered, and come in pages', async ({ prefix, expect, make }) => {
    const name = `${prefix}image`;
    const ids: string[] = [];
    for (const attributes of [
      { tags: ['x', 'y'] },
      { tags: ['x'], visibility: 'private' },
      { visibility: 'community', os_distro: 'debian' },
    ])
      ids.push(String((await make('images', { name, ...attributes }))['id']));
    const found = async (query: string, ...wanted: readonly number[]): Promise<void> => {
      const { images: all } = await expect('GET /images', { query }, 200, { schema: '/v2/schemas/images' });
      const found = (all as readonly JsonObject[]).map(({ id }) => ids.indexOf(String(id))).sort();
      if (JSON.stringify(found) !== JSON.stringify(wanted)) throw new Error(`${query}: ${JSON.stringify(found)}`);
    };
    await found(`name=${name}`, 0, 1, 2);
    await found(`name=${name.toUpperCase()}X`);
    await found(`name=${name}&visibility=private`, 1);
    await found(`name=${name}&visibility=community`, 2);
    await found(`name=${name}&tag=x`, 0, 1);
    await found(`name=${name}&tag=x&tag=y`, 0);
    await found(`name=${name}&tag=x&tag=z`);
    await found(`name=${name}&os_distro=debian`, 2);
    await found(`name=${name}&status=active`);
    const page = await expect('GET /images', { query: `name=${name}&limit=2` }, 200, {
      first: /^\/v2\/images\?/,
      next: /^\/v2\/images\?.*marker=[0-9a-f-]{36}/,
    });
    const next = String(page['next']).split('?')[1] ?? '';
    await expect('GET /images', { query: next }, 200, { images: [{ name }] });
    await expect('GET /images', { query: 'limit=-1' }, 400, glanceError('limit param must be positive'));
    await expect('GET /images', { query: 'limit=x' }, 400, glanceError('limit param must be an integer'));
    await expect('GET /images', { query: 'visibility=x' }, 400, glanceError('Invalid visibility value: x'));
    await expect('GET /images', { query: `marker=${ABSENT_ID}` }, 400);
  });

  test('the content of an image, once', async ({ prefix, expect, make }) => {
    const made = await make('images', { name: `${prefix}image`, ...RAW });
    const path = `/images/${made['id']}` as const;
    await expect(`PUT ${path}/file`, { content: CONTENT }, 204, {});
    const digest = (algorithm: string): string => createHash(algorithm).update(CONTENT).digest('hex');
    await expect(`GET ${path}`, {}, 200, {
      status: 'active',
      size: CONTENT.length,
      checksum: digest('md5'),
      os_hash_algo: 'sha512',
      os_hash_value: digest('sha512'),
    });
    await expect(
      `PUT ${path}/file`,
      { content: CONTENT },
      409,
      glanceError('Image status transition from active to saving is not allowed'),
    );
    const formless = await make('images', { name: `${prefix}formless` });
    await expect(
      `PUT /images/${formless['id']}/file`,
      { content: CONTENT },
      400,
      glanceError(/must be set prior to saving data/),
    );
    await expect(`PUT ${path}/file`, { content: CONTENT, headers: { 'content-type': 'text/plain' } }, 415);
    await expect(
      `PUT /images/${ABSENT_ID}/file`,
      { content: CONTENT },
      404,
      glanceError(`No image found with ID ${ABSENT_ID}`),
    );
  });

  test('the import of a content that Glance fetches', async ({ prefix, expect, make }, _session, clock) => {
    const host = await startFileHost();
    try {
      const { 'import-methods': methods } = await expect('GET /info/import', {}, 200);
      const { value } = methods as { readonly value: readonly string[] };
      if (!value.includes('web-download')) throw new Error(`web-download is not among ${value}`);
      const made = await make('images', { name: `${prefix}image`, ...RAW });
      const path = `/images/${made['id']}` as const;
      const ask = (uri: string, name = 'web-download') => ({ body: { method: { name, uri } } });
      const good = ask(host.file('/content', CONTENT));
      await expect(`POST ${path}/import`, ask('ftp://127.0.0.1/x'), 400, glanceError(/does not pass filtering/));
      await expect(`POST ${path}/import`, ask('http://127.0.0.1/x', 'by-hand'), 400);
      await expect(`POST ${path}/import`, { body: {} }, 400);
      const formless = await make('images', { name: `${prefix}formless` });
      await expect(`POST /images/${formless['id']}/import`, good, 409, glanceError(/needs to be set before import/));
      await expect(`POST ${path}/import`, good, 202, {});
      for (let tries = 0; tries < 100; tries++) {
        if ((await expect(`GET ${path}`, {}, 200))['status'] === 'active') break;
        await clock.sleep(100);
      }
      await expect(`GET ${path}`, {}, 200, { status: 'active', size: CONTENT.length });
      await expect(
        `POST ${path}/import`,
        good,
        409,
        glanceError('Image with status active cannot be target for import'),
      );
      await expect(`POST /images/${ABSENT_ID}/import`, good, 404);
    } finally {
      await host.close();
    }
  });
}
