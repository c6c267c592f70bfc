// Small families of objects of the kinds beyond networks: what is built on what, and how each is written down.
import type { JsonObject } from '../../../../bus/mod.ts';
import type { Draw } from '../../draw.ts';
import { checksumOf, fileUrl } from './files.ts';
import type { Planned } from './manifests.ts';

/** Where the objects of a family go. */
interface Nest {
  readonly draw: Draw;
  readonly namespace: string;
  /** Adds one. @returns its name */
  add(kind: string, name: string, resource: JsonObject, more?: Partial<Planned>): string;
  /** Adds a Secret with one content. @returns its name */
  addSecret(name: string, key: string): string;
}

export type Family = (nest: Nest) => void;

/** What an operator has made around the floating IPs of a namespace: networks, and a router between them. */
export const OUTER = 'outer';
export const INNER = 'inner';

export function isDoor(name: string): boolean {
  return name.startsWith(`${OUTER}-`) || name.startsWith(`${INNER}-`);
}

const SSH_TYPE = 'ssh-ed25519';
const PUBLIC_KEY = `${SSH_TYPE} ${Buffer.concat([
  Buffer.from([0, 0, 0, SSH_TYPE.length]),
  Buffer.from(SSH_TYPE),
  Buffer.alloc(36, 7),
]).toString('base64')}`;

export const FAMILIES: Readonly<Record<string, Family>> = {
  machine: machineOf,
  disk({ draw, add }) {
    const type = draw.chance(0.8)
      ? add('VolumeType', 'fast', { description: 'first' })
      : add('VolumeType', 'default', {}, { filter: { name: '__DEFAULT__' } });
    add('Volume', 'data', { size: 1, volumeTypeRef: type });
  },
  picture: (nest) => void imageOf(nest, 'picture'),
  account({ draw, add, addSecret, namespace }) {
    const password = addSecret('password', 'password');
    const user = add('User', 'user', { description: 'first', ...(draw.chance(0.8) && { passwordRef: password }) });
    const role = draw.chance(0.5)
      ? add('Role', 'duty', { description: 'first' })
      : add('Role', 'member', {}, { filter: { name: 'member' } });
    const holder = draw.chance(0.7) ? { userRef: user } : { groupRef: add('Group', 'crew', { description: 'first' }) };
    const scope = draw.chance(0.7)
      ? { projectRef: add('Project', 'tenancy', {}) }
      : { domainRef: add('Domain', 'realm', { enabled: false, name: `realm-${namespace}` }) };
    add('RoleAssignment', 'grant', { roleRef: role, ...holder, ...scope });
  },
  login({ draw, add, addSecret }) {
    const admin = add('User', 'admin', {}, { filter: { name: 'admin' } });
    const service = draw.chance(0.4) ? add('Service', 'gateway', { type: 'gateway' }) : undefined;
    add('ApplicationCredential', 'login', {
      userRef: admin,
      secretRef: addSecret('login-secret', 'value'),
      ...(draw.chance(0.5) && { roleRefs: [add('Role', 'reader', {}, { filter: { name: 'reader' } })] }),
      ...(service !== undefined && { accessRules: [{ path: '/v1', method: 'GET', serviceRef: service }] }),
    });
  },
  catalog({ draw, add }) {
    const service = add('Service', 'storage', { type: 'object-store', description: 'first' });
    for (const place of draw.chance(0.5) ? ['public'] : ['public', 'internal'])
      add('Endpoint', place, { serviceRef: service, interface: place, url: `http://${place}.test/` });
  },
  scope({ draw, add }) {
    add('AddressScope', 'scope', { ipVersion: 4, ...(draw.chance(0.3) && { shared: true }) });
  },
  share({ draw, add }) {
    const networkRef = add('Network', 'shared', {});
    const subnetRef = add('Subnet', 'shared', { networkRef, ipVersion: 4, cidr: '10.80.0.0/24' });
    add('ShareNetwork', 'share', draw.chance(0.8) ? { networkRef, subnetRef } : { description: 'alone' });
  },
  trunk({ draw, add }) {
    const networkRef = add('Network', 'trunked', {});
    const portRef = add('Port', 'parent', { networkRef });
    const subports = Array.from({ length: draw.below(3) }, (_, index) => ({
      portRef: add('Port', `child${index}`, { networkRef }),
      segmentationID: 100 + index,
      segmentationType: 'vlan',
    }));
    add('Trunk', 'trunk', { portRef, subports });
  },
  address({ draw, add, namespace }) {
    const outer = add('Network', OUTER, {}, { filter: { name: `${OUTER}-${namespace}` } });
    if (draw.chance(0.4)) {
      add('FloatingIP', 'address', { floatingNetworkRef: outer, description: 'first' });
      return;
    }
    const inner = add('Network', INNER, {}, { filter: { name: `${INNER}-${namespace}` } });
    const subnetRef = add('Subnet', INNER, {}, { filter: { name: `${INNER}-${namespace}` } });
    const portRef = add('Port', 'reached', { networkRef: inner, addresses: [{ subnetRef }] });
    add('FloatingIP', 'address', { floatingNetworkRef: outer, portRef });
  },
};

/** A server, and some of what servers use. */
function machineOf(nest: Nest): void {
  const { draw, add, addSecret } = nest;
  const networkRef = add('Network', 'lan', {});
  const ports = Array.from({ length: draw.below(3) }, (_, index) => ({
    portRef: add('Port', `nic${index}`, { networkRef }),
  }));
  const image = imageOf(nest, 'system');
  const volumes = Array.from({ length: draw.below(3) }, (_, index) => ({
    volumeRef: add('Volume', `disk${index}`, { size: 1 }),
  }));
  const isOnVolume = draw.chance(0.3);
  add('Server', 'server', {
    flavorRef: add('Flavor', 'flavor', { ram: 512, vcpus: 1, disk: 1 }),
    ...(isOnVolume
      ? { bootVolume: { volumeRef: add('Volume', 'root', { size: 2, imageRef: image }) } }
      : { imageRef: image }),
    ports,
    ...(volumes.length > 0 && { volumes }),
    ...(draw.chance(0.4) && { keypairRef: add('KeyPair', 'key', { publicKey: PUBLIC_KEY }) }),
    ...(draw.chance(0.4) && {
      schedulerHints: { serverGroupRef: add('ServerGroup', 'apart', { policy: 'soft-anti-affinity' }) },
    }),
    ...(draw.chance(0.3) && { userData: { secretRef: addSecret('user-data', 'value') } }),
    ...(draw.chance(0.4) && { tags: ['first'] }),
  });
}

/** Glance fetches what it may itself, unless there is a checksum to be held against. @returns its name */
function imageOf({ draw, add, namespace }: Nest, name: string): string {
  const url = fileUrl(draw.chance(0.4) ? '127.0.0.1' : 'files.test', `${name}-${namespace}`, draw.pick([1, 2, 4, 30]));
  const hash = draw.chance(0.4) ? { hash: { algorithm: 'sha256', value: checksumOf(url) } } : {};
  return add('Image', name, { content: { diskFormat: 'raw', download: { url, ...hash } } });
}
