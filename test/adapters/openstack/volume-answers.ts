// What Cinder answers of volumes and their types, whoever plays it, to those who name no version.
import * as assert from 'uvu/assert';
import type { Json, JsonObject } from '../../../bus/bus.ts';
import type { Clock } from '../../../bus/time.ts';
import { type Cloud, fault, type Like, mustHaveKeys, type Register } from './probe.ts';

const CREATED_KEYS =
  'id status size availability_zone created_at updated_at attachments name description volume_type snapshot_id source_volid metadata links user_id bootable encrypted replication_status consistencygroup_id multiattach migration_status'.split(
    ' ',
  );
const SHOWN_KEYS = [
  ...CREATED_KEYS,
  'os-vol-host-attr:host',
  'os-vol-mig-status-attr:migstat',
  'os-vol-mig-status-attr:name_id',
  'os-vol-tenant-attr:tenant_id',
];
const TYPE_KEYS = 'id name is_public description extra_specs qos_specs_id os-volume-type-access:is_public'.split(' ');
const PUBLIC = 'os-volume-type-access:is_public';
const ABSENT = '11111111-1111-4111-8111-111111111111';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const ZONELESS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/;
const bad = (message: RegExp): Like => fault('badRequest', 400, message);

/** Looks at a volume until it has this status. @returns it */
async function awaitStatus({ expect }: Cloud, clock: Clock, path: `/${string}`, wanted: string): Promise<JsonObject> {
  for (let looks = 0; looks < 300; looks++) {
    const volume = (await expect(`GET ${path}`, {}, 200))['volume'] as JsonObject;
    if (volume['status'] === wanted) return volume;
    await clock.sleep(100);
  }
  return assert.unreachable(`${path} never is '${wanted}'`) as never;
}

function namesIn(list: Json | undefined): readonly string[] {
  return (list as readonly JsonObject[]).map(({ name }) => String(name));
}

/** The query of the next page; empty: there is none. */
function nextOf(page: JsonObject, links: string): string {
  const [link] = (page[links] ?? []) as readonly JsonObject[];
  return String(link?.['href'] ?? '').split('?')[1] ?? '';
}

