// What Keystone answers about application credentials and their access rules: a part of `services.suite.ts`.
import type { Session } from '../../../adapters/openstack/client/session.ts';
import type { JsonObject } from '../../../bus/bus.ts';
import type { Clock } from '../../../bus/time.ts';
import { keystoneError, type Like, mustHaveKeys, type Register } from './probe.ts';

const HEX_ID = /^[0-9a-f]{32}$/;
const KEYS = [
  'id',
  'name',
  'description',
  'user_id',
  'project_id',
  'system',
  'expires_at',
  'unrestricted',
  'roles',
  'links',
];
const ANONYMOUS = 'f'.repeat(32);

function ownId(session: Session, clock: Clock): Promise<string> {
  return session.userId({ deadlineAt: clock.now() + 20_000, traceparent: '' });
}

export function applicationCredentials(test: Register): void {
  test('application credentials: life, login, and what is refused', async ({ prefix, expect }, session, clock) => {
    const me = await ownId(session, clock);
    const base = `/users/${me}/application_credentials` as const;
    const login = async (id: string, secret: string, status: number): Promise<void> => {
      const identity = { methods: ['application_credential'], application_credential: { id, secret } };
      await expect('POST /auth/tokens', { body: { auth: { identity } } }, status);
    };
    const list = async (where: `/${string}`, query: string, found: Like): Promise<void> => {
      await expect(`GET ${where}`, { query }, 200, { application_credentials: found, links: { next: null } });
    };
    const made: JsonObject[] = [];
    const post = async (given: JsonObject): Promise<JsonObject> => {
      const { application_credential: item } = await expect(
        `POST ${base}`,
        { body: { application_credential: { name: `${prefix}one`, ...given } } },
        201,
      );
      made.push(item as JsonObject);
      return item as JsonObject;
    };
    try {
      const [role] = (await post({ name: `${prefix}bare` }))['roles'] as readonly JsonObject[];
      mustHaveKeys(role, ['id', 'name', 'domain_id', 'description', 'options']);
      const rule = { service: `${prefix}service`, path: '/v3/**', method: 'GET' };
      const given = {
        description: 'new',
        secret: 'hunter-1',
        expires_at: '2036-01-02T03:04:05.678Z',
        unrestricted: false,
        roles: [{ id: role?.['id'] as string }],
        access_rules: [rule],
      };
      const item = await post(given);
      const { secret: _, ...reported } = given;
      const shown: Like = {
        ...reported,
        id: HEX_ID,
        name: `${prefix}one`,
        user_id: me,
        system: null,
        expires_at: '2036-01-02T03:04:05.678000',
        access_rules: [{ id: HEX_ID, ...rule }],
      };
      mustHaveKeys(item, [...KEYS, 'access_rules', 'secret']);
      const path = `${base}/${item['id']}` as const;
      const { application_credential: read } = await expect(`GET ${path}`, {}, 200, { application_credential: shown });
      mustHaveKeys(read as JsonObject, [...KEYS, 'access_rules']);
      mustHaveKeys(made[0] as JsonObject, [...KEYS, 'secret']);
      const bare = { description: null, expires_at: null, unrestricted: null };
      await expect(`GET ${base}/${made[0]?.['id']}`, {}, 200, { application_credential: bare });
      // Whoever the path names.
      await expect(`GET /users/${ANONYMOUS}/application_credentials/${item['id']}`, {}, 200, {
        application_credential: { id: String(item['id']), user_id: me },
      });
      await login(String(item['id']), 'hunter-1', 201);
      await login(String(item['id']), 'hunter-2', 401);
      await list(base, `name=${prefix}one`, [shown]);
      await list(base, `name=${prefix.toUpperCase()}ONE&description=other`, [shown]);
      await list(base, `name=${prefix}on`, []);
      await list(`/users/${ANONYMOUS}/application_credentials`, '', []);
      for (const method of ['PATCH', 'PUT'] as const) await expect(`${method} ${path}`, { body: {} }, 405, {});
      const gone = keystoneError(404, 'Could not find Application Credential: nosuch.');
      for (const method of ['GET', 'DELETE'] as const) await expect(`${method} ${base}/nosuch`, {}, 404, gone);

      // Two credentials have one rule of a sort, and it stays when both have gone.
      const again = await post({ name: `${prefix}two`, access_rules: [rule] });
      const [one, other] = [item, again].map(({ access_rules: rules }) => (rules as readonly JsonObject[])[0]?.['id']);
      if (one !== other) throw new Error(`${one} is not ${other}`);
      const place = `/users/${me}/access_rules/${one}` as const;
      await expect(`GET ${place}`, {}, 200, { access_rule: { id: String(one), ...rule } });
      const used = keystoneError(403, 'May not delete access rule in use');
      await expect(`DELETE ${place}`, {}, 403, used);
      for (const { id } of made.splice(0)) await expect(`DELETE ${base}/${id}`, {}, 204, {});
      await expect(`GET ${path}`, {}, 404);
      await expect(`GET /users/${me}/access_rules`, { query: `service=${prefix}service` }, 200, {
        access_rules: [{ id: String(one), ...rule }],
      });
      await expect(`DELETE ${place}`, {}, 204, {});
      await expect(`DELETE ${place}`, {}, 404, keystoneError(404, `Could not find Access Rule: ${one}.`));
    } finally {
      for (const { id } of made) await expect(`DELETE ${base}/${id}`, {}, 204);
    }
  });

  test('application credentials that are refused', async ({ prefix, expect, make }, session, clock) => {
    const base = `/users/${await ownId(session, clock)}/application_credentials` as const;
    const name = `${prefix}taken`;
    const taken = await expect(`POST ${base}`, { body: { application_credential: { name } } }, 201);
    const { id } = taken['application_credential'] as { readonly id: string };
    try {
      const alien = await make('roles', { name: `${prefix}alien` });
      const invalid = (field: string, problemMessage: RegExp): Like =>
        keystoneError(400, new RegExp(`^Invalid input for field '${field}': ${problemMessage.source}`));
      const unassigned = keystoneError(
        400,
        'Invalid application credential: Cannot create an application credential with unassigned role',
      );
      const rule = { service: 'identity', path: '/v3', method: 'GET' };
      const bad = `${prefix}bad`;
      const refused: readonly (readonly [JsonObject, number, Like])[] = [
        [{ name }, 409, keystoneError(409, new RegExp(`Duplicate entry found with name ${name}\\.$`))],
        [{ name: name.toUpperCase() }, 409, keystoneError(409, /Duplicate entry found with name /)],
        [{ name: '' }, 400, invalid('name', /'' is too short/)],
        [{ name: ' ' }, 400, invalid('name', /' ' does not match/)],
        [{ name: 'x'.repeat(256) }, 400, invalid('name', /'x+' is too long/)],
        [{ name: bad, description: 5 }, 400, invalid('description', /5 is not of type 'string', 'null'/)],
        [{ name: bad, unrestricted: 'no' }, 400, invalid('unrestricted', /'no' is not of type 'boolean'/)],
        [{ name: bad, expires_at: 'soon' }, 400, keystoneError(400, /^Timestamp not in expected format\. /)],
        [
          { name: bad, expires_at: '2036-01-01T00:00:00+02:00' },
          400,
          keystoneError(400, /^Timestamp not in expected format\. /),
        ],
        [
          { name: bad, expires_at: '2001-01-01T00:00:00Z' },
          400,
          keystoneError(400, /^The 'expires_at' must not be before now\. /),
        ],
        [{ name: bad, roles: [{ id: String(alien['id']) }] }, 400, unassigned],
        [{ name: bad, roles: [{ id: ANONYMOUS }] }, 400, unassigned],
        [{ name: bad, roles: [{}] }, 400, invalid('roles/0', /\{\} does not have enough properties/)],
        [{ name: bad, roles: 'x' }, 400, invalid('roles', /'x' is not of type 'array'/)],
        [
          { name: bad, access_rules: [{ ...rule, path: 'x' }] },
          400,
          invalid('access_rules/0/path', /'x' does not match/),
        ],
        [
          { name: bad, access_rules: [{ ...rule, path: '/'.repeat(226) }] },
          400,
          invalid('access_rules/0/path', /'\/+' is too long/),
        ],
        [
          { name: bad, access_rules: [{ ...rule, method: 'TRACE' }] },
          400,
          invalid('access_rules/0/method', /'TRACE' does not match/),
        ],
        [
          { name: bad, access_rules: [{ ...rule, more: 1 }] },
          400,
          invalid('access_rules/0', /Additional properties are not allowed \('more' was unexpected\)/),
        ],
      ];
      for (const [body, status, like] of refused)
        await expect(`POST ${base}`, { body: { application_credential: body } }, status, like);
      const theirs = `/users/${ANONYMOUS}/application_credentials` as const;
      const foreign = 'You are not authorized to perform the requested action: identity:create_application_credential.';
      const body = { application_credential: { name: bad } };
      await expect(`POST ${theirs}`, { body }, 403, keystoneError(403, foreign));
      await expect(`GET ${base}`, { query: `name=${bad}` }, 200, { application_credentials: [] });
    } finally {
      await expect(`DELETE ${base}/${id}`, {}, 204);
    }
  });
}
