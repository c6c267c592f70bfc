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

  /** What `from` answered last to the incarnation that `mail` answers. */
  before(from: string, { to }: ReadyMail): ReadyMail | undefined {
    const known = this.#mail.get(from);
    return known?.to === to ? known : undefined;
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

/** Whether an answer is of another incarnation than what was answered before, or of another resource outside. */
export function isReplaced(before: DependencyAnswer | undefined, { uid, externalId }: DependencyAnswer): boolean {
  if (before === undefined || before.uid === '' || uid === '') return false;
  return (
    before.uid !== uid ||
    (before.externalId !== undefined && externalId !== undefined && before.externalId !== externalId)
  );
}
