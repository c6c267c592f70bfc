// Kinds of a few lines whose objects stand for external resources.
import type { ResourceState } from '../../machines/external-resource/lifecycle.ts';
import { externalResourceLife } from '../../machines/external-resource/lifecycle.ts';
import type { ResourceOperations } from '../../machines/external-resource/operations.ts';
import type { Kind, Reference } from '../../machines/kind.ts';
import { type Lifecycle, Tag } from '../../machines/lifecycle.ts';
import type { JsonObject, KubeObject } from '../../machines/object.ts';

export interface SimpleKind {
  readonly realm: string;
  readonly kind: string;
  readonly plural: string;
  readonly references?: (object: KubeObject) => readonly Reference[];
  /** Whether nothing has to be done for an object as it is stored; never by default. */
  readonly isSettled?: (object: KubeObject) => boolean;
  readonly resyncEveryMs?: (object: KubeObject) => number | undefined;
  /** Whether an object is available by its status; not by default. */
  readonly isAvailable?: (object: KubeObject) => boolean;
  readonly status?: (standing: ResourceState, object: KubeObject) => JsonObject;
  readonly isContradicted?: Lifecycle['isContradicted'];
  readonly operations?: Partial<ResourceOperations>;
}

/** Its finalizer is `own/<kind>`, and what it says in the status is where it stands: `available`, `failed` ... . */
export function simpleKind({
  realm,
  kind,
  plural,
  references = () => [],
  isSettled = () => false,
  resyncEveryMs = () => undefined,
  isAvailable = () => false,
  status = (standing) => ({ phase: wordFor(standing) }),
  isContradicted,
  operations = {},
}: SimpleKind): Kind {
  const finalizer = `own/${kind.toLowerCase()}`;
  const idOf = ({ status: stored }: KubeObject): string | undefined => stored?.['id'] as string | undefined;
  const settledAs = (object: KubeObject): 'no' | 'available' | 'unavailable' | 'failed' => {
    if (idOf(object) === undefined) return object.status?.['phase'] === 'failed' ? 'failed' : 'no';
    return isAvailable(object) ? 'available' : 'unavailable';
  };
  return {
    realm,
    group: 'example.org',
    version: 'v1',
    kind,
    plural,
    finalizer,
    guards: [finalizer],
    fieldManagers: { finalizer: `${kind}/finalizer`, guards: kind },
    references,
    children: () => [],
    publicState: (object, isNow = isAvailable(object)) => ({
      ready: isNow && idOf(object) !== undefined,
      id: idOf(object),
    }),
    life: externalResourceLife({
      view(object) {
        const { uid, generation = 0, deletionTimestamp, finalizers = [] } = object.metadata;
        const everyMs = resyncEveryMs(object);
        return {
          uid,
          generation,
          deleting: deletionTimestamp !== undefined,
          finalizers: deletionTimestamp === undefined ? [] : finalizers,
          finalizer,
          owned: finalizers.includes(finalizer),
          externalId: idOf(object),
          managed: isManaged(object),
          detached: false,
          settled: isSettled(object) ? settledAs(object) : 'no',
          available: isAvailable(object),
          resyncInMs: everyMs,
          resyncEveryMs: everyMs,
        };
      },
      status(standing, object) {
        const { id: _, ...stored } = object.status ?? {};
        const { id: __, ...said } = status(standing, object);
        return { manager: `${kind}/status`, status: said, stored };
      },
      mayHaveUnrecordedCreate: (object) =>
        isManaged(object) && object.metadata.finalizers?.includes(finalizer) === true && idOf(object) === undefined,
      ambiguity: 'several match',
      ...(isContradicted !== undefined && { isContradicted }),
    }),
    operations: operations as ResourceOperations,
  };
}

function wordFor({ tags, observation }: ResourceState): string {
  if (tags.has(Tag.Settled))
    return tags.has(Tag.Failing) ? 'failed' : observation?.available ? 'available' : 'unavailable';
  return tags.has(Tag.Failing) ? 'backingOff' : tags.has(Tag.Waiting) ? 'waiting' : 'busy';
}

function isManaged({ spec }: KubeObject): boolean {
  return spec?.['managementPolicy'] !== 'unmanaged';
}
