// `status.resource` as ORC writes it, by kind (openstack-kinds), from what a service answers. Written from the contract, and from
// none of the tables of the adapter.
import type { Json, JsonObject } from '../../bus/mod.ts';
import type { Described } from './every-kind.ts';

type Kind = Described['kind'];
type Read = (path: string) => Promise<JsonObject>;

interface Shape {
  /** Where one is read, below its service. */
  readonly path: string;
  /** What holds it in the answer; it is the answer itself unless stated. */
  readonly member?: string;
  /** Fields of the status, by what the service calls them. */
  readonly fields: Readonly<Record<string, string>>;
  /** What does not follow field by field. */
  readonly more?: (item: JsonObject, read: Read, path: string) => JsonObject | Promise<JsonObject>;
}

const NEUTRON = { name: 'name', description: 'description', projectID: 'project_id', tags: 'tags' } as const;
const TIMES = { createdAt: 'created_at', updatedAt: 'updated_at' } as const;
const KEYSTONE = { name: 'name', description: 'description' } as const;
const DOMAIN = { domainID: 'domain_id' } as const;
const UP = { adminStateUp: 'admin_state_up' } as const;
const REVISION = { revisionNumber: 'revision_number' } as const;

const SHAPES: Readonly<Record<Exclude<Kind, 'RoleAssignment' | 'RouterInterface'>, Shape>> = {
  Network: {
    path: '/networks',
    member: 'network',
    fields: {
      ...NEUTRON,
      ...TIMES,
      ...UP,
      ...REVISION,
      status: 'status',
      mtu: 'mtu',
      shared: 'shared',
      availabilityZoneHints: 'availability_zone_hints',
      external: 'router:external',
      subnets: 'subnets',
      portSecurityEnabled: 'port_security_enabled',
      dnsDomain: 'dns_domain',
    },
    more: (item) => {
      const provider = picked(item, {
        networkType: 'provider:network_type',
        physicalNetwork: 'provider:physical_network',
        segmentationID: 'provider:segmentation_id',
      });
      return provider['networkType'] ? { provider } : {};
    },
  },
  Subnet: {
    path: '/subnets',
    member: 'subnet',
    fields: {
      ...NEUTRON,
      ...REVISION,
      ipVersion: 'ip_version',
      cidr: 'cidr',
      gatewayIP: 'gateway_ip',
      dnsPublishFixedIP: 'dns_publish_fixed_ip',
      enableDHCP: 'enable_dhcp',
      networkID: 'network_id',
      dnsNameservers: 'dns_nameservers',
      allocationPools: 'allocation_pools',
      ipv6AddressMode: 'ipv6_address_mode',
      ipv6RAMode: 'ipv6_ra_mode',
    },
    more: (item) => ({ hostRoutes: each(item['host_routes'], { destination: 'destination', nextHop: 'nexthop' }) }),
  },
  Port: {
    path: '/ports',
    member: 'port',
    fields: {
      ...NEUTRON,
      ...TIMES,
      ...UP,
      ...REVISION,
      macAddress: 'mac_address',
      status: 'status',
      networkID: 'network_id',
      securityGroups: 'security_groups',
      vnicType: 'binding:vnic_type',
      portSecurityEnabled: 'port_security_enabled',
      hostID: 'binding:host_id',
      deviceID: 'device_id',
      deviceOwner: 'device_owner',
      trustedVIF: 'trusted',
      propagateUplinkStatus: 'propagate_uplink_status',
    },
    more: (item) => ({
      fixedIPs: each(item['fixed_ips'], { ip: 'ip_address', subnetID: 'subnet_id' }),
      allowedAddressPairs: each(item['allowed_address_pairs'], { ip: 'ip_address', mac: 'mac_address' }),
    }),
  },
  Router: {
    path: '/routers',
    member: 'router',
    fields: { ...NEUTRON, ...UP, status: 'status', availabilityZoneHints: 'availability_zone_hints' },
    more: ({ external_gateway_info: gateway }) => ({
      externalGateways: each(gateway ? [gateway] : [], { networkID: 'network_id' }),
    }),
  },
  FloatingIP: {
    path: '/floatingips',
    member: 'floatingip',
    fields: {
      ...TIMES,
      ...REVISION,
      description: 'description',
      projectID: 'project_id',
      tags: 'tags',
      floatingNetworkID: 'floating_network_id',
      portID: 'port_id',
      tenantID: 'tenant_id',
      status: 'status',
      routerID: 'router_id',
      fixedIP: 'fixed_ip_address',
      floatingIP: 'floating_ip_address',
    },
  },
  SecurityGroup: {
    path: '/security-groups',
    member: 'security_group',
    fields: { ...NEUTRON, ...TIMES, stateful: 'stateful' },
    more: ({ security_group_rules: rules }) => ({
      rules: (rules as readonly JsonObject[]).map((rule) => {
        const [min, max] = [rule['port_range_min'] ?? 0, rule['port_range_max'] ?? 0];
        const own = picked(rule, {
          id: 'id',
          description: 'description',
          direction: 'direction',
          protocol: 'protocol',
          remoteGroupID: 'remote_group_id',
          remoteIPPrefix: 'remote_ip_prefix',
          ethertype: 'ethertype',
        });
        return { ...own, ...(min === 0 && max === 0 ? {} : { portRange: { min, max } }) };
      }),
    }),
  },
  Trunk: {
    path: '/trunks',
    member: 'trunk',
    fields: { ...NEUTRON, ...TIMES, ...UP, ...REVISION, portID: 'port_id', status: 'status', tenantID: 'tenant_id' },
    more: (item) => ({
      subports: each(item['sub_ports'], {
        portID: 'port_id',
        segmentationID: 'segmentation_id',
        segmentationType: 'segmentation_type',
      }),
    }),
  },
  AddressScope: {
    path: '/address-scopes',
    member: 'address_scope',
    fields: { projectID: 'project_id', name: 'name', shared: 'shared', ipVersion: 'ip_version' },
  },
  Server: {
    path: '/servers',
    member: 'server',
    fields: {
      name: 'name',
      status: 'status',
      hostID: 'hostId',
      availabilityZone: 'OS-EXT-AZ:availability_zone',
      serverGroups: 'server_groups',
      tags: 'tags',
    },
    more: async (item, read, path) => {
      const { interfaceAttachments } = await read(`${path}/os-interface`);
      const { id: imageID = '' } = (item['image'] || {}) as JsonObject;
      const fixed = { ipAddress: 'ip_address', subnetID: 'subnet_id' };
      return {
        imageID,
        configDrive: item['config_drive'] === 'True' || item['config_drive'] === true,
        volumes: each(item['os-extended-volumes:volumes_attached'], { id: 'id' }),
        metadata: pairs(item['metadata'], 'key'),
        interfaces: (interfaceAttachments as readonly JsonObject[]).map((one) => ({
          ...picked(one, { portID: 'port_id', netID: 'net_id', macAddr: 'mac_addr', portState: 'port_state' }),
          fixedIPs: each(one['fixed_ips'], fixed),
        })),
      };
    },
  },
  ServerGroup: {
    path: '/os-server-groups',
    member: 'server_group',
    fields: { name: 'name', projectID: 'project_id', userID: 'user_id', policy: 'policy' },
  },
  Flavor: {
    path: '/flavors',
    member: 'flavor',
    fields: {
      name: 'name',
      description: 'description',
      ram: 'ram',
      disk: 'disk',
      vcpus: 'vcpus',
      isPublic: 'os-flavor-access:is_public',
      swap: 'swap',
      ephemeral: 'OS-FLV-EXT-DATA:ephemeral',
    },
    more: ({ extra_specs: specs, swap, 'OS-FLV-EXT-DATA:ephemeral': ephemeral }) => ({
      extraSpecs: pairs(specs, 'name'),
      swap: swap || null,
      ephemeral: ephemeral || null,
    }),
  },
  KeyPair: {
    path: '/os-keypairs',
    member: 'keypair',
    fields: { name: 'name', fingerprint: 'fingerprint', publicKey: 'public_key', type: 'type' },
  },
  Image: {
    path: '/images',
    fields: {
      name: 'name',
      status: 'status',
      protected: 'protected',
      visibility: 'visibility',
      sizeB: 'size',
      tags: 'tags',
    },
    more: (item) => ({ hash: picked(item, { algorithm: 'os_hash_algo', value: 'os_hash_value' }) }),
  },
  Volume: {
    path: '/volumes',
    member: 'volume',
    fields: {
      ...TIMES,
      name: 'name',
      description: 'description',
      size: 'size',
      status: 'status',
      userID: 'user_id',
      volumeType: 'volume_type',
      encrypted: 'encrypted',
      multiattach: 'multiattach',
      host: 'os-vol-host-attr:host',
      availabilityZone: 'availability_zone',
      snapshotID: 'snapshot_id',
      sourceVolID: 'source_volid',
      backupID: 'backup_id',
      replicationStatus: 'replication_status',
      tenantID: 'os-vol-tenant-attr:tenant_id',
      consistencyGroupID: 'consistencygroup_id',
    },
    more: (item) => ({
      bootable: item['bootable'] === 'true',
      metadata: pairs(item['metadata'], 'name'),
      attachments: each(item['attachments'], {
        attachmentID: 'attachment_id',
        serverID: 'server_id',
        device: 'device',
        attachedAt: 'attached_at',
      }),
    }),
  },
  VolumeType: {
    path: '/types',
    member: 'volume_type',
    fields: { name: 'name', description: 'description', isPublic: 'is_public' },
    more: ({ extra_specs: specs }) => ({ extraSpecs: pairs(specs, 'name') }),
  },
  ShareNetwork: {
    path: '/share-networks',
    member: 'share_network',
    fields: { name: 'name', description: 'description', projectID: 'project_id', ...TIMES },
    more: (item) => {
      const [subnet = {}] = (item['share_network_subnets'] ?? []) as readonly JsonObject[];
      const fields = { neutronNetID: 'neutron_net_id', neutronSubnetID: 'neutron_subnet_id', cidr: 'cidr' };
      const more = { networkType: 'network_type', segmentationID: 'segmentation_id', ipVersion: 'ip_version' };
      return picked({ ...subnet, ...item }, { ...fields, ...more });
    },
  },
  Domain: { path: '/domains', member: 'domain', fields: { ...KEYSTONE, enabled: 'enabled' } },
  Project: {
    path: '/projects',
    member: 'project',
    fields: { ...KEYSTONE, ...DOMAIN, enabled: 'enabled', tags: 'tags' },
  },
  User: {
    path: '/users',
    member: 'user',
    fields: {
      ...KEYSTONE,
      ...DOMAIN,
      enabled: 'enabled',
      defaultProjectID: 'default_project_id',
      passwordExpiresAt: 'password_expires_at',
    },
  },
  Group: { path: '/groups', member: 'group', fields: { ...KEYSTONE, ...DOMAIN } },
  Role: { path: '/roles', member: 'role', fields: { ...KEYSTONE, ...DOMAIN } },
  Service: { path: '/services', member: 'service', fields: { ...KEYSTONE, enabled: 'enabled', type: 'type' } },
  Endpoint: {
    path: '/endpoints',
    member: 'endpoint',
    fields: {
      description: 'description',
      serviceID: 'service_id',
      enabled: 'enabled',
      interface: 'interface',
      url: 'url',
    },
  },
  ApplicationCredential: {
    path: '/application_credentials',
    member: 'application_credential',
    fields: { ...KEYSTONE, unrestricted: 'unrestricted', projectID: 'project_id', expiresAt: 'expires_at' },
    more: (item) => ({ roles: each(item['roles'], { id: 'id', name: 'name', domainID: 'domain_id' }) }),
  },
};

