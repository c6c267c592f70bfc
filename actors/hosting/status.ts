// The status of objects at the API server: as their lives tell it, and when the code that serves a life fails.
import type { Logger } from 'pino';
import type { Objects } from '../../adapters/kubernetes/mod.ts';
import { type Clock, ConflictError, ErrorCode, toErrorData } from '../../bus/mod.ts';
import type { LifeView } from '../../machines/kind.ts';
import { externalIdOf } from '../../machines/life.ts';
import { refresh } from '../effects/effects.ts';
import type { ObjectActor, ObjectActorDeps } from '../object/object-actor.ts';
import type { StatusTurns } from '../object/status-turns.ts';
import { StatusWriter } from '../object/status-writer.ts';

export interface ExplainDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly turns: StatusTurns;
  readonly objects: Objects;
}

/** Writes a status for the life of `uid`, if the actor still lives it; the actor knows the answer when this resolves. */
export function writeStatus(objects: Objects): ObjectActorDeps['writeStatus'] {
  return async (actor, uid, status) => {
    const life = actor.life();
    if (life?.kind === undefined || life.uid !== uid) return;
    const manager = life.kind.fieldManagers.status;
    try {
      actor.accept(await objects.applyStatus(actor.resource, life.object, manager, status), { own: true });
    } catch (error) {
      // Another write was faster; the writer tries again, on the object as it is then.
      if (error instanceof ConflictError) await refresh(objects, actor);
      throw error;
    }
  };
}

/** Writes that the object waits for its code to be mended, until that is stored. @returns the way to stop */
export function explain({ clock, log, turns, objects }: ExplainDeps, actor: ObjectActor, message: string): () => void {
  const { uid, kind, object } = actor.life() ?? {};
  if (kind === undefined || object === undefined || uid === undefined) return () => undefined;
  const writer = new StatusWriter({
    kind,
    clock,
    turns,
    object: () => (actor.life()?.uid === uid ? actor.life()?.object : undefined),
    write: (status) => writeStatus(objects)(actor, uid, status),
    onIdle: () => undefined,
    supervise(act) {
      try {
        return act();
      } catch (error) {
        log.debug({ ...actor.address, error: toErrorData(error).message }, 'the status of an object cannot be told');
        writer.stop();
        return undefined;
      }
    },
    log: () => log,
  });
  const { deletionTimestamp, generation = 0 } = object.metadata;
  const view: LifeView = {
    generation,
    // What was known of its availability stays known.
    phase: deletionTimestamp === undefined ? 'rereading' : 'deleting.backingOff',
    externalId: externalIdOf(object),
    observation: undefined,
    awaited: [],
    heldBy: [],
    waiting: [],
    disowning: [],
    error: { code: ErrorCode.Transient, message },
    vanished: false,
  };
  writer.enter();
  writer.consider(view);
  return () => writer.stop();
}
