// Dispatch of mailbox messages to their actors.
import type { ActorSubject, MailboxMessage } from '../../bus/mod.ts';
import { parseAnswer, parseClaim, parseObjectMessage } from '../mailbox/messages.ts';
import type { ObjectActor } from '../object/object-actor.ts';

type Delivery = (actor: Pick<ObjectActor, 'receiveObject' | 'receiveClaim' | 'receiveAnswer'>) => void;

/** Action for a message; undefined if it cannot be parsed. */
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
  // An observation is the response to a query: it is never a message.
  return () => undefined;
}
