// The API's versions: their documents, which one a request speaks, and from which one a node has which field.
import type { JsonObject } from '../../../bus/json.ts';
import { frameworkRefusal, type SimulatedRequest } from './exchange.ts';

/** Of Ironic 39. */
export const LATEST_MINOR = 115;
const MIN = '1.1';

export interface Range {
  /** Greatest minor version. */
  readonly maxMinor: number;
}

export function versionHeaders({ maxMinor }: Range, minor?: number): Readonly<Record<string, string>> {
  return {
    'X-OpenStack-Ironic-API-Minimum-Version': MIN,
    'X-OpenStack-Ironic-API-Maximum-Version': `1.${maxMinor}`,
    ...(minor === undefined ? {} : { 'X-OpenStack-Ironic-API-Version': `1.${minor}` }),
  };
}

/** The minor version that a request asks for; that of its first one if none. @throws {Refusal} 406 */
export function askedMinor(headers: SimulatedRequest['headers'], { maxMinor }: Range): number {
  const common = /^\s*baremetal\s+(\S+)/.exec(String(headers['openstack-api-version'] ?? ''))?.[1];
  const asked = common ?? String(headers['x-openstack-ironic-api-version'] ?? MIN);
  const version = asked.toLowerCase() === 'latest' ? `1.${maxMinor}` : asked;
  const [, major, minor] = /^(\d+)\.(\d+)$/.exec(version.trim()) ?? [];
  if (major === undefined) throw frameworkRefusal(406, 'Invalid value for X-OpenStack-Ironic-API-Version header');
  const range = `The supported version range is: [${MIN}, 1.${maxMinor}].`;
  if (major !== '1') {
    const what = `Mutually exclusive versions requested. Version ${version} requested but not supported by this service.`;
    throw frameworkRefusal(406, `${what} ${range}`);
  }
  if (Number(minor) < 1 || Number(minor) > maxMinor) {
    const what = `Version ${version} was requested but the minor version is not supported by this service.`;
    throw frameworkRefusal(406, `${what} ${range}`);
  }
  return Number(minor);
}

function versionOf(origin: string, { maxMinor }: Range): JsonObject {
  const links = [{ href: `${origin}/v1/`, rel: 'self' }];
  return { id: 'v1', links, status: 'CURRENT', min_version: MIN, version: `1.${maxMinor}` };
}

/** Document at `/`. */
export function rootDocument(origin: string, range: Range): JsonObject {
  const version = versionOf(origin, range);
  const description = 'A simulated bare metal service.';
  return { name: 'OpenStack Ironic API', description, default_version: version, versions: [version] };
}

/** Document at `/v1`. */
export function v1Document(origin: string, range: Range): JsonObject {
  const collections = ['nodes', 'ports', 'drivers'].map((name) => [name, linksTo(origin, name)]);
  return {
    id: 'v1',
    links: [{ href: `${origin}/v1/`, rel: 'self' }],
    media_types: { base: 'application/json', type: 'application/vnd.openstack.ironic.v1+json' },
    ...Object.fromEntries(collections),
    version: versionOf(origin, range),
  };
}

function linksTo(origin: string, name: string): readonly JsonObject[] {
  return [
    { href: `${origin}/v1/${name}/`, rel: 'self' },
    { href: `${origin}/${name}/`, rel: 'bookmark' },
  ];
}

/** From which minor version on a node has a field; all others it always had. */
export const NODE_FIELD_SINCE: Readonly<Record<string, number>> = {
  driver_internal_info: 3,
  name: 5,
  inspection_finished_at: 6,
  inspection_started_at: 6,
  clean_step: 7,
  raid_config: 12,
  target_raid_config: 12,
  network_interface: 20,
  resource_class: 21,
  boot_interface: 31,
  console_interface: 31,
  deploy_interface: 31,
  inspect_interface: 31,
  management_interface: 31,
  power_interface: 31,
  raid_interface: 31,
  vendor_interface: 31,
  storage_interface: 33,
  traits: 37,
  rescue_interface: 38,
  bios_interface: 40,
  fault: 42,
  deploy_step: 44,
  conductor_group: 46,
  automated_clean: 47,
  protected: 48,
  protected_reason: 48,
  conductor: 49,
  owner: 50,
  description: 51,
  allocation_uuid: 52,
  retired: 61,
  retired_reason: 61,
  lessee: 65,
  network_data: 66,
  boot_mode: 75,
  secure_boot: 75,
  shard: 82,
  parent_node: 83,
  firmware_interface: 86,
  service_step: 87,
  disable_power_off: 95,
  instance_name: 104,
  health: 109,
};

export function hasField(name: string, minor: number): boolean {
  return !Object.hasOwn(NODE_FIELD_SINCE, name) || (NODE_FIELD_SINCE[name] as number) <= minor;
}
