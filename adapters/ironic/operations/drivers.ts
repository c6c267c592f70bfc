// The driver of a host, by the address of its BMC.
import { parseBmcAddress } from '../hosts/bmc-address.ts';
import { type Driver, driverOf } from '../hosts/drivers.ts';
import type { Host } from '../nodes/host.ts';

/** @throws {TerminalError} the host has no address, or one of no driver */
export function driverOfHost({ spec }: Host): Driver {
  return driverOf(parseBmcAddress(spec?.bmc?.address ?? ''));
}
