// Answers of an object's dependencies to its claims.
import type { DependencyAnswer } from '../../machines/lifecycle.ts';
import { CompactMap } from '../base/compact-map.ts';
import type { AnswerMessage } from '../mailbox/messages.ts';

export class Answers {
  /** Newest answer by the address of its sender. */
  readonly #mail = new CompactMap<AnswerMessage>();
  /**
   * Last external id of each dependency, kept through answers without one: a re-created resource has none for a while.
   */
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

  /** Keys of the dependencies that answered the incarnation `uid`. */
  to(uid: string): readonly string[] {
    return [...this.#mail].flatMap(([from, mail]) => (mail.to === uid ? [from] : []));
  }

  /** All answers, by the key of their sender. */
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
