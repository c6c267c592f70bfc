// Looks at every request that lands in the print shop, and at what is in the shop when nothing goes on any more.
import { isAsApplied } from '../../../../actors/effects/children.ts';
import type { KubeObject } from '../../../../machines/object.ts';
import { REPRINT } from '../../../example-adapter/book.ts';
import type { SimulatedShop, Slot } from '../../../example-adapter/simulated-shop.ts';
import type { Landing } from '../../clouds.ts';
import type { HistoryContext } from '../../model.ts';
import type { Watchman } from './invariant-checker.ts';
import { BY_KIND, idOf, referencesOf } from './kinds.ts';
import { isPrint } from './shop.ts';

export interface ShopWatchDeps extends HistoryContext {
  readonly shop: SimulatedShop;
  readonly watchman: Watchman;
}

export class ShopWatch {
  readonly #deps: ShopWatchDeps;
  /** How often users asked for another print, and how often one was thrown away for that, by uid. */
  readonly #asked = new Map<string, number>();
  readonly #wasted = new Map<string, number>();
  /** Objects whose slot somebody took away. */
  readonly #robbed = new Set<string>();

  constructor(deps: ShopWatchDeps) {
    this.#deps = deps;
  }

  onChange(before: KubeObject | undefined, { metadata: { uid, annotations } }: KubeObject): void {
    if (annotations?.[REPRINT] !== undefined && before?.metadata.annotations?.[REPRINT] === undefined)
      this.#asked.set(uid, (this.#asked.get(uid) ?? 0) + 1);
  }

  onLanding(landing: Landing): void {
    const { watchman, shop } = this.#deps;
    const { method, path, uid, pod } = landing;
    if (method === 'GET' || watchman.excused.has(uid)) return;
    if (landing.isLate !== true) watchman.judgeHost(landing, 'press');
    const slot = shop.slots.get(uid);
    if (method === 'PUT' || (method === 'POST' && path === '/rolls')) {
      // What is there already is not made once more.
      if (method === 'POST' || slot === undefined) this.#judgeCreate(landing);
    } else if (method === 'DELETE') watchman.judgeRemoval(landing, watchman.objectOf(uid));
    else if (slot !== undefined && isPrint(landing)) {
      this.#judgeCreate(landing);
      if (slot.state !== 'reserved')
        this.#violate('P13', `${pod} has ${watchman.nameOf(uid)} printed once more, which is ${slot.state}`);
    } else if (slot !== undefined && path.endsWith('/recycling')) this.#judgeWaste(landing, slot);
  }

