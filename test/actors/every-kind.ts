// Objects of all kinds that build on one another as in a deployment: a server with a port, a volume and a floating IP, and
// whatever else has a kind. Under names of their own, so that many such sets fit into one namespace and one cloud.
import { createHash } from 'node:crypto';
import type { JsonObject } from '../../bus/mod.ts';
import { SSH_KEY } from '../adapters/openstack/compute-answers.ts';
import type { Kind } from '../world/world.ts';

export interface Described {
  readonly kind: Exclude<Kind, 'Secret'>;
  readonly name: string;
  /** Without credentials. */
  readonly spec: JsonObject;
}

export interface EveryKindOptions {
  /** What all names begin with, of objects and in the cloud. */
  readonly prefix: string;
  /** Where an image is downloaded from. */
  readonly imageUrl: string;
  /** The name in Keystone of the user of the credentials: only for himself may somebody make application credentials. */
  readonly userName: string;
}

/** Objects of a set that stand beside its manifests: the interface that a subnet makes for itself. */
export const CHILDREN = 1;

/** All 26 kinds, dependents first. */
export function everyKind({ prefix, imageUrl, userName }: EveryKindOptions): readonly Described[] {
  const name = (suffix: string): string => `${prefix}-${suffix}`;
  const managed = (kind: Described['kind'], suffix: string, resource: JsonObject = {}): Described => ({
    kind,
    name: name(suffix),
    spec: { resource },
  });
  const port = (suffix: string, more: JsonObject = {}): Described =>
    managed('Port', suffix, { networkRef: name('net'), addresses: [{ subnetRef: name('sub') }], ...more });
  const subnet = (suffix: string, networkRef: string, cidr: string, more: JsonObject = {}): Described =>
    managed('Subnet', suffix, { networkRef: name(networkRef), ipVersion: 4, cidr, ...more });
  const rule = { direction: 'ingress', ethertype: 'IPv4', protocol: 'tcp', portRange: { min: 22, max: 22 } };
  const size = { ram: 64, vcpus: 1, disk: 1, extraSpecs: [{ name: 'hw:mem_page_size', value: 'small' }] };
  const interfaceSpec = { type: 'Subnet', routerRef: name('router'), subnetRef: name('sub') };
  return [
    managed('FloatingIP', 'fip', { floatingSubnetRef: name('out-sub'), portRef: name('vm-port'), tags: [prefix] }),
    managed('Server', 'vm', {
      imageRef: name('image'),
      flavorRef: name('size'),
      keypairRef: name('key'),
      ports: [{ portRef: name('vm-port') }],
      volumes: [{ volumeRef: name('vol') }],
      schedulerHints: { serverGroupRef: name('near') },
      userData: { secretRef: name('user-data') },
      metadata: [{ key: 'of', value: prefix }],
      tags: [prefix],
    }),
    managed('Trunk', 'trunk', {
      portRef: name('trunk-port'),
      subports: [{ portRef: name('sub-port'), segmentationID: 101, segmentationType: 'vlan' }],
    }),
    managed('ShareNetwork', 'shares', { networkRef: name('net'), subnetRef: name('sub') }),
    port('vm-port', { securityGroupRefs: [name('ssh')], description: 'of the server' }),
    port('trunk-port'),
    port('sub-port'),
    { kind: 'RouterInterface', name: name('plug'), spec: interfaceSpec },
    subnet('sub', 'net', '10.0.0.0/24', { dnsNameservers: ['10.0.0.3', '10.0.0.2'], tags: [prefix] }),
    // It makes an interface for itself.
    subnet('own-sub', 'net', '10.0.1.0/24', { routerRef: name('router') }),
    subnet('out-sub', 'out', '198.51.100.0/24'),
    managed('Router', 'router', { externalGateways: [{ networkRef: name('out') }] }),
    managed('SecurityGroup', 'ssh', { rules: [rule] }),
    managed('Network', 'net', { description: 'inside', tags: [prefix] }),
    managed('Network', 'out', { external: true }),
    managed('AddressScope', 'scope', { ipVersion: 4 }),
    managed('Volume', 'vol', {
      size: 1,
      volumeTypeRef: name('kind'),
      metadata: [{ name: 'of', value: prefix }],
    }),
    managed('VolumeType', 'kind', { description: 'a type' }),
    managed('Image', 'image', { content: { diskFormat: 'raw', download: { url: imageUrl, hash: IMAGE_HASH } } }),
    managed('Flavor', 'size', size),
    managed('KeyPair', 'key', { publicKey: SSH_KEY }),
    managed('ServerGroup', 'near', { policy: 'soft-affinity' }),
    managed('ApplicationCredential', 'app', { userRef: name('me'), secretRef: name('app-secret') }),
    managed('RoleAssignment', 'grant', {
      roleRef: name('role'),
      userRef: name('user'),
      projectRef: name('project'),
    }),
    managed('Endpoint', 'endpoint', {
      interface: 'public',
      serviceRef: name('service'),
      url: 'http://127.0.0.1:1/',
    }),
    managed('Service', 'service', { type: prefix }),
    managed('User', 'user', { domainRef: name('domain'), passwordRef: name('password') }),
    { kind: 'User', name: name('me'), spec: { managementPolicy: 'unmanaged', import: { filter: { name: userName } } } },
    managed('Group', 'group', { domainRef: name('domain'), description: 'many' }),
    managed('Role', 'role'),
    managed('Project', 'project', { domainRef: name('domain'), tags: [prefix] }),
    managed('Domain', 'domain'),
  ];
}

export function manifestOf({ kind, name, spec }: Described, cloudCredentialsRef: JsonObject): JsonObject {
  // An interface speaks through its router.
  const whole = kind === 'RouterInterface' ? spec : { cloudCredentialsRef, ...spec };
  return { apiVersion: 'openstack.k-orc.cloud/v1alpha1', kind, metadata: { name }, spec: whole };
}

/** What the image holds. */
export const IMAGE_CONTENT = Buffer.from('what an image holds');
const IMAGE_HASH = { algorithm: 'sha256', value: createHash('sha256').update(IMAGE_CONTENT).digest('hex') };

/** The Secrets that a set reads beside its credentials, by name. */
export function secretsFor(prefix: string): Readonly<Record<string, Readonly<Record<string, string>>>> {
  return {
    [`${prefix}-user-data`]: { value: '#cloud-config\n' },
    [`${prefix}-app-secret`]: { value: `${prefix} of applications` },
    [`${prefix}-password`]: { password: `${prefix} of people` },
  };
}
