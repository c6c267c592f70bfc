// Changes of a machine before a deployment, or while it is switched off: RAID, BIOS settings, firmware.
import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../../bus/bus.ts';
import { ErrorType } from '../../../machines/bare-metal-host/errors.ts';
import type { Outcome } from '../../../machines/bare-metal-host/outcome.ts';
import { isEqual } from '../../../machines/bare-metal-host/status.ts';
import { type IronicNode, stateOf, uuidOf } from '../client/node-answer.ts';
import { biosStep } from '../host/bios-settings.ts';
import { cleanSteps, isUnprepared, serviceSteps } from '../host/clean-steps.ts';
import { FirmwareChange, firmwareChange, servicedOnReboot, type UpdatePolicy } from '../host/firmware-change.ts';
import { firmwareStep, type HostFirmwareComponents } from '../host/firmware-components.ts';
import { biosSettings } from '../host/firmware-schema.ts';
import { type HostFirmwareSettings, shownSettings } from '../host/firmware-settings.ts';
import { foreignUrlProblem } from '../host/foreign-urls.ts';
import { knownAfterFailure, type RaidHost, raidPlan, wantedRaid } from '../host/raid.ts';
import { effectiveHints } from '../host/root-device-hints.ts';
import { listOf, mapOf } from '../json-values.ts';
import { askingFor, type IronicPorts, metal3Resource } from '../serving.ts';
import { driverOfHost } from './driver-of-host.ts';
import { type HostReconciler, type HostRequest, hostOf } from './host-reconciler.ts';
import { firmwareRecordIn } from './outcome.ts';
import { type PreparationPlan, prepare } from './preparation.ts';
import { service } from './servicing.ts';
import { ProvisionState } from './states.ts';
import { REGISTER, type Step, wait } from './step.ts';
import { type Host, hasErrorOf } from './step-host.ts';

const SETTINGS = metal3Resource('HostFirmwareSettings', 'hostfirmwaresettings');
const COMPONENTS = metal3Resource('HostFirmwareComponents', 'hostfirmwarecomponents');
const POLICIES = metal3Resource('HostUpdatePolicy', 'hostupdatepolicies');

/** The firmware objects that go with a host, as they are now; undefined: there is none. */
interface FirmwareObjects {
  readonly settings: HostFirmwareSettings | undefined;
  readonly components: HostFirmwareComponents | undefined;
}

export async function prepareHost(ports: IronicPorts, passes: HostReconciler, request: HostRequest): Promise<Outcome> {
  const host = hostOf(request);
  const objects = await firmwareOf(ports, request);
  const settings = firmwareChange(objects.settings);
  const components = firmwareChange(objects.components);
  if (settings === FirmwareChange.NotReady || components === FirmwareChange.NotReady || areSettingsUnknown(objects)) {
    return awaitFirmware(passes, request);
  }
  const refused = await refusedFirmware(ports, objects, components);
  const plan = planOf(host, objects, { settings, components }, refused);
  const wanted = { raid: wantedRaid(host as RaidHost), rootDeviceHints: effectiveHints(host) };
  const { raid, rootDeviceHints } = host.status?.provisioning ?? {};
  const recorded = { raid: raid as never, rootDeviceHints: rootDeviceHints as never };
  const check = settingsCheck(ports, request, objects, settings);
  const isDifferent = isUnprepared({ wanted, recorded, settings, components });
  const ended = await passes.onNode(
    request,
    (node) => check.before(node, prepare({ host, node, isUnprepared: isDifferent, plan })),
    check.answer,
  );
  return { ...passes.outcome(ended, request), ...updatesOf(objects.components, firmwareRecordIn(ended.notes)) };
}

/** @param isBegun  false: it is only asked whether there is anything to be done */
export async function serviceHost(
  ports: IronicPorts,
  passes: HostReconciler,
  request: HostRequest & { readonly isBegun: boolean },
): Promise<Outcome> {
  const host = hostOf(request);
  const { namespace = '', name } = request.object.metadata;
  const policy = (await ports.readObject(POLICIES, namespace, name))?.spec as UpdatePolicy | undefined;
  const isPermitted = servicedOnReboot(policy);
  const all = await firmwareOf(ports, request);
  const objects = {
    settings: isPermitted.settings ? all.settings : undefined,
    components: isPermitted.components ? all.components : undefined,
  };
  const settings = firmwareChange(objects.settings);
  const components = firmwareChange(objects.components);
  const at = ports.clock.now();
  if (settings === FirmwareChange.NotReady || components === FirmwareChange.NotReady)
    return awaitFirmware(passes, request);
  const hasChanges = settings === FirmwareChange.Changed || components === FirmwareChange.Changed;
  if (!request.isBegun) return { kind: hasChanges ? 'due' : 'done', at };
  const refused = await refusedFirmware(ports, objects, components);
  // mutant: foreign-firmware if -> false
  if (refused !== undefined) return { kind: 'failed', at, errorType: ErrorType.Servicing, message: refused };
  const steps = serviceSteps(stepsOf(objects, { settings, components }));
  const check = settingsCheck(ports, request, objects, settings);
  const given = { host, hasChanges, isEmptied: isEmptied(objects), serviceSteps: steps };
  const ended = await passes.onNode(request, (node) => check.before(node, service({ ...given, node })), check.answer);
  return { ...passes.outcome(ended, request), ...updatesOf(objects.components, firmwareRecordIn(ended.notes)) };
}

