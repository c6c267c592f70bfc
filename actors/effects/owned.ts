// The Kubernetes object that an object makes for itself: made once its resource exists, replaced when it is not as it
// should be, deleted before the resource is.
import type { Objects, Resource } from '../../adapters/kubernetes/mod.ts';
import { ConflictError, TransientError } from '../../bus/mod.ts';
import type { KubeObject, ManagedKind, OwnedObject } from '../../machines/kind.ts';
import { Readiness } from '../../machines/life.ts';
import type { DisownOutput } from '../../machines/managed-context.ts';
import type { Life, ObjectActor } from '../object/object-actor.ts';
import type { Registry } from '../object/registry.ts';

export interface OwnedDeps {
  readonly objects: Objects;
  readonly registry: Registry;
}

interface Owner {
  readonly actor: ObjectActor;
  readonly life: Life;
  readonly kind: ManagedKind;
}

/** Makes sure of the own object. @returns messages of what is waited for */
export async function ensureOwned({ objects, registry }: OwnedDeps, owner: Owner): Promise<readonly string[]> {
  const { actor, life, kind } = owner;
  const owned = kind.owned(life.object);
  if (owned === undefined) return [];
  const resource = resourceOf(registry, actor, owned);
  const waiting = (until: 'ready' | 'deleted'): readonly string[] => [
    `Waiting for ${owned.kind.toLowerCase()}/${owned.name} to be ${until}`,
  ];
  const known = actor.dependencies().find(({ kind: of, name }) => of === owned.kind && name === owned.name);
  const namespace = life.object.metadata.namespace ?? '';
  const get = (): Promise<KubeObject | undefined> => objects.get(resource, namespace, owned.name);
  let present = known?.answer?.readiness === Readiness.Absent ? undefined : await get();
  if (present === undefined) {
    try {
      await objects.create(resource, owned.name, owned.spec, {
        object: life.object,
        manager: kind.fieldManagers.guards,
      });
      return waiting('ready');
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
      // An earlier pass made it, or another host, and its mail is on its way: no error (I6).
      present = await get();
      if (present === undefined) throw new TransientError(error.message, { cause: error });
    }
  }
  if (present.metadata.deletionTimestamp !== undefined) return waiting('deleted');
  if (!isAs(owned, present)) {
    await objects.remove(resource, { namespace, name: owned.name, uid: present.metadata.uid });
    return waiting('deleted');
  }
  // It says that it is ready before its status does, and says so once: a pass that waited for the status would wait for ever.
  const { readiness, uid } = known?.answer ?? {};
  const isReady = readiness === Readiness.Ready && uid === present.metadata.uid;
  return isReady || registry.kind(resource)?.isAvailable(present) === true ? [] : waiting('ready');
}

/** Asks for the deletion of the own object, and says whether it was gone already. */
export async function disown({ objects, registry }: OwnedDeps, { actor, life, kind }: Owner): Promise<DisownOutput> {
  const owned = kind.owned(life.object);
  if (owned === undefined) return { gone: true };
  const resource = resourceOf(registry, actor, owned);
  const namespace = life.object.metadata.namespace ?? '';
  const present = await objects.get(resource, namespace, owned.name);
  if (present === undefined) return { gone: true };
  if (present.metadata.deletionTimestamp === undefined)
    await objects.remove(resource, { namespace, name: owned.name, uid: present.metadata.uid });
  return { gone: false };
}

function resourceOf(registry: Registry, { address }: ObjectActor, owned: OwnedObject): Resource {
  const resource = registry.resource(registry.target(address, owned));
  if (resource === undefined) throw new TypeError(`kind '${owned.kind}' is not known`);
  return resource;
}

/** Whether the object says what it should; what the API server added by itself does not count. */
function isAs({ spec }: OwnedObject, present: KubeObject): boolean {
  return Object.entries(spec).every(([name, value]) => JSON.stringify(present.spec?.[name]) === JSON.stringify(value));
}
