// A node as the API shows it: what a new one has, which fields which version knows, and what is never shown.
import type { Json, JsonObject } from '../../../bus/json.ts';
import { asObject, refusal, type SimulatedRequest } from './exchange.ts';
import { INTERFACE_KINDS } from './hardware-types.ts';
import type { Item } from './records.ts';
import { hasField } from './versions.ts';

export const CONDUCTOR = 'conductor0';

/** Fields that may be set at the beginning, and by a PATCH. */
export const PATCHABLE: readonly string[] = [
  'automated_clean',
  'bios_interface',
  'boot_interface',
  'chassis_uuid',
  'conductor_group',
  'console_interface',
  'deploy_interface',
  'description',
  'disable_power_off',
  'driver',
  'driver_info',
  'extra',
  'inspect_interface',
  'instance_info',
  'instance_name',
  'instance_uuid',
  'lessee',
  'maintenance',
  'management_interface',
  'name',
  'network_data',
  'network_interface',
  'owner',
  'power_interface',
  'properties',
  'protected',
  'protected_reason',
  'raid_interface',
  'rescue_interface',
  'resource_class',
  'retired',
  'retired_reason',
  'shard',
  'storage_interface',
  'vendor_interface',
  'parent_node',
  'firmware_interface',
];

/** Fields that hold an object, null being an empty one. */
export const OBJECT_FIELDS: readonly string[] = ['driver_info', 'extra', 'instance_info', 'network_data', 'properties'];
export const BOOLEAN_FIELDS: readonly string[] = ['disable_power_off', 'maintenance', 'protected', 'retired'];

export function newNode(uuid: string, now: string): Item {
  const interfaces = Object.fromEntries(INTERFACE_KINDS.map((kind) => [`${kind}_interface`, null]));
  return {
    uuid,
    created_at: now,
    updated_at: null,
    automated_clean: null,
    boot_mode: null,
    clean_step: {},
    conductor_group: '',
    console_enabled: false,
    disable_power_off: false,
    deploy_step: {},
    description: null,
    driver: null,
    driver_info: {},
    driver_internal_info: {},
    extra: {},
    fault: null,
    health: null,
    inspection_finished_at: null,
    inspection_started_at: null,
    instance_info: {},
    instance_name: null,
    instance_uuid: null,
    last_error: null,
    lessee: null,
    maintenance: false,
    maintenance_reason: null,
    name: null,
    network_data: {},
    owner: null,
    parent_node: null,
    power_state: null,
    properties: {},
    protected: false,
    protected_reason: null,
    provision_state: 'enroll',
    provision_updated_at: null,
    raid_config: {},
    reservation: null,
    resource_class: null,
    retired: false,
    retired_reason: null,
    secure_boot: null,
    service_step: {},
    shard: null,
    target_power_state: null,
    target_provision_state: null,
    target_raid_config: {},
    traits: [],
    conductor: CONDUCTOR,
    allocation_uuid: null,
    chassis_uuid: null,
    ...interfaces,
  };
}

/** Fields of a list without `fields` and `detail`. */
const SUMMARY = ['uuid', 'instance_uuid', 'maintenance', 'power_state', 'provision_state', 'name'];

/** Fields of each node in an answer. */
export type Shown = 'all' | readonly string[];

/** As a query asks for it. @throws {Refusal} 400, 406 */
export function shownBy({ query, minor }: SimulatedRequest, otherwise: 'all' | 'summary', known: Item): Shown {
  const fields = query.get('fields')?.split(',');
  const isDetailed = /^(1|t|true|on|y|yes)$/i.test(query.get('detail') ?? '');
  if (fields === undefined) return isDetailed || otherwise === 'all' ? 'all' : SUMMARY;
  if (isDetailed) throw refusal(400, 'Can not specify ?detail=True and fields in the same request.');
  for (const field of fields) {
    if (!hasField(field, minor)) throw refusal(406, 'Request not acceptable.');
    if (!Object.hasOwn(known, field)) throw refusal(500, `type object 'Node' has no attribute '${field}'`);
  }
  return fields;
}

/** Keys whose values are never shown. */
const SECRET_KEY = /pass|secret|token|auth_key|configdrive|image_url/i;
const MASK = '******';

function masked(object: Json | undefined): JsonObject {
  const entries = Object.entries(asObject(object) ?? {});
  return Object.fromEntries(entries.map(([key, value]) => [key, SECRET_KEY.test(key) ? MASK : value]));
}

const MASKED: ReadonlySet<string> = new Set(['driver_info', 'driver_internal_info', 'instance_info']);

export function showNode(item: Item, shown: Shown, { minor, origin }: SimulatedRequest): JsonObject {
  const names = (shown === 'all' ? Object.keys(item) : shown).filter((name) => hasField(name, minor));
  const fields = names.map((name): [string, Json] => [
    name,
    MASKED.has(name) ? masked(item[name]) : asSeen(name, item, minor),
  ]);
  const place = `nodes/${item['uuid']}`;
  const links = { links: linksOf(origin, place) };
  if (shown !== 'all') return { ...Object.fromEntries(fields), ...links };
  const below = Object.entries(COLLECTION_SINCE)
    .filter(([, since]) => since <= minor)
    .map(([name]) => [name, linksOf(origin, `${place}/${name}`)]);
  return { ...Object.fromEntries(fields), ...links, ...Object.fromEntries(below) };
}

/** Resources below a node, and the minor versions that brought them. */
const COLLECTION_SINCE: Readonly<Record<string, number>> = { ports: 1, states: 14, portgroups: 24, volume: 32 };

/** Old versions do not know all states. */
function asSeen(name: string, item: Item, minor: number): Json {
  const value = item[name] ?? null;
  if (name !== 'provision_state' && name !== 'target_provision_state') return value;
  if (value === 'available' && minor < 2) return null;
  return value === 'inspect wait' && minor < 39 ? 'inspecting' : value;
}

export function linksOf(origin: string, place: string): readonly JsonObject[] {
  return [
    { href: `${origin}/v1/${place}`, rel: 'self' },
    { href: `${origin}/${place}`, rel: 'bookmark' },
  ];
}