/**
 * @param id  `status.id`
 * @param read  gets what is under a path
 * @param above  of an application credential, the path of its user
 */
export async function orcResource(kind: keyof typeof SHAPES, id: string, read: Read, above = ''): Promise<JsonObject> {
  const { path, member, fields, more } = SHAPES[kind];
  const whole = `${above}${path}/${encodeURIComponent(id)}`;
  const answer = await read(whole);
  const item = (member === undefined ? answer : answer[member]) as JsonObject;
  return kept({ ...picked(item, fields), ...(await more?.(item, read, whole)) });
}

function picked(item: JsonObject, fields: Readonly<Record<string, string>>): JsonObject {
  return kept(Object.fromEntries(Object.entries(fields).map(([name, of]) => [name, item[of] ?? null])));
}

function each(list: Json | undefined, fields: Readonly<Record<string, string>>): readonly JsonObject[] {
  return ((list ?? []) as readonly JsonObject[]).map((item) => picked(item, fields));
}

function pairs(map: Json | undefined, name: 'key' | 'name'): readonly JsonObject[] {
  const entries = Object.entries((map ?? {}) as JsonObject).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([key, value = null]) => ({ [name]: key, value }));
}

/** What is not there, or an empty list, is left out; times have whole seconds, and a zone. */
function kept(fields: JsonObject): JsonObject {
  const entries = Object.entries(fields).flatMap(([name, value]): [string, Json][] => {
    if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) return [];
    const isTime = name.endsWith('At') && typeof value === 'string';
    return [[name, isTime ? String(value).replace(/(\.\d+)?Z?$/, 'Z') : value]];
  });
  return Object.fromEntries(entries);
}
