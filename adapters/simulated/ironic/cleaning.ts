// Cleaning, by the node's own list or by steps that are asked for, and service, which is the same for a node in use.
import type { Json } from '../../../bus/json.ts';
import type { Conductor } from './conductor.ts';
import { pythonRepr } from './exchange.ts';
import { usesAgent } from './hardware-types.ts';
import type { NodeRecord, Work } from './records.ts';
import { AUTOMATED, doStep, isOutOfBand, type Step, shownStep, stepId, unknownStep } from './steps.ts';

interface Kind {
  readonly type: 'clean' | 'service';
  readonly doing: string;
  readonly waiting: string;
  readonly failed: string;
  /** Field that shows the step. */
  readonly field: string;
  readonly fault: string;
  readonly noun: string;
}

const CLEAN: Kind = {
  type: 'clean',
  doing: 'cleaning',
  waiting: 'clean wait',
  failed: 'clean failed',
  field: 'clean_step',
  fault: 'clean failure',
  noun: 'cleaning',
};
const SERVICE: Kind = {
  type: 'service',
  doing: 'servicing',
  waiting: 'service wait',
  failed: 'service failed',
  field: 'service_step',
  fault: 'service failure',
  noun: 'servicing',
};

/** From cleaning to `goal`. A node that is not to be cleaned is there at once. */
export function* clean(
  record: NodeRecord,
  conductor: Conductor,
  goal: 'available' | 'manageable',
  asked?: readonly Step[],
): Work {
  const { item } = record;
  const isSkipped = asked === undefined && item['automated_clean'] === false;
  if (isSkipped) yield conductor.times.betweenMs;
  else if (!(yield* steps(record, conductor, CLEAN, goal, asked ?? AUTOMATED))) return;
  conductor.move(record, goal);
  conductor.unlock(record);
}

/** From servicing back to active. */
export function* service(record: NodeRecord, conductor: Conductor, asked: readonly Step[]): Work {
  if (!(yield* steps(record, conductor, SERVICE, 'active', asked))) return;
  conductor.move(record, 'active');
  conductor.unlock(record);
}

/** @returns whether all went well; if not, the node is in its failed state and free */
function* steps(
  record: NodeRecord,
  conductor: Conductor,
  kind: Kind,
  goal: string,
  list: readonly Step[],
): Generator<number, boolean, void> {
  const { item } = record;
  const { times } = conductor;
  const unknown = unknownStep(list);
  const notKnown = (step: Step): string => {
    const why = `node does not support this ${kind.type} step: ${shortStep(step)}`;
    return `Cannot ${kind.type} node ${item['uuid']}: ${why}`;
  };
  if (!usesAgent(item)) {
    yield times.fakeMs;
    if (unknown !== undefined && kind.type === 'clean') return fail(record, conductor, kind, goal, notKnown(unknown));
    if (unknown !== undefined) {
      // Service does not ask beforehand.
      item[kind.field] = shownStep(unknown);
      const message = `Node ${item['uuid']} failed step ${shortStep(unknown)}: there is no such step`;
      return fail(record, conductor, kind, goal, message);
    }
    for (const step of list) doStep(record, step, conductor);
    return true;
  }
  const prepared = yield* conductor.bootRamdisk(record);
  if (prepared !== undefined) {
    const message = `Failed to prepare node ${item['uuid']} for ${kind.noun}: ${prepared}`;
    return fail(record, conductor, kind, goal, message);
  }
  conductor.move(record, kind.waiting, goal);
  conductor.unlock(record);
  if (!(yield* conductor.awaitAgent(record, true))) {
    const remedy = `Please check if the ramdisk responsible for the ${kind.noun} is running on the node.`;
    const message = `Timeout reached while ${kind.noun} the node. ${remedy} Failed on step ${pythonRepr(item[kind.field])}.`;
    return fail(record, conductor, kind, goal, message);
  }
  conductor.move(record, kind.doing, goal);
  yield times.betweenMs;
  if (unknown !== undefined) return fail(record, conductor, kind, goal, notKnown(unknown));
  for (const step of list) {
    item[kind.field] = shownStep(step);
    conductor.move(record, kind.waiting, goal);
    conductor.unlock(record);
    yield isOutOfBand(step) ? times.outOfBandMs : times.stepMs;
    conductor.lock(record);
    conductor.move(record, kind.doing, goal);
    yield times.betweenMs;
    const error = conductor.powerError(record) ?? doStep(record, step, conductor);
    if (error !== undefined) {
      const title = kind.type === 'clean' ? 'Clean' : 'Service';
      const message = `${title} step ${stepId(step)} failed on node ${item['uuid']}. ${error}`;
      return fail(record, conductor, kind, goal, message);
    }
    if (isToBeAborted(item[kind.field])) {
      yield* abort(record, conductor, kind.type);
      return false;
    }
  }
  item[kind.field] = {};
  yield times.finishMs;
  leaveRamdisk(record, conductor, kind);
  return true;
}

function shortStep({ interface: of, step }: Step): string {
  return pythonRepr({ interface: of, step });
}

function isToBeAborted(step: Json | undefined): boolean {
  return typeof step === 'object' && step !== null && 'abort_after' in step;
}

/** Off after cleaning; after service what is on the disk runs again. */
function leaveRamdisk(record: NodeRecord, conductor: Conductor, { type }: Kind): void {
  conductor.switch(record, 'power off');
  if (type === 'service') conductor.switch(record, 'power on');
}

/** A step that failed puts the node into maintenance, as the state of the machine is unknown. */
function fail(record: NodeRecord, conductor: Conductor, kind: Kind, goal: string, message: string): false {
  const { item } = record;
  conductor.records.fail(record, message, kind.noun);
  const isInStep = Object.keys((item[kind.field] ?? {}) as object).length > 0;
  if (isInStep) Object.assign(item, { maintenance: true, maintenance_reason: message, fault: kind.fault });
  item[kind.field] = {};
  conductor.move(record, kind.failed, goal);
  conductor.unlock(record);
  return false;
}

/** A request during a wait; a step that cannot be interrupted is done first. @returns the steps that are left */
export function requestAbort(record: NodeRecord, type: Kind['type']): 'abort' | 'later' {
  const { item } = record;
  const { field } = type === 'clean' ? CLEAN : SERVICE;
  const step = (item[field] ?? {}) as { readonly [key: string]: Json };
  if (Object.keys(step).length === 0 || step['abortable'] === true) return 'abort';
  item[field] = { ...step, abort_after: true };
  return 'later';
}

/** Ends the work under way; after service the node is in use as before. */
export function* abort(record: NodeRecord, conductor: Conductor, type: Kind['type']): Work {
  const { item } = record;
  const kind = type === 'clean' ? CLEAN : SERVICE;
  const { interface: of, step } = (item[kind.field] ?? {}) as { readonly [key: string]: Json };
  const during = step === undefined ? '' : ` during or after the completion of step "${of}.${step}"`;
  const message = `By request, the ${type} operation was aborted${during}`;
  const goal = item['target_provision_state'] === 'manageable' ? 'manageable' : undefined;
  conductor.lock(record);
  conductor.records.fail(record, message, kind.noun);
  conductor.move(record, type === 'clean' ? 'clean failed' : 'active', goal);
  yield usesAgent(item) ? conductor.times.powerMs : conductor.times.fakeMs;
  leaveRamdisk(record, conductor, kind);
  item['last_error'] = message;
  item[kind.field] = {};
  conductor.unlock(record);
}
