// What the services answer, whoever plays them: every expectation was read off the real ones.
import { suite, type Test } from 'uvu';
import type { Session } from '../../../adapters/openstack/client/session.ts';
import type { JsonObject } from '../../../bus/bus.ts';
import type { Clock } from '../../../bus/time.ts';
import { addressScopes } from './address-scope-answers.ts';
import { applicationCredentials } from './application-credential-answers.ts';
import { compute } from './compute-answers.ts';
import { identityCollections } from './identity-answers.ts';
import { images } from './image-answers.ts';
import { ports } from './port-answers.ts';
import { portChanges } from './port-change-answers.ts';
import { keystoneError, type Like, mustHaveKeys, neutronError, probe, type Register } from './probe.ts';
import { quotas } from './quota-answers.ts';
import { routers } from './router-answers.ts';
import { securityGroups } from './security-group-answers.ts';
import { shareNetworks } from './share-network-answers.ts';
import { lists, subnets } from './subnet-answers.ts';
import { volumes, volumeTypes } from './volume-answers.ts';

export interface OpenCloud {
  readonly session: Session;
  readonly clock: Clock;
  close(): Promise<void>;
}

const ABSENT_ID = '11111111-1111-4111-8111-111111111111';
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const HEX_ID = /^[0-9a-f]{32}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

const PROJECT_KEYS = [
  'id',
  'name',
  'domain_id',
  'description',
  'enabled',
  'parent_id',
  'is_domain',
  'tags',
  'options',
  'links',
];
const DOMAIN_KEYS = ['id', 'name', 'description', 'enabled', 'tags', 'options', 'links'];
const NETWORK_KEYS =
  'id name tenant_id project_id admin_state_up mtu status subnets shared port_security_enabled dns_domain router:external provider:network_type provider:physical_network provider:segmentation_id availability_zone_hints availability_zones ipv4_address_scope ipv6_address_scope description tags created_at updated_at revision_number'.split(
    ' ',
  );
/** The suite of one implementation; the caller runs it. */
export function servicesSuite(name: string, open: () => Promise<OpenCloud>): Test {
  const all = suite(name);
  const test: Register = (title, run) => {
    all(title, async () => {
      const { session, clock, close } = await open();
      const cloud = probe(session, clock);
      try {
        await run(cloud, session, clock);
      } finally {
        await cloud.clean();
        await close();
      }
    });
  };
  identity(test);
  identityCollections(test);
  applicationCredentials(test);
  networks(test);
  subnets(test);
  lists(test);
  ports(test);
  portChanges(test);
  routers(test);
  securityGroups(test);
  quotas(test);
  images(test);
  addressScopes(test);
  volumes(test);
  volumeTypes(test);
  shareNetworks(test);
  compute(test);
  return all;
}

