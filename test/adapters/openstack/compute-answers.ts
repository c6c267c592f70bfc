// What Nova answers at microversion 2.71, whoever plays it: key pairs, server groups, flavors.
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../bus/bus.ts';
import { fault, type Like, mustHaveKeys, type Register } from './probe.ts';

export const SSH_KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOWWhdL88Hh0UVSJ3iZVlK75nnTNLTXe6cOtqO09q7mS probe';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const FLAVOR_KEYS =
  'id name ram disk swap vcpus rxtx_factor links description extra_specs OS-FLV-EXT-DATA:ephemeral OS-FLV-DISABLED:disabled os-flavor-access:is_public'.split(
    ' ',
  );

export function compute(test: Register): void {
  test('key pairs: life, and what is refused', async ({ prefix, expect }) => {
    const name = `${prefix}key pair`;
    const post = (keypair: JsonObject, status: number, like?: Like): Promise<JsonObject> =>
      expect('POST /os-keypairs', { body: { keypair } }, status, like);
    const path = `/os-keypairs/${encodeURIComponent(name)}` as const;
    const { keypair: made } = await post({ name, public_key: SSH_KEY }, 201, {
      keypair: { name, public_key: SSH_KEY, type: 'ssh', fingerprint: /^([0-9a-f]{2}:){15}[0-9a-f]{2}$/ },
    });
    try {
      mustHaveKeys(made, ['name', 'public_key', 'type', 'fingerprint', 'user_id']);
      const { keypair: shown } = await expect(`GET ${path}`, {}, 200, { keypair: { name, deleted: false } });
      mustHaveKeys(shown, [
        ...Object.keys(made as JsonObject),
        'created_at',
        'deleted',
        'deleted_at',
        'id',
        'updated_at',
      ]);
      assert.type((shown as JsonObject)['id'], 'number');
      const { keypairs } = await expect('GET /os-keypairs', {}, 200);
      const own = (keypairs as readonly { readonly keypair: JsonObject }[]).find(
        (each) => each.keypair['name'] === name,
      );
      mustHaveKeys(own?.keypair, ['name', 'public_key', 'type', 'fingerprint']);
      const { user_id: user } = made as JsonObject;
      const { keypairs: his } = await expect('GET /os-keypairs', { query: `user_id=${user}` }, 200);
      assert.equal(his, keypairs);
      await expect('GET /os-keypairs', { query: `user_id=${'0'.repeat(32)}` }, 200, { keypairs: [] });
      const { keypairs_links: links } = await expect('GET /os-keypairs', { query: 'limit=1' }, 200, { keypairs: [{}] });
      assert.match(JSON.stringify(links), /os-keypairs\?limit=1&marker=/);
      await post(
        { name, public_key: SSH_KEY },
        409,
        fault('conflictingRequest', 409, `Key pair '${name}' already exists.`),
      );
      const other = `${prefix}other`;
      for (const [keypair, message] of [
        [{ public_key: SSH_KEY }, /^Invalid input for field\/attribute keypair\. .*'name' is a required property$/],
        [{ name: other, public_key: 'nonsense' }, /^Keypair data is invalid: failed to generate fingerprint$/],
        [
          { name: `${other}.`, public_key: SSH_KEY },
          /^An invalid 'name' value was provided\. .*Only expected characters: /,
        ],
        [
          { name: other, public_key: SSH_KEY, type: 'pgp' },
          /^Invalid input for field\/attribute type\. .*'pgp' is not one of/,
        ],
        [
          { name: other, public_key: SSH_KEY, type: 'x509' },
          /^Keypair data is invalid: failed to generate X509 fingerprint/,
        ],
        [
          { name: other, public_key: SSH_KEY, color: 'red' },
          /^Invalid input for field\/attribute keypair\. .*'color' was unexpected/,
        ],
      ] as const) {
        await post(keypair, 400, fault('badRequest', 400, message));
      }
    } finally {
      await expect(`DELETE ${path}`, {}, 204);
    }
    const gone = fault('itemNotFound', 404, /^Keypair .* not found for user /);
    await expect(`GET ${path}`, {}, 404, gone);
    await expect(`DELETE ${path}`, {}, 404, gone);
  });

  test('server groups: life, and what is refused', async ({ prefix, expect }) => {
    const name = `${prefix}group`;
    const post = (server_group: JsonObject, status: number, like?: Like): Promise<JsonObject> =>
      expect('POST /os-server-groups', { body: { server_group } }, status, like);
    const rules = { max_server_per_host: 3 };
    const body = await post({ name, policy: 'anti-affinity', rules }, 200, {
      server_group: { id: UUID, name, policy: 'anti-affinity', rules, members: [] },
    });
    const group = body['server_group'] as JsonObject;
    const path = `/os-server-groups/${group['id']}` as const;
    mustHaveKeys(group, ['id', 'name', 'policy', 'rules', 'members', 'project_id', 'user_id']);
    await expect(`GET ${path}`, {}, 200, { server_group: { id: UUID, name } });
    // Names may be the same.
    const twin = (await post({ name, policy: 'soft-affinity' }, 200, { server_group: { rules: {} } }))['server_group'];
    const { server_groups: all } = await expect('GET /os-server-groups', {}, 200);
    const named = (all as readonly JsonObject[]).filter((each) => each['name'] === name);
    assert.is(named.length, 2);
    for (const [server_group, message] of [
      [{ name }, /'policy' is a required property$/],
      [{ policy: 'affinity' }, /'name' is a required property$/],
      [{ name, policy: 'none' }, /^Invalid input for field\/attribute policy\. .*'none' is not one of/],
      [{ name, policy: 'affinity', rules }, /^Only anti-affinity policy supports rules\.$/],
      [
        { name, policy: 'anti-affinity', rules: { max_server_per_host: 0 } },
        /max_server_per_host\. .*0 is less than the minimum of 1$/,
      ],
    ] as const) {
      await post(server_group, 400, fault('badRequest', 400, message));
    }
    await expect(`DELETE /os-server-groups/${(twin as JsonObject)['id']}`, {}, 204);
    await expect(`DELETE ${path}`, {}, 204);
    const gone = fault('itemNotFound', 404, `Instance group ${group['id']} could not be found.`);
    await expect(`GET ${path}`, {}, 404, gone);
    await expect(`DELETE ${path}`, {}, 404, gone);
  });

  test('flavors: life, extra specs, and what is refused', async ({ prefix, expect }) => {
    const name = `${prefix}flavor`;
    const size = { ram: 64, vcpus: 1, disk: 0 };
    const post = (flavor: JsonObject, status: number, like?: Like): Promise<JsonObject> =>
      expect('POST /flavors', { body: { flavor } }, status, like);
    const id = `${prefix}.an id`;
    const path = `/flavors/${encodeURIComponent(id)}` as const;
    const shown = {
      id,
      name,
      ...size,
      swap: '',
      'OS-FLV-EXT-DATA:ephemeral': 0,
      'os-flavor-access:is_public': false,
      description: null,
      extra_specs: {},
    };
    const made = await post({ name, id, ...size, 'os-flavor-access:is_public': false }, 200, { flavor: shown });
    try {
      mustHaveKeys(made['flavor'], FLAVOR_KEYS);
      await expect(`GET ${path}`, {}, 200, { flavor: shown });
      const namesIn = async (query: string): Promise<readonly unknown[]> => {
        const { flavors } = await expect('GET /flavors/detail', { query }, 200);
        return (flavors as readonly JsonObject[]).map((flavor) => flavor['name']);
      };
      for (const [query, isListed] of [
        ['', false],
        ['is_public=none', true],
        ['is_public=false', true],
        ['is_public=true', false],
      ] as const) {
        assert.is((await namesIn(query)).includes(name), isListed, query);
      }
      await expect(
        'GET /flavors',
        { query: 'is_public=maybe' },
        400,
        fault('badRequest', 400, /Invalid is_public filter \[maybe\]/),
      );
      await post({ name, ...size }, 409, fault('conflictingRequest', 409, `Flavor with name ${name} already exists.`));
      await post(
        { name: `${name}2`, id, ...size },
        409,
        fault('conflictingRequest', 409, `Flavor with ID ${id} already exists.`),
      );
      for (const [flavor, message] of [
        [{ ...size }, /'name' is a required property$/],
        [{ name, ...size, ram: 0 }, /^Invalid input for field\/attribute ram\. .*0 is less than the minimum of 1$/],
        [{ name, ...size, disk: -1 }, /^Invalid input for field\/attribute disk\. .*-1 is less than the minimum of 0$/],
        [{ name, ...size, id: 'a/b' }, /^Invalid input for field\/attribute id\. .*does not match/],
      ] as const) {
        await post(flavor, 400, fault('badRequest', 400, message));
      }
      const specs = { 'hw:cpu_policy': 'shared', 'trait:X': 'required' };
      await expect(`POST ${path}/os-extra_specs`, { body: { extra_specs: specs } }, 200, { extra_specs: specs });
      await expect(`POST ${path}/os-extra_specs`, { body: { extra_specs: { 'trait:X': 'forbidden' } } }, 200);
      await expect(`GET ${path}`, {}, 200, { flavor: { extra_specs: { ...specs, 'trait:X': 'forbidden' } } });
      await expect(`DELETE ${path}/os-extra_specs/trait%3AX`, {}, 200);
      const missing = fault('itemNotFound', 404, /has no extra specs with key trait:X\.$/);
      await expect(`DELETE ${path}/os-extra_specs/trait%3AX`, {}, 404, missing);
      await expect(`POST ${path}/os-extra_specs`, { body: { extra_specs: { 'a/b': 'c' } } }, 400);
    } finally {
      await expect(`DELETE ${path}`, {}, 202);
    }
    await expect(`GET ${path}`, {}, 404, fault('itemNotFound', 404, `Flavor ${id} could not be found.`));
    await expect(`DELETE ${path}`, {}, 404, fault('itemNotFound', 404, `Flavor ${id} could not be found.`));
  });

  test('a version that Nova does not speak is refused', async ({ expect }) => {
    const headers = { 'OpenStack-API-Version': 'compute 2.999', 'X-OpenStack-Nova-API-Version': '2.999' };
    await expect('GET /flavors', { headers }, 406, {
      computeFault: { code: 406, message: /^Version 2\.999 is not supported by the API\. / },
    });
  });
}