export function volumes(test: Register): void {
  test('a volume as it is made, built, shown, changed and removed', async (cloud, _, clock) => {
    const { prefix, expect, make } = cloud;
    const name = `${prefix}volume`;
    const made = await make('volumes', { name, size: 1, metadata: { a: '1' } });
    mustHaveKeys(made, CREATED_KEYS);
    assert.equal([made['status'], made['bootable'], made['updated_at']], ['creating', 'false', null]);
    const path = `/volumes/${made['id']}` as const;
    const volume = await awaitStatus(cloud, clock, path, 'available');
    mustHaveKeys(volume, SHOWN_KEYS);
    await expect(`GET ${path}`, {}, 200, {
      volume: {
        id: UUID,
        name,
        description: null,
        size: 1,
        metadata: { a: '1' },
        attachments: [],
        created_at: ZONELESS,
        updated_at: ZONELESS,
        volume_type: '__DEFAULT__',
        availability_zone: 'nova',
        bootable: 'false',
        encrypted: false,
        multiattach: false,
        'os-vol-tenant-attr:tenant_id': /^[0-9a-f]{32}$/,
      },
    });
    const put = async (body: JsonObject, status: number, like: Like): Promise<void> => {
      await expect(`PUT ${path}`, { body: { volume: body } }, status, like);
    };
    await put({ name: `${name}-2`, description: 'reported' }, 200, {
      volume: { name: `${name}-2`, description: 'reported' },
    });
    await put({ name: ` ${name}-2 ` }, 200, { volume: { name: `${name}-2` } });
    await put({ description: '' }, 200, { volume: { name: `${name}-2`, description: '' } });
    await put({ size: 2 }, 400, bad(/Additional properties are not allowed \('size' was unexpected\)/));
    await expect(`DELETE ${path}`, {}, 202, {});
    const gone = fault('itemNotFound', 404, /^Volume \S+ could not be found\.$/);
    for (let looks = 0; ; looks++) {
      const { volumes: left } = await expect('GET /volumes/detail', { query: `name=${name}-2` }, 200);
      if ((left as readonly JsonObject[]).length === 0) break;
      assert.ok(looks < 300, 'it never goes');
      await clock.sleep(100);
    }
    for (const method of ['GET', 'DELETE'] as const) await expect(`${method} ${path}`, {}, 404, gone);
    await expect(`PUT ${path}`, { body: { volume: { name } } }, 404, gone);
  });

  test('volumes that are refused', async ({ prefix, expect }) => {
    const name = `${prefix}refused`;
    const refused: readonly (readonly [JsonObject, number, Like])[] = [
      [{ name }, 400, bad(/^The server could not comply with the request since it is either malformed/)],
      [{ name, size: 0 }, 400, bad(/size/)],
      [{ name, size: 'x' }, 400, bad(/size/)],
      [{ name: 'x'.repeat(256), size: 1 }, 400, bad(/name has 256 characters, more than 255/)],
      [{ name: 5, size: 1 }, 400, bad(/^Invalid input for field\/attribute name\. Value: 5\. 5 is not of type /)],
      [{ name, size: 1, availability_zone: 'nowhere' }, 400, bad(/Availability zone 'nowhere' is invalid\.$/)],
      [{ name, size: 1, imageRef: ABSENT }, 400, bad(/Invalid image identifier/)],
      [
        { name, size: 1, volume_type: ABSENT },
        404,
        fault('itemNotFound', 404, /^Volume type \S+ could not be found\.$/),
      ],
      [
        { name, size: 1, volume_type: 'nosuch' },
        404,
        fault('itemNotFound', 404, /^Volume type with name nosuch could not/),
      ],
    ];
    for (const [volume, status, like] of refused) await expect('POST /volumes', { body: { volume } }, status, like);
  });

  test('volumes are listed as asked, page by page', async ({ prefix, expect, make }) => {
    const names = ['a', 'b', 'c'].map((each) => `${prefix}${each}`);
    for (const name of names) await make('volumes', { name, size: 1, metadata: { run: prefix, own: name } });
    const list = async (query: string, like: Like, more: Like = {}): Promise<JsonObject> =>
      expect('GET /volumes/detail', { query }, 200, { volumes: like, ...(more as object) });
    await list(`name=${names[0]}`, [{ name: names[0] ?? '', size: 1 }]);
    await list(`name=${names[0]?.toUpperCase()}`, [{ name: names[0] ?? '' }]);
    await list(`name=${prefix}`, []);
    await list(`name=${names[0]}&bogus=1`, []);
    const metadata = encodeURIComponent(`{"run":"${prefix}"}`);
    await list(`metadata=${metadata}`, [{}, {}, {}]);
    const first = await list(`metadata=${metadata}&limit=2`, [{}, {}], {
      volumes_links: [{ rel: 'next', href: /\/volumes\/detail\?.*marker=/ }],
    });
    const last = await list(nextOf(first, 'volumes_links'), [{}]);
    assert.is(last['volumes_links'], undefined);
    assert.equal([...namesIn(first['volumes']), ...namesIn(last['volumes'])].sort(), names);
    const skipped = await list(`metadata=${metadata}&limit=2&offset=2`, [{}]);
    assert.equal(namesIn(skipped['volumes']), namesIn(last['volumes']));
    await expect(
      'GET /volumes/detail',
      { query: `marker=${ABSENT}` },
      404,
      fault('itemNotFound', 404, /^Volume \S+ could not be found\.$/),
    );
    await expect('GET /volumes', { query: `name=${names[0]}` }, 200, { volumes: [{ name: names[0] ?? '' }] });
  });
}

