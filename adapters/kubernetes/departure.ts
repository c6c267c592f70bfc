// Several owners of an object leave it at once.
import type { JsonObject } from '../../bus/mod.ts';
import type { OwnerReference } from '../../machines/object.ts';

export interface Departure {
  /** Steps of a JSON patch, which fails if the owners have changed meanwhile. */
  readonly steps: readonly JsonObject[];
  /** The last owner to leave, if there are no others: it has to remove the object. */
  readonly stays: string | undefined;
}

/** @param leaving  uids; who is no owner has left already */
export function departure(owners: readonly OwnerReference[], leaving: readonly string[]): Departure {
  const places = owners.flatMap(({ uid }, at) => (leaving.includes(uid) ? [{ at, uid }] : []));
  // mutant: departure-all-at-once ?:.1 -> false
  const last = places.length === owners.length ? places.shift() : undefined;
  // From the end, so that the places of the others stay.
  const steps = places.reverse().flatMap(({ at, uid }) => {
    const path = `/metadata/ownerReferences/${at}`;
    return [
      { op: 'test', path: `${path}/uid`, value: uid },
      { op: 'remove', path },
    ];
  });
  return { steps, stays: last?.uid };
}
