// HostFirmwareComponents: the firmware of a host as Ironic read it, and whether other images are wanted.
import type { KubeObject } from '../../../machines/object.ts';
import { FirmwareChange, firmwareChange } from '../host/firmware-change.ts';
import { firmwareComponentsStatus, type HostFirmwareComponents } from '../host/firmware-components.ts';
import type { ComponentsReading } from '../steps/firmware.ts';
import { firmwareKind } from './firmware.ts';

export const hostFirmwareComponents = firmwareKind<ComponentsReading>({
  kind: 'HostFirmwareComponents',
  plural: 'hostfirmwarecomponents',
  judge: (object, { components }, now) => firmwareComponentsStatus({ object: componentsIn(object), components, now }),
  isJudged: (object) => firmwareChange(componentsIn(object)) !== FirmwareChange.NotReady,
});

function componentsIn(object: KubeObject): HostFirmwareComponents {
  return object as unknown as HostFirmwareComponents;
}
