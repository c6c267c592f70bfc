// Update steps of a server beyond its name and its tags: metadata, and attachments.
//
// Invariants:
//   OS-SERVER-STEPS-1. What a server booted from is never detached.
//   OS-SERVER-STEPS-2. Nothing is ever detached while a possible owner of it is unknown.
import type { JsonObject } from '../../../bus/bus.ts';
import type { UpdateOutcome } from '../../../machines/external-resource/operations.ts';
import type { KnownDependency } from '../../../machines/kind.ts';
import { idsIn, isJsonObject } from '../base/fields.ts';
import { NOVA } from '../base/services.ts';
import { Decision, SERVER_STATES, stateOf } from '../base/states.ts';
import { joined, transient, unrecoverable } from '../client/call-errors.ts';
import type { Call } from '../client/session.ts';
import type { UpdateStep } from '../resource/table.ts';
import { sendExpecting } from '../resource/update.ts';

type Pass = Parameters<UpdateStep>[0];

const VOLUMES = 'os-extended-volumes:volumes_attached';
/** An attachment is listed from the response on; a detachment takes longer. Polling interval in milliseconds. */
const ATTACHED_POLL_MS = 1_000;
const DETACHED_POLL_MS = 5_000;
/** Nova calls devices so; any other name is left to Nova. */
const DEVICE = /^\/dev\/x?[a-z]?d?[a-z]+[0-9]*$/;

/** States in which Nova takes tags and metadata. */
const SETTLED: ReadonlySet<unknown> = new Set(['ACTIVE', 'PAUSED', 'SUSPENDED', 'SHUTOFF']);

export function isSettled({ status }: JsonObject): boolean {
  return SETTLED.has(status);
}

/** A server whose creation or operation failed stays so until a user acts. */
export const stateStep: UpdateStep = async ({ request: { observation } }) => {
  const { status } = observation.attributes;
  if (stateOf(SERVER_STATES, status).decision === Decision.Broken) throw unrecoverable(`Server is in ${status} state`);
  return { changed: false };
};

/** Replaces the metadata as a whole. */
export const metadataStep: UpdateStep = async ({ session, request }) => {
  const { object, observation } = request;
  const { metadata = [] } = (object.spec?.['resource'] ?? {}) as {
    readonly metadata?: readonly { readonly key: string; readonly value: string }[];
  };
  const wanted = Object.fromEntries(metadata.map(({ key, value }) => [key, value]));
  const { metadata: reported } = observation.attributes;
  const found: JsonObject = isJsonObject(reported) ? reported : {};
  const names = new Set([...Object.keys(wanted), ...Object.keys(found)]);
  if ([...names].every((name) => wanted[name] === found[name]) || !isSettled(observation.attributes))
    return { changed: false };
  const call: Call = { ...callOf(request, 'metadata'), method: 'PUT', body: { metadata: wanted } };
  await sendExpecting(session, call, transient);
  return { changed: true, fields: ['metadata'] };
};

/** Attaches the missing ports, and detaches unspecified ones. */
export const portsStep: UpdateStep = (pass) => {
  const { ports = [] } = resourceOf(pass) as { readonly ports?: readonly { readonly portRef?: string }[] };
  return attach(pass, {
    field: 'ports',
    kind: 'Port',
    uses: ports.flatMap(({ portRef }) => (portRef === undefined ? [] : [{ ref: portRef }])),
    kept: [],
    found: idsIn(pass.request.observation.attributes['interfaces'], 'port_id'),
    path: 'os-interface',
    body: (id) => ({ interfaceAttachment: { port_id: id } }),
  });
};

/** The same with volumes. */
export const volumesStep: UpdateStep = (pass) => {
  const { volumes = [], bootVolume } = resourceOf(pass) as {
    readonly volumes?: readonly { readonly volumeRef: string; readonly device?: string }[];
    readonly bootVolume?: { readonly volumeRef: string };
  };
  return attach(pass, {
    field: 'volumes',
    kind: 'Volume',
    uses: volumes.map(({ volumeRef, device }) => ({ ref: volumeRef, device })),
    kept: bootVolume === undefined ? [] : [bootVolume.volumeRef],
    found: idsIn(pass.request.observation.attributes[VOLUMES], 'id'),
    path: 'os-volume_attachments',
    body: (id, device) => ({
      volumeAttachment: { volumeId: id, ...(device !== undefined && DEVICE.test(device) && { device }) },
    }),
  });
};

