// Check whether Troupe has acted on these objects before. A NATS server without leases is new, or was wiped while a
// former host still acts until its lease ends: on the bus both look the same. The API server distinguishes them.
//
// Invariants:
//   FIRST-START-1. If no object carries its kind's own finalizer, no request is ever running or can start: that
//       finalizer is stored before a create is sent (P12), and a create is listed in the mailbox of the wiped server,
//       so a holder of a former lease starts none any more (P13).
//   FIRST-START-2. An undetermined state never counts as a first start.
import type { Objects } from '../../adapters/kubernetes/mod.ts';
import { type FirstLease, toErrorData } from '../../bus/mod.ts';
import type { Kind, Resource } from '../../machines/kind.ts';
import { placesOf } from '../base/list-all.ts';

export interface FirstStartDeps {
  readonly objects: Pick<Objects, 'list'>;
  readonly kinds: readonly (Resource & Pick<Kind, 'finalizer'>)[];
  /** Undefined: all. */
  readonly namespaces: readonly string[] | undefined;
}

/** Never throws. */
export async function firstLeaseOf({ objects, kinds, namespaces }: FirstStartDeps): Promise<FirstLease> {
  for (const kind of kinds) {
    for (const place of placesOf(kind, namespaces)) {
      try {
        const { items } = await objects.list(kind, place);
        // mutant: first-start-after-wipe ()#2.1 -> ''
        if (items.some(({ metadata }) => metadata.finalizers?.includes(kind.finalizer))) return 'wait';
      } catch (error) {
        // mutant: first-start-if-unknown drop
        if (toErrorData(error).code !== 'absent') return 'wait'; // FIRST-START-2; a kind that is not served has no objects
      }
    }
  }
  return 'immediate';
}
