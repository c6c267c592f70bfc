// HostFirmwareSettings: the BIOS settings of a host as Ironic read them, and whether others are wanted.
import type { JsonObject } from '../../../bus/json.ts';
import type { LifecyclePorts } from '../../../machines/lifecycle.ts';
import type { KubeObject } from '../../../machines/object.ts';
import { firmwareSchema } from '../firmware-schema-kind.ts';
import { FirmwareChange } from '../host/firmware-change.ts';
import {
  firmwareSettingsChange,
  firmwareSettingsStatus,
  type HostFirmwareSettings,
} from '../host/firmware-settings.ts';
import type { SettingsReading } from '../steps/firmware.ts';
import { firmwareKind } from './firmware.ts';

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

/** The earlier schema is released only once there is another, and before the status stops naming it. */
async function furnish(ports: LifecyclePorts, { schema }: SettingsReading): Promise<readonly string[]> {
  if (schema.isThere) return [];
  const { kind } = firmwareSchema;
  const content = { spec: schema.spec as unknown as JsonObject };
  // A host without a known vendor never overwrites one: the schema may have been read before another host wrote the vendor.
  const onDrift = schema.spec.hardwareVendor === undefined ? 'keep' : 'apply';
  const waiting = await ports.ensureChildren([{ kind, name: schema.name, content, onDrift }]);
  if (waiting.length > 0) return waiting;
  const before = schemaOf(ports.object());
  if (before !== undefined && before !== schema.name) await ports.removeChildren([{ kind, name: before }]);
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