function identity(test: Register): void {
  test('domains: life, and what is refused', async ({ prefix, expect, make }) => {
    const name = `${prefix}domain`;
    const domain = await make('domains', { name });
    mustHaveKeys(domain, DOMAIN_KEYS);
    const path = `/domains/${domain['id']}` as const;
    const same = /it is not permitted to have two projects acting as domains with the same name: /;
    await expect(`GET ${path}`, {}, 200, {
      domain: { id: HEX_ID, name, description: '', enabled: true, tags: [], options: {} },
    });
    await expect('GET /domains/default', {}, 200, { domain: { id: 'default', name: 'Default', enabled: true } });
    await expect('GET /domains/nosuch', {}, 404, keystoneError(404, 'Could not find domain: nosuch.'));
    await expect(
      'PATCH /domains/nosuch',
      { body: { domain: { name } } },
      404,
      keystoneError(404, /^Could not find domain/),
    );
    await expect('DELETE /domains/nosuch', {}, 404, keystoneError(404, /^Could not find domain/));
    await expect('POST /domains', { body: { domain: { name } } }, 409, keystoneError(409, same));
    await expect('POST /domains', { body: { domain: { name: name.toUpperCase() } } }, 409, keystoneError(409, same));
    await expect(`PATCH ${path}`, { body: { domain: { name: 'Default' } } }, 409, keystoneError(409, same));
    const bad: readonly (readonly [JsonObject, RegExp])[] = [
      [{}, /^'name' is a required property/],
      [{ name: '' }, /^Invalid input for field 'name': '' is too short/],
      [{ name: 'x'.repeat(65) }, /^Invalid input for field 'name': 'x+' is too long/],
      [{ name: 5 }, /^Invalid input for field 'name': 5 is not of type 'string'/],
      [{ name, enabled: 'yes' }, /^Invalid input for field 'enabled': 'yes' is not of type 'boolean'/],
      [{ name, description: 5 }, /^Invalid input for field 'description': 5 is not of type 'string', 'null'/],
    ];
    for (const [body, message] of bad)
      await expect('POST /domains', { body: { domain: body } }, 400, keystoneError(400, message));
    await expect(
      `PATCH ${path}`,
      { body: { domain: {} } },
      400,
      keystoneError(400, /^\{\} does not have enough properties/),
    );
    await expect(`PATCH ${path}`, { body: { domain: { description: 'new' } } }, 200, {
      domain: { name, description: 'new' },
    });
    await expect(`GET /projects/${domain['id']}`, {}, 200, { project: { is_domain: true, domain_id: null } });
    await expect(
      `DELETE ${path}`,
      {},
      403,
      keystoneError(403, 'Cannot delete a domain that is enabled, please disable it first.'),
    );
    await expect(`PATCH ${path}`, { body: { domain: { enabled: false } } }, 200, { domain: { enabled: false } });
    await expect(`DELETE ${path}`, {}, 204, {});
    await expect(`GET ${path}`, {}, 404);
  });

  test('projects: life, and what is refused', async ({ prefix, expect, make }) => {
    const name = `${prefix}project`;
    const domain = await make('domains', { name: `${prefix}domain` });
    const domain_id = String(domain['id']);
    const project = await make('projects', { name, domain_id, tags: ['b', 'a'], description: 'one' });
    mustHaveKeys(project, PROJECT_KEYS);
    const path = `/projects/${project['id']}` as const;
    const shown = {
      id: HEX_ID,
      name,
      domain_id,
      parent_id: domain_id,
      enabled: true,
      is_domain: false,
      tags: ['b', 'a'],
    };
    await expect(`GET ${path}`, {}, 200, { project: { ...shown, description: 'one' } });
    await expect('GET /projects/nosuch', {}, 404, keystoneError(404, 'Could not find project: nosuch.'));
    const create = async (attributes: JsonObject, status: number, message: RegExp): Promise<void> => {
      await expect('POST /projects', { body: { project: attributes } }, status, keystoneError(status, message));
    };
    const other = `${prefix}other`;
    await create({ name, domain_id }, 409, /with either the same name or same id in the same domain: name is /);
    await create({ name: other, domain_id: 'nosuch' }, 400, /^Could not find domain: nosuch\.$/);
    await create({ name: other, parent_id: 'nosuch' }, 400, /^Could not find project: nosuch\.$/);
    await create({ domain_id }, 400, /^'name' is a required property/);
    await create({ name: ' ', domain_id }, 400, /^Invalid input for field 'name': ' ' does not match /);
    await create(
      { name: other, tags: ['a', 'a'] },
      400,
      /^Invalid input for field 'tags': \['a', 'a'\] has non-unique elements/,
    );
    await create({ name: other, tags: ['x,y'] }, 400, /^Invalid input for field 'tags\/0': 'x,y' does not match/);
    await create({ name: other, tags: ['x/y'] }, 400, /^Invalid input for field 'tags\/0': 'x\/y' does not match/);
    await create({ name: other, tags: [''] }, 400, /^Invalid input for field 'tags\/0': '' is too short/);
    await create({ name: other, tags: 'a' }, 400, /^Invalid input for field 'tags': 'a' is not of type 'array'/);
    await create({ name: other, tags: Array.from({ length: 81 }, (_, n) => `t${n}`) }, 400, /is too long/);
    const patch = async (attributes: JsonObject, status: number, like: Like): Promise<void> => {
      await expect(`PATCH ${path}`, { body: { project: attributes } }, status, like);
    };
    await patch({ tags: ['c'], description: '' }, 200, { project: { tags: ['c'], description: '', extra: {} } });
    await patch({ domain_id: 'default' }, 400, keystoneError(400, 'Cannot change Domain ID'));
    await patch({ enabled: false }, 200, { project: { enabled: false } });
    await expect(`GET ${path}/tags`, {}, 200, { tags: ['c'] });
    await expect(`PATCH /domains/${domain_id}`, { body: { domain: { enabled: false } } }, 200);
    await patch(
      { enabled: true },
      403,
      keystoneError(403, /^Cannot enable project [0-9a-f]+ since it has disabled parents$/),
    );
    await create(
      { name: other, domain_id },
      400,
      /^cannot create a project in a branch containing a disabled project: /,
    );
    // A domain takes its projects with it.
    await expect(`DELETE /domains/${domain_id}`, {}, 204);
    await expect(`GET ${path}`, {}, 404);
  });

  test('lists of domains and projects are filtered as asked, names without regard to case', async ({
    prefix,
    expect,
    make,
  }) => {
    const domain = await make('domains', { name: `${prefix}domain` });
    const domain_id = String(domain['id']);
    await make('projects', { name: `${prefix}a`, domain_id, tags: ['x', 'y'] });
    await make('projects', { name: `${prefix}b`, domain_id, enabled: false });
    const a = { name: `${prefix}a` };
    const b = { name: `${prefix}b` };
    const projects = async (query: string, found: Like): Promise<void> => {
      const asked = `domain_id=${domain_id}${query}`;
      await expect('GET /projects', { query: asked }, 200, {
        projects: found,
        links: { next: null, previous: null, self: /\/v3\/projects\?/ },
      });
    };
    await projects(`&name=${prefix}a`, [a]);
    await projects(`&name=${prefix.toUpperCase()}A`, [a]);
    await projects(`&name=${prefix}a&name=${prefix}b`, []);
    await projects('&enabled=true', [a]);
    await projects('&enabled=False', [b]);
    await projects('&enabled=0', [b]);
    await projects('&tags=x,y', [a]);
    await projects('&tags=X', []);
    await projects('&tags=x,z', []);
    await projects('&tags-any=x,z', [a]);
    await projects('&not-tags=x,y', [b]);
    await projects('&not-tags-any=x,z', [b]);
    await projects('&tags=x&tags-any=y,z&not-tags=z', [a]);
    await projects(`&name=${prefix}a&limit=1&bogus=1`, [a]);
    await expect('GET /domains', { query: `name=${prefix}domain&enabled=true` }, 200, { domains: [{ id: domain_id }] });
    await expect('GET /domains', { query: `name=${prefix}domain&enabled=false` }, 200, { domains: [] });
    await expect('GET /projects', { query: `is_domain=true&name=${prefix}domain` }, 200, {
      projects: [{ id: domain_id }],
    });
  });
}

