// The claims on one object, as its host keeps them.
//
// Invariants:
//   CLAIMS-TABLE-1. Of one claimant only the newest incarnation's claim counts (P4).
//   CLAIMS-TABLE-2. A claim holds an object unless it names the object's uid as yielded (P1); remembered or just arrived alike.
//   CLAIMS-TABLE-3. A claim that cannot be read is missing: the table is partial until its claimant says something that can.
import { compareVersions } from '../../adapters/kubernetes/mod.ts';
import { type Address, internUid } from '../../bus/mod.ts';
import { CompactMap } from '../base/compact-map.ts';
import type { ClaimMessage } from '../mailbox/messages.ts';

export interface Claim extends ClaimMessage {
  readonly from: Address;
}

/** The end of a claim: of which incarnation of its claimant, and at which generation of that. */
export type Ended = Pick<ClaimMessage, 'uid' | 'generation'>;

/** Claim of `from` in a message. Thousands are kept, so it is a single object. */
export function claimOf(
  from: Address,
  { uid, resourceVersion, generation, finalizers, manager, withdrawnFrom, attributes, ended }: ClaimMessage,
): Claim {
  const claim = {
    uid: internUid(from, uid),
    resourceVersion,
    generation,
    finalizers,
    manager,
    withdrawnFrom,
    ended,
    from,
  };
  return attributes === undefined ? claim : { ...claim, attributes };
}

/**
 * Maximum number of remembered ends: an audit that needs an older one only checks again that its claimant is deleted.
 */
const ENDED_LIMIT = 1_000;
/** Holders that are named. */
const HOLDERS = 3;
/** Fewer claims than this are looked through. */
const INDEXED_FROM = 16;

export class ClaimsTable {
  /** Undefined: none, as with most of ten thousand objects. */
  #claims: CompactMap<Claim> | undefined;
  /** Claims that name a finalizer, so that the host need not count ten thousand of them again and again; for many only. */
  #byFinalizer: Map<string, Set<string>> | undefined;
  /** Claimants whose claim was seen to end; undefined: none. */
  #ended: Map<string, Ended> | undefined;
  /** Claims that have attributes of their use; undefined if none. */
  #attributed: Map<string, Claim> | undefined;
  /** Claimants whose claim cannot be read; undefined: none. */
  #missing: Set<string> | undefined;
  #revision = 0;

  /** There are claims that are not in it. */
  get isPartial(): boolean {
    return this.#missing !== undefined;
  }

  get revision(): number {
    return this.#revision;
  }

  get size(): number {
    return this.#claims?.size ?? 0;
  }

  /** The claim of a claimant cannot be read; what was known of it holds on. */
  miss(key: string): void {
    this.#missing = (this.#missing ?? new Set()).add(key);
    this.#ended?.delete(key);
    this.#revision++;
  }

  /** Takes a claim, or its end, unless it is older than what is known. Says whether anything changed. */
  take(key: string, claim: Claim): boolean {
    if (this.#missing?.delete(key) && this.#missing.size === 0) this.#missing = undefined;
    const known = this.#claims?.get(key);
    // mutant: claims-table-older-replaces ().2 -> '0'
    if (
      known !== undefined &&
      known.uid !== claim.uid &&
      compareVersions(claim.resourceVersion, known.resourceVersion) < 0
    )
      return false;
    if (claim.ended) {
      this.#ended ??= new Map();
      this.#ended.delete(key);
      this.#ended.set(key, { uid: claim.uid, generation: claim.generation });
      if (this.#ended.size > ENDED_LIMIT) this.#ended.delete(this.#ended.keys().next().value as string);
      return this.drop(key);
    }
    this.#ended?.delete(key);
    this.#unindex(key, known);
    if (claim.attributes !== undefined) this.#attributed = (this.#attributed ?? new Map()).set(key, claim);
    else this.#attributed?.delete(key);
    this.#claims ??= new CompactMap();
    this.#claims.set(key, claim);
    if (this.#byFinalizer !== undefined) this.#index(key, claim);
    else if (this.#claims.size > INDEXED_FROM) {
      this.#byFinalizer = new Map();
      for (const [each, its] of this.#claims) this.#index(each, its);
    }
    this.#revision++;
    return true;
  }

  drop(key: string): boolean {
    const known = this.#claims?.get(key);
    if (known === undefined) return false;
    this.#unindex(key, known);
    this.#claims?.delete(key);
    this.#attributed?.delete(key);
    this.#revision++;
    return true;
  }

  /** End of a claimant's claim, if it has not claimed since. */
  ended(key: string): Ended | undefined {
    return this.#ended?.get(key);
  }

  get(key: string): Claim | undefined {
    return this.#claims?.get(key);
  }

  entries(): Iterable<[string, Claim]> {
    return this.#claims ?? [];
  }

  /** Claims that say something of their use. */
  attributed(): Iterable<Claim> {
    return this.#attributed?.values() ?? [];
  }

  /** The finalizers that hold the incarnation `uid`, each with a claim that does (CLAIMS-TABLE-2). */
  held(uid: string): Map<string, Claim> {
    const held = new Map<string, Claim>();
    if (this.#byFinalizer === undefined) {
      for (const claim of this.#claims?.values() ?? []) {
        if (claim.withdrawnFrom.includes(uid)) continue;
        for (const finalizer of claim.finalizers) if (!held.has(finalizer)) held.set(finalizer, claim);
      }
      return held;
    }
    for (const [finalizer, keys] of this.#byFinalizer) {
      for (const key of keys) {
        const claim = this.#claims?.get(key);
        if (claim === undefined || claim.withdrawnFrom.includes(uid)) continue;
        held.set(finalizer, claim);
        break;
      }
    }
    return held;
  }

  /**
   * Holders of the incarnation `uid` under a finalizer: the first by their keys, which are the same in every process,
   * and the number of further ones.
   */
  holders(uid: string, finalizer: string): { readonly first: readonly Address[]; readonly more: number } {
    const first: [key: string, from: Address][] = [];
    let count = 0;
    for (const key of this.#byFinalizer?.get(finalizer) ?? this.#keys()) {
      const claim = this.#claims?.get(key);
      // mutant: freed-holder-named ||.3 drop
      if (claim === undefined || !claim.finalizers.includes(finalizer) || claim.withdrawnFrom.includes(uid)) continue;
      count++;
      if (first.length === HOLDERS && key > (first.at(-1)?.[0] ?? '')) continue;
      first.push([key, claim.from]);
      first.sort(([one], [other]) => (one < other ? -1 : 1));
      first.length = Math.min(first.length, HOLDERS);
    }
    return { first: first.map(([, from]) => from), more: count - first.length };
  }

  *#keys(): Iterable<string> {
    for (const [key] of this.#claims ?? []) yield key;
  }

  #index(key: string, claim: Claim): void {
    for (const finalizer of claim.finalizers) {
      const keys = this.#byFinalizer?.get(finalizer) ?? new Set();
      this.#byFinalizer?.set(finalizer, keys.add(key));
    }
  }

  #unindex(key: string, claim: Claim | undefined): void {
    for (const finalizer of claim?.finalizers ?? []) {
      const keys = this.#byFinalizer?.get(finalizer);
      keys?.delete(key);
      if (keys?.size === 0) this.#byFinalizer?.delete(finalizer);
    }
  }
}
