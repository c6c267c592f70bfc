// Server: a virtual machine of Nova.
import type { Json, JsonObject } from '../../../bus/bus.ts';
import type { KubeObject } from '../../../machines/object.ts';
import { boolean, immutable, list, object, ref, required, string } from '../../api/contract/contract.ts';
import {
  apart,
  idsIn,
  isJsonObject,
  named,
  observed,
  observedAs,
  observedList,
  observedMap,
  queried,
  queriedAs,
  sent,
  sentAs,
  tagsFromStart,
} from '../base/fields.ts';
import { plain } from '../base/projection.ts';
import { NOVA } from '../base/services.ts';
import { judgedBy, SERVER_STATES } from '../base/states.ts';
import { observedTags, openstackName, serverTags, tagFilter, text, texts } from '../base/values.ts';
import { isSettled, metadataStep, portsStep, stateStep, volumesStep } from '../steps/server-steps.ts';
import { defineKind } from './kind.ts';
import { checkHints, hintsOf, schedulerHints } from './scheduler-hints.ts';

const name255 = (description: string) => string(description, { maxLength: 255 });
const key = string('key tells it from the others.', { minLength: 1, maxLength: 255 });
const value = string('value is what it says.', { minLength: 1, maxLength: 255 });

const bootVolume = object('bootVolume is what the server boots from, in place of an image.', {
  volumeRef: required(
    ref('Volume', 'volumeRef is the Volume, which must have been made of an image.', {
      guarded: true,
      shownBy: 'volumes',
    }),
  ),
  tag: name255('tag identifies the volume to the server, in its metadata.'),
});

const ports = list(
  'ports are the Ports that the server is plugged into; others are detached.',
  object(
    'A port.',
    { portRef: ref('Port', 'portRef is the Port.', { guarded: true, shownBy: 'interfaces' }) },
    { minProperties: 1, maxProperties: 1 },
  ),
  { type: 'atomic', maxItems: 64 },
);

const volumes = list(
  'volumes are the Volumes that are attached beside what the server boots from; others are detached.',
  object(
    'A volume.',
    {
      volumeRef: required(
        ref('Volume', 'volumeRef is the Volume.', { guarded: true, neededFor: 'update', shownBy: 'volumes' }),
      ),
      device: name255('device is what the server calls it, like `/dev/vdb`; what Nova chooses unless stated.'),
    },
    { minProperties: 1 },
  ),
  { type: 'atomic', maxItems: 64 },
);

const userData = object(
  'userData is what the server reads when it boots first.',
  {
    secretRef: ref('Secret', 'secretRef is the Secret that holds it under the key `value`.', {
      content: { key: 'value', what: 'User data', as: 'base64' },
    }),
  },
  { minProperties: 1, maxProperties: 1 },
);

const metadata = list(
  'metadata of the server; other metadata are taken off.',
  object('One of them.', { key: required(key), value: required(value) }),
  { type: 'atomic', maxItems: 128 },
);

