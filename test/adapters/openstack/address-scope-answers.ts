// What Neutron answers of address scopes, whoever plays it.
import type { JsonObject } from '../../../bus/bus.ts';
import { type Like, mustHaveKeys, neutronError, type Register } from './probe.ts';

const KEYS = ['id', 'name', 'tenant_id', 'project_id', 'shared', 'ip_version'];

export function addressScopes(test: Register): void {
  test('an address scope as it is made, shown, changed and removed', async ({ prefix, expect, make }) => {
    const name = `${prefix}scope`;
    const made = await make('address-scopes', { name, ip_version: '6' });
    mustHaveKeys(made, KEYS);
    const path = `/address-scopes/${made['id']}` as const;
    await expect(`GET ${path}`, {}, 200, { address_scope: { name, ip_version: 6, shared: false } });
    const put = async (body: JsonObject, status: number, like: Like): Promise<void> => {
      await expect(`PUT ${path}`, { body: { address_scope: body } }, status, like);
    };
    const bad = (message: string | RegExp): Like => neutronError('HTTPBadRequest', message);
    await put({ name: `${name}-2` }, 200, { address_scope: { name: `${name}-2`, shared: false } });
    await put({ ip_version: 4 }, 400, bad('Cannot update read-only attribute ip_version'));
    await put({ description: 'x' }, 400, bad("Unrecognized attribute(s) 'description'"));
    await put({ shared: true }, 200, { address_scope: { shared: true } });
    await put({ shared: true }, 200, { address_scope: { shared: true } });
    const kept = /^Unable to update address scope \S+ : Shared address scope can't be unshared\.$/;
    await put({ shared: false }, 400, neutronError('AddressScopeUpdateError', kept));
    await expect(`DELETE ${path}`, {}, 204, {});
    const gone = neutronError('AddressScopeNotFound', /^Address scope \S+ could not be found\.$/);
    for (const method of ['GET', 'DELETE'] as const) await expect(`${method} ${path}`, {}, 404, gone);
    const refused: readonly (readonly [JsonObject, string | RegExp])[] = [
      [{ name }, "Failed to parse request. Required attribute 'ip_version' not specified"],
      [{ name, ip_version: 5 }, 'Invalid input for ip_version. Reason: 5 is not in valid_values.'],
      [{ name, ip_version: 4, tags: ['a'] }, "Unrecognized attribute(s) 'tags'"],
      [{ name: 7, ip_version: 4 }, "Invalid input for name. Reason: '7' is not a valid string."],
    ];
    for (const [body, message] of refused)
      await expect('POST /address-scopes', { body: { address_scope: body } }, 400, bad(message));
  });

  test('address scopes are listed as asked', async ({ prefix, expect, make }) => {
    const [four, six] = [`${prefix}four`, `${prefix}six`];
    const { project_id: own } = await make('address-scopes', { name: four, ip_version: 4 });
    await make('address-scopes', { name: six, ip_version: 6, project_id: `${prefix}project` });
    const names = async (query: string, found: readonly string[]): Promise<void> => {
      const each = found.map((name): Like => ({ name }));
      await expect('GET /address-scopes', { query: `${query}&sort_key=name&sort_dir=asc` }, 200, {
        address_scopes: each,
      });
    };
    await names(`name=${four}`, [four]);
    await names(`name=${four}&name=${six}`, [four, six]);
    await names(`name=${four}&name=${six}&ip_version=6`, [six]);
    await names(`name=${six}&shared=true`, []);
    await names(`name=${four}&name=${six}&project_id=${own}`, [four]);
    const unknown = neutronError('HTTPBadRequest', "['description'] is invalid attribute for filtering");
    await expect('GET /address-scopes', { query: 'description=x' }, 400, unknown);
  });
}
