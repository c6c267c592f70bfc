// Leader of a legacy controller that manages the objects, from its lease.
import type { LegacyController } from '../../adapters/api/adapter.ts';
import { ForbiddenError, type Objects } from '../../adapters/kubernetes/mod.ts';
import { AbsentError } from '../../bus/mod.ts';
import { heldOf, LEASES } from '../sharding/legacy-controller.ts';

export interface Leader {
  /** For people. */
  readonly name: string;
  /** `<namespace>/<name>`. */
  readonly lease: string;
  readonly holder: string;
}

/** Undefined if there is no leader, or the user lacks the permission. Otherwise @throws as `Objects.list` */
export async function leaderAmong(
  predecessors: readonly LegacyController[],
  objects: Pick<Objects, 'list'>,
): Promise<Leader | undefined> {
  for (const { name, lease } of predecessors) {
    try {
      const { items, serverTime } = await objects.list(LEASES, undefined, lease);
      // The clock here says nothing of the holder's; that of the server is rather kept in step with it.
      const held = heldOf(items, serverTime);
      if (held === undefined) continue;
      const holder = String(held.spec?.['holderIdentity']);
      return { name, lease: `${held.metadata.namespace}/${lease}`, holder };
    } catch (error) {
      if (!(error instanceof ForbiddenError || error instanceof AbsentError)) throw error;
    }
  }
  return undefined;
}
