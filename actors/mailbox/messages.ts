// Messages of the mailbox. Payloads are JSON that `nats sub` shows readably; each is parsed once, here.
import {
  type ActorSubject,
  type Address,
  internList,
  internText,
  internUid,
  type JsonObject,
  type MailboxMessage,
} from '../../bus/mod.ts';
import { type DependencyAnswer, Readiness } from '../../machines/lifecycle.ts';
import type { KubeObject } from '../../machines/object.ts';

/** Topic `object`: the object as the API server has it, or its deletion. */
export type ObjectMessage =
  | { readonly object: KubeObject }
  /** `resourceVersion` is that of the deletion, as far as it is known. */
  | { readonly gone: { readonly uid: string; readonly resourceVersion: string } };

/**
 * Topic `claim`: a reference of an existing dependent, or a tombstone: this incarnation of the dependent is deleted.
 */
export interface ClaimMessage {
  /** Incarnation of the claimant. */
  readonly uid: string;
  /** Resource version of the claimant at the claim: orders claims of different incarnations (P4). */
  readonly resourceVersion: string;
  /**
   * Generation of the claimant since which it refers to the dependency without interruption; when `ended`: its
   * generation at the end.
   */
  readonly generation: number;
  /** Finalizers that the claimant needs on the dependency; empty for an unguarded reference. */
  readonly finalizers: readonly string[];
  /** Field manager of those finalizers. */
  readonly manager: string;
  /** Incarnations of the dependency that this claim does not hold, because the claimant yielded them (P1). */
  readonly withdrawnFrom: readonly string[];
  /** Attributes of the claimant's use. */
  readonly attributes?: JsonObject;
  readonly ended: boolean;
}

/** Topic `ready`: the answer to a claim. */
export interface AnswerMessage extends DependencyAnswer {
  /** Incarnation of the claimant that is answered (P2). */
  readonly to: string;
  /** Generation of the claim that is answered. */
  readonly generation: number;
}

export function parseObjectMessage(payload: JsonObject): ObjectMessage | undefined {
  const { object, gone } = payload as Partial<Record<'object' | 'gone', JsonObject>>;
  const metadata = object?.['metadata'] as JsonObject | undefined;
  if (isText(metadata?.['uid']) && isText(metadata?.['resourceVersion']))
    return { object: object as unknown as KubeObject };
  if (isText(gone?.['uid']) && isText(gone?.['resourceVersion'])) {
    return { gone: { uid: gone['uid'], resourceVersion: gone['resourceVersion'] } };
  }
  return undefined;
}

export function parseClaim(payload: JsonObject): ClaimMessage | undefined {
  const { uid, resourceVersion, generation, finalizers, manager, withdrawnFrom, attributes, ended } = payload;
  const isClaim =
    isText(uid) &&
    isText(resourceVersion) &&
    typeof generation === 'number' &&
    isTexts(finalizers) &&
    isText(manager) &&
    isTexts(withdrawnFrom);
  if (!isClaim) return undefined;
  return {
    uid,
    resourceVersion,
    generation,
    finalizers: internList(finalizers),
    manager: internText(manager),
    withdrawnFrom: internList(withdrawnFrom),
    ...(isObject(attributes) && { attributes }),
    ended: ended === true,
  };
}

/** @param about  who answers, and who is answered */
export function parseAnswer(
  payload: JsonObject,
  about: { readonly from: Address; readonly to: Address },
): AnswerMessage | undefined {
  const { to, generation, uid, readiness, externalId, version, attributes } = payload;
  const known = Object.values(Readiness).find((value) => value === readiness);
  if (!isText(to) || typeof generation !== 'number' || !isText(uid) || known === undefined) return undefined;
  return {
    to: internUid(about.to, to),
    generation,
    uid: internUid(about.from, uid),
    readiness: known,
    ...(isText(externalId) && { externalId: internText(externalId) }),
    ...(isText(version) && { version: internText(version) }),
    ...(isObject(attributes) && { attributes }),
  };
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isText);
}

/** Recipients of messages. */
export interface Receiver {
  receiveObject(mail: ObjectMessage, sequence: number): void;
  receiveClaim(from: Address, mail: ClaimMessage, sequence: number, traceparent?: string): void;
  receiveAnswer(from: Address, mail: AnswerMessage, sequence: number, traceparent?: string): void;
}

/** Action for a message; undefined if it cannot be parsed. */
export function deliveryOf(
  about: ActorSubject,
  { payload, sequence, traceparent }: Pick<MailboxMessage, 'payload' | 'sequence' | 'traceparent'>,
): ((receiver: Receiver) => void) | undefined {
  if (about.topic === 'object') {
    const mail = parseObjectMessage(payload);
    return mail && ((actor) => actor.receiveObject(mail, sequence));
  }
  if (about.topic === 'claim') {
    const mail = parseClaim(payload);
    return mail && ((actor) => actor.receiveClaim(about.from, mail, sequence, traceparent));
  }
  if (about.topic === 'ready') {
    const mail = parseAnswer(payload, about);
    return mail && ((actor) => actor.receiveAnswer(about.from, mail, sequence, traceparent));
  }
  // An observation is the response to a query: it is never a message.
  return () => undefined;
}

/** A request in the create journal of a shard. */
export interface JournalEntry {
  /** Time until which it may take effect, in milliseconds since the epoch. */
  readonly inDoubtUntil: number;
  /** Intents that identify the results, the latest last. */
  readonly intents: readonly JsonObject[];
}

/** The create journal of a shard, as it is on the bus. */
export interface JournalMessage {
  /** Entries by the key of the actor. */
  readonly list: ReadonlyMap<string, JournalEntry>;
  /** Times by the clock of the writer. */
  readonly writtenAt: number;
}

export function journalPayload({ list, writtenAt }: JournalMessage): JsonObject {
  const entries = [...list];
  const intended = entries.filter(([, { intents }]) => intents.length > 0);
  return {
    inDoubtUntil: Object.fromEntries(entries.map(([key, { inDoubtUntil }]) => [key, inDoubtUntil])),
    ...(intended.length > 0 && { intents: Object.fromEntries(intended.map(([key, { intents }]) => [key, intents])) }),
    writtenAt,
  };
}

/** Undefined: it is no list that can be trusted. */
export function parseJournal({ inDoubtUntil, intents = {}, writtenAt }: JsonObject): JournalMessage | undefined {
  if (!isObject(inDoubtUntil) || !isObject(intents) || typeof writtenAt !== 'number') return undefined;
  const list = new Map<string, JournalEntry>();
  for (const [key, until] of Object.entries(inDoubtUntil)) {
    const intended = Object.hasOwn(intents, key) ? intents[key] : [];
    if (typeof until !== 'number' || !Array.isArray(intended) || !intended.every(isObject)) return undefined;
    list.set(key, { inDoubtUntil: until, intents: intended });
  }
  return { list, writtenAt };
}
