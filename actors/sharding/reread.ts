// Reads at the API server that are retried until it answers: what a message said late may be outdated, and what is not known here may
// exist.

import { growingPauseMs } from '../../machines/backoff.ts';
import type { ObjectContext } from '../object/object-context.ts';

/** Before another try, in milliseconds, and before each later one at most. */
const PAUSES = { firstMs: 1_000, limitMs: 600_000 };

/** Reads an object again, until the API server has answered or the object is not hosted here any more. */
export async function rereadObject(object: ObjectContext, isHere: () => boolean): Promise<void> {
  await insist(object, isHere, () => object.refresh());
}

/** The incarnation that there is, if any, as the API server says; undefined: the object is not hosted here any more. */
export function currentIncarnation(
  context: ObjectContext,
  isHere: () => boolean,
): Promise<{ readonly uid: string | undefined } | undefined> {
  const { host, address, resource } = context;
  return insist(context, isHere, async () => {
    const object = await host.objects.get(resource, address.namespace, address.name);
    return { uid: object?.metadata.uid };
  });
}

async function insist<Result>(
  { clock, host }: ObjectContext,
  isHere: () => boolean,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  for (let failures = 1; isHere(); failures++) {
    try {
      return await work();
    } catch (error) {
      host.log.debug({ err: error }, 'a late message names an object that could not be read; will retry');
      await clock.sleep(growingPauseMs(failures, PAUSES));
    }
  }
  return undefined;
}