/** Firmware objects are read from the node: they are never ready while Ironic does not know it, so the host registers it again. */
async function awaitFirmware(passes: HostReconciler, request: HostRequest): Promise<Outcome> {
  const ended = await passes.onNode(request, (node) =>
    // mutant: firmware-of-lost-node ?:.1 -> false
    node === null ? REGISTER : wait('firmwareNotReady', 'the firmware of the host was not read since it changed'),
  );
  return passes.outcome(ended, request);
}

async function firmwareOf(
  { readObject }: Pick<IronicPorts, 'readObject'>,
  { object, dependencies }: HostRequest,
): Promise<FirmwareObjects> {
  const { namespace = '', name } = object.metadata;
  const read = async (resource: typeof SETTINGS) =>
    dependencies[`${resource.kind}/${name}`] === undefined ? undefined : readObject(resource, namespace, name);
  const [settings, components] = await Promise.all([read(SETTINGS), read(COMPONENTS)]);
  return {
    settings: settings as HostFirmwareSettings | undefined,
    components: components as HostFirmwareComponents | undefined,
  };
}

/** Stable states of a node before a machine is restarted for its firmware, and afterwards. */
const AT_REST: ReadonlySet<string> = new Set([
  ProvisionState.Manageable,
  ProvisionState.Available,
  ProvisionState.Active,
]);

/**
 * Before a machine is restarted for its BIOS settings they are read once more: the object may not have been since they were
 * applied, and a machine would be restarted for nothing.
 */
function settingsCheck(
  { ironic }: Pick<IronicPorts, 'ironic'>,
  request: HostRequest,
  { settings }: FirmwareObjects,
  change: FirmwareChange,
) {
  const wanted = settings?.spec?.settings;
  let isBuiltOnReplaced: boolean | undefined = change === FirmwareChange.Changed ? undefined : false;
  return {
    before<Found extends object>(node: IronicNode | null, step: Step<Found>): Step<Found> {
      if (node === null || step.step !== 'send' || !AT_REST.has(stateOf(node)) || isBuiltOnReplaced === false)
        return step;
      if (isBuiltOnReplaced === undefined) return { step: 'ask', for: 'firmwareSettings' };
      return wait('short', 'the settings of the firmware are not yet read as they are now');
    },
    async answer(_: unknown, node: IronicNode | undefined): Promise<void> {
      const bios = await ironic.biosSettings(node === undefined ? '' : uuidOf(node), askingFor(request));
      const now = shownSettings(biosSettings({ bios }));
      isBuiltOnReplaced = !isDeepStrictEqual(biosStep(wanted, now), biosStep(wanted, settings?.status?.settings));
    },
  };
}

/** Something is wanted, and what there is was never read. */
function areSettingsUnknown({ settings }: FirmwareObjects): boolean {
  return (
    firmwareChange(settings) === FirmwareChange.Changed && Object.keys(mapOf(settings?.status?.settings)).length === 0
  );
}

type Changes = Readonly<Record<'settings' | 'components', FirmwareChange>>;

function stepsOf({ settings, components }: FirmwareObjects, changes: Changes): Parameters<typeof serviceSteps>[0] {
  const bios =
    changes.settings === FirmwareChange.Changed
      ? biosStep(settings?.spec?.settings, settings?.status?.settings)
      : undefined;
  const firmware =
    changes.components === FirmwareChange.Changed && components !== undefined ? firmwareStep(components) : undefined;
  return { bios, firmware };
}

/** Why an image that is to be written may not be fetched; undefined: all may. */
async function refusedFirmware(
  { foreign }: Pick<IronicPorts, 'foreign'>,
  { components }: FirmwareObjects,
  change: FirmwareChange,
): Promise<string | undefined> {
  if (change !== FirmwareChange.Changed) return undefined;
  return foreignUrlProblem(
    foreign,
    'sources of firmware',
    (components?.spec?.updates ?? []).map(({ url }) => url),
  );
}

function planOf(host: Host, objects: FirmwareObjects, changes: Changes, refused: string | undefined): PreparationPlan {
  if (refused !== undefined) return { cleanSteps: [], logicalDisks: [], problem: refused };
  const isUnknown = hasErrorOf(host, ErrorType.Preparation);
  const driver = driverOfHost(host);
  const plan = raidPlan({
    driverInterface: driver.interfaces.raid_interface ?? 'no-raid',
    wanted: wantedRaid(host as RaidHost),
    recorded: isUnknown ? knownAfterFailure(host as RaidHost) : (host.status?.provisioning?.raid as never),
    hints: effectiveHints(host),
  });
  if ('problem' in plan) return { cleanSteps: [], logicalDisks: [], problem: plan.problem };
  const { steps, logicalDisks, raidInterface } = plan;
  return { cleanSteps: cleanSteps({ raid: steps, ...stepsOf(objects, changes) }), logicalDisks, raidInterface };
}

function isEmptied({ settings, components }: FirmwareObjects): boolean {
  return Object.keys(mapOf(settings?.spec?.settings)).length === 0 && listOf(components?.spec?.updates).length === 0;
}

/** What HostFirmwareComponents records as applied from here on; nothing where it does already. */
function updatesOf(
  components: HostFirmwareComponents | undefined,
  record: 'record' | 'forget' | undefined,
): { readonly firmwareUpdates?: readonly JsonObject[] } {
  if (components === undefined || record === undefined) return {};
  const updates = record === 'record' ? listOf(components.spec?.updates) : [];
  if (isEqual(listOf(components.status?.updates), updates)) return {};
  return { firmwareUpdates: updates as readonly JsonObject[] };
}
