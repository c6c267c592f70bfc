// Hardware profiles: what a host without root device hints of its own falls back to. The API deprecates them.

/** Root device hints as v1alpha1 spells them. */
export type RootDeviceHints = Readonly<Record<string, string | number | boolean>>;

const HINTS: ReadonlyMap<string, RootDeviceHints> = new Map([
  ['unknown', { deviceName: '/dev/sda' }],
  ['libvirt', { deviceName: '/dev/vda' }],
  ['dell', { hctl: '0:0:0:0' }],
  ['dell-raid', { hctl: '0:2:0:0' }],
  ['openstack', { deviceName: '/dev/vdb' }],
]);

/** The hints that a profile stands for; undefined: it has none, or there is no such profile. */
export function hintsOfProfile(name: string): RootDeviceHints | undefined {
  return HINTS.get(name);
}

/** The profile that counts for a host: the recorded one, else the one asked for, else by the address of its BMC. */
export function profileNameOf({ spec, status }: { readonly spec?: unknown; readonly status?: unknown }): string {
  const { hardwareProfile: asked, bmc } = fieldsOf(spec);
  for (const name of [fieldsOf(status)['hardwareProfile'], asked]) {
    if (typeof name === 'string' && name !== '') return name;
  }
  const { address } = fieldsOf(bmc);
  return typeof address === 'string' && address.startsWith('libvirt') ? 'libvirt' : 'unknown';
}

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
