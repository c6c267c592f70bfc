// The steps of a manual cleaning and of a servicing, in their order, and whether a host has to be prepared. Pure.
import { isDeepStrictEqual } from 'node:util';
import type { FirmwareChange } from './firmware-change.ts';
import type { Maybe, RootDeviceHints } from './host-json.ts';
import type { Step } from './manual-step.ts';
import { isRaidChanged, type RaidConfig } from './raid.ts';
import { rootDeviceHints } from './root-device-hints.ts';

/** RAID, then BIOS settings, then firmware. What is undefined has nothing to do. */
export function cleanSteps({
  raid,
  bios,
  firmware,
}: {
  readonly raid?: readonly Step[] | undefined;
  readonly bios?: Step | undefined;
  readonly firmware?: Step | undefined;
}): readonly Step[] {
  return [...(raid ?? []), ...serviceSteps({ bios, firmware })];
}

/** Service steps of a provisioned host: BIOS settings, then firmware. RAID stays as it is. */
export function serviceSteps({
  bios,
  firmware,
}: {
  readonly bios?: Step | undefined;
  readonly firmware?: Step | undefined;
}): readonly Step[] {
  return [bios, firmware].filter((step) => step !== undefined);
}

/**
 * Whether anything that a preparation applies differs from what was applied. Steps need not follow from it: then what is
 * wanted is put on record all the same, or it would differ for ever.
 *
 * @param wanted.raid  of `wantedRaid`
 * @param recorded.raid  `status.provisioning.raid`
 */
export function isUnprepared({
  wanted,
  recorded,
  settings,
  components,
}: {
  readonly wanted: Prepared;
  readonly recorded: Prepared;
  readonly settings: FirmwareChange;
  readonly components: FirmwareChange;
}): boolean {
  return (
    isRaidChanged(wanted.raid, recorded.raid) ||
    !isDeepStrictEqual(rootDeviceHints(wanted.rootDeviceHints), rootDeviceHints(recorded.rootDeviceHints)) ||
    settings === 'changed' ||
    components === 'changed'
  );
}

export interface Prepared {
  readonly raid?: Maybe<RaidConfig>;
  readonly rootDeviceHints?: Maybe<RootDeviceHints>;
}
