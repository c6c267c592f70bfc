// The driver of a host, by the address of its BMC.
import { parseBmcAddress } from '../host/bmc-address.ts';
import { type Driver, driverOf } from '../host/drivers.ts';
import type { Host } from './step-host.ts';

/** @throws {TerminalError} the host has no address, or one of no driver */
export function driverOfHost({ spec }: Host): Driver {
  return driverOf(parseBmcAddress(spec?.bmc?.address ?? ''));
}
