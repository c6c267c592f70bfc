// The effects of a host's chart: operations on its node, and what is written in the cluster for it.
import { type ErrorData, toErrorData } from '../../../bus/errors.ts';
import { backoffMs } from '../../../machines/bare-metal-host/backoff.ts';
import { conditions } from '../../../machines/bare-metal-host/conditions.ts';
import type {
  CapacityInput,
  CapacityOutput,
  HostContext,
  HostInput,
  NodeInput,
  NodeObserved,
  PowerEffectInput,
  RemoveInput,
  ServiceInput,
  WatchInput,
  WriteInput,
} from '../../../machines/bare-metal-host/context.ts';
import { delayedPauseMs, PAUSES_MS, retryPauseMs } from '../../../machines/bare-metal-host/delays.ts';
import { timestamp } from '../../../machines/bare-metal-host/history.ts';
import {
  annotationOf,
  HostAnnotation,
  type HostEvent,
  type HostStatus,
  isDeleting,
  isGiven,
  isInspectionDisabled,
  type Measure,
} from '../../../machines/bare-metal-host/host.ts';
import { bareMetalHostMachine } from '../../../machines/bare-metal-host/machine.ts';
import type { Outcome } from '../../../machines/bare-metal-host/outcome.ts';
import { completeStatus, isEqual, type StatusPatch, withStatus } from '../../../machines/bare-metal-host/status.ts';
import type { LifecyclePorts, PortsOf, UserEvent } from '../../../machines/lifecycle.ts';
import type { JsonObject, KubeObject } from '../../../machines/object.ts';
import { type EffectRun, effectsOver, equipped } from '../../../machines/statechart.ts';
import { HARDWARE_SHAPE } from '../api/admission/annotation-shapes.ts';
import { parseShaped } from '../api/admission/shapes.ts';
import { restoredStatus } from '../api/conversion/restored-status.ts';
import { isUuid } from '../client/endpoints.ts';
import { ErrorReason } from '../client/errors.ts';
import { SECRET_LABELS } from '../host/secret-labels.ts';
import { isMap, textOf } from '../json-values.ts';
import type { NodeTold } from '../steps/host-watch.ts';
import type { Recognition } from '../steps/owners.ts';
import type { Registering } from '../steps/register.ts';
import { firmwareComponentsOf, type HostKindOptions, hardwareDataOf, hostOf, unmarkedOf } from './host-relations.ts';

export const STATUS_MANAGER = 'metal3/host-status';
const MARKS_MANAGER = 'metal3/host-marks';
const RECORD_MANAGER = 'metal3/host-record';
const SPEC_MANAGER = 'metal3/host-spec';

/** Labeling of the objects that the lifecycle uses, finished or under way, by uid of the host. */
type Marked = Map<string, Map<string, Promise<void>>>;

/** @param options.speed factor by which polls and retries run sooner */
export function hostEffects(portsOf: PortsOf, { speed }: Pick<HostKindOptions, 'speed'>): typeof bareMetalHostMachine {
  const marked: Marked = new Map();
  const effect = effectsOver(portsOf);
  const operation = <Input extends HostInput>(name: string) =>
    effect(async ({ ports, input: { key: _, ...extra } }: EffectRun<Input>): Promise<Outcome> => {
      const outcome = received((await passed(ports, name, sendable(extra))) as Outcome);
      await recordUpdates(ports, outcome);
      return outcome;
    });
  return equipped(bareMetalHostMachine, {
    actors: {
      restore: effect(({ ports }) => restore(ports)),
      addOwnFinalizer: effect(({ ports }) => ports.addOwnFinalizer()),
      capacity: effect(({ ports }: EffectRun<CapacityInput>) => ports.call('capacity') as Promise<CapacityOutput>),
      register: effect(({ ports, input }: EffectRun<NodeInput>) => register(ports, input, marked)),
      inspect: effect(({ ports, input }: EffectRun<NodeInput>) => inspect(ports, input)),
      prepare: operation<NodeInput>('prepare'),
      provision: operation<NodeInput>('provision'),
      adopt: operation<NodeInput>('adopt'),
      deprovision: operation<NodeInput>('deprovision'),
      power: operation<PowerEffectInput>('power'),
      attachDataImage: effect(async ({ ports }: EffectRun<NodeInput>) => dataImage(ports)),
      service: operation<ServiceInput>('service'),
      remove: operation<RemoveInput>('remove'),
      watch: effect(({ ports, input, signal }: EffectRun<WatchInput>) => {
        const { pollAfterMs = PAUSES_MS.stable / speed } = input;
        return watch(ports, { ...input, pollAfterMs }, signal);
      }),
      writeStatus: effect(({ ports, input }: EffectRun<WriteInput>) => writeStatus(ports, input)),
      endClaims: effect(({ ports }) => ports.endClaims()),
      removeOwnFinalizer: effect(async ({ ports }) => {
        // The next host of this name may be there before the answer.
        const { uid } = ports.object().metadata;
        await ports.removeOwnFinalizer();
        marked.delete(uid);
      }),
    },
    actions: { claim: ({ context: { key, withdrawnUids } }) => portsOf(key).claim(withdrawnUids) },
    delays: {
      backoff: ({ context: { key, status } }: { context: HostContext }) =>
        backoffMs(status.errorCount, portsOf(key).random()) / speed,
      capacityPause: ({ context: { key } }: { context: HostContext }) => delayedPauseMs(portsOf(key).random()) / speed,
      retryPause: ({ context }: { context: HostContext }) => retryPauseMs(context, speed),
    },
  });
}

