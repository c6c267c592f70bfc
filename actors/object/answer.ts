// Answers of an object to the claims on it (actors/README.md, "The protocol"): what they say, and when they are published.
import type { Resource } from '../../adapters/kubernetes/mod.ts';
import { type Address, internText } from '../../bus/mod.ts';
import { Readiness } from '../../machines/lifecycle.ts';
import type { JsonObject, KubeObject } from '../../machines/object.ts';
import type { AnswerMessage, ClaimMessage } from '../mailbox/messages.ts';
import type { Claim, ClaimsTable } from './claims-table.ts';
import type { Registry } from './registry.ts';

/** The object that is claimed, as far as an answer depends on it. */
export interface Claimed {
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
): Claimed {
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
  claimed: Claimed | undefined,
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
export function answerFingerprint(claimed: Claimed | undefined): string {
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
  /** Of the change that it comes of. */
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
  /** What the last answers to all depended on: while it stays the same, so do they. */
  #basis = '';

  constructor(out: AnswerSink, from: Address) {
    this.#out = out;
    this.#from = from;
  }

  /** What was answered says nothing about what is answered next. */
  reset(): void {
    this.#basis = '';
  }

  /** Whether the answers to all claims may differ from the last ones. Notes that they are given now. */
  isNews(claims: ClaimsTable, claimed: Claimed | undefined): boolean {
    const basis = claims.size === 0 ? '' : answerFingerprint(claimed);
    if (basis === this.#basis) return false;
    this.#basis = basis;
    return true;
  }

  /** @param goneUid  the incarnation that was seen go, when there is no object */
  say(claim: Claim, claimed: Claimed | undefined, goneUid: string | undefined, traceparent: string): Readiness {
    const mail = answerTo(claim, claimed, goneUid);
    this.#out.say({ from: this.#from, to: claim.from, mail, traceparent });
    return mail.readiness;
  }

  forget(to: Address): void {
    this.#out.forget(this.#from, to);
  }
}