export function volumeTypes(test: Register): void {
  test('a volume type as it is made, shown, changed and removed', async ({ prefix, expect, make }) => {
    const name = `${prefix}type`;
    const made = await make('types', { name, extra_specs: { a: '1' }, [PUBLIC]: false });
    mustHaveKeys(
      made,
      TYPE_KEYS.filter((key) => key !== 'qos_specs_id'),
    );
    const path = `/types/${made['id']}` as const;
    mustHaveKeys((await expect(`GET ${path}`, {}, 200))['volume_type'], TYPE_KEYS);
    await expect(`GET ${path}`, {}, 200, {
      volume_type: { id: UUID, name, description: null, is_public: false, [PUBLIC]: false, extra_specs: { a: '1' } },
    });
    const put = async (body: JsonObject, status: number, like: Like): Promise<void> => {
      await expect(`PUT ${path}`, { body: { volume_type: body } }, status, like);
    };
    await put({ description: 'reported' }, 200, { volume_type: { name, description: 'reported', is_public: false } });
    await put({ is_public: true }, 200, { volume_type: { name, description: 'reported', is_public: true } });
    await put({ name: `${name}-2`, description: '' }, 200, { volume_type: { name: `${name}-2`, description: '' } });
    await put({ name: '__DEFAULT__' }, 409, fault('conflictingRequest', 409, /already exists/));
    const specs = `${path}/extra_specs` as const;
    await expect(`POST ${specs}`, { body: { extra_specs: { a: '2', 'b.c:d': '3' } } }, 200, {
      extra_specs: { a: '2', 'b.c:d': '3' },
    });
    const spaced = { extra_specs: { 'a b': '1' } };
    await expect(`POST ${specs}`, { body: spaced }, 400, bad(/'a b' does not match any of the regexes/));
    await expect(`DELETE ${specs}/a`, {}, 202, {});
    await expect(`DELETE ${specs}/a`, {}, 404, fault('itemNotFound', 404, /has no extra specs with key a\.$/));
    await expect(`GET ${specs}`, {}, 200, { extra_specs: { 'b.c:d': '3' } });
    await expect(`DELETE ${path}`, {}, 202, {});
    const gone = fault('itemNotFound', 404, /^Volume type \S+ could not be found\.$/);
    for (const method of ['GET', 'DELETE'] as const) await expect(`${method} ${path}`, {}, 404, gone);
    await expect('POST /types', { body: { volume_type: { name: '__default__' } } }, 409);
    await expect(
      'POST /types',
      { body: { volume_type: { description: 'x' } } },
      400,
      bad(/'name' is a required property/),
    );
    await expect(
      'POST /types',
      { body: { volume_type: { name, is_public: true } } },
      400,
      bad(/'is_public' was unexpected/),
    );
  });

  test('volume types are listed as asked: only those that are public, unless both are', async ({
    prefix,
    expect,
    make,
  }) => {
    const [open, closed] = [`${prefix}open`, `${prefix}closed`];
    await make('types', { name: open, description: prefix });
    await make('types', { name: closed, description: prefix, [PUBLIC]: false });
    const names = async (query: string, found: readonly string[]): Promise<void> => {
      const { volume_types: types } = await expect('GET /types', { query }, 200);
      const own = (types as readonly JsonObject[])
        .map(({ name }) => String(name))
        .filter((name) => name.startsWith(prefix));
      assert.equal(own.sort(), [...found].sort(), query);
    };
    await names('', [open]);
    await names('is_public=true', [open]);
    await names('is_public=false', [closed]);
    await names('is_public=None', [open, closed]);
    const seen: string[] = [];
    for (let query = 'is_public=None&limit=1'; query !== ''; ) {
      const page = await expect('GET /types', { query }, 200);
      assert.ok(namesIn(page['volume_types']).length <= 1);
      seen.push(...namesIn(page['volume_types']));
      query = nextOf(page, 'volume_type_links');
    }
    assert.equal(seen.filter((name) => name.startsWith(prefix)).sort(), [closed, open]);
    await expect('GET /types', { query: `is_public=false&marker=${ABSENT}` }, 200);
    await expect('GET /types', { query: 'is_public=perhaps' }, 400, bad(/^Invalid is_public filter \[perhaps\]/));
  });
}
