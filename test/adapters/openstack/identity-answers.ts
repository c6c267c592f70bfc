// What Keystone answers about roles, groups, users, services and endpoints: a part of `services.suite.ts`.
import type { JsonObject } from '../../../bus/bus.ts';
import { keystoneError, type Like, mustHaveKeys, type Register } from './probe.ts';

const HEX_ID = /^[0-9a-f]{32}$/;
const EMPTY = /^\{\} does not have enough properties/;

export function identityCollections(test: Register): void {
  test('roles and groups: life, and what is refused', async ({ prefix, expect, make }) => {
    const domain = await make('domains', { name: `${prefix}domain` });
    const domain_id = String(domain['id']);
    for (const [collection, member, keys, bare] of [
      ['roles', 'role', ['id', 'name', 'domain_id', 'description', 'options', 'links'], { description: null }],
      ['groups', 'group', ['id', 'name', 'domain_id', 'description', 'links'], { description: '' }],
    ] as const) {
      const name = `${prefix}${member}`;
      const made = await make(collection, { name, domain_id });
      mustHaveKeys(made, keys);
      const path = `/${collection}/${made['id']}` as const;
      await expect(`GET ${path}`, {}, 200, { [member]: { id: HEX_ID, name, domain_id, ...bare } });
      const gone = keystoneError(404, `Could not find ${member}: nosuch.`);
      await expect(`GET /${collection}/nosuch`, {}, 404, gone);
      await expect(`DELETE /${collection}/nosuch`, {}, 404, gone);
      await expect(`PATCH /${collection}/nosuch`, { body: { [member]: { name } } }, 404, gone);
      const post = async (body: JsonObject, status: number, like: Like): Promise<void> => {
        await expect(`POST /${collection}`, { body: { [member]: body } }, status, like);
      };
      const twice = new RegExp(
        `^Conflict occurred attempting to store ${member} - Duplicate entry found with name ${name} at domain ID ${domain_id}\\.$`,
        'i',
      );
      await post({ name, domain_id }, 409, keystoneError(409, twice));
      await post({ name: name.toUpperCase(), domain_id }, 409, keystoneError(409, twice));
      await post({ domain_id }, 400, keystoneError(400, /^'name' is a required property/));
      await post({ name: '', domain_id }, 400, keystoneError(400, /^Invalid input for field 'name': '' is too short/));
      await post(
        { name: 'x'.repeat(256), domain_id },
        400,
        keystoneError(400, /^Invalid input for field 'name': 'x+' is too long/),
      );
      await post(
        { name: ' ', domain_id },
        400,
        keystoneError(400, /^Invalid input for field 'name': ' ' does not match/),
      );
      await expect(`PATCH ${path}`, { body: { [member]: {} } }, 400, keystoneError(400, EMPTY));
      const changed = { name: `${name}-2`, description: 'new' };
      await expect(`PATCH ${path}`, { body: { [member]: changed } }, 200, { [member]: { ...changed, domain_id } });
      const list = async (query: string, found: Like): Promise<void> => {
        await expect(`GET /${collection}`, { query }, 200, { [collection]: found, links: { next: null } });
      };
      await list(`domain_id=${domain_id}`, [{ id: String(made['id']) }]);
      await list(`domain_id=${domain_id}&name=${changed.name.toUpperCase()}`, [{ name: changed.name }]);
      await list(`domain_id=${domain_id}&name=${name}`, []);
      // Of roles those of no domain are listed, unless one is named.
      await list(`name=${changed.name}`, collection === 'roles' ? [] : [{ name: changed.name }]);
      await expect(`DELETE ${path}`, {}, 204, {});
      await expect(`GET ${path}`, {}, 404);
    }
    const nowhere = { group: { name: `${prefix}g`, domain_id: 'nosuch' } };
    await expect('POST /groups', { body: nowhere }, 404, keystoneError(404, 'Could not find domain: nosuch.'));
    const global = await make('roles', { name: `${prefix}global` });
    const moved = { body: { role: { domain_id } } };
    await expect(
      `PATCH /roles/${global['id']}`,
      moved,
      400,
      keystoneError(400, 'Update of `domain_id` is not allowed.'),
    );
    await expect('GET /roles', { query: `name=${prefix}global` }, 200, {
      roles: [{ domain_id: null, description: null, options: {} }],
    });
    const same = keystoneError(409, /- Duplicate entry found with name \S+global\.$/);
    await expect('POST /roles', { body: { role: { name: `${prefix}global` } } }, 409, same);
  });

  test('users: life, passwords, and what is refused', async ({ prefix, expect, make }) => {
    const domain = await make('domains', { name: `${prefix}domain` });
    const domain_id = String(domain['id']);
    const name = `${prefix}user`;
    const made = await make('users', { name, domain_id, password: 'hunter-1' });
    mustHaveKeys(made, ['id', 'name', 'domain_id', 'enabled', 'options', 'password_expires_at', 'links']);
    const id = String(made['id']);
    const path = `/users/${id}` as const;
    await expect(`GET ${path}`, {}, 200, {
      user: { id: HEX_ID, name, domain_id, enabled: true, password_expires_at: null, options: {} },
    });
    const login = async (password: string, status: number): Promise<void> => {
      const identity = { methods: ['password'], password: { user: { id, password } } };
      await expect('POST /auth/tokens', { body: { auth: { identity } } }, status);
    };
    await login('hunter-1', 201);
    const changed = { description: 'new', enabled: true, default_project_id: 'f'.repeat(32) };
    await expect(`PATCH ${path}`, { body: { user: { ...changed, password: 'hunter-2' } } }, 200, { user: changed });
    await login('hunter-1', 401);
    await login('hunter-2', 201);
    const gone = keystoneError(404, 'Could not find user: nosuch.');
    for (const method of ['GET', 'DELETE'] as const) await expect(`${method} /users/nosuch`, {}, 404, gone);
    for (const [body, status, message] of [
      [{ domain_id }, 400, /^'name' is a required property/],
      [{ name: 'x'.repeat(256), domain_id }, 400, /^Invalid input for field 'name': 'x+' is too long/],
      [
        { name: `${prefix}u`, password: 5 },
        400,
        /^Invalid input for field 'password': 5 is not of type 'string', 'null'/,
      ],
      [{ name: `${prefix}u`, domain_id: 'nosuch' }, 404, /^Could not find domain: nosuch\.$/],
      [
        { name: name.toUpperCase(), domain_id },
        409,
        /^Conflict occurred attempting to store user - Duplicate entry found /,
      ],
      [
        { name: `${prefix}u`, default_project_id: domain_id },
        400,
        /^User's default project ID cannot be a domain ID: /,
      ],
    ] as const) {
      await expect('POST /users', { body: { user: body } }, status, keystoneError(status, message));
    }
    const move = { body: { user: { domain_id: 'default' } } };
    await expect(`PATCH ${path}`, move, 400, keystoneError(400, 'Cannot change Domain ID'));
    await expect(`PATCH ${path}`, { body: { user: {} } }, 400, keystoneError(400, EMPTY));
    for (const [query, isFound] of [
      [`domain_id=${domain_id}`, true],
      [`domain_id=${domain_id}&name=${name.toUpperCase()}`, true],
      [`domain_id=${domain_id}&enabled=false`, false],
      [`name=${name}&domain_id=default`, false],
    ] as const) {
      await expect('GET /users', { query }, 200, { users: isFound ? [{ id }] : [] });
    }
    await expect(`DELETE ${path}`, {}, 204, {});
    await expect(`GET ${path}`, {}, 404);
  });

  test('role assignments: their paths, their list, and what is refused', async ({ prefix, expect, make }) => {
    const domain_id = String((await make('domains', { name: `${prefix}domain` }))['id']);
    const other_id = String((await make('domains', { name: `${prefix}other` }))['id']);
    const named = async (collection: string, more: JsonObject = { domain_id }): Promise<string> =>
      String((await make(collection, { name: `${prefix}${collection}`, ...more }))['id']);
    const [user, group, project] = [await named('users'), await named('groups'), await named('projects')];
    const role = await named('roles', {});
    const alien = String((await make('roles', { name: `${prefix}alien`, domain_id: other_id }))['id']);
    const path = `/projects/${project}/users/${user}/roles/${role}` as const;
    const absent = keystoneError(404, /^Could not find role assignment with role: /);
    await expect(`DELETE ${path}`, {}, 404, absent);
    await expect(`PUT ${path}`, {}, 204, {});
    await expect(`PUT ${path}`, {}, 204, {});
    await expect(`PUT /domains/${domain_id}/groups/${group}/roles/${role}`, {}, 204, {});
    const inherited = `/OS-INHERIT/domains/${domain_id}/users/${user}/roles/${role}/inherited_to_projects` as const;
    await expect(`PUT ${inherited}`, {}, 204, {});
    const none = 'f'.repeat(32);
    for (const [place, message] of [
      [`/projects/${project}/users/${user}/roles/${none}`, `Could not find role: ${none}.`],
      [`/projects/${project}/users/${none}/roles/${role}`, `Could not find user: ${none}.`],
      [`/projects/${project}/groups/${none}/roles/${role}`, `Could not find group: ${none}.`],
      [`/projects/${none}/users/${user}/roles/${role}`, `Could not find project: ${none}.`],
      [`/domains/${none}/users/${user}/roles/${role}`, `Could not find domain: ${none}.`],
    ] as const) {
      await expect(`PUT ${place}`, {}, 404, keystoneError(404, message));
    }
    const mismatch = keystoneError(403, /must be in the same domain as the role /);
    await expect(`PUT /projects/${project}/users/${user}/roles/${alien}`, {}, 403, mismatch);
    const list = async (query: string, found: Like): Promise<void> => {
      await expect('GET /role_assignments', { query }, 200, { role_assignments: found, links: { next: null } });
    };
    const onProject = { role: { id: role }, user: { id: user }, scope: { project: { id: project } } };
    const onDomain = { role: { id: role }, group: { id: group }, scope: { domain: { id: domain_id } } };
    await list(`role.id=${role}&user.id=${user}&scope.project.id=${project}`, [
      { ...onProject, links: { assignment: new RegExp(`/v3${path}$`) } },
    ]);
    await list(`role.id=${role}&group.id=${group}`, [onDomain]);
    await list(`role.id=${role}&user.id=${user}&scope.domain.id=${domain_id}`, [
      {
        role: { id: role },
        user: { id: user },
        scope: { domain: { id: domain_id }, 'OS-INHERIT:inherited_to': 'projects' },
        links: { assignment: new RegExp(`/v3${inherited}$`) },
      },
    ]);
    await list(`role.id=${none}`, []);
    await expect(
      'GET /role_assignments',
      { query: `user.id=${user}&group.id=${group}` },
      400,
      keystoneError(400, /^Specify a user or group, not both/),
    );
    await expect(
      'GET /role_assignments',
      { query: `scope.project.id=${project}&scope.domain.id=${domain_id}` },
      400,
      keystoneError(400, /^Specify a domain or project, not both/),
    );
    await expect(`DELETE ${path}`, {}, 204, {});
    await expect(`DELETE ${path}`, {}, 404, absent);
    // With its group an assignment is gone.
    await expect(`DELETE /groups/${group}`, {}, 204, {});
    await list(`role.id=${role}&group.id=${group}`, []);
    await expect(`DELETE ${inherited}`, {}, 204, {});
  });

  test('services and endpoints: life, and what is refused', async ({ prefix, expect, make }) => {
    const service = await make('services', { type: 'simcheck' });
    mustHaveKeys(service, ['id', 'name', 'type', 'enabled', 'links']);
    const service_id = String(service['id']);
    const path = `/services/${service_id}` as const;
    await expect(`GET ${path}`, {}, 200, { service: { id: HEX_ID, name: '', type: 'simcheck', enabled: true } });
    const described = { name: `${prefix}service`, description: 'one', type: 'simcheck' };
    await expect(`PATCH ${path}`, { body: { service: described } }, 200, { service: described });
    const undescribed = { description: null, type: 'simcheck' };
    await expect(`PATCH ${path}`, { body: { service: undescribed } }, 200, { service: undescribed });
    for (const [body, message] of [
      [{}, /^'type' is a required property/],
      [{ type: '' }, /^Invalid input for field 'type': '' is too short/],
      [{ type: 'x', name: '' }, /^Invalid input for field 'name': '' is too short/],
      [{ type: 'x', enabled: 'yes' }, /^Invalid input for field 'enabled': 'yes' is not of type 'boolean'/],
    ] as const) {
      await expect('POST /services', { body: { service: body } }, 400, keystoneError(400, message));
    }
    await expect(`PATCH ${path}`, { body: { service: {} } }, 400, keystoneError(400, EMPTY));
    await expect('GET /services', { query: `name=${prefix}service` }, 200, { services: [{ id: service_id }] });
    await expect('GET /services', { query: `name=${prefix}service&type=other` }, 200, { services: [] });
    const noService = keystoneError(404, 'Could not find service: nosuch.');
    for (const method of ['GET', 'DELETE'] as const) await expect(`${method} /services/nosuch`, {}, 404, noService);

    const given = { service_id, interface: 'public', url: 'http://192.0.2.1/' };
    const endpoint = await make('endpoints', given);
    const keys = ['id', 'service_id', 'interface', 'url', 'enabled', 'region', 'region_id', 'links'];
    mustHaveKeys(endpoint, keys);
    const place = `/endpoints/${endpoint['id']}` as const;
    const shown = { ...given, enabled: true, region: null, region_id: null };
    await expect(`GET ${place}`, {}, 200, { endpoint: shown });
    const edited = { url: 'http://192.0.2.2/', interface: 'internal', enabled: false };
    await expect(`PATCH ${place}`, { body: { endpoint: edited } }, 200, { endpoint: edited });
    for (const [body, message] of [
      [{ interface: 'public', service_id }, /^'url' is a required property/],
      [
        { ...given, interface: 'odd' },
        /^Invalid input for field 'interface': 'odd' is not one of \['admin', 'internal', 'public'\]/,
      ],
      [{ ...given, url: 'nowhere' }, /^Invalid input for field 'url': 'nowhere' does not match/],
      [{ ...given, url: `http://${'x'.repeat(219)}` }, /^Invalid input for field 'url': 'http:\/\/x+' is too long/],
      [{ ...given, service_id: 'nosuch' }, /^Expecting to find endpoint service_id in service table\. /],
    ] as const) {
      await expect('POST /endpoints', { body: { endpoint: body } }, 400, keystoneError(400, message));
    }
    const list = async (query: string, found: Like): Promise<void> => {
      await expect('GET /endpoints', { query: `service_id=${service_id}${query}` }, 200, { endpoints: found });
    };
    await list('', [{ id: String(endpoint['id']) }]);
    await list('&interface=internal', [{ interface: 'internal' }]);
    await list('&interface=public', []);
    // Not a filter.
    await list('&url=http://other/', [{ url: edited.url }]);
    const noEndpoint = keystoneError(404, 'Could not find endpoint: nosuch.');
    for (const method of ['GET', 'DELETE'] as const) await expect(`${method} /endpoints/nosuch`, {}, 404, noEndpoint);
    await expect(`DELETE ${path}`, {}, 204, {});
    await expect(`GET ${place}`, {}, 404);
  });
}
