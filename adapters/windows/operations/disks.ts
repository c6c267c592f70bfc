// The disks of a machine by what they are known by. A number is what Windows calls a disk until it calls it otherwise.
//
// Invariants:
//   WIN-DISKS-1. What two disks are known by is no identity: neither is touched.
//   WIN-DISKS-2. The number of a disk is looked up again, by its identity, right before each change that is asked for by that number, in the
//       lane in which the disk is changed: a disk may have gone meanwhile, and another one may have its number.
import type { JsonObject } from '../../../bus/json.ts';
import { Code, StatusError } from '../../csi-proxy/base/status.ts';
import type { Caller } from '../../csi-proxy/hosts/keyed-mutex.ts';
import { parseLocation } from '../../csi-proxy/server/disk/location.ts';
import { said } from '../values.ts';
import type { MachinePorts } from './serving.ts';

export interface SeenDisk {
  readonly number: number;
  /** Empty if the disk reports nothing that identifies it. */
  readonly identity: string;
  readonly page83: string;
  readonly serialNumber: string;
  readonly location: string;
}

/** Before an identity that no other disk in the world has. */
export const PAGE83 = 'page83:';

/** Whether the identity is that of one disk wherever it is seen; serial numbers are much the same on many machines. */
export function isUnique(identity: string): boolean {
  return identity.startsWith(PAGE83);
}

/** Two disks of one page 83 identifier and different serial numbers are two disks of one identity all the same. */
export async function disksOf({ host }: Pick<MachinePorts, 'host'>): Promise<readonly SeenDisk[]> {
  const [{ disks }, locations] = await Promise.all([host.disk.listDiskIDs(), host.disk.listDiskLocations()]);
  return [...disks].map(([number, { page83, serialNumber }]) => {
    const serial = serialNumber.trim();
    const byName = page83 === '' ? '' : `${PAGE83}${page83}`;
    const bySerial = serial === '' ? '' : `serial:${serial}`;
    return {
      number,
      identity: byName || bySerial,
      page83,
      serialNumber: serial,
      location: locations.get(number) ?? '',
    };
  });
}

export function lunOf({ location }: SeenDisk): number | undefined {
  const lun = parseLocation(location)?.LUNID ?? '';
  return /^\d+$/.test(lun) ? Number(lun) : undefined;
}

/** The only disk of this identity; undefined: there is none. @throws {StatusError} there are several (WIN-DISKS-1) */
export async function diskOf(ports: Pick<MachinePorts, 'host'>, identity: string): Promise<SeenDisk | undefined> {
  const [disk, other] = (await disksOf(ports)).filter((each) => each.identity === identity && identity !== '');
  if (other === undefined) return disk;
  throw new StatusError(Code.FailedPrecondition, `several disks are known by ${identity}: none of them is touched`);
}

/**
 * Changes a disk in its lane, which it shares with the server of csi-proxy's clients.
 *
 * @param change  is given what looks up the number of the disk: right before each change that is asked for by it (WIN-DISKS-2). It throws a
 *   StatusError if that is no longer the number whose lane this is
 * @returns undefined: the disk is not there
 */
export async function changeDisk<Result>(
  ports: Pick<MachinePorts, 'host' | 'lanes'>,
  identity: string,
  caller: Caller,
  change: (numberNow: () => Promise<number>) => Promise<Result>,
): Promise<Result | undefined> {
  const found = await diskOf(ports, identity);
  if (found === undefined) return undefined;
  const { number } = found;
  return ports.lanes.run(`disk ${number}`, caller, () =>
    change(async () => {
      // mutant: disk-number-of-before if -> true
      if ((await diskOf(ports, identity))?.number === number) return number;
      throw new StatusError(Code.Aborted, `disk ${number} is another one by now`);
    }),
  );
}

export function asJson({ number, identity, page83, serialNumber, location }: SeenDisk): JsonObject {
  const word = (text: string): string | undefined => text || undefined;
  return said({
    number,
    identity: word(identity),
    page83: word(page83),
    serialNumber: word(serialNumber),
    location: word(location),
  });
}