/** Each pass is counted, and each that failed otherwise than the status tells. */
async function passed(ports: LifecyclePorts, name: string, extra?: object): Promise<unknown> {
  ports.recordMetrics([{ name: 'metal3_reconcile_total' }]);
  try {
    return await ports.call(name, extra);
  } catch (error) {
    ports.recordMetrics([{ name: 'metal3_reconcile_error_total' }, ...failureMeasures(name, toErrorData(error))]);
    throw error;
  }
}

/**
 * Metrics of an attempt whose result is not in a status: which side failed. A failed registration means that the BMC
 * was not reached.
 */
export function failureMeasures(
  operation: string,
  { reason, waiting }: Pick<ErrorData, 'reason' | 'waiting'>,
): readonly Measure[] {
  if (reason === ErrorReason.NotReady) return [{ name: 'metal3_provisioner_not_ready_total' }];
  if (reason === ErrorReason.SecretUnread) return [{ name: 'metal3_credentials_unhandled_error_total' }];
  if (operation !== 'register' || waiting === true) return [];
  return [{ name: 'metal3_credentials_no_management_access_total' }];
}

/** Undefined members are not sent. */
function sendable(extra: object): object {
  return Object.fromEntries(Object.entries(extra).filter(([, value]) => value !== undefined));
}

/** On its way a member that is taken away was null. */
function received(outcome: Outcome): Outcome {
  if (outcome.status === undefined) return outcome;
  const { provisioning, ...rest } = outcome.status;
  const said = (members: object): object =>
    Object.fromEntries(Object.entries(members).map(([name, value]) => [name, value ?? undefined]));
  const status: StatusPatch = {
    ...said(rest),
    ...(provisioning !== undefined && provisioning !== null && { provisioning: said(provisioning) }),
  };
  return { ...outcome, status };
}

/** Its Secrets are marked, its node made what it is to be, and what goes with it made then. */
async function register(ports: LifecyclePorts, { key, ...extra }: NodeInput, marked: Marked): Promise<Outcome> {
  await markOthers(ports, marked);
  const outcome = received((await passed(ports, 'register', sendable(extra))) as Outcome & Registering);
  const { architecture } = outcome;
  const { listsComponents } = outcome as Registering;
  const object = ports.object();
  if (architecture !== undefined && !object.spec?.['architecture']) {
    await ports.patchSpec(SPEC_MANAGER, { architecture });
  }
  // The awaited change may concern one of them: its ramdisk.
  if (outcome.kind === 'done' || outcome.kind === 'pausing') {
    const { name, deletionTimestamp } = object.metadata;
    // Nothing is made for one that goes: its namespace may go with it, and take nothing new.
    const isFurnished = listsComponents === true && deletionTimestamp === undefined;
    await ports.ensureChildren(isFurnished ? [firmwareComponentsOf(name)] : []);
  }
  return outcome;
}

/** HardwareData has what was found before the status says that the inspection is over: it is found again until then. */
async function inspect(ports: LifecyclePorts, { key: _, ...extra }: NodeInput): Promise<Outcome> {
  const outcome = received((await passed(ports, 'inspect', sendable(extra))) as Outcome);
  const { name, deletionTimestamp } = ports.object().metadata;
  if (outcome.kind === 'done' && outcome.hardware !== undefined && deletionTimestamp === undefined) {
    await ports.ensureChildren([hardwareDataOf(name, outcome.hardware as JsonObject)]);
  }
  return outcome;
}

