// HostFirmwareSettings: the BIOS settings of a host as Ironic read them, and whether others are wanted.
import type { JsonObject } from '../../../bus/json.ts';
import type { LifecyclePorts } from '../../../machines/lifecycle.ts';
import type { KubeObject } from '../../../machines/object.ts';
import { FirmwareChange } from '../host/firmware-change.ts';
import type { FirmwareSchemaSpec } from '../host/firmware-schema.ts';
import {
  firmwareSettingsChange,
  firmwareSettingsStatus,
  type HostFirmwareSettings,
  type SettingValue,
} from '../host/firmware-settings.ts';
import { firmwareKind } from './firmware.ts';
import { firmwareSchema } from './firmware-schema.ts';

export interface SettingsReading {
  readonly settings: readonly SettingValue[];
  /** Allowed values of the settings. All hosts with the same settings share it. */
  readonly schema: {
    readonly name: string;
    readonly spec: FirmwareSchemaSpec;
    /** The object was made for it before, and is there. */
    readonly isThere: boolean;
  };
}

export const hostFirmwareSettings = firmwareKind<SettingsReading>({
  kind: 'HostFirmwareSettings',
  plural: 'hostfirmwaresettings',
  references(object) {
    const name = schemaOf(object);
    return name === undefined ? [] : [{ kind: firmwareSchema.kind, name, finalizers: [], neededFor: 'never' }];
  },
  judge: (object, { settings, schema: { name, spec } }, now) =>
    firmwareSettingsStatus({
      object: settingsIn(object),
      settings,
      schema: { name, namespace: object.metadata.namespace ?? '', schema: spec.schema ?? {} },
      now,
    }),
  furnish,
  isJudged: (object) => firmwareSettingsChange(settingsIn(object)) !== FirmwareChange.NotReady,
});

/** The former schema is released only after another exists, and before the status stops naming it. */
async function furnish(ports: LifecyclePorts, key: string, { schema }: SettingsReading): Promise<readonly string[]> {
  if (schema.isThere) return [];
  const { kind } = firmwareSchema;
  const content = { spec: schema.spec as unknown as JsonObject };
  // A schema without a vendor does not replace one with a vendor: it was read before the inspection.
  const onDrift = schema.spec.hardwareVendor === undefined ? 'keep' : 'apply';
  const waiting = await ports.ensureChildren(key, [{ kind, name: schema.name, content, onDrift }]);
  if (waiting.length > 0) return waiting;
  const before = schemaOf(ports.object(key));
  if (before !== undefined && before !== schema.name) await ports.removeChildren(key, [{ kind, name: before }]);
  return [];
}

/** The FirmwareSchema that the status refers to, in its own namespace. */
function schemaOf(object: KubeObject): string | undefined {
  const { name, namespace } = settingsIn(object).status?.schema ?? {};
  return namespace === object.metadata.namespace ? name : undefined;
}

function settingsIn(object: KubeObject): HostFirmwareSettings {
  return object as unknown as HostFirmwareSettings;
}