function networks(test: Register): void {
  test('a network as it is made, shown and changed', async ({ prefix, expect, make }) => {
    const name = `${prefix}network`;
    const made = await make('networks', { name });
    mustHaveKeys(made, [...NETWORK_KEYS, 'is_default']);
    const path = `/networks/${made['id']}` as const;
    const shown = (await expect(`GET ${path}`, {}, 200))['network'];
    mustHaveKeys(shown, NETWORK_KEYS);
    await expect(`GET ${path}`, {}, 200, {
      network: {
        id: UUID,
        name,
        status: 'ACTIVE',
        admin_state_up: true,
        shared: false,
        subnets: [],
        revision_number: 1,
        created_at: TIME,
      },
    });
    await expect(`GET ${path}`, { query: 'fields=id&fields=bogus' }, 200, { network: { id: UUID } });
    const put = async (body: JsonObject, status: number, like: Like, headers = {}): Promise<void> => {
      await expect(`PUT ${path}`, { body: { network: body }, headers }, status, like);
    };
    await put({ name }, 200, { network: { name, revision_number: 2 } }, { 'if-match': 'revision_number=1' });
    await put(
      { name },
      412,
      neutronError('RevisionNumberConstraintFailed', 'Constrained to 1, but current revision is 2'),
      {
        'if-match': 'revision_number=1',
      },
    );
    await put({ name }, 200, { network: { revision_number: 3 } }, { 'if-match': 'garbage' });
    await put({}, 200, { network: { revision_number: 3 } });
    await put({ shared: false, 'router:external': false }, 200, { network: { revision_number: 3 } });
    await put({ shared: true }, 200, { network: { shared: true, revision_number: 4 } });
    await put({ 'router:external': true, shared: false, mtu: 1300 }, 200, {
      network: { mtu: 1300, is_default: false, revision_number: 5 },
    });
    await put({ port_security_enabled: false, dns_domain: 'a.b.' }, 200, {
      network: { port_security_enabled: false, dns_domain: 'a.b.' },
    });
    const readOnly = (attribute: string): Like =>
      neutronError('HTTPBadRequest', `Cannot update read-only attribute ${attribute}`);
    await put({ id: 'x' }, 400, readOnly('id'));
    await put({ project_id: 'x' }, 400, readOnly('tenant_id'));
    await put({ availability_zone_hints: [] }, 400, readOnly('availability_zone_hints'));
    await put({ bogus: 1 }, 400, neutronError('HTTPBadRequest', "Unrecognized attribute(s) 'bogus'"));
    await expect(
      `PUT ${path}`,
      { body: {} },
      400,
      neutronError('HTTPBadRequest', "Unable to find 'network' in request body"),
    );
    await expect(`DELETE ${path}`, { headers: { 'if-match': 'revision_number=99' } }, 412);
    await expect(`DELETE ${path}`, {}, 204, {});
    const gone = neutronError('NetworkNotFound', /^Network \S+ could not be found\.$/);
    for (const method of ['GET', 'DELETE'] as const) await expect(`${method} ${path}`, {}, 404, gone);
    await expect(`PUT ${path}`, { body: { network: { name } } }, 404, gone);
    await expect('GET /nosuch', {}, 404, neutronError('HTTPNotFound', 'The resource could not be found.'));
  });

  test('networks that are refused', async ({ prefix, expect }) => {
    const invalid = (message: string | RegExp): Like => neutronError('InvalidInput', message);
    const bad = (message: string | RegExp): Like => neutronError('HTTPBadRequest', message);
    const refused: readonly (readonly [JsonObject, number, Like])[] = [
      [{ bogus: 1 }, 400, bad("Unrecognized attribute(s) 'bogus'")],
      [{ status: 'ACTIVE' }, 400, bad("Attribute 'status' not allowed in POST")],
      [{ tags: ['a'] }, 400, bad("Attribute 'tags' not allowed in POST")],
      [{ name: 5 }, 400, bad("Invalid input for name. Reason: '5' is not a valid string.")],
      [{ name: null }, 400, bad("Invalid input for name. Reason: 'None' is not a valid string.")],
      [{ name: 'x'.repeat(256) }, 400, bad(/^Invalid input for name\. Reason: 'x+' exceeds maximum length of 255\.$/)],
      [
        { description: 'x'.repeat(256) },
        400,
        bad(/^Invalid input for description\. Reason: 'x+' exceeds maximum length/),
      ],
      [{ mtu: 99_999 }, 400, invalid(/^Invalid input for operation: Requested MTU is too big, maximum is \d+\.$/)],
      [{ mtu: 'abc' }, 400, invalid("Invalid input for operation: 'abc' is not an integer.")],
      [{ mtu: -1 }, 400, bad("Invalid input for mtu. Reason: '-1' should be non-negative.")],
      [
        { admin_state_up: 'perhaps' },
        400,
        invalid("Invalid input for operation: 'perhaps' cannot be converted to boolean."),
      ],
      [{ shared: null }, 400, invalid("Invalid input for operation: 'None' cannot be converted to boolean.")],
      [{ dns_domain: 'example.org' }, 400, bad("Invalid input for dns_domain. Reason: 'example.org' is not a FQDN.")],
      [
        { availability_zone_hints: ['nozone'] },
        404,
        neutronError('AvailabilityZoneNotFound', 'AvailabilityZone nozone could not be found.'),
      ],
      [
        { availability_zone_hints: 'x' },
        400,
        bad("Invalid input for availability_zone_hints. Reason: 'x' is not a list."),
      ],
      [
        { 'provider:network_type': 'bogus' },
        400,
        invalid("Invalid input for operation: network_type value 'bogus' not supported."),
      ],
      [{ project_id: 'a', tenant_id: 'b' }, 400, bad("'project_id' and 'tenant_id' do not match")],
    ];
    for (const [attributes, status, like] of refused) {
      await expect('POST /networks', { body: { network: { name: `${prefix}bad`, ...attributes } } }, status, like);
    }
    await expect('GET /networks', { query: `name=${prefix}bad` }, 200, { networks: [] });
  });

  test('tags of a network, and what they do to its revision', async ({ prefix, expect, make }) => {
    const network = await make('networks', { name: `${prefix}network` });
    const path = `/networks/${network['id']}` as const;
    const put = async (tags: JsonObject, status: number, like: Like): Promise<void> => {
      await expect(`PUT ${path}/tags`, { body: tags }, status, like);
    };
    const invalid = (message: string | RegExp): Like => neutronError('InvalidInput', message);
    await put({ tags: ['b', 'a'] }, 200, { tags: ['b', 'a'] });
    await expect(`GET ${path}`, {}, 200, { network: { tags: ['a', 'b'], revision_number: 2 } });
    await put({ tags: ['a', 'b'] }, 200, { tags: ['a', 'b'] });
    await expect(`GET ${path}`, {}, 200, { network: { revision_number: 2 } });
    await expect(`PUT ${path}/tags/c`, {}, 201, {});
    await expect(`PUT ${path}/tags/c`, {}, 201, {});
    await expect(`GET ${path}/tags/c`, {}, 204, {});
    await expect(`GET ${path}`, {}, 200, { network: { tags: ['a', 'b', 'c'], revision_number: 3 } });
    await expect(`DELETE ${path}/tags/c`, {}, 204, {});
    await expect(`DELETE ${path}/tags/c`, {}, 404, neutronError('TagNotFound', 'Tag c could not be found.'));
    await expect(`GET ${path}/tags`, {}, 200, { tags: ['a', 'b'] });
    await put({ tags: ['a', 'a'] }, 400, invalid("Invalid input for operation: Duplicate items in the list: 'a'."));
    await put({ tags: 'a' }, 400, invalid("Invalid input for operation: 'a' is not a list."));
    await put({ tags: [5] }, 400, invalid("Invalid input for operation: '5' is not a valid string."));
    await put({ tags: ['q'.repeat(256)] }, 400, invalid(/exceeds maximum length of 255\.$/));
    await put({}, 400, invalid('Invalid input for operation: Invalid tags body.'));
    await expect(`DELETE ${path}/tags`, {}, 204, {});
    await expect(`GET ${path}`, {}, 200, { network: { tags: [], revision_number: 5 } });
    const gone = neutronError('TagResourceNotFound', `Resource networks ${ABSENT_ID} could not be found.`);
    await expect(`PUT /networks/${ABSENT_ID}/tags`, { body: { tags: ['a'] } }, 404, gone);
  });

  test('a quota is kept', async ({ prefix, expect, make }) => {
    const project_id = `${prefix}project`;
    await expect(`PUT /quotas/${project_id}`, { body: { quota: { network: 1, subnet: 0 } } }, 200, {
      quota: { network: 1, subnet: 0, port: -1 },
    });
    try {
      const network_id = String((await make('networks', { name: `${prefix}one`, project_id }))['id']);
      const over = (what: string): Like => neutronError('OverQuota', `Quota exceeded for resources: ['${what}'].`);
      await expect('POST /networks', { body: { network: { name: `${prefix}two`, project_id } } }, 409, over('network'));
      const subnet = { network_id, project_id, ip_version: 4, cidr: '10.0.0.0/24' };
      await expect('POST /subnets', { body: { subnet } }, 409, over('subnet'));
      await expect(
        `PUT /quotas/${project_id}`,
        { body: { quota: { bogus: 1 } } },
        400,
        neutronError('HTTPBadRequest', /bogus/),
      );
    } finally {
      await expect(`DELETE /quotas/${project_id}`, {}, 204, {});
    }
    const none = neutronError('TenantQuotaNotFound', `Quota for tenant ${project_id} could not be found.`);
    await expect(`DELETE /quotas/${project_id}`, {}, 404, none);
  });
}
