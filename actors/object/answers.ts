// Answers to claims (actors/README.md, "The protocol"). First those that an object gives: what they say, and when they are published.
// Then those that it got from its dependencies, and what these are.

import type { Resource } from '../../adapters/kubernetes/mod.ts';
import { type Address, addressKey, internText } from '../../bus/mod.ts';
import type { Kind } from '../../machines/kind.ts';
import { type Dependency, type DependencyAnswer, Readiness } from '../../machines/lifecycle.ts';
import type { JsonObject, KubeObject } from '../../machines/object.ts';
import { CompactMap } from '../base/compact-map.ts';
import type { AnswerMessage, ClaimMessage } from '../mailbox/messages.ts';
import type { Claim, ClaimsTable } from './claims-table.ts';
import type { Registry } from './registry.ts';

/** The object that is claimed, as far as an answer depends on it. */
export interface ClaimTarget {
  readonly object: KubeObject;
  /** Its external id, once it is stored in the status. */
  readonly externalId: string | undefined;
  /** Others may use it. */
  readonly available: boolean;
  /** Version of a Secret's content. */
  readonly version: string | undefined;
  /** Published attributes beside the id. */
  readonly attributes: JsonObject | undefined;
}

/**
 * @param contentVersion  changes with what the object holds
 * @param isAvailable availability in the lifecycle, if it has one here
 */
export function claimTargetOf(
  object: KubeObject,
  registry: Registry,
  resource: Resource,
  { contentVersion, isAvailable }: { readonly contentVersion: string; readonly isAvailable: boolean | undefined },
): ClaimTarget {
  const { ready, id, attributes } = registry.standing(resource, object, isAvailable);
  return {
    object,
    externalId: id,
    available: ready,
    version: resource.metadataOnly === true ? internText(`${object.metadata.uid}:${contentVersion}`) : undefined,
    attributes,
  };
}

/**
 * Stands for what the object holds, where that is not carried.
 *
 * @param reported  what it was before
 * @param before former version of the object, since dependents may have received its version
 * @param own  whether a write of ours, which is never one of content, made the object what it is
 */
export function contentVersionAfter(
  reported: string,
  before: KubeObject | undefined,
  object: KubeObject,
  own: boolean,
): string {
  const { contentVersion, metadata } = object;
  if (contentVersion === undefined) return own ? reported : metadata.resourceVersion;
  if (before?.contentVersion !== contentVersion) return contentVersion;
  // A guard of ours, seen before its write was answered.
  const isGuarded = String(before.metadata.finalizers) !== String(metadata.finalizers);
  // managedFields has a resolution of seconds: the version also covers a second write within one, and a write of labels
  // alone.
  // mutant: guard-is-new-content || -> $1
  return own || isGuarded ? reported : `${contentVersion}@${metadata.resourceVersion}`;
}

/**
 * The answer to `claim`: `ready` only with all its finalizers stored on this incarnation (I1), so that no dependent
 * builds on an object that may be deleted. `goneUid` is the incarnation whose deletion was seen, if there is no object.
 */
export function answerTo(
  claim: ClaimMessage,
  claimed: ClaimTarget | undefined,
  goneUid: string | undefined,
): AnswerMessage {
  const answered = { to: claim.uid, generation: claim.generation };
  if (claimed === undefined) return { ...answered, uid: goneUid ?? '', readiness: Readiness.Absent };
  const { object, externalId, available, version, attributes } = claimed;
  const { uid, deletionTimestamp, finalizers = [] } = object.metadata;
  const known = {
    ...answered,
    uid,
    ...(externalId !== undefined && { externalId }),
    ...(attributes !== undefined && { attributes }),
    ...(version !== undefined && { version }),
  };
  // mutant: answer-before-finalizer =>.1 -> true
  const carried = claim.finalizers.every((finalizer) => finalizers.includes(finalizer));
  // Guards that are on it may be on their way off, by an earlier host's request too: they promise nothing any more (I3).
  // mutant: answer-serves-while-deleted && -> $1
  const serves = available && claim.finalizers.length === 0;
  // An object deleted before it was available will never be: its dependents must know that for their cleanup.
  if (deletionTimestamp !== undefined && !serves) return { ...known, readiness: Readiness.Deleting };
  if (!available || !carried) return { ...known, readiness: Readiness.Pending };
  return { ...known, readiness: Readiness.Ready };
}

/** Everything of an object that its answers depend on: while it stays the same, so do they. */
export function answerFingerprint(claimed: ClaimTarget | undefined): string {
  if (claimed === undefined) return 'absent';
  const {
    object: { metadata },
    ...rest
  } = claimed;
  return JSON.stringify([metadata.uid, metadata.deletionTimestamp, metadata.finalizers, rest]);
}

/** The answer of `from` to the claim of `to`. */
export interface Answer {
  readonly from: Address;
  readonly to: Address;
  readonly mail: AnswerMessage;
  /** Trace context of the change that caused the answer. */
  readonly traceparent: string;
}

/** Brings answers to claimants; the same for all objects of a shard. */
export interface AnswerSink {
  say(answer: Answer): void;
  /** The claim has ended: nothing is answered to it any more. */
  forget(from: Address, to: Address): void;
}

