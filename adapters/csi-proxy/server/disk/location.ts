// Location of a disk, in Windows' format.
import type { DiskLocation } from './internal/types.ts';

/** Fewer say nothing of a disk that anybody looks for. */
const LEAST_PARTS = 5;

/**
 * `PCI Slot 3 : Adapter 0 : Port 0 : Target 1 : LUN 0`: what it says in two words of the four that are asked for.
 *
 * @returns undefined if the location is not parsable: the disk is left out, as one without a location
 */
export function parseLocation(text: string): DiskLocation | undefined {
  const parts = text.split(':');
  if (parts.length < LEAST_PARTS) return undefined;
  const location: DiskLocation = { Adapter: '', Bus: '', Target: '', LUNID: '' };
  let saysAny = false;
  for (const part of parts) {
    const [name, value, ...more] = part.trim().split(/\s+/);
    if (value === undefined || more.length > 0) continue;
    saysAny = true;
    if (name === 'Adapter' || name === 'Bus' || name === 'Target') location[name] = value;
    else if (name === 'LUN') location.LUNID = value;
  }
  return saysAny ? location : undefined;
}

/** What `parseLocation` reads the same of. */
export function formatLocation({ Adapter, Bus, Target, LUNID }: DiskLocation): string {
  const parts = Object.entries({ Adapter, Bus, Target, LUN: LUNID });
  return ['Disk', ...parts.map(([name, value]) => `${name} ${value}`.trim())].join(' : ');
}
