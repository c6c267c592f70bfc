// The hosts of a run, each on a machine of its own: with an image or without, cleaned or not, deployed by others, and taken out of Ironic.
import { VERSIONS, type Version } from '../../../../adapters/ironic/api/definitions.ts';
import { GROUP } from '../../../../adapters/ironic/api/types.ts';
import type { MachineOptions } from '../../../../adapters/simulated/ironic/mod.ts';
import type { JsonObject } from '../../../../bus/mod.ts';
import { HostAnnotation } from '../../../../machines/bare-metal-host/host.ts';

export interface Rack {
  /** Of the host. */
  readonly name: string;
  /** Of the Secret of its BMC. */
  readonly secret: string;
  /** Who sees to what runs on it: the user, by images; nobody, as it is kept ready; others. */
  readonly use: 'images' | 'spare' | 'external';
  readonly disks: 'cleaned' | 'kept';
  /** In which it is created, edited and deleted; now in one, now in the other, where there are both. */
  readonly versions: readonly Version[];
  readonly machine: MachineOptions;
  /** In v1alpha1, with the first of `IMAGES` where it has images. */
  readonly manifest: JsonObject;
}

/** What the user has to choose from. */
export const IMAGES: readonly JsonObject[] = ['a', 'b'].map((name) => ({
  url: `http://images.test/${name}.raw`,
  checksum: name.repeat(64),
  checksumType: 'sha256',
  format: 'raw',
}));

export const USERNAME = 'operator';
const SYSTEM = '/redfish/v1/Systems/1';

interface Wanted extends Pick<Rack, 'name' | 'use' | 'disks' | 'versions'> {
  /** Scheme of its BMC. */
  readonly by: 'redfish' | 'redfish-virtualmedia';
  readonly annotations?: Readonly<Record<string, string>>;
}

const [V1ALPHA1, V1BETA1] = VERSIONS;

const WANTED: readonly Wanted[] = [
  { name: 'database', use: 'images', disks: 'cleaned', versions: VERSIONS, by: 'redfish-virtualmedia' },
  { name: 'web', use: 'images', disks: 'kept', versions: [V1ALPHA1], by: 'redfish' },
  {
    name: 'lent',
    use: 'images',
    disks: 'kept',
    versions: [V1BETA1],
    by: 'redfish-virtualmedia',
    annotations: { [HostAnnotation.Detached]: '' },
  },
  { name: 'spare', use: 'spare', disks: 'cleaned', versions: [V1BETA1], by: 'redfish-virtualmedia' },
  { name: 'reserve', use: 'spare', disks: 'kept', versions: VERSIONS, by: 'redfish' },
  { name: 'legacy', use: 'external', disks: 'kept', versions: [V1BETA1], by: 'redfish-virtualmedia' },
];

/** @param passwordOf  of a BMC, by the name of the host */
export function racks(passwordOf: (host: string) => string): readonly Rack[] {
  return WANTED.map(({ name, use, disks, versions, by, annotations = {} }, index) => {
    const number = index + 1;
    // A number, as no name server is asked for it (RFC 5737).
    const address = `http://192.0.2.${number}:8000`;
    const mac = `52:54:00:00:00:0${number}`;
    const secret = `${name}-bmc`;
    const spec = {
      online: true,
      bootMACAddress: mac,
      bmc: { address: `${by}+${address}${SYSTEM}`, credentialsName: secret },
      automatedCleaningMode: disks === 'cleaned' ? 'metadata' : 'disabled',
      ...(use === 'external' && { externallyProvisioned: true }),
      ...(use === 'images' && { image: IMAGES[0] }),
    };
    return {
      name,
      secret,
      use,
      disks,
      versions,
      machine: { name, address, systemId: SYSTEM, username: USERNAME, password: passwordOf(name), macs: [mac] },
      manifest: { apiVersion: `${GROUP}/${V1ALPHA1}`, kind: 'BareMetalHost', metadata: { name, annotations }, spec },
    };
  });
}
