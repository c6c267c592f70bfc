// What users do by hand to what is not theirs: finalizers, ids, and the ways of the garbage collector.
import { type JsonObject, toErrorData } from '../../../../bus/mod.ts';
import type { KubeObject } from '../../../../machines/object.ts';
import type { Named } from '../../misfortunes.ts';
import type { HistoryContext } from '../../model.ts';
import type { Watchman } from './invariant-checker.ts';
import { idOf, isWithout, OUR_FINALIZERS, ownFinalizerOf, referencesOf } from './kinds.ts';
import { pathOf, pluralOf } from './manifests.ts';

export interface HandsDeps extends HistoryContext {
  readonly watchman: Watchman;
}

/** Of a user's own: it is to stay until they are done with it. */
const PIN = 'example.test/pinned';

export class Hands {
  readonly #deps: HandsDeps;
  readonly #pinned = new Map<string, Named>();
  /** Ids that were taken out of a status, by uid. */
  readonly #forgotten = new Map<string, { readonly object: Named; readonly id: string }>();

  constructor(deps: HandsDeps) {
    this.#deps = deps;
  }

  /** Holds an object that is not being deleted by a finalizer of the user's own. */
  pin(object: Named): void {
    const known = this.#get(object);
    if (known === undefined || known.metadata.deletionTimestamp !== undefined) return;
    this.#pinned.set(pathOf(object), object);
    this.#write('pins', object, [...(known.metadata.finalizers ?? []), PIN]);
  }

  unpin(object: Named): void {
    this.#pinned.delete(pathOf(object));
    this.#take('unpins', object, (finalizer) => finalizer === PIN);
  }

  /** Takes back what nobody else can. */
  putRight(): void {
    for (const [uid, { object, id }] of this.#forgotten) {
      const known = this.#get(object);
      // One that goes waits for who needs the id to tell what they have built; one that was at work may not have noticed.
      if (known?.metadata.uid !== uid || idOf(known) !== undefined) continue;
      // Another object of that name may have found it meanwhile, and has it now.
      if (this.#deps.watchman.ownerOf(id) !== undefined) continue;
      this.#patch('gives back the id of', object, `${pathOf(object)}/status`, { status: { id } });
    }
    for (const object of [...this.#pinned.values()]) this.unpin(object);
  }

  /** Takes the guards off a deleted object, whoever is built on it. */
  unguard(object: Named): void {
    const known = this.#get(object);
    if (known?.metadata.deletionTimestamp === undefined) return;
    const own = ownFinalizerOf(object.kind);
    this.#deps.onTrouble();
    this.#deps.watchman.byHand(known, () =>
      this.#take('unguards', object, (finalizer) => OUR_FINALIZERS.has(finalizer) && finalizer !== own),
    );
  }

  /** Takes the object's own finalizer off. */
  unown(object: Named): void {
    const known = this.#get(object);
    const own = ownFinalizerOf(object.kind);
    if (own === undefined || known?.metadata.finalizers?.includes(own) !== true) return;
    this.#deps.onTrouble();
    this.#deps.watchman.excused.add(known.metadata.uid);
    this.#deps.watchman.byHand(known, () => this.#take('disowns', object, (finalizer) => finalizer === own));
  }

  /**
   * An interface whose router went, without its guard, or an application credential whose user went, cannot be reached any more, and
   * an interface whose subnet went is not found without its id: nothing tells it to let go.
   */
  letStrandedGo(): void {
    const { watchman } = this.#deps;
    for (const object of watchman.objects()) {
      const { uid, name, namespace = '', deletionTimestamp } = object.metadata;
      if (!watchman.excused.has(uid)) continue;
      const isLost = referencesOf(object).some((needed) => {
        if (needed.kind === 'Secret') return false;
        const target = this.#get({ kind: needed.kind, namespace, name: needed.name });
        // Nor is an unrecorded resource identified without its reference.
        const isAlways = needed.neededFor === 'always';
        const isSought = isAlways
          ? needed.kind === 'Subnet'
          : needed.neededFor === 'create' && idOf(object) === undefined;
        if (isSought) return deletionTimestamp !== undefined && (target === undefined || idOf(target) === undefined);
        return isAlways && isWithout(target);
      });
      if (isLost) this.unown({ kind: object.kind, namespace, name });
    }
  }

  /** Takes the id out of the status. */
  forgetId(object: Named): void {
    const known = this.#get(object);
    const id = known && idOf(known);
    if (known === undefined || id === undefined || known.metadata.deletionTimestamp !== undefined) return;
    this.#forgotten.set(known.metadata.uid, { object, id });
    this.#deps.onTrouble();
    this.#patch('takes the id out of the status of', object, `${pathOf(object)}/status`, { status: { id: null } });
  }

  /** Once more, and in the foreground: what the user has made for it goes first, and is pinned. */
  deleteInForeground(object: Named): void {
    const known = this.#get(object);
    if (known?.metadata.deletionTimestamp === undefined || object.kind === 'Secret') return;
    const { apiVersion, kind, metadata } = known;
    const { name, uid, namespace = '' } = metadata;
    const keepsake = keepsakeOf(object);
    const owner = { apiVersion, kind, name, uid, blockOwnerDeletion: true };
    this.#attempt(`makes a keepsake of '${name}'`, () => {
      this.#deps.cluster.call({
        method: 'POST',
        path: pathOf({ kind: 'Secret', namespace }),
        body: {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name: keepsake.name, namespace, finalizers: [PIN], ownerReferences: [owner] },
        },
      });
      this.#pinned.set(pathOf(keepsake), keepsake);
    });
    this.#attempt(`deletes ${kind} '${name}' in the foreground`, () =>
      this.#deps.cluster.call({ method: 'DELETE', path: pathOf(object), body: { propagationPolicy: 'Foreground' } }),
    );
  }

  unpinKeepsake(object: Named): void {
    this.unpin(keepsakeOf(object));
  }

  #get({ kind, namespace, name }: Named): KubeObject | undefined {
    return this.#deps.cluster.get(pluralOf(kind), namespace, name);
  }

  #take(what: string, object: Named, isTaken: (finalizer: string) => boolean): void {
    const finalizers = this.#get(object)?.metadata.finalizers ?? [];
    if (finalizers.some(isTaken))
      this.#write(
        what,
        object,
        finalizers.filter((finalizer) => !isTaken(finalizer)),
      );
  }

  #write(what: string, object: Named, finalizers: readonly string[]): void {
    this.#patch(what, object, pathOf(object), { metadata: { finalizers } });
  }

  #patch(what: string, { kind, name }: Named, path: string, body: JsonObject): void {
    this.#attempt(`${what} ${kind} '${name}'`, () =>
      this.#deps.cluster.call({ method: 'PATCH', path, contentType: 'application/merge-patch+json', body }),
    );
  }

  /** Once; what is not there, or is there already, or may not be made any more is fine. */
  #attempt(what: string, run: () => void): void {
    try {
      run();
      this.#deps.chronicle.note(`by hand: ${what}`, () => `a user ${what}`);
    } catch (error) {
      if (toErrorData(error).code === 'terminal') throw error;
    }
  }
}

const keepsakeOf = ({ kind, namespace, name }: Named): Named => ({
  kind: 'Secret',
  namespace,
  name: `keepsake-${kind.toLowerCase()}-${name}`,
});