export class AnswerPublisher {
  readonly #out: AnswerSink;
  readonly #from: Address;
  /** Fingerprint of the inputs of the last answers: while it is unchanged, so are they. */
  #basis = '';

  constructor(out: AnswerSink, from: Address) {
    this.#out = out;
    this.#from = from;
  }

  /** Forgets the last answers, so that the next ones are published in any case. */
  reset(): void {
    this.#basis = '';
  }

  /** Whether the answers to all claims may differ from the last ones. Notes that they are given now. */
  isNews(claims: ClaimsTable, claimed: ClaimTarget | undefined): boolean {
    const basis = claims.size === 0 ? '' : answerFingerprint(claimed);
    if (basis === this.#basis) return false;
    this.#basis = basis;
    return true;
  }

  /** @param goneUid  the incarnation that was seen go, when there is no object */
  say(claim: Claim, claimed: ClaimTarget | undefined, goneUid: string | undefined, traceparent: string): Readiness {
    const mail = answerTo(claim, claimed, goneUid);
    this.#out.say({ from: this.#from, to: claim.from, mail, traceparent });
    return mail.readiness;
  }

  forget(to: Address): void {
    this.#out.forget(this.#from, to);
  }
}

export class Answers {
  /** Newest answer by the address of its sender. */
  readonly #mail = new CompactMap<AnswerMessage>();
  /**
   * Last external id of each dependency, kept through answers without one: a re-created resource has none for a while.
   */
  readonly #ids = new CompactMap<{ readonly to: string; readonly id: string }>();

  /** Grows with each change. */
  revision = 0;

  /** Returns whether the external resource of `from` is another one than in its last answer to this incarnation. */
  take(from: string, mail: AnswerMessage): boolean {
    this.revision++;
    this.#mail.set(from, mail);
    if (mail.externalId === undefined) return false;
    const known = this.#ids.get(from);
    if (known?.to === mail.to && known.id === mail.externalId) return false;
    this.#ids.set(from, { to: mail.to, id: mail.externalId });
    return known?.to === mail.to;
  }

  /** What `from` answered last to the incarnation that `mail` answers. */
  before(from: string, { to }: AnswerMessage): AnswerMessage | undefined {
    const known = this.#mail.get(from);
    return known?.to === to ? known : undefined;
  }

  /** What `from` answered to the incarnation `uid`, and to no other (P2), since it was claimed at generation `since`. */
  of(from: string, uid: string, since: number): DependencyAnswer | undefined {
    const answer = this.#mail.get(from);
    // mutant: answers-of-another-incarnation ||.2 drop
    if (answer === undefined || answer.to !== uid || answer.generation < since) return undefined;
    const { to: _to, generation: _generation, ...said } = answer;
    return said;
  }

  /** Keys of the dependencies that answered the incarnation `uid`. */
  to(uid: string): readonly string[] {
    return [...this.#mail].flatMap(([from, mail]) => (mail.to === uid ? [from] : []));
  }

  /** All answers, by the key of their sender. */
  entries(): Iterable<readonly [string, AnswerMessage]> {
    return this.#mail;
  }

  /** Whether nothing came after `mail`. */
  isLast(from: string, mail: AnswerMessage): boolean {
    return this.#mail.get(from) === mail;
  }

  /** The claim that was answered has ended. */
  drop(from: string): void {
    this.revision++;
    this.#mail.delete(from);
  }

  forget(): void {
    this.revision++;
    this.#mail.clear();
    this.#ids.clear();
  }
}

/** Claims of the lifecycle of `object`, and their answers. */
export interface Claiming {
  readonly registry: Registry;
  readonly from: Address;
  readonly answers: Answers;
  /** None: nothing was claimed yet. */
  readonly outgoing: { since(key: string, object: KubeObject): number } | undefined;
}

/** The references of the object, and how the others answered. */
export function dependenciesOf(
  object: KubeObject,
  kind: Kind | undefined,
  { registry, from, answers, outgoing }: Claiming,
): readonly Dependency[] {
  return (kind?.references(object) ?? []).map((reference) => {
    const key = addressKey(registry.target(from, reference));
    const since = outgoing?.since(key, object) ?? 0;
    return { ...reference, answer: answers.of(key, object.metadata.uid, since) };
  });
}

/**
 * Whether the status of an object shows that its external resource was built on others than those of its dependencies
 * now, or a use of them that they deny. Checked at their first answer, since earlier ones may have reached another
 * process, and when their attributes change.
 */
export function mustLookAgain(
  object: KubeObject | undefined,
  kind: Kind | undefined,
  dependencies: readonly Dependency[],
): boolean {
  return dependencies.some((dependency) => {
    const { answer, namespace } = dependency;
    if (answer?.externalId === undefined || object === undefined || namespace !== undefined) return false;
    if (kind?.life.isBuiltOnReplaced?.(object, dependency, answer.externalId) === true) return true;
    // mutant: denied-use-unheard return -> false
    return kind?.life.isContradicted?.(object, dependency, answer) === true;
  });
}
