// Invariants of the landscape of a cloud that its objects show, beside those of the cloud's log and of the order.

import { referencesOf, type SampleObject } from '../../../actors/landscape.ts';
import { condition, type Raw } from '../../../world/watched-objects.ts';
import type { World } from '../../../world/world.ts';
import { MARK } from './tenant.ts';

type Violate = (what: string) => void;

/** Nothing was wrong with any spec, so nothing may ever be told so, but of what lost something that nobody keeps. */
export function judgeConditions(world: World, objects: readonly SampleObject[], violate: Violate): void {
  for (const sample of objects) {
    const { kind, name } = sample;
    for (const object of world.follower.history(kind, name)) {
      const { reason, message } = condition(object, 'Progressing');
      if (reason !== 'InvalidConfiguration' && reason !== 'UnrecoverableError') continue;
      if (isForsaken(world, sample, object)) continue;
      violate(`${kind}/${name} was given up: ${reason}: ${message}`);
      break;
    }
  }
}

/**
 * Whether something that the object refers to, and that no finalizer keeps (a flavor, a key pair, the image of a volume), was
 * deleted since the object is there: what is being made of it is refused then, and rightly given up.
 */
function isForsaken(world: World, sample: SampleObject, object: Raw): boolean {
  const history = (kind: string, name: string): readonly Raw[] => world.follower.history(kind, name);
  const born = history(sample.kind, sample.name).find(({ metadata }) => metadata.uid === object.metadata.uid);
  const [from, until] = [born, object].map((each) => BigInt(each?.metadata.resourceVersion ?? 0));
  return referencesOf(sample)
    .filter(({ finalizers, neededFor }) => finalizers.length === 0 && neededFor !== 'never')
    .some(({ kind, name }) =>
      history(kind, name).some(({ metadata }) => {
        const at = BigInt(metadata.resourceVersion);
        return metadata.deletionTimestamp !== undefined && at >= (from ?? 0n) && at <= (until ?? 0n);
      }),
    );
}

/** Nothing of a neighbor shows in what belongs to others. */
export function judgeNeighbor(world: World, namespace: string | undefined, violate: Violate): void {
  for (const key of world.follower.everSeen()) {
    const [kind = '', name = ''] = key.split('/');
    const text = JSON.stringify(world.follower.history(kind, name));
    for (const mark of [MARK, ...(namespace === undefined ? [] : [namespace])])
      if (text.includes(mark)) violate(`'${mark}' is told of in ${key}`);
  }
}
