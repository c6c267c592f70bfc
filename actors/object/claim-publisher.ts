// Claims of one lifecycle of an object on its dependencies.
import { compareVersions } from '../../adapters/kubernetes/mod.ts';
import {
  type ActorSubject,
  type Address,
  addressKey,
  internList,
  type JsonObject,
  parseAddressKey,
} from '../../bus/mod.ts';
import type { Kind, Reference } from '../../machines/kind.ts';
import type { KubeObject } from '../../machines/object.ts';
import { workTraceparent } from '../base/change-trace.ts';
import { CompactMap } from '../base/compact-map.ts';
import { type AnswerMessage, type ClaimMessage, parseClaim } from '../mailbox/messages.ts';
import type { MayReplace, Outbox } from '../mailbox/outbox.ts';
import type { Answers } from './answers.ts';
import type { Registry } from './registry.ts';

/** Resource version of a claim whose incarnation is unknown: older than any other (P4). */
const NEVER = '0';

/** The same for all objects of a shard. */
export interface OutgoingClaimsDeps {
  readonly outbox: Outbox;
  readonly registry: Registry;
}

/** Whose claims they are. */
export interface Claimant {
  readonly kind: Kind;
  readonly from: Address;
  readonly uid: string;
  /** resourceVersion of the object at the start of this lifecycle: orders the claims of its incarnations (P4). */
  readonly bornVersion: string;
  /** Called for a stored claim of a later object of this name, with the version at the start of that one's lifecycle. */
  readonly onSuperseded?: (version: string) => void;
  /** To claims, also to those that an earlier host made of which nothing else is known. */
  readonly answers: Answers;
}

/** Common content of all claims. `uses` is empty if there is none. */
interface ClaimContent {
  readonly generation: number;
  readonly withdrawnUids: readonly string[];
  readonly watchedOwner: Address | undefined;
  readonly uses: string;
}

interface ClaimRecipient {
  readonly to: Address;
  /** Generation of the object since which the reference is uninterrupted, and that of the last claim. */
  readonly generation: number;
  readonly saidAt: number;
  /** A cleanup needs it (a Secret's credentials). */
  readonly forCleanup: boolean;
}

/** Dependency with all references to it. */
interface Target {
  readonly to: Address;
  readonly finalizers: Set<string>;
  forCleanup: boolean;
  attributes?: JsonObject;
}

export class ClaimPublisher {
  readonly #deps: OutgoingClaimsDeps;
  readonly #kind: Kind;
  readonly #from: Address;
  readonly #uid: string;
  readonly #bornVersion: string;
  readonly #answers: Answers;
  readonly #onSuperseded: ((version: string) => void) | undefined;
  /** Last published content; that of uses may follow from the status, and change with it. */
  #said: ClaimContent | undefined;
  /** Dependencies that this lifecycle has claimed, with the generation of the object since which. */
  readonly #claimed = new CompactMap<ClaimRecipient>();
  /** Grows with each change of what is claimed. */
  revision = 0;
  /** Ends that the bus has not acknowledged yet, also of what the object stopped to refer to; undefined: none. */
  #ending: Set<Promise<void>> | undefined;

  constructor(deps: OutgoingClaimsDeps, { kind, from, uid, bornVersion, answers, onSuperseded }: Claimant) {
    this.#deps = deps;
    this.#kind = kind;
    this.#from = from;
    this.#uid = uid;
    this.#bornVersion = bornVersion;
    this.#answers = answers;
    this.#onSuperseded = onSuperseded;
  }

  /**
   * The generation of the object since which `key` is claimed; an answer to an older claim does not count. A reference
   * that is not claimed yet, or no longer, will be claimed with the current generation. So will one last claimed before
   * a generation without a claim: the object may have had no such reference then, and the claim may have been dropped
   * since (P7).
   */
  since(key: string, { metadata: { generation = 0 } }: KubeObject): number {
    const claimed = this.#claimed.get(key);
    // mutant: dropped-claim-answered && -> $1
    return claimed !== undefined && generation - claimed.saidAt <= 1 ? claimed.generation : generation;
  }

