// What stands on the networks of the sample landscape: servers with all that they are made of, addresses that are reached from
// outside, and who may do what. Of every kind that the samples have none of.
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { JsonObject } from '../../../../bus/mod.ts';
import { needs, type SampleObject } from '../../../actors/landscape.ts';
import { TABLES } from '../../../world/cloud-contents.ts';
import type { Kind, World } from '../../../world/world.ts';

export interface DataCentreDeps {
  world: World;
  /** Serves a file. @returns its URL */
  serve: (path: string, content: Uint8Array) => string;
  /** Name of the user that the pods log in as, who makes credentials for himself only. */
  podUser: string;
  /** Told of each content of a Secret. */
  onSecret: (text: string) => void;
}

const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOWWhdL88Hh0UVSJ3iZVlK75nnTNLTXe6cOtqO09q7mS chaos';
const CONTENT = Buffer.from('what an image holds, again and again; '.repeat(2_000));

export function dataCentre(deps: DataCentreDeps): readonly SampleObject[] {
  return [...storage(deps), ...computers(deps), ...edge(deps), ...people(deps), ...catalog(deps)];
}

/** Those that can be there without what is left out, and the others. */
export function without(
  objects: readonly SampleObject[],
  kinds: readonly string[],
): { readonly kept: readonly SampleObject[]; readonly left: readonly SampleObject[] } {
  let left = objects.filter(({ kind }) => kinds.includes(kind));
  for (;;) {
    const kept = objects.filter((object) => !left.includes(object));
    const more = kept.filter((object) => left.some((other) => needs(object, other)));
    if (more.length === 0) return { kept, left };
    left = [...left, ...more];
  }
}

/** What an edit changes of `spec.resource`; undefined: nothing of the kind can be changed. */
export function editOf(world: World, { kind, name }: SampleObject, text: string): JsonObject | undefined {
  const own: Partial<Record<Kind, JsonObject>> = {
    AddressScope: { name: world.name(`${name} ${text}`) },
    Endpoint: { url: urlOf(world, text.replaceAll(' ', '-')) },
    Flavor: { extraSpecs: [{ name: 'chaos:edit', value: text }] },
  };
  const { description, tags } = TABLES.get(kind)?.resource ?? {};
  if (description !== undefined && description.change.kind !== 'never') return { description: text };
  return (
    own[kind] ?? (tags === undefined || TABLES.get(kind)?.immutable ? undefined : { tags: [text.replaceAll(' ', '-')] })
  );
}

function urlOf(world: World, path: string): string {
  return `http://127.0.0.1:9/${world.prefix}/${path}`;
}

/** A managed object; its resource has the object's name with the world's prefix, where it has one. */
function object({ world }: DataCentreDeps, kind: Kind, name: string, resource: JsonObject = {}): SampleObject {
  const named = TABLES.get(kind)?.resource['name'] === undefined ? {} : { name: world.name(name) };
  return { kind, name, manifest: world.managed(kind, name, { ...named, ...resource }) };
}

function secret({ world, onSecret }: DataCentreDeps, name: string, key: 'value' | 'password'): SampleObject {
  const content = `${name}-${world.clock.random().toString(36).slice(2)}`;
  onSecret(content);
  onSecret(Buffer.from(content).toString('base64'));
  const manifest = { apiVersion: 'v1', kind: 'Secret', metadata: { name }, stringData: { [key]: content } };
  return { kind: 'Secret', name, manifest };
}

function storage(deps: DataCentreDeps): readonly SampleObject[] {
  const { serve } = deps;
  const image = (name: string, file: string, content: Uint8Array, download: JsonObject): SampleObject =>
    object(deps, 'Image', name, {
      content: { diskFormat: 'raw', download: { url: serve(file, content), ...download } },
      visibility: 'private',
    });
  const packed = gzipSync(CONTENT);
  const sha256 = (content: Uint8Array): JsonObject => ({
    algorithm: 'sha256',
    value: createHash('sha256').update(content).digest('hex'),
  });
  return [
    image('server-image', '/server.img', CONTENT, { hash: sha256(CONTENT) }),
    image('rescue-image', '/rescue.img.gz', packed, { hash: sha256(packed), decompress: 'gz' }),
    // Neither checked nor unpacked: Glance fetches it by itself.
    image('tools-image', '/tools.img', CONTENT, {}),
    object(deps, 'VolumeType', 'fast', { description: 'For what is read often' }),
    object(deps, 'Volume', 'shop-orders', { size: 1, volumeTypeRef: 'fast' }),
    object(deps, 'Volume', 'shop-scratch', { size: 1, metadata: [{ name: 'tier', value: 'web' }] }),
    object(deps, 'Volume', 'shop-system', { size: 1, imageRef: 'server-image', volumeTypeRef: 'fast' }),
    object(deps, 'ShareNetwork', 'lab-shares', { networkRef: 'lab-staging', subnetRef: 'lab-staging-v4' }),
  ];
}

