// Common part of all kinds of the group: they reconcile in attempts, report their state in one condition, wait for
// their users before they are deleted, and are deleted without cleanup if their machine is permanently lost.
//
// Invariants:
//   WIN-WINDOWS-KIND-1. No request is sent to a machine for a deleted object before its last user is deleted.
//   WIN-WINDOWS-KIND-2. What a pass failed with is in the condition before the pass fails.
//   WIN-WINDOWS-KIND-3. A deleted object is released without its machine only if the machine was declared permanently
//       lost, or no object represents it.
//   WIN-WINDOWS-KIND-4. Each object always publishes to its dependents which machine its node is, and only that machine
//       does anything for them (WIN-SERVING-1).
import type { JsonObject } from '../../../bus/json.ts';
import type { PublicState, Reference, Resource } from '../../../machines/kind.ts';
import { type Dependency, Readiness } from '../../../machines/lifecycle.ts';
import type { ErrorData, KubeObject } from '../../../machines/object.ts';
import type { Verdict as Next } from '../../../machines/reconcile-loop/context.ts';
import { type ReconcileAttempt, reconcileLoop } from '../../../machines/reconcile-loop/lifecycle.ts';
import type { DeclaredKind } from '../../api/adapter.ts';
import { conditionsOf, isReady, Reason, reasonOf, unready, type Verdict } from '../conditions.ts';
import { GROUP, VERSION } from '../contracts/common.ts';
import { hintOn } from '../hints.ts';
import { NODE_GONE, ROLE } from '../names.ts';
import { said, textOf } from '../values.ts';

/** First part of the addresses of its actors. */
export const REALM = 'windows';

/** Field manager of what the actors say. */
export const MANAGER = 'windows/storage';

/** The own finalizer of a kind, which its objects put on those that they use, too. */
export function finalizerOf(kind: string): string {
  return `${GROUP}/${kind.toLowerCase()}`;
}

/** Result of an attempt. */
export interface Kept {
  /** All that the status says beside conditions, and where it was seen if that is where what it refers to is. */
  readonly status: JsonObject;
  readonly verdict: Verdict;
  /** Pause until the next check, in milliseconds; undefined if every change is reported. */
  readonly lookAgainMs?: number;
}

/** Why something is not taken down yet, and when that is looked at again, in milliseconds. */
export interface Waiting {
  readonly verdict: Verdict;
  readonly lookAgainMs: number;
}

export interface WindowsKind {
  readonly kind: string;
  readonly plural: string;
  readonly retains?: DeclaredKind['retains'];
  /** Finalizers that its objects put on others beside the own one: on those of its own kind, that one would say nothing. */
  readonly guards?: readonly string[];
  readonly operations: readonly string[];
  references(object: KubeObject): readonly Reference[];
  /**
   * Attributes for dependents beside the node, its machine and whether that is lost. @param object whose status is the
   * last observation
   */
  attributes(object: KubeObject): JsonObject;
  /** Fields of its status that no attempt changes; all but conditions by default. */
  own?(object: KubeObject): JsonObject;
  /** Looks after an object whose references are all ready. */
  keep(pass: WindowsPass): Promise<Kept>;
  /**
   * Removes the external resource, which has no users any more. Repeated until it resolves with nothing to wait for.
   */
  takeDown(pass: WindowsPass): Promise<void> | Promise<Waiting | undefined>;
  /** Whether there is anything to take down. */
  hasAny(object: KubeObject): boolean;
}

export interface WindowsPass extends ReconcileAttempt {
  /** Asks the machine. */
  ask(operation: string, extra?: object): Promise<JsonObject>;
  /** Makes the status say this, as in what a pass found, for what must be stored before the next step; conditions stay. */
  note(status: JsonObject): Promise<void>;
  /** Attributes of the dependency of that kind. */
  attributesOf(kind: string): JsonObject;
}

export function resource(kind: string, plural: string): Resource {
  return { realm: REALM, group: GROUP, version: VERSION, kind, plural };
}

