// Users of the landscape of a cloud.
import type { JsonObject } from '../../../../bus/mod.ts';
import { needs, refersTo, type SampleObject } from '../../../actors/landscape.ts';
import type { World } from '../../../world/world.ts';
import { Churn } from '../../churn.ts';
import type { Run } from '../../model.ts';
import { pick } from '../../random.ts';
import { editOf } from './data-center.ts';

export function userOf(
  { clock, attempt, randomFor }: Pick<Run, 'clock' | 'attempt' | 'randomFor'>,
  world: World,
  objects: readonly SampleObject[],
): Churn<SampleObject> {
  const random = randomFor(1);
  const state = ({ kind, name }: SampleObject): 'absent' | 'present' | 'going' => {
    const { metadata } = world.follower.get(kind, name) ?? {};
    if (metadata === undefined) return 'absent';
    return metadata.deletionTimestamp === undefined ? 'present' : 'going';
  };
  let edits = 0;
  return new Churn(clock, random, {
    items: objects,
    keyOf: ({ kind, name }) => `${kind}/${name}`,
    needs,
    state,
    // The gateway of a router takes an address of a subnet that it does not refer to: nobody can tell that it should wait.
    mayCreate: (object, isFollowed) =>
      !objects.some(
        (other) => needs(object, other) && !refersTo(object, other) && (state(other) === 'going' || isFollowed(other)),
      ),
    async create({ kind, name, manifest }) {
      await attempt(`creates ${kind}/${name}`, () => world.apply(manifest));
    },
    async edit(present) {
      const object = pick(present, random);
      if (object === undefined || (object.manifest['spec'] as JsonObject | undefined)?.['resource'] === undefined)
        return;
      const { kind, name } = object;
      const resource = editOf(world, object, `edit ${++edits}`);
      if (resource === undefined) return;
      await attempt(`edits ${kind}/${name}`, () => world.patch(kind, name, { spec: { resource } }));
    },
    async remove({ kind, name }, standing) {
      const more = standing === 0 ? '' : `, on which ${standing} others stand`;
      return (await attempt(`deletes ${kind}/${name}${more}`, () => world.delete(kind, name))) !== 'unknown';
    },
    weightOf: () => 1,
    chances: { first: 0.7, again: 0.4, deletion: 0.6 },
    batch: 6,
    followsWithinMs: 4_000,
    restsMs: 6_000,
  });
}