  /**
   * Claims what the object refers to now, and ends claims on what it no longer refers to.
   *
   * @param watchedOwner objects to watch in addition, without a guard
   */
  say(object: KubeObject, withdrawnUids: readonly string[], watchedOwner?: Address): void {
    const { outbox } = this.#deps;
    const [kind, from] = [this.#kind, this.#from];
    const references = kind.references(object);
    const targets = this.#targets(references, watchedOwner);
    const generation = object.metadata.generation ?? 0;
    this.#said = {
      generation,
      withdrawnUids: internList(withdrawnUids),
      watchedOwner,
      uses: usesOf(references),
    };
    const traceparent = workTraceparent(object);
    for (const [key, { to, finalizers, forCleanup, attributes }] of targets) {
      const since = this.since(key, object);
      this.revision++;
      this.#claimed.set(key, { to, generation: since, saidAt: generation, forCleanup });
      const mail: ClaimMessage = {
        uid: this.#uid,
        resourceVersion: this.#bornVersion,
        generation: since,
        finalizers: internList([...finalizers]),
        manager: kind.fieldManagers.guards,
        withdrawnFrom: internList(withdrawnUids),
        ...(attributes !== undefined && { attributes }),
        ended: false,
      };
      const subject = { to, topic: 'claim', from } as const;
      const replaces: MayReplace = (current, mine) => {
        const may = mayReplace(current, mine);
        const theirs = may ? undefined : parseClaim(current);
        // mutant: claim-of-future-kept if -> false
        if (theirs !== undefined && theirs.uid !== this.#uid) this.#onSuperseded?.(theirs.resourceVersion);
        return may;
      };
      void outbox.say(subject, mail as unknown as JsonObject, replaces, traceparent);
    }
    for (const [key, to] of this.#known()) if (!targets.has(key)) void this.#end(key, to, object);
  }

  /**
   * Publishes claims again if the part that follows from the status has changed, or the generation: the lifecycle need
   * not be activated for that, and answers continue to count. Other references, and other uses of them, are claimed by
   * the lifecycle.
   */
  republishIfChanged(object: KubeObject): void {
    const { generation, withdrawnUids, watchedOwner, uses } = this.#said ?? {};
    if (withdrawnUids === undefined) return;
    const references = this.#kind.references(object);
    const isSame = usesOf(references) === uses;
    const isEdited = generation !== (object.metadata.generation ?? 0);
    // mutant: claims-miss-second-edit &&.1 -> !$
    const isDue = isEdited ? isSame && this.#isAllClaimed(this.#targets(references, watchedOwner)) : !isSame;
    if (isDue) this.say(object, withdrawnUids, watchedOwner);
  }

  #targets(references: readonly Reference[], watchedOwner: Address | undefined): ReadonlyMap<string, Target> {
    const targets = new Map<string, Target>();
    for (const reference of references) {
      const to = this.#deps.registry.target(this.#from, reference);
      const target: Target = targets.get(addressKey(to)) ?? { to, finalizers: new Set(), forCleanup: false };
      for (const finalizer of reference.finalizers) target.finalizers.add(finalizer);
      target.forCleanup ||= reference.neededFor === 'always';
      if (reference.attributes !== undefined) target.attributes = { ...target.attributes, ...reference.attributes };
      targets.set(addressKey(to), target);
    }
    if (watchedOwner !== undefined && !targets.has(addressKey(watchedOwner)))
      targets.set(addressKey(watchedOwner), { to: watchedOwner, finalizers: new Set(), forCleanup: false });
    return targets;
  }

  /** These, and no others. */
  #isAllClaimed(targets: ReadonlyMap<string, Target>): boolean {
    const claimed = [...this.#claimed];
    return claimed.length === targets.size && claimed.every(([key]) => targets.has(key));
  }

  /** Dependencies that the object has claimed, in this lifecycle or in one elsewhere that was answered. */
  #known(): ReadonlyMap<string, Address> {
    const known = new Map([...this.#claimed].map(([key, { to }]) => [key, to]));
    for (const key of this.#answers.to(this.#uid)) {
      const to = known.has(key) ? undefined : parseAddressKey(key);
      if (to !== undefined) known.set(key, to);
    }
    return known;
  }

  /**
   * Ends all claims but those that a cleanup needs; resolves when the bus has acknowledged that, and all other ends of
   * this lifecycle (P12). While the own finalizer exists, another lifecycle may have to clean up again.
   *
   * @param object  as it is now: whose change ends them
   */
  async endNonCleanupClaims(object: KubeObject): Promise<void> {
    this.#said = undefined;
    // mutant: credentials-claim-ends-early ! -> true
    const ending = [...this.#claimed].filter(([, { forCleanup }]) => !forCleanup);
    await this.#endAll(
      ending.map(([key, { to }]) => [key, to]),
      object,
    );
  }

  /** Ends all claims; resolves when the bus has acknowledged it. */
  async end(object: KubeObject): Promise<void> {
    this.#said = undefined;
    await this.#endAll([...this.#known()], object);
  }

  async #endAll(claims: readonly (readonly [string, Address])[], object: KubeObject): Promise<void> {
    for (const [key, to] of claims) void this.#end(key, to, object);
    // mutant: finalizer-off-before-edited-end ?? -> $2
    await Promise.all(this.#ending ?? []);
  }

  #end(key: string, to: Address, object: KubeObject): Promise<void> {
    const ending = this.#sayEnded(key, to, object);
    this.#ending ??= new Set();
    this.#ending.add(ending);
    return ending.finally(() => {
      this.#ending?.delete(ending);
      if (this.#ending?.size === 0) this.#ending = undefined;
    });
  }

  async #sayEnded(key: string, to: Address, object: KubeObject): Promise<void> {
    this.revision++;
    this.#claimed.delete(key);
    // mutant: answers-outlive-claims drop
    this.#answers.drop(key);
    const { generation = 0 } = object.metadata;
    const ended = { uid: this.#uid, resourceVersion: this.#bornVersion, generation };
    await sayEnded(
      this.#deps.outbox,
      { to, topic: 'claim', from: this.#from },
      ended,
      mayReplace,
      workTraceparent(object),
    );
  }
}

/**
 * Ends the claim of a deleted incarnation that is still answered: its own process cannot do that any more (P12). For an
 * existing, deleted dependency, P7 would detect it; for a missing one, no audit ever would. Resolves when the bus has
 * acknowledged it.
 *
 * @param answer  to the claim
 */
export async function endLeft(
  outbox: Outbox,
  from: Address,
  to: Address,
  { to: uid, generation }: AnswerMessage,
): Promise<void> {
  const subject = { to, topic: 'claim', from } as const;
  const isLeft = (claim: JsonObject): boolean => {
    const theirs = parseClaim(claim);
    return theirs?.uid === uid && !theirs.ended && theirs.generation <= generation;
  };
  const standing = outbox.standing(subject);
  if (standing !== undefined && !isLeft(standing)) return;
  await sayEnded(outbox, subject, { uid, resourceVersion: NEVER, generation }, isLeft, undefined);
}

async function sayEnded(
  outbox: Outbox,
  subject: ActorSubject,
  whose: Pick<ClaimMessage, 'uid' | 'resourceVersion' | 'generation'>,
  mayReplace: MayReplace,
  traceparent: string | undefined,
): Promise<void> {
  const mail: ClaimMessage = { ...whose, finalizers: [], manager: '', withdrawnFrom: [], ended: true };
  await outbox.say(subject, mail as unknown as JsonObject, mayReplace, traceparent);
  // Unless it is claimed again by now.
  outbox.forget(subject, mail as unknown as JsonObject);
}

/** Uses in the form in which they are published; empty if there are none. */
function usesOf(references: readonly Reference[]): string {
  const said = references.flatMap(({ kind, namespace, name, attributes }) =>
    attributes === undefined ? [] : [[kind, namespace, name, attributes]],
  );
  return said.length === 0 ? '' : JSON.stringify(said);
}

/** Whether a claim may overwrite what another host of the claimant left there: not a newer incarnation's (P4, OUTBOX-3). */
function mayReplace(current: JsonObject, mine: JsonObject): boolean {
  const [theirs, ours] = [parseClaim(current), parseClaim(mine)];
  if (theirs === undefined || ours === undefined) return true;
  // mutant: ended-claim-of-older return -> true
  if (theirs.uid !== ours.uid) return compareVersions(theirs.resourceVersion, ours.resourceVersion) < 0;
  const same = (claim: ClaimMessage): string =>
    JSON.stringify([claim.generation, claim.finalizers, claim.withdrawnFrom, claim.attributes, claim.ended]);
  return same(theirs) !== same(ours);
}
