// What mail means to the actor that it is for.
import type { ActorSubject, MailboxMessage } from '../../bus/mod.ts';
import { parseAnswer, parseClaim, parseObjectMessage } from '../mailbox/messages.ts';
import type { ObjectActor } from '../object/object-actor.ts';

type Delivery = (actor: Pick<ObjectActor, 'receiveObject' | 'receiveClaim' | 'receiveAnswer'>) => void;

/** What to do with mail; undefined when it cannot be understood. */
export function deliveryOf(
  about: ActorSubject,
  { payload, sequence, traceparent }: Pick<MailboxMessage, 'payload' | 'sequence' | 'traceparent'>,
): Delivery | undefined {
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
  // What was observed is the answer to a question: nobody mails it.
  return () => undefined;
}
