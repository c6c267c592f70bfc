// The life of a BareMetalHost: its chart over what the runtime does.
import type { SnapshotFrom } from 'xstate';
import { conditions } from '../../../machines/bare-metal-host/conditions.ts';
import type { HostContext, HostView } from '../../../machines/bare-metal-host/context.ts';
import {
  annotationOf,
  type BareMetalHost,
  HostAnnotation,
  type HostStatus,
} from '../../../machines/bare-metal-host/host.ts';
import { bareMetalHostMachine } from '../../../machines/bare-metal-host/machine.ts';
import { SECRET_MISSING } from '../../../machines/bare-metal-host/registration.ts';
import { completeStatus } from '../../../machines/bare-metal-host/status.ts';
import { hostSummary } from '../../../machines/bare-metal-host/status-summary.ts';
import { type Hint, type Lifecycle, type StatusPart, Tag } from '../../../machines/lifecycle.ts';
import type { ErrorData, JsonObject, KubeObject } from '../../../machines/object.ts';
import { isUnprepared } from '../host/clean-steps.ts';
import { credentialsNameOf } from '../host/credentials.ts';
import { type RaidHost, wantedRaid } from '../host/raid.ts';
import { effectiveHints } from '../host/root-device-hints.ts';
import type { Host } from '../steps/step-host.ts';
import { hostEffects, STATUS_MANAGER } from './host-effects.ts';
import { HOST_FINALIZER, type HostKindOptions, hostOf } from './host-relations.ts';

type Snapshot = SnapshotFrom<typeof bareMetalHostMachine>;

export function bareMetalHostLifecycle(options: HostKindOptions): Lifecycle {
  return {
    machine: bareMetalHostMachine,
    provide: (portsOf) => hostEffects(portsOf, options),
    view: (object) => viewOf(object, options),
    // The chart stores its status itself: what it decided is stored before anything is done for it.
    statusKey: () => undefined,
    status: () => [],
    externalId: (object) => hostOf(object).status?.provisioning?.ID || undefined,
    // Nothing is asked of Ironic that must not be asked twice: a node has the name of its host.
    mayHaveUnrecordedCreate: () => false,
    failureStatus: (object, error, now) => [troubled(object, error, now)],
    canPassivate(snapshot) {
      const { context, children } = snapshot as Snapshot;
      const { revision, written } = context as HostContext;
      // A host whose node is watched stays active: otherwise no actor would see changes of its machine.
      return snapshot.hasTag(Tag.Settled) && revision === written && Object.keys(children).length === 0;
    },
    wakesOn: (before, now) => JSON.stringify(before) !== JSON.stringify(now),
    stepDetails(snapshot) {
      const { context } = snapshot as Snapshot;
      const { error, status } = context as HostContext;
      return { error: errorOf(snapshot, status) ?? error, externalId: status.provisioning?.ID || undefined };
    },
    hintFor,
    summarize: (object) => hostSummary(hostOf(object)),
    pausedBy(object) {
      const value = annotationOf(hostOf(object), HostAnnotation.Paused);
      return value === undefined ? undefined : { annotation: HostAnnotation.Paused, value };
    },
  };
}

/** Steps that lead to an error in the status report that error too. */
function errorOf(
  snapshot: { hasTag(tag: string): boolean },
  { errorType, errorMessage }: HostStatus,
): ErrorData | undefined {
  if (!snapshot.hasTag(Tag.Failing) || !errorMessage) return undefined;
  return { code: 'transient', message: errorMessage, ...(errorType && { reason: errorType }) } as ErrorData;
}

/** The host as its chart decides by it; finalizers of others hold it. */
function viewOf(object: KubeObject, { maxProvisioningRetries }: HostKindOptions): HostView {
  const { name, namespace, generation, deletionTimestamp, annotations, finalizers = [] } = object.metadata;
  const metadata = {
    name,
    namespace,
    generation,
    ...(deletionTimestamp !== undefined && { deletionTimestamp }),
    ...(annotations !== undefined && { annotations }),
  };
  const host = { metadata, spec: object.spec, status: object.status } as unknown as BareMetalHost;
  const brought = [HostAnnotation.Status, HostAnnotation.HardwareDetails];
  return {
    host,
    owned: finalizers.includes(HOST_FINALIZER),
    heldBy: deletionTimestamp === undefined ? [] : finalizers.filter((finalizer) => finalizer !== HOST_FINALIZER),
    brings: brought.some((annotation) => annotations?.[annotation] !== undefined),
    isUnprepared: isHostUnprepared(object as Host),
    maxProvisioningRetries,
  };
}

/** Firmware aside, of which others tell. */
function isHostUnprepared(host: Host): boolean {
  const { raid, rootDeviceHints } = host.status?.provisioning ?? {};
  return isUnprepared({
    wanted: { raid: wantedRaid(host as RaidHost), rootDeviceHints: effectiveHints(host) },
    recorded: { raid: raid as never, rootDeviceHints: rootDeviceHints as never },
    settings: 'none',
    components: 'none',
  });
}

/** The code that serves the host has failed: its conditions say so, and all else stays as it is. */
function troubled(object: KubeObject, { message }: ErrorData, at: number): StatusPart {
  const stored = object.status ?? {};
  const host = hostOf(object);
  const reported = conditions(host, { problem: `Internal error: ${message}`, at });
  const status = { ...completeStatus(host.status), conditions: reported } as unknown as JsonObject;
  return { manager: STATUS_MANAGER, status, stored };
}

function hintFor(object: KubeObject, message: string): Hint | undefined {
  const secret = credentialsNameOf(object as Host);
  if (message.startsWith(SECRET_MISSING)) {
    return { at: `Secret/${secret}`, todo: 'create it with the keys username and password of the BMC' };
  }
  if (message.startsWith('Validation error with BMC credentials')) {
    return { at: `Secret/${secret}`, todo: 'give it both keys, username and password' };
  }
  if (/^(No BMC CredentialsName|Empty BMC address|Unknown BMC type|missing BMC address)/.test(message)) {
    return { todo: 'correct spec.bmc of the host' };
  }
  return undefined;
}
