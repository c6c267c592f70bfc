// Hardware profiles: named sets of root device hints. Deprecated, and only in v1alpha1.

import { mapOf } from '../json-values.ts';
import type { RootDeviceHints } from './host-json.ts';

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

/** Hints of a profile; undefined if it has none, or is unknown. */
export function hintsOfProfile(name: string): RootDeviceHints | undefined {
  return HINTS.get(name);
}

/**
 * The profile in effect, known or not. The status wins, so a spec that names another one later changes nothing.
 *
 * @param host  of any origin: what is not as the API has it counts as missing
 */
export function profileNameOf({ spec, status }: { readonly spec?: unknown; readonly status?: unknown }): string {
  const { hardwareProfile: asked, bmc } = mapOf(spec);
  const named = [mapOf(status)['hardwareProfile'], asked].find((name) => typeof name === 'string' && name !== '');
  if (typeof named === 'string') return named;
  const { address } = mapOf(bmc);
  return typeof address === 'string' && address.startsWith('libvirt') ? 'libvirt' : 'unknown';
}