/**
 * Labels, and this host among the owners, of what is used for it; each once while it is the same one. A pass that was left
 * may still be labeling: the next one waits for it.
 */
async function markOthers(ports: LifecyclePorts, marked: Marked): Promise<void> {
  const object = ports.object();
  const uses = unmarkedOf(object, ports.dependencies()).map((use) => [use, JSON.stringify(use)] as const);
  const { uid } = object.metadata;
  const before = marked.get(uid);
  const marking = new Map<string, Promise<void>>();
  marked.set(uid, marking);
  for (const [{ kind, name, isOwned }, text] of uses) {
    const labels = kind === 'Secret' ? SECRET_LABELS : {};
    const mark = (): Promise<void> =>
      ports.labelReferenced({ kind, name }, { manager: MARKS_MANAGER, labels, isOwned });
    const done = before?.get(text) ?? mark();
    marking.set(text, done);
    done.catch(() => marking.delete(text));
  }
  for (const done of [...marking.values()]) await done;
}

/** Updates that are being applied are recorded where they are wanted. */
async function recordUpdates(ports: LifecyclePorts, { firmwareUpdates }: Outcome): Promise<void> {
  if (firmwareUpdates === undefined) return;
  const { name } = ports.object().metadata;
  await ports.patchReferencedStatus({ kind: 'HostFirmwareComponents', name }, RECORD_MANAGER, {
    updates: firmwareUpdates,
  });
}

/** The host delays powering on until its virtual CD is as wanted; the DataImage ensures that. */
function dataImage(ports: LifecyclePorts): Outcome {
  const at = ports.now();
  const image = ports.dependencies().find(({ kind }) => kind === 'DataImage')?.answer;
  const isSettled = image === undefined || image.readiness === 'absent' || image.attributes?.['isSettled'] === true;
  return isSettled ? { kind: 'done', at } : { kind: 'pausing', at, afterMs: PAUSES_MS.dataImage };
}

async function watch(
  ports: LifecyclePorts,
  { node, pollAfterMs, parent }: WatchInput,
  signal: AbortSignal,
): Promise<never> {
  const report = (reported: NodeTold): void => {
    if (signal.aborted) return;
    const seen = 'gone' in reported ? undefined : reported.node;
    parent.send({ type: 'observed', node: seen, at: ports.now() } satisfies NodeObserved);
  };
  await ports.callLong('watch', {
    extra: { ...(node !== undefined && { node }), pollAfterMs },
    signal,
    onProgress: (reported) => report(reported as unknown as NodeTold),
  });
  // The node is deleted, as was reported; or the watch ended without a report.
  throw { code: 'transient', message: 'the watch of the node has ended' };
}

/** State from annotations is restored, and the annotations are removed afterwards. */
async function restore(ports: LifecyclePorts): Promise<void> {
  await restoreStatus(ports);
  await restoreHardware(ports);
}

async function restoreStatus(ports: LifecyclePorts): Promise<void> {
  const host = hostOf(ports.object());
  const text = annotationOf(host, HostAnnotation.Status);
  if (text === undefined) return;
  const restored = restoredStatus(text);
  if (restored.kind === 'done' && !hasStatus(host.status)) {
    const { provisioning, ...said } = restored.status as HostStatus;
    // Nodes have names, too, and those of other hosts are known.
    const nodeId = isUuid(textOf(provisioning?.ID)) ? textOf(provisioning?.ID) : '';
    if (await isBelieved(ports, nodeId)) {
      const known = (await ports.call('hardware')) as JsonObject;
      const status = { ...said, ...(Object.keys(known).length > 0 && { hardware: known }) };
      const lastUpdated = said.lastUpdated ?? timestamp(ports.now());
      await store(ports, { ...status, provisioning: { ...provisioning, ID: nodeId }, lastUpdated });
    }
  }
  await ports.removeAnnotations([HostAnnotation.Status]);
}

/**
 * Whether the status is this host's, of which only the node itself can tell. One that Ironic has lost is made again.
 *
 * @returns false: the host is on its way out, and goes without that status
 * @throws it is not: nothing is begun, as for a new host what runs on its machine would be lost
 */
