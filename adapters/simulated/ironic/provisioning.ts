// PUT states/provision and states/power: what is refused at once, and what is then begun.
import type { Json } from '../../../bus/json.ts';
import { abort, clean, requestAbort, service } from './cleaning.ts';
import type { Conductor } from './conductor.ts';
import { deploy, deployProblem, tearDown } from './deploying.ts';
import {
  asObject,
  locked,
  mandatory,
  notAcceptable,
  objectOf,
  type Reply,
  refusal,
  type SimulatedRequest,
} from './exchange.ts';
import { INSPECTION_ABORTED, inspect } from './inspecting.ts';
import type { NodeRecord, Work } from './records.ts';
import { CUT_OFF, eventOf, isFailure } from './states.ts';
import { parseSteps, type Step } from './steps.ts';

/** The start of a request to change the provision state. */
interface Asked {
  readonly event: string;
  readonly steps: readonly Step[];
  readonly configDrive: Json;
}

/** Lists of steps, and the targets that take them. */
const STEP_LISTS = ['clean', 'service'] as const;
/** Events that a node in maintenance refuses, as its refusal names them. Cleaning on the way to use is done all the same. */
const NOT_IN_MAINTENANCE: Readonly<Record<string, string>> = { clean: 'cleaning', service: 'service' };
/** Microversions. */
const INSPECT_ABORT = 41;
const SERVICE = 87;
const DEPLOY_ABORT = 110;

/** @throws {Refusal} 400, 406, 409 */
export function changeProvisionState(record: NodeRecord, request: SimulatedRequest, conductor: Conductor): Reply {
  const { item } = record;
  const body = objectOf(request);
  const target = String(mandatory(body, 'target'));
  const state = String(item['provision_state']);
  const uuid = String(item['uuid']);
  if ((target === 'active' || target === 'rebuild') && item['maintenance'] === true)
    throw inMaintenance('provisioning', uuid);
  const event = eventOf(state, target);
  if (event === undefined) {
    if (item['reservation'] !== null) throw locked(uuid, String(item['reservation']));
    const what = `The requested action "${target}" can not be performed on node "${uuid}"`;
    throw refusal(400, `${what} while it is in state "${state}".`);
  }
  let steps: readonly Step[] = [];
  for (const name of STEP_LISTS) {
    const given = body[`${name}_steps`] ?? null;
    if (given !== null && target !== name) {
      throw refusal(400, `"${name}_steps" is only valid when setting target provision state to ${name}`);
    }
    if (target !== name) continue;
    if (name === 'service' && request.minor < SERVICE) throw notAcceptable();
    if (given === null || (Array.isArray(given) && given.length === 0)) {
      throw refusal(400, `"${name}_steps" is required when setting target provision state to ${name}`);
    }
    steps = parseSteps(given, name);
  }
  if (event === 'abort' && state === 'inspect wait' && request.minor < INSPECT_ABORT) throw notAcceptable();
  if (event === 'abort' && state === 'wait call-back' && request.minor < DEPLOY_ABORT) throw notAcceptable();
  const isDeployment = event === 'deploy' || event === 'rebuild';
  if (isDeployment && (body['deploy_steps'] ?? null) !== null) steps = parseSteps(body['deploy_steps'], 'deploy');
  conductor.refuseLocked(record);
  if (Object.hasOwn(NOT_IN_MAINTENANCE, event) && item['maintenance'] === true) {
    throw inMaintenance(NOT_IN_MAINTENANCE[event] ?? event, uuid);
  }
  const problem = isDeployment ? deployProblem(item) : undefined;
  if (problem !== undefined) {
    throw refusal(400, `Failed to validate deploy or power info for node ${uuid}. Error: ${problem}`);
  }
  begin(record, { event, steps, configDrive: body['configdrive'] ?? null }, conductor);
  return { status: 202, headers: { Location: `${request.origin}/v1/nodes/${request.segments[1]}/states` } };
}

function inMaintenance(operation: string, uuid: string): Error {
  return refusal(
    400,
    `The ${operation} operation can't be performed on node ${uuid} because it's in maintenance mode.`,
  );
}

/** For an event, the state in which the conductor works, its work, and the state it leads to if not the usual one. */
type Beginning = readonly [state: string, work: Work, goal?: string];

function begin(record: NodeRecord, asked: Asked, conductor: Conductor): void {
  const { item } = record;
  const isKnown = item['provision_state'] !== 'enroll';
  if (asked.event === 'manage' && isKnown) conductor.move(record, 'manageable');
  else if (asked.event === 'abort') abortWait(record, conductor);
  else {
    const [state, work, goal] = beginningOf(record, asked, conductor);
    item['last_error'] = null;
    conductor.lock(record);
    conductor.move(record, state, goal);
    conductor.start(record, work);
  }
}

