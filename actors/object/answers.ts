// Dependencies of an object: its references, and how their actors answered its claims.
import { type Address, addressKey } from '../../bus/mod.ts';
import type { Kind } from '../../machines/kind.ts';
import type { Dependency, DependencyAnswer } from '../../machines/lifecycle.ts';
import type { KubeObject } from '../../machines/object.ts';
import { CompactMap } from '../base/compact-map.ts';
import type { AnswerMessage } from '../mailbox/messages.ts';
import type { Registry } from './registry.ts';

export class Answers {
  /** By the address of who answered: the newest. */
  readonly #mail = new CompactMap<AnswerMessage>();
  /** The last external id of each, kept through answers without one: a dependency that is made anew has none for a while. */
  readonly #ids = new CompactMap<{ readonly to: string; readonly id: string }>();

  /** Grows with each change. */
  revision = 0;

  /** Says whether what `from` stands for is another one than it was when this incarnation of ours last heard of it. */
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

  /** Who answered the incarnation `uid`, by key. */
  to(uid: string): readonly string[] {
    return [...this.#mail].flatMap(([from, mail]) => (mail.to === uid ? [from] : []));
  }

  /** Every answer, by the key of who gave it. */
  entries(): Iterable<readonly [string, AnswerMessage]> {
    return this.#mail;
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

/** What the life of `object` has claimed, and what it was answered. */
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
 * Whether the status of an object shows that what it stands for was made of others than its dependencies stand for now. Asked when
 * they are heard of for the first time: another process may have heard of those before them.
 */
export function isMadeOfOthers(
  object: KubeObject | undefined,
  kind: Kind | undefined,
  dependencies: readonly Dependency[],
): boolean {
  return dependencies.some((dependency) => {
    const { externalId } = dependency.answer ?? {};
    if (externalId === undefined || object === undefined || dependency.namespace !== undefined) return false;
    return kind?.life.isBuiltOnReplaced?.(object, dependency, externalId) === true;
  });
}
