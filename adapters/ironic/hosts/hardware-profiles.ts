// Hardware profiles: names that stand for root device hints. Deprecated, and of v1alpha1 alone.
import type { Host, RootDeviceHints } from './host.ts';

const HINTS: ReadonlyMap<string, RootDeviceHints | undefined> = new Map([
  ['unknown', { deviceName: '/dev/sda' }],
  ['libvirt', { deviceName: '/dev/vda' }],
  ['dell', { hctl: '0:0:0:0' }],
  ['dell-raid', { hctl: '0:2:0:0' }],
  ['openstack', { deviceName: '/dev/vdb' }],
  ['empty', undefined],
]);

export function isKnownProfile(name: string): boolean {
  return HINTS.has(name);
}

/** The hints of a profile; undefined: it has none, or nobody knows it. */
export function hintsOfProfile(name: string): RootDeviceHints | undefined {
  return HINTS.get(name);
}

/** The profile in effect, known or not. The status wins, so a spec that names another one later changes nothing. */
export function profileNameOf({ spec, status }: Pick<Host, 'spec' | 'status'>): string {
  const isLibvirt = spec?.bmc?.address?.startsWith('libvirt') ?? false;
  return status?.hardwareProfile || spec?.hardwareProfile || (isLibvirt ? 'libvirt' : 'unknown');
}
