// Outcome of an attempt over a node, for the state machine of its host.
//
// Invariant:
//   IRONIC-OUTCOME-1. No message of an outcome has a password of the host's images: Ironic quotes their URLs.
import type { JsonObject } from '../../../bus/bus.ts';
import type { HostEvent } from '../../../machines/bare-metal-host/host.ts';
import type { HostNode, Noted, Outcome } from '../../../machines/bare-metal-host/outcome.ts';
import { isSameCredentials } from '../../../machines/bare-metal-host/registration.ts';
import { forgottenSettings, type StatusPatch } from '../../../machines/bare-metal-host/status.ts';
import { hiding, passwordsIn } from '../../http/secrets.ts';
import { type IronicNode, revisionOf, textIn, uuidOf } from '../client/node-answer.ts';
import { wantedRaid } from '../host/raid.ts';
import { effectiveHints } from '../host/root-device-hints.ts';
import type { Ended } from './run-steps.ts';
import { type Applied, type Notes, type Pace, pauseMs } from './step.ts';
import type { Host } from './step-host.ts';

export interface OutcomeInput {
  readonly host: Host;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Uniform in [0, 1). */
  readonly random: number;
  /** `IronicOptions.speed`. */
  readonly speed: number;
}

export function hostNodeOf(node: JsonObject): HostNode {
  const revision = revisionOf(node);
  return { ...briefOf(node), revision };
}

/** Something was asked of it just now: whatever it is like when it is looked at, is news. */
function briefOf(node: IronicNode): HostNode {
  return {
    id: uuidOf(node),
    powerState: textIn(node, 'power_state') || null,
    fault: textIn(node, 'fault') || null,
    health: textIn(node, 'health') || null,
  };
}

/** @param found  what is known, too, when the operation is done */
export function outcomeOf<Found extends object>(
  { last, notes, node }: Ended<Found>,
  { host, at, random, speed }: OutcomeInput,
  found: (done: Found) => { readonly hardware?: JsonObject } = () => ({}),
): Outcome {
  const isAsked = last.step === 'send';
  const hide = hidingImages(host);
  const noted: Noted = {
    at,
    ...(node !== undefined && { node: isAsked ? briefOf(node) : hostNodeOf(node) }),
    ...notedIn(host, notes, hide),
  };
  switch (last.step) {
    case 'done':
      return { kind: 'done', ...noted, ...found(last) };
    case 'send':
      return { kind: 'waiting', ...noted, pollAfterMs: pollMs(last.then as 'short') / speed };
    case 'wait': {
      return last.until === 'node'
        ? { kind: 'waiting', ...noted, pollAfterMs: pollMs(last.pace) / speed }
        : { kind: 'pausing', ...noted, ...waitingFor(last.pace, noted), afterMs: pauseMs(last.pace, random) / speed };
    }
    case 'failed':
      return { kind: 'failed', ...noted, errorType: last.errorType, message: hide(last.message) };
    case 'stuck':
      return { kind: 'stuck', ...noted, message: hide(last.message) };
    case 'register':
      return { kind: 'absent', ...noted };
  }
}

/** Redaction of the passwords of images that the host has, has tried, or has deployed. */
function hidingImages({ spec, status }: Host): (text: string) => string {
  const images = [spec?.image, status?.provisioning?.image, status?.lastAttemptedImage];
  // mutant: image-password-told return -> (text) => text
  return hiding(passwordsIn(images.flatMap((image) => [image?.url, image?.checksum])));
}

/** A wait is counted if it is for an image. */
function waitingFor(pace: Pace, { measures = [] }: Noted): Pick<Noted, 'measures'> {
  if (pace !== 'preprovisioningImage') return {};
  return { measures: [...measures, { name: 'metal3_waiting_for_preprov_image_total' }] };
}

/** The same for all who wait so: they share their looks, and chance is added to these once for all of them. */
function pollMs(pace: Pace): number {
  return pauseMs(pace, 0);
}

