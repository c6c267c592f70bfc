// What Manila answers of share networks, whoever plays it, to those who name no version.
import type { JsonObject } from '../../../bus/bus.ts';
import { fault, type Like, mustHaveKeys, type Register } from './probe.ts';

const KEYS =
  'id name project_id created_at updated_at description neutron_net_id neutron_subnet_id network_type segmentation_id cidr ip_version nova_net_id'.split(
    ' ',
  );
const ABSENT = '11111111-1111-4111-8111-111111111111';
const ZONELESS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/;

export function shareNetworks(test: Register): void {
  test('a share network as it is made, shown, changed and removed', async ({ prefix, expect, make }) => {
    const name = `${prefix}share`;
    const made = await make('share-networks', { name, description: '' });
    mustHaveKeys(made, KEYS);
    const path = `/share-networks/${made['id']}` as const;
    const unused = { cidr: null, ip_version: null, network_type: null, segmentation_id: null };
    await expect(`GET ${path}`, {}, 200, {
      share_network: { name, description: '', neutron_net_id: null, created_at: ZONELESS, updated_at: null, ...unused },
    });
    await expect(`PUT ${path}`, { body: { share_network: { name: `${name}-2`, description: 'reported' } } }, 200, {
      share_network: { name: `${name}-2`, description: 'reported', updated_at: ZONELESS },
    });
    await expect(`PUT ${path}`, { body: {} }, 422);
    await expect(`DELETE ${path}`, {}, 202, {});
    for (const method of ['GET', 'DELETE'] as const) {
      const gone = fault('itemNotFound', 404, /^Share network \S+ could not be found\.?$/);
      await expect(`${method} ${path}`, {}, 404, gone);
    }
    await expect(`PUT /share-networks/${ABSENT}`, { body: { share_network: { name } } }, 404);
    const half: JsonObject = { share_network: { name, neutron_net_id: ABSENT } };
    await expect('POST /share-networks', { body: half }, 400, fault('badRequest', 400, /both neutron_net_id and/));
    await expect('POST /share-networks', { body: {} }, 422);
  });

  test('share networks are listed as asked, and by offset', async ({ prefix, expect, make }) => {
    const names = ['a', 'b', 'c'].map((each) => `${prefix}${each}`);
    const description = `${prefix}text`;
    for (const name of names) await make('share-networks', { name, description });
    const list = async (query: string, like: Like): Promise<readonly JsonObject[]> => {
      const body = await expect('GET /share-networks/detail', { query }, 200, { share_networks: like });
      return body['share_networks'] as readonly JsonObject[];
    };
    await list(`name=${names[0]}`, [{ name: names[0] ?? '', description }]);
    await list(`name=${names[0]}&description=other`, []);
    await list(`name=${prefix}`, []);
    await list(`name=${names[0]?.toUpperCase()}`, []);
    await list(`name=${names[0]}&bogus=1`, []);
    const pages = [
      ...(await list(`description=${description}&limit=2`, [{}, {}])),
      ...(await list(`description=${description}&limit=2&offset=2`, [{}])),
    ];
    const found = pages.map(({ name }) => String(name)).sort();
    if (found.join() !== names.join()) throw new Error(`two pages hold ${found.join()}`);
    await list(`description=${description}&offset=3`, []);
  });
}