export const server = defineKind({
  kind: 'Server',
  description: 'Server is a virtual machine of Nova.',
  service: NOVA,
  collection: 'servers',
  member: 'server',
  listing: { path: 'detail', patterns: ['name', 'availability_zone'], lacks: ['server_groups'] },
  parts: { interfaces: { path: 'os-interface', member: 'interfaceAttachments' } },
  created: 'id',
  beside: ['os:scheduler_hints'],
  resource: {
    name: named(openstackName('name is what Nova calls the server; the name of the object unless stated.')),
    imageRef: sent(
      'imageRef',
      immutable(
        ref('Image', 'imageRef is the Image that the server boots from.', { guarded: true, shownBy: 'imageID' }),
      ),
      { initial: '' },
    ),
    bootVolume: sentAs(immutable(bootVolume), {
      block_device_mapping_v2: ({ volumeRef, tag }) => [
        {
          uuid: volumeRef,
          source_type: 'volume',
          destination_type: 'volume',
          boot_index: 0,
          delete_on_termination: false,
          ...(tag === undefined ? {} : { tag }),
        },
      ],
    }),
    flavorRef: sent('flavorRef', required(immutable(ref('Flavor', 'flavorRef is the Flavor that says its size.')))),
    ports: sentAs(
      required(ports),
      { networks: (plugged) => plugged.flatMap(({ portRef }) => (portRef === undefined ? [] : [{ port: portRef }])) },
      // Nova would choose a network.
      { update: 'step', initial: { networks: 'none' } },
    ),
    schedulerHints: sentAs(schedulerHints, { 'os:scheduler_hints': hintsOf }),
    keypairRef: sent(
      'key_name',
      immutable(ref('KeyPair', 'keypairRef is the KeyPair that its first user logs in with.')),
    ),
    userData: sentAs(immutable(userData), { user_data: ({ secretRef }) => secretRef }),
    volumes: apart(volumes),
    availabilityZone: sent(
      'availability_zone',
      immutable(name255('availabilityZone is where the server is; where Nova chooses unless stated.')),
    ),
    configDrive: sent(
      'config_drive',
      immutable(boolean('configDrive is whether the server reads its metadata and user data from a drive.')),
    ),
    metadata: sentAs(
      metadata,
      { metadata: (all) => Object.fromEntries(all.map(({ key: each, value: says }) => [each, says])) },
      { update: 'step' },
    ),
    tags: tagsFromStart(serverTags('tags of the server; others are taken off.')),
  },
  rules: [
    {
      message: 'either imageRef or bootVolume must be specified',
      rule: 'has(self.imageRef) || has(self.bootVolume)',
    },
    {
      message: 'imageRef and bootVolume are mutually exclusive',
      rule: '!(has(self.imageRef) && has(self.bootVolume))',
    },
  ],
  filter: {
    name: queried('name', openstackName('name of the server.')),
    availabilityZone: queriedAs(name255('availabilityZone is where the server is.'), (zone) => [
      {
        key: 'availability_zone',
        value: zone,
        matches: ({ 'OS-EXT-AZ:availability_zone': reported }) => reported === undefined || reported === zone,
      },
    ]),
    ...tagFilter(serverTags),
  },
  status: {
    name: observed('name', text('name in Nova.')),
    hostID: observed('hostId', text('hostID tells the host from others, without naming it.')),
    status: observed('status', text('status in Nova: `BUILD`, `ACTIVE`, `SHUTOFF`, `ERROR` and others.')),
    imageID: observedAs({ image: plain('id') }, text('imageID is the id of the image that it booted from.'), idIn),
    availabilityZone: observed('OS-EXT-AZ:availability_zone', text('availabilityZone is where the server is.')),
    serverGroups: observed('server_groups', texts('serverGroups are the ids of its groups.', { maxItems: 32 })),
    volumes: observedList('os-extended-volumes:volumes_attached', 'volumes are those that are attached.', {
      items: 'A volume.',
      maxItems: 64,
      fields: { id: observed('id', text('id of the volume.')) },
    }),
    interfaces: observedList('interfaces', 'interfaces are the ports that it is plugged into.', {
      items: 'A port.',
      maxItems: 64,
      fields: {
        portID: observed('port_id', text('portID is the id of the port.')),
        netID: observed('net_id', text('netID is the id of its network.')),
        macAddr: observed('mac_addr', text('macAddr is its hardware address.')),
        portState: observed('port_state', text('portState is its operational state.')),
        fixedIPs: observedList('fixed_ips', 'fixedIPs are its addresses.', {
          items: 'An address.',
          maxItems: 32,
          fields: {
            ipAddress: observed('ip_address', text('ipAddress is the address.')),
            subnetID: observed('subnet_id', text('subnetID is the id of the subnet that it is on.')),
          },
        }),
      },
    }),
    metadata: observedMap('metadata', 'metadata in Nova.', {
      item: 'One of them.',
      maxItems: 128,
      name: { key: text('key tells it from the others.', { maxLength: 255 }) },
      value: text('value is what it says.', { maxLength: 255 }),
    }),
    tags: observedTags('Nova', { maxItems: 50 }),
    configDrive: observedAs(
      plain('config_drive'),
      boolean('configDrive is whether the server reads its metadata and user data from a drive.'),
      // Nova writes it as a word, or leaves it empty.
      ({ config_drive: reported }) => reported === true || reported === 'True',
    ),
  },
  adoption: { query: ['name', 'tags'] },
  ...judgedBy(SERVER_STATES),
  taggable: isSettled,
  complete(attributes, resource) {
    checkHints(resource);
    return attributes;
  },
  steps: [stateStep, metadataStep, portsStep, volumesStep],
  published({ status }) {
    const { hostID } = (status?.['resource'] ?? {}) as { readonly hostID?: Json };
    return typeof hostID === 'string' && hostID !== '' ? { hostID } : undefined;
  },
  tells: usesOf,
  // A detachment that an earlier spec asked for ends after the server was seen attached.
  isContradicted({ status }, { kind }, { externalId = '', attributes: { users } = {} }) {
    // mutant: denied-attachment-believed return -> false
    return attachedTo(status, kind).includes(externalId) && Array.isArray(users) && !users.includes(status?.['id']);
  },
});

/** Booted from a volume it has no image. */
function idIn({ image }: { readonly image?: Json }): string | undefined {
  const id = isJsonObject(image) ? image['id'] : undefined;
  return typeof id === 'string' ? id : undefined;
}

/** Ports and volumes hear which server uses them, in which state it is, and which of them are attached. */
function usesOf({ status, spec }: KubeObject, kind: string): JsonObject | undefined {
  if (spec?.['managementPolicy'] === 'unmanaged' || (kind !== 'Port' && kind !== 'Volume')) return undefined;
  const { id } = status ?? {};
  const resource = (status?.['resource'] ?? {}) as JsonObject;
  if (typeof id !== 'string' || typeof resource['status'] !== 'string') return undefined;
  return { serverID: id, status: resource['status'], attached: attachedTo(status, kind) };
}

/** The ids of the ports, or volumes, that the status of a server shows. */
function attachedTo(status: KubeObject['status'], kind: string): readonly string[] {
  const { interfaces, volumes } = (status?.['resource'] ?? {}) as JsonObject;
  return kind === 'Port' ? idsIn(interfaces, 'portID') : idsIn(volumes, 'id');
}
