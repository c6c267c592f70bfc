// Map of last values by subject. Measured with 150,000 of them, three for each of 50,000 objects: 66 bytes of heap per
// subject, and 174 in a `Map` whose keys are subjects as text.
import { type ActorSubject, addressKey } from '../../bus/mod.ts';
import { CompactMap } from '../base/compact-map.ts';

/**
 * Nested by topic, sender and receiver: names that exist anyway. Subjects as text would be new strings, three or four
 * for every object.
 */
export class SubjectMap<Value> {
  readonly #topics = new Map<ActorSubject['topic'], Map<string, CompactMap<Value>>>();

  get size(): number {
    let size = 0;
    for (const authors of this.#topics.values()) for (const values of authors.values()) size += values.size;
    return size;
  }

  get(subject: ActorSubject): Value | undefined {
    return this.#topics.get(subject.topic)?.get(authorOf(subject))?.get(addressKey(subject.to));
  }

  set(subject: ActorSubject, value: Value): void {
    const authors = this.#topics.get(subject.topic) ?? new Map<string, CompactMap<Value>>();
    const author = authorOf(subject);
    const values = authors.get(author) ?? new CompactMap<Value>();
    this.#topics.set(subject.topic, authors);
    authors.set(author, values);
    values.set(addressKey(subject.to), value);
  }

  delete(subject: ActorSubject): void {
    const authors = this.#topics.get(subject.topic);
    const author = authorOf(subject);
    const values = authors?.get(author);
    values?.delete(addressKey(subject.to));
    if (values?.size === 0) authors?.delete(author);
  }
}

/** Every sender may publish states of objects. */
function authorOf(subject: ActorSubject): string {
  return 'from' in subject ? addressKey(subject.from) : '';
}
