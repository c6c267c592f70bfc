// Registration of a host's node: the way into its BMC is read, and the node made what the host says.
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { arch } from 'node:os';
import type { JsonObject } from '../../../bus/bus.ts';
import { ErrorCode, TransientError, toErrorData } from '../../../bus/errors.ts';
import { ErrorType } from '../../../machines/bare-metal-host/errors.ts';
import { isInspectionDisabled } from '../../../machines/bare-metal-host/host.ts';
import type { Outcome } from '../../../machines/bare-metal-host/outcome.ts';
import { isEqual, patchStatus, type StatusPatch } from '../../../machines/bare-metal-host/status.ts';
import { ErrorReason } from '../client/errors.ts';
import { architectureOf } from '../host/architecture.ts';
import type { BmcAddress } from '../host/bmc-address.ts';
import { networkDataIn } from '../host/config-drive.ts';
import { type Access, type AccessOutcome, bmcAccess, credentialsNameOf } from '../host/credentials.ts';
import { didAddressChange, driverInfo } from '../host/driver-info.ts';
import { isKnownProfile, profileNameOf } from '../host/hardware-profiles.ts';
import { deployInterface } from '../host/instance-info.ts';
import {
  imageStateOf,
  needsPreprovisioningImage,
  type PreprovisioningImage,
  type RamdiskDecision,
  ramdiskDecision,
} from '../host/preprovisioning.ts';
import { mapOf, textOf } from '../json-values.ts';
import { askingFor, type IronicPorts, metal3Resource } from '../serving.ts';
import type { HostReconciler, HostRequest } from './host-reconciler.ts';
import { hostOf } from './host-reconciler.ts';
import type { Nic } from './ports.ts';
import { nodeIn, register } from './registration.ts';
import { failed } from './step.ts';
import type { Host } from './step-host.ts';

const HARDWARE_DATA = metal3Resource('HardwareData', 'hardwaredata');
export const PREPROVISIONING_IMAGES = metal3Resource('PreprovisioningImage', 'preprovisioningimages');

type Refusal = Exclude<AccessOutcome, { readonly kind: 'access' }>;

export interface Registering {
  /** Ironic lists firmware components of the node; undefined if not requested, or not supported. */
  readonly listsComponents?: boolean;
}

/** Default architecture of a host's node. */
export function architectureOfHost(host: Host): string {
  return architectureOf(host, { ownArchitecture: arch() });
}

export async function registerHost(
  ports: IronicPorts,
  passes: HostReconciler,
  request: HostRequest,
): Promise<Outcome & Registering> {
  const host = hostOf(request);
  const namespace = request.object.metadata.namespace ?? '';
  const name = credentialsNameOf(host);
  const secret = name === '' ? undefined : await credentialsIn(ports, namespace, name);
  const access = bmcAccess(host, secret);
  const known = await knownHardware(ports, request);
  if (access.kind !== 'access') return withHardware(host, known, refusal(access, ports.clock.now()));
  // One that goes is let go, wherever its BMC is.
  if (request.object.metadata.deletionTimestamp === undefined) {
    const { hostname, port } = access.address;
    const message =
      hostname === '' ? undefined : await ports.foreign.refusalOf('BMCs', hostname, Number(port) || undefined);
    // mutant: foreign-bmc if -> false
    if (message !== undefined) return refusal({ kind: 'invalid', message }, ports.clock.now());
  }
  const { features } = await ports.ironic.ready(askingFor(request));
  const { driver, credentials } = access;
  const wanted = await driverInfoOf(ports, host, access);
  const before = await ramdiskOf(ports, request, access);
  const ended = await passes.run(request, ({ facts, memory }) => {
    if (!isKnownProfile(profileNameOf(host))) {
      return failed(ErrorType.Registration, `Hardware profile '${profileNameOf(host)}' is unknown`);
    }
    const node = nodeIn(facts);
    return register({
      host,
      facts,
      memory,
      driver,
      driverInfo: wanted,
      credentials,
      isAddressChanged: node !== undefined && didAddressChange(mapOf(node['driver_info']), wanted),
      architecture: architectureOfHost(host),
      deployInterface: deployInterface(host),
      features,
      nics: mapOf(host.status?.hardware)['nics'] as unknown as readonly Nic[] | undefined,
      isProvisioningNetworkDisabled: ports.options.isProvisioningNetworkDisabled,
      ...before,
      hasFirmwareComponents: request.dependencies[`HostFirmwareComponents/${host.metadata?.name ?? ''}`] !== undefined,
    });
  });
  const outcome = withProfile(host, withHardware(host, known, passes.outcome(ended, request)));
  const { last } = ended;
  if (last.step !== 'done') return outcome;
  const { listsComponents, isUnconfigured } = last;
  return {
    ...outcome,
    ...(listsComponents !== undefined && { listsComponents }),
    ...(isUnconfigured === true && { isUnconfigured }),
  };
}

/** @throws {TransientError} the existence of the Secret cannot be determined */
async function credentialsIn(
  { readSecret }: Pick<IronicPorts, 'readSecret'>,
  namespace: string,
  name: string,
): ReturnType<IronicPorts['readSecret']> {
  try {
    return await readSecret(namespace, name);
  } catch (error) {
    const { code, message, retryAfterMs, fault } = toErrorData(error);
    if (code !== ErrorCode.Transient) throw error;
    throw new TransientError(message, { cause: error, retryAfterMs, fault, reason: ErrorReason.SecretUnread });
  }
}

