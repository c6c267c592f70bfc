// Context changes of the state machine for each event. Pure.
import type { ErrorData } from '../object.ts';
import { admitted } from './capacity.ts';
import { applied, changed, factsOf, type HostContext, hostOf, inTurn, report, seen, unannotated } from './context.ts';
import { clearError, ErrorType, recordError } from './errors.ts';
import { type HostStatus, isGiven, OperationalStatus } from './host.ts';
import { retryLimit } from './needs-provisioning.ts';
import type { Outcome } from './outcome.ts';
import { nodeStatus, SECRET_MISSING } from './registration.ts';
import { patchStatus } from './status.ts';
import { enterState, makeTransition } from './transitions.ts';

type Change = Partial<HostContext>;

/** Number of consecutive failures outside of the status after which a failure is reported. */
const TROUBLE_AFTER = 2;

/** There is room: the state that was planned is entered. @param at  milliseconds since the epoch */
export function admittedTo(context: HostContext, at: number): Change {
  const { plan } = context;
  const status = admitted(context.status);
  const host = { ...context.object.host, status };
  const entered = { heardAt: at, plan: undefined, isAdmitted: true };
  if (plan === undefined) return { ...changed(context, status), ...entered };
  const change =
    'row' in plan ? makeTransition(host, plan.row, { at, facts: factsOf(context) }) : enterState(host, plan.state, at);
  return { ...applied(context, change), ...entered };
}

/** Result of an operation, whatever its outcome. */
export function outcomeTaken(context: HostContext, outcome: Outcome): Change {
  const { at, node, status = {}, isErrorOver = false, unannotate } = outcome;
  const id = status.provisioning?.ID;
  return inTurn(
    context,
    () => ({ heardAt: at, pauseMs: pauseOf(outcome) }),
    (now) => (node === undefined ? {} : seen(now, node)),
    (now) => changed(now, isErrorOver ? overcome(now.status) : now.status),
    (now) => (isGiven(id) ? changed(now, nodeStatus(hostOf(now), id)) : {}),
    (now) => changed(now, patchStatus(now.status, status)),
    (now) => report(now, outcome),
    (now) => unannotated(now, unannotate),
  );
}

/**
 * Records a failure in the status. A rejection that it contains already is reported once, however often it is found:
 * nothing is tried for it, and a new lifecycle finds it again. @param wording replacement of the message
 */
export function failureRecorded(
  context: HostContext,
  outcome: Outcome,
  wording: (message: string) => string = (message) => message,
): Change {
  if (outcome.kind !== 'failed') return {};
  const { errorType, until } = outcome;
  const message = wording(outcome.message);
  const isTold = context.status.errorType === errorType && context.status.errorMessage === message;
  return isTold && until === 'change' ? {} : applied(context, recordError(context.status, errorType, message));
}

export function secretMissed(context: HostContext): Change {
  const secret = context.object.host.spec?.bmc?.credentialsName ?? '';
  const message = `${SECRET_MISSING}: '${secret}'`;
  const { status, events, measures } = recordError(context.status, ErrorType.Registration, message);
  return applied(context, {
    status,
    events: [...events, { reason: 'BMCCredentialError', message }],
    measures: [...measures, { name: 'metal3_credentials_missing_total' }],
  });
}

/** Told once, however often it is found. */
export function limitReached(context: HostContext): Change {
  const { status, object } = context;
  const { message, provisioningFailCount } = retryLimit(hostOf(context), object.maxProvisioningRetries);
  if (message === undefined || status.errorMessage === message) return {};
  return applied(context, recordError({ ...status, provisioningFailCount }, ErrorType.Provisioning, message));
}

/** Failure outside of the status; if it is repeated, the conditions report it. */
export function errorNoted(context: HostContext, error: ErrorData): Change {
  const retries = context.retries + 1;
  const problem = retries < TROUBLE_AFTER ? context.problem : error.message;
  return { error, retries, problem, ...(problem !== context.problem && { revision: context.revision + 1 }) };
}

/** Other operations of the host continue. */
function overcome(status: HostStatus): HostStatus {
  const cleared = clearError(status);
  const { operationalStatus } = status;
  return operationalStatus === OperationalStatus.Error ? cleared : patchStatus(cleared, { operationalStatus });
}

function pauseOf(outcome: Outcome): number {
  if (outcome.kind === 'waiting') return outcome.pollAfterMs;
  return outcome.kind === 'pausing' ? outcome.afterMs : 0;
}