function beginningOf(record: NodeRecord, { event, steps, configDrive }: Asked, conductor: Conductor): Beginning {
  switch (event) {
    case 'manage':
      return ['verifying', conductor.verify(record)];
    case 'provide':
      return ['cleaning', clean(record, conductor, 'available')];
    case 'clean':
      return ['cleaning', clean(record, conductor, 'manageable', steps), 'manageable'];
    case 'inspect':
      return ['inspecting', inspect(record, conductor)];
    case 'adopt':
      return ['adopting', conductor.adopt(record)];
    case 'service':
      return ['servicing', service(record, conductor, steps)];
    case 'delete':
      return ['deleting', tearDown(record, conductor)];
    default: {
      const drive = typeof configDrive === 'string' ? configDrive : (asObject(configDrive) ?? null);
      return ['deploying', deploy(record, conductor, { configDrive: drive, steps })];
    }
  }
}

function abortWait(record: NodeRecord, conductor: Conductor): void {
  const { item } = record;
  const state = String(item['provision_state']);
  if (state === 'clean wait' || state === 'service wait') {
    const type = state === 'clean wait' ? 'clean' : 'service';
    if (requestAbort(record, type) === 'abort') conductor.start(record, abort(record, conductor, type));
    return;
  }
  if (state === 'service failed') {
    if (item['maintenance'] === true) {
      const remedy =
        'Please remove the node from maintenance prior to issuing the request to abort the service operation.';
      throw refusal(409, `Can not abort service on node "${item['uuid']}" while it is in maintenance mode. ${remedy}`);
    }
    conductor.start(record, abort(record, conductor, 'service'));
    return;
  }
  const isInspection = state === 'inspect wait';
  const message = isInspection ? INSPECTION_ABORTED : 'By request, the deploy operation was aborted';
  conductor.start(record, endWait(record, conductor, message, isInspection ? 'inspect failed' : 'deploy failed'));
}

function* endWait(record: NodeRecord, conductor: Conductor, message: string, failed: string): Work {
  conductor.lock(record);
  conductor.records.fail(record, message, failed.replace(' failed', 'ing'));
  conductor.move(record, failed);
  yield conductor.times.powerMs;
  conductor.switch(record, 'power off');
  conductor.unlock(record);
}

const POWER_TARGETS: readonly string[] = ['power on', 'power off', 'rebooting', 'soft rebooting', 'soft power off'];
/** Ironic's `soft_power_off_timeout`. */
const SOFT_TIMEOUT_S = 600;
/** Microversion of soft ones and of timeouts. */
const SOFT = 27;

/** @throws {Refusal} 400, 406, 409 */
export function changePowerState(record: NodeRecord, request: SimulatedRequest, conductor: Conductor): Reply {
  const { item } = record;
  const body = objectOf(request);
  const target = String(mandatory(body, 'target'));
  const timeout = body['timeout'] ?? null;
  if (timeout !== null && !Number.isInteger(Number(timeout)))
    throw refusal(400, `Expected an integer for timeout: ${timeout}`);
  if ((target.startsWith('soft') || timeout !== null) && request.minor < SOFT) throw notAcceptable();
  if (timeout !== null && Number(timeout) < 1) throw refusal(400, 'timeout has to be positive integer');
  const state = String(item['provision_state']);
  const refuse = (seen: string): Error => {
    const what = `The requested action "${target}" can not be performed on node "${request.segments[1]}"`;
    return refusal(400, `${what} while it is in state "${seen}".`);
  };
  if (!POWER_TARGETS.includes(target)) throw refuse(String(item['power_state'] ?? 'None'));
  if (state === 'clean wait' || state === 'cleaning') throw refuse(state);
  if (target.endsWith('power off') && item['disable_power_off'] === true) {
    throw refusal(409, `Failed to set node power state to ${target}.`);
  }
  conductor.refuseLocked(record);
  const isSoft = target.startsWith('soft');
  if (isSoft && conductor.machineOf(record)?.behavior.softPowerOff === 'unsupported') {
    throw refusal(400, `The driver ${item['driver']} does not support the power state, ${target}`);
  }
  item['target_power_state'] = target.endsWith('power off') ? 'power off' : 'power on';
  item['last_error'] = null;
  conductor.lock(record);
  const timeoutMs = Number(timeout ?? SOFT_TIMEOUT_S) * 1_000;
  startPower(record, conductor.changePower(record, target, timeoutMs), conductor);
  return { status: 202, headers: { Location: `${request.origin}/v1/nodes/${request.segments[1]}/states` } };
}

/** The wait of a node for its agent never ends from now on. */
function startPower(record: NodeRecord, work: Work, conductor: Conductor): void {
  const isWaiting = record.cancel !== undefined && !isFailure(String(record.item['provision_state']));
  const { callbackTimeoutMs } = conductor.times;
  conductor.start(record, isWaiting ? interrupted(record, work, conductor, callbackTimeoutMs) : work);
}

function* interrupted(record: NodeRecord, work: Work, conductor: Conductor, timeoutMs: number): Work {
  yield* work;
  const { item } = record;
  const state = String(item['provision_state']);
  yield timeoutMs;
  const failed = CUT_OFF[state] ?? 'service failed';
  conductor.records.fail(record, `Timeout reached while waiting for callback for node ${item['uuid']}`, state);
  conductor.move(record, failed);
}
