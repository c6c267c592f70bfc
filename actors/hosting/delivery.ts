// What mail means to the actor that it is for.
import type { Mail, MailSubject } from '../../bus/mod.ts';
import { parseClaimMail, parseObjectMail, parseReadyMail } from '../mail/mail.ts';
import type { ObjectActor } from '../object/object-actor.ts';

type Delivery = (actor: Pick<ObjectActor, 'takeObject' | 'takeClaim' | 'takeReady'>) => void;

/** What to do with mail; undefined when it cannot be understood. */
export function deliveryOf(
  about: MailSubject,
  { payload, sequence, traceparent }: Pick<Mail, 'payload' | 'sequence' | 'traceparent'>,
): Delivery | undefined {
  if (about.topic === 'object') {
    const mail = parseObjectMail(payload);
    return mail && ((actor) => actor.takeObject(mail, sequence));
  }
  if (about.topic === 'claim') {
    const mail = parseClaimMail(payload);
    return mail && ((actor) => actor.takeClaim(about.from, mail, sequence, traceparent));
  }
  if (about.topic === 'ready') {
    const mail = parseReadyMail(payload, about);
    return mail && ((actor) => actor.takeReady(about.from, mail, sequence, traceparent));
  }
  // What was observed is the answer to a question: nobody mails it.
  return () => undefined;
}
