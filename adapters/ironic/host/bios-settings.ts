// The step that applies BIOS settings. Pure.

import { byBytes, ownMember, wordOf } from '../json-values.ts';
import type { Maybe } from './host-json.ts';
import type { Step } from './manual-step.ts';

/** `spec.settings` of HostFirmwareSettings: whole numbers and texts. */
export type WantedSettings = Readonly<Record<string, number | string>>;

/** `status.settings` of HostFirmwareSettings. */
export type CurrentSettings = Readonly<Record<string, string>>;

/** Whether it is not there as it is wanted: values are compared as texts. */
export function isSettingChanged(name: string, value: unknown, current: Maybe<CurrentSettings>): boolean {
  return ownMember(current, name) !== wordOf(value);
}

/**
 * The clean or service step that brings the settings about that are not there yet; undefined: all are.
 * Numbers stay numbers. Sorted by name.
 */
export function biosStep(wanted: Maybe<WantedSettings>, current: Maybe<CurrentSettings>): Step | undefined {
  const settings = Object.entries(wanted ?? {})
    .filter(([name, value]) => isSettingChanged(name, value, current))
    .sort(([left], [right]) => byBytes(left, right))
    .map(([name, value]) => ({ name, value }));
  return settings.length === 0 ? undefined : { interface: 'bios', step: 'apply_configuration', args: { settings } };
}
