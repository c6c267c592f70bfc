// What HostFirmwareSettings and HostFirmwareComponents ask of Ironic: what it keeps of the firmware of their host's node.
import { TransientError } from '../../../bus/errors.ts';
import type { OperationRequest } from '../../../machines/kind.ts';
import type { LongCallRequest } from '../../../machines/lifecycle.ts';
import type { WatchInput, WatchOutput } from '../../../machines/observed-node/context.ts';
import type { Operations } from '../../api/adapter.ts';
import { firmwareSchema } from '../firmware-schema-kind.ts';
import { type FirmwareComponent, firmwareComponents } from '../host/firmware-components.ts';
import {
  biosSettings,
  type FirmwareSchemaSpec,
  firmwareSchemaName,
  firmwareSchemaSpec,
} from '../host/firmware-schema.ts';
import { type SettingValue, settingValues } from '../host/firmware-settings.ts';
import { mapOf, textOf } from '../json-values.ts';
import { askingFor, type IronicPorts } from '../serving.ts';
import { nextTransition } from './node-watch.ts';

interface FirmwarePorts extends Pick<IronicPorts, 'ironic'> {
  readonly poller: Pick<IronicPorts['poller'], 'watch'>;
}

export interface SettingsReading {
  readonly settings: readonly SettingValue[];
  /** Allowed values. All hosts that have the same settings share it. */
  readonly schema: {
    readonly name: string;
    readonly spec: FirmwareSchemaSpec;
    /** The object was made for it before, and is there. */
    readonly isThere: boolean;
  };
}

export interface ComponentsReading {
  readonly components: readonly FirmwareComponent[];
}

/** Of `hostfirmwaresettings`. */
export function firmwareSettingsOperations(ports: FirmwarePorts & Pick<IronicPorts, 'readObject'>): Operations[string] {
  return {
    async read(request: OperationRequest): Promise<SettingsReading> {
      const { id, attributes } = hostOf(request);
      const settings = biosSettings({ bios: await ports.ironic.biosSettings(id, askingFor(request)) });
      const name = firmwareSchemaName(settings);
      const { vendor, model } = mapOf(attributes);
      const own = firmwareSchemaSpec(settings, { manufacturer: textOf(vendor), productName: textOf(model) });
      // It is referenced once the status names it, and was created before that.
      const made = request.dependencies[`${firmwareSchema.kind}/${name}`];
      const isNamed = own.hardwareVendor === undefined || mapOf(made?.attributes)['hasVendor'] === true;
      const isThere = made?.ready === true && isNamed;
      // Vendor and model are those of the first that knew them: all who share it leave it so.
      const { namespace = '' } = request.object.metadata;
      const shared = isThere ? undefined : await ports.readObject(firmwareSchema, namespace, name);
      const spec = { ...own, ...(shared?.spec as FirmwareSchemaSpec | undefined) };
      return { settings: settingValues(settings), schema: { name, spec, isThere } };
    },
    watch: watchOf(ports),
  };
}

/** Of `hostfirmwarecomponents`. */
export function firmwareComponentsOperations(ports: FirmwarePorts): Operations[string] {
  return {
    async read(request: OperationRequest): Promise<ComponentsReading> {
      const firmware = await ports.ironic.firmwareComponents(hostOf(request).id, askingFor(request));
      return { components: firmwareComponents({ firmware }) };
    },
    watch: watchOf(ports),
  };
}

function watchOf({ poller }: FirmwarePorts) {
  return async (request: LongCallRequest & Omit<WatchInput, 'key'>): Promise<WatchOutput> => ({
    seen: await nextTransition(poller, { ...request, uuid: hostOf(request).id }),
  });
}

/** The host that an object goes with has its name. */
function hostOf({ object, dependencies }: Pick<OperationRequest, 'object' | 'dependencies'>) {
  const host = dependencies[`BareMetalHost/${object.metadata.name}`];
  // The effect was begun when it was ready.
  if (host?.ready !== true) throw new TransientError('the host is not to be touched any more');
  return host;
}