/** Record of the firmware objects that go with a host: whether their wanted changes are being applied. */
export function firmwareRecordIn(notes: readonly Notes[]): 'record' | 'forget' | undefined {
  const last = notes.findLast(({ record, forget }) =>
    [...(record ?? []), ...(forget ?? [])].includes('firmwareUpdates'),
  );
  if (last === undefined) return undefined;
  return last.record?.includes('firmwareUpdates') === true ? 'record' : 'forget';
}

function notedIn(host: Host, notes: readonly Notes[], hide: (text: string) => string): Omit<Noted, 'at' | 'node'> {
  const events = notes.flatMap(({ events = [] }): readonly HostEvent[] =>
    events.map((event) => ({ ...event, message: hide(event.message) })),
  );
  const unannotate = notes.flatMap(({ unannotate: names = [] }) => names);
  const status = notes.reduce((now, each) => recordedIn(host, now, each), {} as StatusPatch);
  return {
    ...(Object.keys(status).length > 0 && { status: sendable(status) }),
    ...(notes.some(({ isErrorOver }) => isErrorOver === true) && { isErrorOver: true as const }),
    ...(unannotate.length > 0 && { unannotate }),
    ...(events.length > 0 && { events }),
    ...measuresOf(host, status, events),
  };
}

/** A removed value is null when it is sent to another process. */
function sendable({ provisioning, ...rest }: StatusPatch): StatusPatch {
  const said = (members: object): object =>
    Object.fromEntries(Object.entries(members).map(([name, value]) => [name, value ?? null]));
  return { ...said(rest), ...(provisioning !== undefined && { provisioning: said(provisioning) }) };
}

/** Later notes win; `provisioning` is put together member by member. */
function recordedIn(host: Host, patch: StatusPatch, { status, record = [], forget = [] }: Notes): StatusPatch {
  const { provisioning, ...rest } = (status ?? {}) as StatusPatch;
  const applied = Object.assign(
    {},
    ...forget.map((each) => forgotten(host, each)),
    ...record.map((each) => recorded(host, each)),
  );
  const all = { ...patch.provisioning, ...provisioning, ...applied };
  return { ...patch, ...rest, ...(Object.keys(all).length > 0 && { provisioning: all }) };
}

type Members = NonNullable<StatusPatch['provisioning']>;

function recorded(host: Host, what: Applied): Members {
  switch (what) {
    case 'rootDeviceHints':
      return { rootDeviceHints: effectiveHints(host) as JsonObject | undefined };
    case 'raid':
    case 'softwareRaid':
      return { raid: wantedRaid(host as Parameters<typeof wantedRaid>[0]) as JsonObject | undefined };
    default:
      // Images are recorded by the transition to `provisioned`, updates by the object that goes with the host.
      return {};
  }
}

function forgotten(host: Host, what: Applied): Members {
  const { rootDeviceHints, raid } = forgottenSettings(host.status);
  switch (what) {
    case 'rootDeviceHints':
      return { rootDeviceHints };
    case 'softwareRaid':
      return (host.status?.provisioning?.raid ?? undefined) === undefined ? {} : { raid };
    case 'image':
      return { image: undefined };
    case 'customDeploy':
      return { customDeploy: undefined };
    default:
      return {};
  }
}

const POWER: ReadonlyMap<string, string> = new Map([
  ['PowerOn', 'on'],
  ['PowerOff', 'off'],
]);

function measuresOf(
  host: Host,
  { triedCredentials: tried }: StatusPatch,
  events: readonly HostEvent[],
): Pick<Noted, 'measures'> {
  const areNew = tried !== undefined && !isSameCredentials(tried, host.status?.triedCredentials);
  const switched = events.flatMap(({ reason }) => {
    const onOff = POWER.get(reason);
    return onOff === undefined ? [] : [{ name: 'metal3_operation_power_change_total', labels: { on_off: onOff } }];
  });
  const measures = [...switched, ...(areNew ? [{ name: 'metal3_credentials_updated_total' }] : [])];
  return measures.length > 0 ? { measures } : {};
}
