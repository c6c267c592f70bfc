// Verification of late or unknown objects by reading the API server: the watch leader may have been suspended, and the
// object be deleted since.
import type { Logger } from 'pino';
import type { Clock } from '../../bus/mod.ts';
import { type RefreshDeps, refresh } from '../effects/ports.ts';
import type { ObjectActor } from '../object/object-actor.ts';

export interface VerifyDeps extends RefreshDeps {
  readonly clock: Clock;
  readonly log: Logger;
}

/** Before another try, in milliseconds, and before each later one at most. */
const PAUSE_FIRST_MS = 1_000;
const PAUSE_LIMIT_MS = 600_000;

/** Retries until the API server has answered, or the actor is hosted elsewhere. */
export async function rereadObject(deps: VerifyDeps, actor: ObjectActor, isHere: () => boolean): Promise<void> {
  await insist(deps, isHere, () => refresh(deps, actor));
}

/**
 * Existing incarnation, if any, once the API server has answered; undefined: the actor's shard has another host by
 * then.
 */
export function currentIncarnation(
  deps: VerifyDeps,
  { address, resource }: Pick<ObjectActor, 'address' | 'resource'>,
  isHere: () => boolean,
): Promise<{ readonly uid: string | undefined } | undefined> {
  return insist(deps, isHere, async () => {
    const object = await deps.objects.get(resource, address.namespace, address.name);
    return { uid: object?.metadata.uid };
  });
}

async function insist<Result>(
  { clock, log }: VerifyDeps,
  isHere: () => boolean,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  for (let pauseMs = PAUSE_FIRST_MS; isHere(); pauseMs = Math.min(2 * pauseMs, PAUSE_LIMIT_MS)) {
    try {
      return await work();
    } catch (error) {
      log.debug({ err: error }, 'an object that was told of late could not be read; it is tried again');
      await clock.sleep(pauseMs);
    }
  }
  return undefined;
}