export function windowsKind(given: WindowsKind): DeclaredKind {
  const { kind, plural, retains, operations, references, guards = [] } = given;
  const finalizer = finalizerOf(kind);
  return {
    ...resource(kind, plural),
    ...(retains !== undefined && { retains: retains }),
    finalizer,
    guards: [finalizer, ...guards],
    fieldManagers: { finalizer: `${MANAGER}-finalizer`, guards: MANAGER },
    references,
    children: () => [],
    publicState: (object) => publicStateOf(object, given),
    life: reconcileLoop({
      view(object) {
        const { generation = 0, deletionTimestamp, finalizers = [], annotations = {} } = object.metadata;
        const heldBy = finalizers.filter((each) => each !== finalizer);
        return {
          generation,
          deleting: deletionTimestamp !== undefined,
          owned: finalizers.includes(finalizer),
          heldBy,
          // Each lifecycle starts with a check: a machine changes unobserved while no actor is active.
          settled: false,
          basis: JSON.stringify([heldBy, annotations]),
        };
      },
      reconcile: (pass) => reconcile(given, pass),
      wakesOn: (before, now) => JSON.stringify(before) !== JSON.stringify(now),
      failure: 'StorageFailed',
      hintFor: hintOn,
    }),
    operations,
  };
}

function publicStateOf(object: KubeObject, { attributes }: WindowsKind): PublicState {
  const { nodeName, machine, endpoint } = object.status ?? {};
  return {
    ready: isReady(object),
    id: object.metadata.name,
    // Passed on from each object to its dependents, up to the one farthest from the node.
    attributes: {
      nodeName: textOf(nodeName),
      ...(machine !== undefined && { machine }),
      ...(endpoint !== undefined && { endpoint }),
      ...(reasonOf(object) === Reason.NodeGone && { gone: true }),
      ...attributes(object),
    },
  };
}

async function reconcile(given: WindowsKind, pass: ReconcileAttempt): Promise<Next> {
  const { ports, object, dependencies, owned } = pass;
  const isDeleted = object.metadata.deletionTimestamp !== undefined;
  const say = async (status: JsonObject, verdict: Verdict): Promise<void> => {
    const now = ports.object();
    const whole = { ...status, conditions: conditionsOf(now, verdict, ports.now()) };
    if (!isSame(now.status, whole)) await ports.storeStatus(MANAGER, whole);
  };
  const own = (): JsonObject => (given.own ?? withoutConditions)(ports.object());
  const windows: WindowsPass = {
    ...pass,
    ask: async (operation, extra) => (await ports.call(operation, extra)) as JsonObject,
    async note(status) {
      const { conditions } = ports.object().status ?? {};
      const whole = { ...placeOf(dependencies), ...status, ...(conditions !== undefined && { conditions }) };
      await ports.storeStatus(MANAGER, whole);
    },
    attributesOf: (kind) => dependencies.find((each) => each.kind === kind)?.answer?.attributes ?? {},
  };
  try {
    if (isDeleted) return await leave(given, windows, say, own());
    const lacking =
      dependencies.find(isGone) ?? dependencies.find(({ answer }) => answer?.readiness !== Readiness.Ready);
    // No request is sent to a machine without it, and results of an earlier lifecycle there are not left behind.
    // mutant: windows-made-unguarded if -> false
    if (!owned && (lacking === undefined || given.hasAny(object))) return { next: 'guard' };
    if (lacking !== undefined) {
      await say(own(), lackOf(lacking));
      return {
        next: 'rest',
        stands: 'awaitingDependencies',
        withdrawnUids: given.hasAny(object) ? [] : uidsOfGoing(dependencies),
      };
    }
    const { status, verdict, lookAgainMs } = await given.keep(windows);
    await say({ ...placeOf(dependencies), ...status }, verdict);
    return {
      next: 'rest',
      ...(verdict.ready && { stands: 'available' }),
      ...(lookAgainMs !== undefined && { lookAgainMs }),
    };
  } catch (error) {
    const { code } = error as ErrorData;
    if (code !== 'conflict') await say(own(), failureOf(error as ErrorData, isDeleted));
    throw error;
  }
}

export function withoutConditions({ status = {} }: KubeObject): JsonObject {
  const { conditions: _, ...rest } = status;
  return rest;
}