/** Type of things that can be attached to a server. */
interface Attachable {
  /** Field of the spec. */
  readonly field: string;
  readonly kind: string;
  readonly uses: readonly { readonly ref: string; readonly device?: string | undefined }[];
  /** Those that stay, whether they are specified or not. */
  readonly kept: readonly string[];
  /** Ids of what is attached. */
  readonly found: readonly string[];
  readonly path: string;
  readonly body: (id: string, device: string | undefined) => JsonObject;
}

async function attach({ session, request }: Pass, of: Attachable): Promise<UpdateOutcome> {
  const { dependencies, observation } = request;
  // In any other state the server is looked at again.
  if (observation.attributes['status'] !== 'ACTIVE') return { changed: false };
  const known = (ref: string) => dependencies[`${of.kind}/${ref}`];
  const missing = of.uses.filter(({ ref }) => !of.found.includes(known(ref)?.id ?? ''));
  const ready = missing.filter(({ ref }) => known(ref)?.ready === true);
  const unready = missing.filter((use) => !ready.includes(use)).map(({ ref }) => `${of.kind}/${ref}`);
  const waiting = unready.map((label) => `Waiting for ${label} to be ready`);
  const unused = unready.filter((label) => !of.kept.some((ref) => label === `${of.kind}/${ref}`));
  const owners = [...of.uses.map(({ ref }) => ref), ...of.kept];
  const isKnown = owners.every((ref) => known(ref) !== undefined);
  const owned = new Set(owners.map((ref) => known(ref)?.id));
  const surplus = isKnown ? of.found.filter((id) => !owned.has(id)) : [];
  // Its owner knows that it is detached, and Nova lists it a little longer.
  // mutant: ended-attachment-believed =.2 -> false
  const used = owners.some((ref) => of.found.includes(known(ref)?.id ?? '') && isDenied(known(ref), observation.id));
  if (ready.length === 0 && surplus.length === 0) return { changed: false, waiting, unused, ...(used && { used }) };
  const call = callOf(request, of.path);
  const calls: readonly (() => Promise<unknown>)[] = [
    // An old attachment may conflict with a new one.
    ...surplus.map(
      (id) => () => session.call({ ...call, method: 'DELETE', path: `${call.path}/${encodeURIComponent(id)}` }),
    ),
    ...ready.map(({ ref, device }) => () => {
      const body = of.body(known(ref)?.id ?? '', device);
      return sendExpecting(session, { ...call, method: 'POST', body }, transient);
    }),
  ];
  const errors: unknown[] = [];
  for (const make of calls) await make().catch((error: unknown) => errors.push(transient(error)));
  if (errors.length > 0) throw joined(errors);
  return {
    changed: false,
    fields: [of.field],
    waiting: [...waiting, 'Resource status will be refreshed'],
    unused,
    pollAfterMs: surplus.length === 0 ? ATTACHED_POLL_MS : DETACHED_POLL_MS,
  };
}

/** Whether a port or volume publishes users without this server. */
function isDenied(known: KnownDependency | undefined, serverId: string): boolean {
  const users = known?.attributes?.['users'];
  return Array.isArray(users) && !users.includes(serverId);
}

function resourceOf({ request: { object } }: Pass): JsonObject {
  return (object.spec?.['resource'] ?? {}) as JsonObject;
}

function callOf(
  { observation, deadlineAt, traceparent }: Pass['request'],
  part: string,
): Pick<Call, 'service' | 'path' | 'deadlineAt' | 'traceparent'> {
  return {
    service: NOVA.type,
    path: `/servers/${encodeURIComponent(observation.id)}/${part}`,
    deadlineAt,
    traceparent,
  };
}