  onAnswer({ method, path, uid }: Landing, status: number, body: object, served: boolean): void {
    const { watchman } = this.#deps;
    if (!served || (status >= 400 && !(status === 404 && method !== 'POST'))) watchman.refused(uid);
    if (!served) return;
    const object = watchman.objectOf(uid);
    const [, collection, name = ''] = path.split('/');
    if (method === 'POST' && collection === 'rolls') {
      const { id } = body as { readonly id: string };
      watchman.note({ id, kind: 'Paper', uid, uses: new Set() });
    } else if (method === 'PUT' && !watchman.made.has(uid)) {
      watchman.note({ id: uid, kind: 'Book', uid, uses: object === undefined ? new Set() : this.#uses(object) });
    } else if (method === 'DELETE') watchman.onVanished(collection === 'rolls' ? name : uid);
  }

  /** Somebody throws away what is in the shop. @returns whether it was there */
  rob(object: KubeObject): boolean {
    const { watchman } = this.#deps;
    const { uid } = object.metadata;
    const id = idOf(object) ?? uid;
    if (!this.remove(id)) return false;
    this.#robbed.add(uid);
    watchman.onVanished(id);
    return true;
  }

  /** Somebody puts other paper on the shelf. @returns whether there was any */
  swap(object: KubeObject): boolean {
    const roll = this.#deps.shop.rolls.get(idOf(object) ?? '');
    if (roll !== undefined) roll.grams = 399;
    return roll !== undefined;
  }

  remove(id: string): boolean {
    return this.#deps.shop.rolls.delete(id) || this.#deps.shop.slots.delete(id);
  }

  /** Whether a book has a slot, and is not bound yet: it is made all the same when its paper is being deleted meanwhile. */
  isAtWork({ metadata: { uid, deletionTimestamp } }: KubeObject): boolean {
    const slot = this.#deps.shop.slots.get(uid);
    return deletionTimestamp === undefined && slot !== undefined && slot.state !== 'bound';
  }

  /** What of an object that is available and up to date is not as it says. */
  unrest(object: KubeObject): string | undefined {
    const { shop } = this.#deps;
    const { uid, annotations } = object.metadata;
    const id = idOf(object);
    if (id !== undefined) {
      const roll = shop.rolls.get(id);
      if (roll?.name !== uid) return `its roll ${id} is not in the shop`;
      return roll.grams === object.spec?.['grams'] ? undefined : `its roll has ${roll.grams} grams`;
    }
    if (annotations?.[REPRINT] !== undefined) return 'another print was asked for, and is not made';
    const slot = shop.slots.get(uid);
    if (slot === undefined) return this.#robbed.has(uid) ? undefined : 'its slot is not in the shop';
    // A reservation that nobody answered, and that was done after the slot had been taken away.
    if (slot.state === 'reserved' && this.#robbed.has(uid)) return undefined;
    return slot.state === 'bound' && slot.sheets === slot.pages ? undefined : `its slot is ${slot.state}`;
  }

  /** What it makes for itself, and is not as it should be. */
  unrestOfChildren(object: KubeObject): string | undefined {
    const { cluster } = this.#deps;
    const { namespace = '', uid } = object.metadata;
    for (const { kind, name, content } of BY_KIND.get(object.kind)?.children(object) ?? []) {
      const child = cluster.get(`${kind.toLowerCase()}s`, namespace, name);
      const what = `its ${kind.toLowerCase()} '${name}'`;
      if (child === undefined) return `${what} is not there`;
      if (!isAsApplied(content, child, {})) return `${what} is not as it should be`;
      if (!child.metadata.ownerReferences?.some((owner) => owner.uid === uid)) return `${what} is not its own`;
    }
    return undefined;
  }

  /** What was thrown away was asked for, once (B3). */
  #judgeWaste({ uid, pod }: Landing, { state }: Slot): void {
    if (state === 'reserved') return;
    const wasted = (this.#wasted.get(uid) ?? 0) + 1;
    this.#wasted.set(uid, wasted);
    const asked = this.#asked.get(uid) ?? 0;
    if (wasted > asked) {
      const what = `${pod} throws away print ${wasted} of ${this.#deps.watchman.nameOf(uid)}`;
      this.#violate('I4', `${what}, and another was asked for ${asked} times`);
    }
  }

  /** Its own finalizer is stored, and all of its guards on everything that it is built on. */
  #judgeCreate({ uid, pod }: Landing): void {
    const { cluster, watchman } = this.#deps;
    const object = watchman.objectOf(uid);
    if (object === undefined) {
      this.#violate('I4', `${pod} has something made for ${watchman.nameOf(uid)}, which is gone`);
      return;
    }
    const own = `${pod} makes ${watchman.nameOf(uid)}`;
    const kind = BY_KIND.get(object.kind);
    if (kind === undefined || !object.metadata.finalizers?.includes(kind.finalizer))
      this.#violate('I4', `${own}, which lacks its own finalizer`);
    for (const { kind: of, namespace, name, finalizers } of referencesOf(object)) {
      if (finalizers.length === 0) continue;
      const used = cluster.get(`${of.toLowerCase()}s`, namespace, name);
      if (used !== undefined && watchman.unguarded.has(used.metadata.uid)) continue;
      for (const finalizer of finalizers)
        if (!used?.metadata.finalizers?.includes(finalizer))
          this.#violate('I1', `${own} on ${of.toLowerCase()} '${name}', which does not carry ${finalizer}`);
    }
  }

  #uses(object: KubeObject): ReadonlySet<string> {
    return new Set(
      referencesOf(object).flatMap(({ kind, namespace, name, finalizers }) => {
        const used = this.#deps.cluster.get(`${kind.toLowerCase()}s`, namespace, name);
        return used === undefined || finalizers.length === 0 ? [] : [used.metadata.uid];
      }),
    );
  }

  #violate(invariant: string, text: string): void {
    this.#deps.violate(invariant, text);
  }
}
