// Status writes to the API server: statuses of lifecycles, and failures of their code.
import type { Logger } from 'pino';
import type { AnyMachineSnapshot } from 'xstate';
import type { Objects } from '../../adapters/kubernetes/mod.ts';
import { type Clock, ConflictError, ErrorCode, toErrorData } from '../../bus/mod.ts';
import { type RefreshDeps, refresh } from '../effects/ports.ts';
import type { ObjectActor, ObjectActorDeps } from '../object/object-actor.ts';
import type { StatusThrottle } from '../object/status-throttle.ts';
import { StatusWriter } from '../object/status-writer.ts';

export interface ExplainDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly turns: StatusThrottle;
  readonly objects: Objects;
  readonly mailbox: RefreshDeps['mailbox'];
}

/**
 * Writes a status for the lifecycle of `uid`, if it is still running; the actor knows the response when this resolves.
 */
export function writeStatus({
  objects,
  mailbox,
}: Pick<ExplainDeps, 'objects' | 'mailbox'>): ObjectActorDeps['writeStatus'] {
  return async (actor, uid, manager, status) => {
    const incarnation = actor.incarnation();
    if (incarnation?.kind === undefined || incarnation.uid !== uid) return;
    try {
      actor.accept(await objects.applyStatus(actor.resource, incarnation.object, manager, status), { own: true });
    } catch (error) {
      // Another write was faster; the writer tries again, on the object as it is then.
      if (error instanceof ConflictError) await refresh({ objects, mailbox }, actor);
      throw error;
    }
  };
}

/** Writes that the object waits for a fix of its code, until that is stored. @returns the function that stops it */
export function writeFailureStatus(
  { clock, log, turns, ...written }: ExplainDeps,
  actor: ObjectActor,
  message: string,
): () => void {
  const { uid, kind } = actor.incarnation() ?? {};
  if (kind === undefined || uid === undefined) return () => undefined;
  const error = { code: ErrorCode.Transient, message };
  const writer = new StatusWriter({
    life: {
      statusKey: () => message,
      status: (_, object, now) => kind.life.failureStatus(object, error, now),
    },
    clock,
    turns,
    object: () => (actor.incarnation()?.uid === uid ? actor.incarnation()?.object : undefined),
    isUnanswered: () => false,
    write: (manager, status) => writeStatus(written)(actor, uid, manager, status),
    onIdle: () => undefined,
    supervise(act) {
      try {
        return act();
      } catch (failure) {
        log.debug({ ...actor.address, error: toErrorData(failure).message }, 'the status of an object cannot be told');
        writer.stop();
        return undefined;
      }
    },
    log: () => log,
  });
  writer.enter();
  writer.consider(STOPPED);
  return () => writer.stop();
}

/** Snapshot of a stopped machine: its state does not count. */
const STOPPED = { hasTag: () => false } as unknown as AnyMachineSnapshot;
