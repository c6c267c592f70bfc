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

interface Profiled {
  readonly spec: { readonly hardwareProfile: string; readonly bmc: { readonly address: string } };
  readonly status: { readonly hardwareProfile: string };
}

/** The profile that counts for a host: the recorded one, else the one asked for, else by the address of its BMC. */
export function profileNameOf({ spec, status }: Profiled): string {
  const byAddress = spec.bmc.address.startsWith('libvirt') ? 'libvirt' : 'unknown';
  return status.hardwareProfile || spec.hardwareProfile || byAddress;
}
