// The boot mode of a host, as capabilities of its node and of its instance.
import type { Json } from '../../../bus/bus.ts';
import type { Maybe } from './host-json.ts';

const CAPABILITIES: ReadonlyMap<string, string> = new Map([
  ['UEFI', 'boot_mode:uefi'],
  ['UEFISecureBoot', 'boot_mode:uefi,secure_boot:true'],
  ['legacy', 'boot_mode:bios'],
]);
const DEFAULT_MODE = 'UEFI';

/**
 * The node's `properties.capabilities` with this boot mode; other capabilities stay as they are written.
 *
 * @param old  what the node has; anything but a text counts as nothing
 * @param bootMode  a mode that is empty, missing or unknown is UEFI
 */
export function nodeCapabilities(old: Json | undefined, bootMode: Maybe<string>): string {
  const items = typeof old === 'string' ? old.split(',') : [];
  const kept = items.filter((item) => item.trim() !== '' && !/^\s*(boot_mode|secure_boot):/.test(item));
  const own = CAPABILITIES.get(bootMode ?? DEFAULT_MODE) ?? CAPABILITIES.get(DEFAULT_MODE);
  return [...kept, own].join(',');
}

/** The `capabilities` of `instance_info`. */
export function instanceCapabilities(bootMode: Maybe<string>): Readonly<Record<string, string>> {
  return bootMode === 'UEFISecureBoot' ? { secure_boot: 'true' } : {};
}