function refusal({ kind, message }: Refusal, at: number): Outcome {
  const name = kind === 'missing' ? 'metal3_credentials_missing_total' : 'metal3_credentials_invalid_total';
  return {
    kind: 'failed',
    at,
    errorType: ErrorType.Registration,
    message,
    events: [{ reason: 'BMCCredentialError', message }],
    measures: [{ name }],
    ...(kind === 'invalid' && { until: 'change' as const }),
  };
}

async function driverInfoOf(
  { options: { externalUrlV6 } }: Pick<IronicPorts, 'options'>,
  { spec }: Host,
  { address, username, password }: Access,
): Promise<ReturnType<typeof driverInfo>> {
  const bmc = mapOf(spec?.bmc);
  return driverInfo({
    address,
    username,
    password,
    disableCertificateVerification: bmc['disableCertificateVerification'] === true,
    externalUrlV6,
    isIpv6: externalUrlV6 !== undefined && (await resolvesToIpv6(address)),
  });
}

async function resolvesToIpv6({ hostname }: BmcAddress): Promise<boolean> {
  if (isIP(hostname) !== 0) return isIP(hostname) === 6;
  try {
    return (await lookup(hostname)).family === 6;
  } catch {
    // Ironic may know the name all the same.
    return false;
  }
}

/** The ramdisk that the node boots, and the network data that it finds there. */
async function ramdiskOf(
  { options, readSecret, readObject }: IronicPorts,
  { object }: HostRequest,
  { driver }: Access,
): Promise<{ ramdisk: RamdiskDecision; problem?: string | undefined; networkData?: JsonObject | undefined }> {
  const host = hostOf({ object });
  const { namespace = '', name } = object.metadata;
  const secretName = (host.spec as { preprovisioningNetworkDataName?: string | null })?.preprovisioningNetworkDataName;
  const secret = secretName ? await readSecret(namespace, secretName) : undefined;
  const hasBuilder = options.preprovisioningImages === 'built';
  const bootsIso = driver.supportsIsoPreprovisioningImage;
  const decide = (image?: PreprovisioningImage['status']): RamdiskDecision =>
    ramdiskDecision({
      image,
      bootsIso,
      hasBuilder,
      isNeeded: needsPreprovisioningImage(host),
      settings: options.deploy,
    });
  if (!hasBuilder) {
    if (!secretName) return { ramdisk: decide() };
    const data = networkDataIn({ name: secretName, data: secret?.data });
    if (data.kind === 'error') return { ramdisk: decide(), problem: data.message };
    return { ramdisk: decide(), networkData: data.value };
  }
  const image = (await readObject(PREPROVISIONING_IMAGES, namespace, name)) as PreprovisioningImage | undefined;
  if (image === undefined) return { ramdisk: decide() };
  const used = secretName && secret ? { name: secretName, resourceVersion: secret.resourceVersion } : undefined;
  const standing = imageStateOf(image, used);
  if (standing.kind === 'failed') return { ramdisk: decide(), problem: standing.message };
  return { ramdisk: decide(standing.kind === 'usable' ? image.status : undefined) };
}

/** Hardware of the machine in HardwareData, if its existence was reported; otherwise empty. */
async function knownHardware(
  ports: Pick<IronicPorts, 'readObject'>,
  request: Pick<HostRequest, 'object' | 'dependencies'>,
): Promise<JsonObject> {
  const isHeardOf = request.dependencies[`HardwareData/${request.object.metadata.name}`] !== undefined;
  return isHeardOf ? storedHardware(ports, request) : {};
}

/** Hardware of the machine in HardwareData, even if its existence was not reported; empty if there is none. */
export async function storedHardware(
  { readObject }: Pick<IronicPorts, 'readObject'>,
  { object }: Pick<HostRequest, 'object'>,
): Promise<JsonObject> {
  const { namespace = '', name } = object.metadata;
  return mapOf(mapOf((await readObject(HARDWARE_DATA, namespace, name))?.spec)['hardware']);
}

/** Without an inspection, or with inspection disabled, HardwareData is authoritative. */
function withHardware(host: Host, known: JsonObject, outcome: Outcome): Outcome {
  if (Object.keys(known).length === 0) return outcome;
  const architecture = textOf(mapOf(known['cpu'])['arch']);
  const isTaken =
    (Object.keys(mapOf(host.status?.hardware)).length === 0 || isInspectionDisabled(host)) &&
    !isEqual(host.status?.hardware, known);
  const event = { reason: 'UpdateHardwareDetails', message: 'Hardware details were taken over from HardwareData' };
  return {
    ...outcome,
    ...(architecture !== '' && !mapOf(host.spec)['architecture'] && { architecture }),
    ...(isTaken && {
      status: { ...outcome.status, hardware: known },
      events: [...(outcome.events ?? []), event],
    }),
  };
}

/** The profile in effect is written down once the host is registered. */
function withProfile(host: Host, outcome: Outcome): Outcome {
  const stored = mapOf(host.status)['hardwareProfile'];
  if (outcome.kind !== 'done' || (typeof stored === 'string' && stored !== '')) return outcome;
  const hardwareProfile = profileNameOf(host);
  const status: StatusPatch = patchStatus({ ...outcome.status }, { hardwareProfile }) as StatusPatch;
  const event = { reason: 'ProfileSet', message: `Hardware profile '${hardwareProfile}' is in effect` };
  return { ...outcome, status, events: [...(outcome.events ?? []), event] };
}
