// HostFirmwareSettings: status and conditions, from Ironic's data about a node, and the changes that the host makes.
// Pure.

import { ownMember } from '../json-values.ts';
import { type CurrentSettings, isSettingChanged, type WantedSettings } from './bios-settings.ts';
import { type Condition, timeOf, withConditions } from './condition.ts';
import { FirmwareChange, FirmwareCondition, firmwareChange } from './firmware-change.ts';
import {
  AttributeType,
  type BiosSetting,
  isSecretSetting,
  type SettingSchema,
  settingProblem,
} from './firmware-schema.ts';
import type { Maybe } from './host-json.ts';
import { isSameStatus } from './last-updated.ts';

export interface HostFirmwareSettings {
  readonly metadata: { readonly generation?: Maybe<number> };
  readonly spec?: Maybe<{ readonly settings?: Maybe<WantedSettings> }>;
  readonly status?: Maybe<{
    readonly settings?: Maybe<CurrentSettings>;
    readonly schema?: Maybe<{ readonly name: string; readonly namespace: string }>;
    readonly conditions?: Maybe<readonly Condition[]>;
    readonly lastUpdated?: Maybe<string>;
  }>;
}

export interface HostFirmwareSettingsStatus {
  readonly settings: CurrentSettings;
  readonly schema: { readonly name: string; readonly namespace: string };
  readonly conditions: readonly Condition[];
  readonly lastUpdated: string;
}

/** Event about the object, emitted after the write. */
export interface ValidationEvent {
  readonly reason: 'ValidationFailed';
  readonly message: string;
}

const Reason = { Success: 'Success', ConfigurationError: 'ConfigurationError' } as const;

const INVALID = 'Invalid BIOS setting';

/** The settings that the status shows: all but those with a name of passwords. A password by another name shows no value. */
export function shownSettings(settings: readonly SettingValue[]): CurrentSettings {
  const shown = settingValues(settings).filter(({ name }) => !isSecretSetting(name));
  return Object.fromEntries(shown.map(({ name, value }) => [name, value]));
}

/** Setting as it is sent: its schema holds the allowed values, and a password has no value. */
export type SettingValue = Pick<BiosSetting, 'name' | 'value' | 'attribute_type'>;

export function settingValues(settings: readonly SettingValue[]): readonly SettingValue[] {
  return settings.map((setting) => ({
    name: setting.name,
    value: isSecret(setting) ? '' : setting.value,
    attribute_type: setting.attribute_type,
  }));
}

function isSecret({ name, attribute_type: type }: SettingValue): boolean {
  return isSecretSetting(name) || type === AttributeType.Password;
}

/** Problems of the wanted settings, in their order; empty if all are valid. */
export function settingsProblems(
  wanted: Maybe<WantedSettings>,
  current: CurrentSettings,
  schema: Readonly<Record<string, SettingSchema>>,
): readonly string[] {
  return Object.entries(wanted ?? {}).flatMap(([name, value]) => {
    if (isSecretSetting(name)) return [`Setting ${name} is invalid, passwords cannot be set`];
    if (!Object.hasOwn(current, name)) return [`Setting ${name} is invalid, the host has none of this name`];
    const known = ownMember(schema, name) as SettingSchema | undefined;
    return known === undefined ? [] : (settingProblem(name, value, known) ?? []);
  });
}

/**
 * Status after a check of the node's settings, and the events about invalid ones.
 *
 * @param options.settings  of `biosSettings`
 * @param options.schema  the FirmwareSchema of these settings
 * @param options.now  milliseconds since the epoch
 * @returns `isChanged`: something other than the time changed and must be written. Events are emitted when it is
 */
export function firmwareSettingsStatus({
  object,
  settings,
  schema,
  now,
}: {
  readonly object: HostFirmwareSettings;
  readonly settings: readonly SettingValue[];
  readonly schema: {
    readonly name: string;
    readonly namespace: string;
    readonly schema: Readonly<Record<string, SettingSchema>>;
  };
  readonly now: number;
}): {
  readonly status: HostFirmwareSettingsStatus;
  readonly events: readonly ValidationEvent[];
  readonly isChanged: boolean;
} {
  const { metadata, spec, status: stored } = object;
  const current = shownSettings(settings);
  const isDifferent = Object.entries(spec?.settings ?? {}).some(([name, value]) =>
    isSettingChanged(name, value, current),
  );
  const problems = settingsProblems(spec?.settings, current, schema.schema);
  const conditions = withConditions(
    [
      {
        type: FirmwareCondition.ChangeDetected,
        status: isDifferent ? 'True' : 'False',
        reason: Reason.Success,
      },
      problems.length === 0
        ? { type: FirmwareCondition.Valid, status: 'True', reason: Reason.Success }
        : { type: FirmwareCondition.Valid, status: 'False', reason: Reason.ConfigurationError, message: INVALID },
    ],
    { stored: stored?.conditions, generation: metadata.generation ?? undefined, now },
  );
  const status = {
    settings: current,
    schema: { name: schema.name, namespace: schema.namespace },
    conditions,
    lastUpdated: timeOf(now),
  };
  return {
    status,
    events: problems.map((problem) => ({ reason: 'ValidationFailed', message: `${INVALID}: ${problem}` })),
    isChanged: !isSameStatus(stored, status),
  };
}

/**
 * Change that the host makes; settings that were not read yet cannot be changed. @param object undefined if there is
 * none
 */
export function firmwareSettingsChange(object: Maybe<HostFirmwareSettings>): FirmwareChange {
  const change = firmwareChange(object);
  const isUnread = Object.keys(object?.status?.settings ?? {}).length === 0;
  return change === FirmwareChange.Changed && isUnread ? FirmwareChange.NotReady : change;
}