function computers(deps: DataCentreDeps): readonly SampleObject[] {
  const port = (name: string, of: string, address: JsonObject = {}): SampleObject =>
    object(deps, 'Port', name, {
      networkRef: of,
      addresses: [{ subnetRef: `${of}-v4`, ...address }],
      securityGroupRefs: [of],
    });
  const server = (name: string, resource: JsonObject): SampleObject =>
    object(deps, 'Server', name, { keypairRef: 'operator-key', ports: [{ portRef: `${name}-port` }], ...resource });
  return [
    secret(deps, 'shop-init', 'value'),
    object(deps, 'KeyPair', 'operator-key', { publicKey: KEY }),
    object(deps, 'Flavor', 'small', { ram: 64, vcpus: 1, disk: 1 }),
    object(deps, 'Flavor', 'large', { ram: 128, vcpus: 2, disk: 1 }),
    object(deps, 'ServerGroup', 'shop-apart', { policy: 'soft-anti-affinity' }),
    port('shop-vm-1-port', 'shop-web'),
    port('shop-vm-2-port', 'shop-web'),
    // Beside one that is asked for in the samples.
    port('shop-db-port', 'shop-data', { ip: '10.10.2.12' }),
    ...['shop-vm-1', 'shop-vm-2'].map((name) =>
      server(name, {
        imageRef: 'server-image',
        flavorRef: 'small',
        schedulerHints: { serverGroupRef: 'shop-apart' },
        userData: { secretRef: 'shop-init' },
        volumes: name === 'shop-vm-1' ? [{ volumeRef: 'shop-scratch' }] : [],
      }),
    ),
    server('shop-db', {
      bootVolume: { volumeRef: 'shop-system' },
      flavorRef: 'large',
      volumes: [{ volumeRef: 'shop-orders' }],
      metadata: [{ key: 'tier', value: 'data' }],
    }),
  ];
}

function edge(deps: DataCentreDeps): readonly SampleObject[] {
  const { world } = deps;
  const floating = (name: string, resource: JsonObject): SampleObject =>
    // It has no name: its tag says whose it is.
    object(deps, 'FloatingIP', name, { tags: [world.prefix], ...resource });
  const trunked = (name: string): SampleObject => object(deps, 'Port', name, { networkRef: 'lab-staging' });
  return [
    {
      ...floating('shop-web-2-public', { floatingNetworkRef: 'platform-transit', portRef: 'shop-web-2' }),
      by: [
        { kind: 'RouterInterface', name: 'shop-web' },
        { kind: 'Router', name: 'shop' },
      ],
    },
    floating('spare-public', { floatingNetworkRef: 'platform-transit' }),
    floating('other-public', { floatingSubnetRef: 'platform-transit-v4' }),
    trunked('lab-trunk-port'),
    trunked('lab-vlan-10'),
    trunked('lab-vlan-20'),
    object(deps, 'Trunk', 'lab-trunk', {
      portRef: 'lab-trunk-port',
      subports: [10, 20].map((id) => ({ portRef: `lab-vlan-${id}`, segmentationID: id, segmentationType: 'vlan' })),
    }),
    object(deps, 'AddressScope', 'platform-v4', { ipVersion: 4, projectRef: 'platform' }),
    object(deps, 'AddressScope', 'platform-v6', { ipVersion: 6 }),
  ];
}

function people(deps: DataCentreDeps): readonly SampleObject[] {
  const { world, podUser } = deps;
  return [
    // Keystone deletes none that is enabled.
    object(deps, 'Domain', 'partners', { enabled: false }),
    object(deps, 'Group', 'partner-staff', { domainRef: 'partners' }),
    object(deps, 'Group', 'operators'),
    object(deps, 'Role', 'operate', { description: 'To keep things running' }),
    object(deps, 'Role', 'look'),
    secret(deps, 'alice-password', 'password'),
    secret(deps, 'backup-password', 'password'),
    object(deps, 'User', 'alice', { passwordRef: 'alice-password', defaultProjectRef: 'shop' }),
    object(deps, 'User', 'backup', { passwordRef: 'backup-password', domainRef: 'default-domain' }),
    object(deps, 'RoleAssignment', 'alice-operates-shop', { roleRef: 'operate', userRef: 'alice', projectRef: 'shop' }),
    object(deps, 'RoleAssignment', 'operators-look', {
      roleRef: 'look',
      groupRef: 'operators',
      projectRef: 'platform',
    }),
    object(deps, 'RoleAssignment', 'staff-looks', {
      roleRef: 'look',
      groupRef: 'partner-staff',
      domainRef: 'partners',
    }),
    { kind: 'User', name: 'robot', manifest: world.unmanaged('User', 'robot', { filter: { name: podUser } }) },
    secret(deps, 'robot-secret', 'value'),
    object(deps, 'ApplicationCredential', 'robot-login', { userRef: 'robot', secretRef: 'robot-secret' }),
  ];
}

function catalog(deps: DataCentreDeps): readonly SampleObject[] {
  const { world } = deps;
  const endpoint = (service: string, place: 'public' | 'internal'): SampleObject =>
    object(deps, 'Endpoint', `${service}-${place}`, {
      serviceRef: service,
      interface: place,
      url: urlOf(world, `${service}-${place}`),
    });
  return [
    object(deps, 'Service', 'billing', { type: world.name('billing') }),
    object(deps, 'Service', 'backup', { type: world.name('backup'), enabled: false }),
    endpoint('billing', 'public'),
    endpoint('billing', 'internal'),
    endpoint('backup', 'public'),
  ];
}
