// Read access: asked of the API server, and remembered for a while, since clients poll.
import type { Clock } from '../../../bus/time.ts';
import type { DelegatedObjects, Place, Unavailable, User } from './port.ts';

/** Time that an answer counts, in milliseconds. */
const ANSWER_MS = 10_000;
/** Answers that are remembered; the oldest are forgotten. */
const MOST_ANSWERS = 10_000;

interface Answer {
  readonly isAllowed: Promise<boolean | Unavailable>;
  readonly until: number;
}

export class ReadAccess {
  readonly #objects: DelegatedObjects;
  readonly #clock: Clock;
  readonly #answers = new Map<string, Answer>();

  constructor({ objects, clock }: { readonly objects: DelegatedObjects; readonly clock: Clock }) {
    this.#objects = objects;
    this.#clock = clock;
  }

  /** @param name  undefined: all objects of the place */
  async isAllowed(user: User, place: Place, name: string | undefined): Promise<boolean | Unavailable> {
    // A user that may list them may read each.
    const ofAll = name !== undefined && (await this.#ask(user, 'list', place, undefined));
    return ofAll || this.#ask(user, name === undefined ? 'list' : 'get', place, name);
  }

  #ask(user: User, verb: 'get' | 'list', place: Place, name: string | undefined): Promise<boolean | Unavailable> {
    const key = JSON.stringify([
      user.user,
      [...user.groups].sort(),
      verb,
      place.resource.plural,
      place.resource.group,
      name,
    ]);
    const now = this.#clock.now();
    const known = this.#answers.get(key);
    if (known !== undefined && known.until > now) return known.isAllowed;
    const isAllowed = this.#objects.isAllowed(user, verb, place, name);
    this.#answers.delete(key);
    this.#answers.set(key, { isAllowed, until: now + ANSWER_MS });
    // mutant: ocm-unavailable-kept = -> forget = () => undefined
    const forget = (): unknown => this.#answers.delete(key);
    isAllowed.then((answer) => typeof answer === 'boolean' || forget(), forget);
    const [oldest] = this.#answers.keys();
    if (this.#answers.size > MOST_ANSWERS && oldest !== undefined) this.#answers.delete(oldest);
    return isAllowed;
  }
}
