// What an object's dependencies have answered to its claims.
import type { DependencyAnswer } from '../../machines/life.ts';
import type { ReadyMail } from '../mail/mail.ts';
import { SmallMap } from './small-map.ts';

export class Answers {
  /** By the address of who answered: the newest. */
  readonly #mail = new SmallMap<ReadyMail>();

  take(from: string, mail: ReadyMail): void {
    this.#mail.set(from, mail);
  }

  /** Whether `mail` is of another incarnation than what was answered before, or of another resource outside. */
  isReplaced(from: string, { to, uid, externalId }: ReadyMail): boolean {
    const known = this.#mail.get(from);
    if (known?.to !== to || known.uid === '' || uid === '') return false;
    return (
      known.uid !== uid ||
      (known.externalId !== undefined && externalId !== undefined && known.externalId !== externalId)
    );
  }

  /** What `from` answered to the incarnation `uid`, and to no other (P2), since it was claimed at generation `since`. */
  of(from: string, uid: string, since: number): DependencyAnswer | undefined {
    const answer = this.#mail.get(from);
    if (answer === undefined || answer.to !== uid || answer.generation < since) return undefined;
    const { to: _to, generation: _generation, ...said } = answer;
    return said;
  }

  forget(): void {
    this.#mail.clear();
  }
}