async function leave(
  given: WindowsKind,
  pass: WindowsPass,
  say: (status: JsonObject, verdict: Verdict) => Promise<void>,
  status: JsonObject,
): Promise<Next> {
  const { object, dependencies, heldBy } = pass;
  const gone = dependencies.find(isGone);
  // mutant: used-taken-down if -> false
  if (heldBy.length > 0) {
    const users = unready(Reason.WaitingForUsers, `deletion waits for its users: ${heldBy.join(', ')}`);
    await say(status, gone === undefined ? users : lackOf(gone));
    return { next: 'rest', stands: 'inUse' };
  }
  // A Secret is no machine.
  const isOnNone = dependencies.some(({ kind, answer }) => kind !== 'Secret' && answer?.readiness === Readiness.Absent);
  if (gone !== undefined || isOnNone || !given.hasAny(object)) return { next: 'leave' };
  const waiting = await given.takeDown(pass);
  if (!waiting) return { next: 'leave' };
  await say(status, waiting.verdict);
  return { next: 'rest', stands: 'inUse', lookAgainMs: waiting.lookAgainMs };
}

/** Location of its dependency. */
function placeOf(dependencies: readonly Dependency[]): JsonObject {
  const { nodeName, machine, endpoint } =
    dependencies.map(({ answer }) => answer?.attributes ?? {}).find((each) => textOf(each['nodeName']) !== '') ?? {};
  return said({ nodeName, machine, endpoint });
}

function isGone({ answer }: Dependency): boolean {
  return answer?.attributes?.['gone'] === true;
}

/**
 * Uids of deleting objects that it does not use yet: they wait for it, and it for its dependents
 * (WIN-KINDS-WINDOWS-MOUNT-1).
 */
function uidsOfGoing(dependencies: readonly Dependency[]): readonly string[] {
  return dependencies.flatMap(({ answer }) => (answer?.readiness === Readiness.Deleting ? [answer.uid] : []));
}

function lackOf(dependency: Dependency): Verdict {
  const { kind, name, answer } = dependency;
  if (isGone(dependency)) {
    return unready(Reason.NodeGone, `the machine that ${kind}/${name} is on was declared gone permanently`);
  }
  const isThere = answer !== undefined && answer.readiness !== Readiness.Absent;
  return unready(Reason.WaitingForDependency, `waiting for ${kind}/${name} to be ${isThere ? 'ready' : 'created'}`);
}

/** Text of the bus about a request that no server took. */
const UNANSWERED = /^no process serves /;

/** Whether the error proves that nothing was started, because no server received the request. */
export function isUntaken(error: unknown): boolean {
  return UNANSWERED.test((error as ErrorData).message);
}

/**
 * Requests a change that was just recorded as the object's own.
 *
 * @param before  status without that record, which is stored again if the change was certainly not made; undefined: the
 *     record is older than this attempt, and an earlier one may have made it
 * @throws {ErrorData} the failure
 */
export async function attempt(
  { ask, note }: Pick<WindowsPass, 'ask' | 'note'>,
  operation: string,
  extra: object,
  before: ((answer: JsonObject) => JsonObject) | undefined,
): Promise<JsonObject> {
  let answer: JsonObject;
  try {
    answer = await ask(operation, extra);
  } catch (error) {
    // mutant: untaken-stays-recorded if -> false
    if (before !== undefined && isUntaken(error)) await note(before({}));
    throw error;
  }
  const { undone } = answer;
  if (undone === undefined) return answer;
  // mutant: undone-stays-recorded if -> false
  if (before !== undefined) await note(before(answer));
  throw undone;
}

/** Reasons why an object cannot reach its machine. */
const ON_THE_WAY = [Reason.DifferentMachine, Reason.CsiProxyUnreachable, Reason.ApiNotServed] as const;

function failureOf({ code, message, reason }: ErrorData, isDeleted: boolean): Verdict {
  if (code === 'terminal') return { ready: false, reason: reason ?? Reason.InvalidConfiguration, message };
  const advice = isDeleted
    ? `; set its new name in its WindowsStorageNode, or declare it gone permanently with the annotation ${NODE_GONE}=true`
    : '';
  const known = ON_THE_WAY.find((each) => each === reason);
  if (known !== undefined) return unready(known, `${message}${advice}`);
  if (!UNANSWERED.test(message)) return unready(Reason.TransientError, message);
  return unready(Reason.NodeUnreachable, `no process has the role ${ROLE} on the node${advice}`);
}

/** Names of members may be in any order. */
function isSame(stored: JsonObject | undefined, wanted: JsonObject): boolean {
  return sorted(stored ?? {}) === sorted(wanted);
}

function sorted(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)))
      : member,
  );
}