async function isBelieved(ports: LifecyclePorts, nodeId: string): Promise<boolean> {
  if (nodeId === '') return true;
  const { node } = (await ports.call('recognize', { named: nodeId })) as Recognition;
  if (node !== 'foreign') return true;
  if (isDeleting(hostOf(ports.object()))) return false;
  const todo = `give the node the name of this host in Ironic, or remove the annotation ${HostAnnotation.Status} to register the host as a new one`;
  throw {
    code: 'terminal',
    message: `the status that the annotation brings names node "${nodeId}", which is not this host's: ${todo}`,
  } satisfies ErrorData;
}

async function restoreHardware(ports: LifecyclePorts): Promise<void> {
  const host = hostOf(ports.object());
  const text = annotationOf(host, HostAnnotation.HardwareDetails);
  if (text === undefined) return;
  const stored = host.status?.hardware;
  const isMissing = !isMap(stored) || Object.keys(stored).length === 0;
  const known = isMissing || isInspectionDisabled(host) ? ((await ports.call('hardware')) as JsonObject) : {};
  const given = Object.keys(known).length > 0 ? undefined : detailsIn(text);
  const details = given ?? known;
  const isTaken = (isMissing || isInspectionDisabled(host)) && Object.keys(details).length > 0;
  if (isTaken && !isEqual(stored, details)) {
    await store(ports, { ...host.status, hardware: details as JsonObject });
    report(ports, [{ reason: 'UpdateHardwareDetails', message: 'Hardware details were taken over' }]);
  }
  await ports.removeAnnotations([HostAnnotation.HardwareDetails]);
  if (!isTaken || given === undefined) {
    report(ports, [{ reason: 'RemoveAnnotation', message: 'The annotation of hardware details was not needed' }]);
  }
}

/** Details of hardware as an annotation has them; undefined: it has something else, of which nothing is taken. */
function detailsIn(text: string): JsonObject | undefined {
  const { value, problem } = parseShaped(text, HARDWARE_SHAPE);
  return problem === undefined && isMap(value) ? (value as JsonObject) : undefined;
}

/** If the status could not be restored, only the conditions are set: there is nothing to overwrite. */
function hasStatus(status: HostStatus | undefined): boolean {
  return isGiven(status?.lastUpdated) && isGiven(status?.provisioning?.state);
}

/** Annotations are removed first: the status that is stored next contains what they requested. */
async function writeStatus(
  ports: LifecyclePorts,
  { status, node, problem, unannotate, events, measures }: WriteInput,
): Promise<void> {
  const there = unannotate.filter((name) => annotationOf(hostOf(ports.object()), name) !== undefined);
  if (there.length > 0) await ports.removeAnnotations([...new Set(there)]);
  const before = ports.object();
  const at = ports.now();
  const said = completeStatus(status);
  // Since when a condition holds is what is stored of it: what was decided may have been so before that.
  const { conditions: since = [] } = hostOf(before).status ?? {};
  const standing = withStatus(hostOf(before), { ...said, conditions: since });
  const reported = { ...said, conditions: conditions(standing, { node, problem, at }) };
  const { lastUpdated: _, ...stored } = hostOf(before).status ?? {};
  const { lastUpdated: __, ...wanted } = reported as HostStatus;
  // mutant: host-status-again ().2 -> undefined
  if (!isEqual(withoutNulls(stored), withoutNulls(wanted))) {
    await store(ports, { ...wanted, lastUpdated: timestamp(at) });
  }
  report(ports, events);
  ports.recordMetrics(measures);
  if (hardwareOf(before) !== hardwareOf(ports.object())) await ports.ensureChildren();
}

async function store(ports: LifecyclePorts, status: HostStatus): Promise<void> {
  await ports.storeStatus(STATUS_MANAGER, status as unknown as JsonObject);
}

function hardwareOf({ status }: KubeObject): string {
  return JSON.stringify(status?.['hardware']);
}

/** Null, and what is not there at all, are stored as the same. */
function withoutNulls(value: unknown): unknown {
  if (!isMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => (inner === null ? [] : [[name, withoutNulls(inner)]])),
  );
}

function report(ports: LifecyclePorts, events: readonly HostEvent[]): void {
  ports.recordEvents(
    events.map(({ type, reason, message }): UserEvent => ({ type: type ?? 'Normal', reason, message })),
  );
}
