// Looks at every value that is stored in the mailbox, and says when what is newer is lost to what is older.
import { compareVersions } from '../../adapters/kubernetes/mod.ts';
import { type JsonObject, type MailboxMessage, type MailboxSubject, mailboxSubject } from '../../bus/mod.ts';

/** What a process published last on a subject. */
interface Sent {
  readonly payload: JsonObject;
  /** The last sequence of the stream by then. */
  readonly after: number;
}

/** What stands on a subject, and whose it is. */
interface Said {
  readonly pod: string | undefined;
  readonly mail: MailboxMessage;
}

export interface MailOrderDeps {
  readonly onViolation: (invariant: string, text: string) => void;
}

export class MailOrder {
  readonly #deps: MailOrderDeps;
  /** By subject and process. */
  readonly #sent = new Map<string, Map<string, Sent>>();
  readonly #said = new Map<string, Said>();
  #sequence = 0;

  constructor(deps: MailOrderDeps) {
    this.#deps = deps;
  }

  onSent(pod: string, subject: MailboxSubject, payload: JsonObject): void {
    const key = mailboxSubject(subject, 1);
    const sent = this.#sent.get(key);
    const now = { payload, after: this.#sequence };
    if (sent === undefined) this.#sent.set(key, new Map([[pod, now]]));
    else {
      sent.delete(pod); // so that it moves to the end
      sent.set(pod, now);
    }
  }

  onStored(mail: MailboxMessage): void {
    const key = mailboxSubject(mail.subject, 1);
    const replaced = this.#said.get(key);
    const sent = this.#sent.get(key) ?? new Map<string, Sent>();
    const pod = authorOf(mail, sent);
    this.#sequence = mail.sequence;
    this.#said.set(key, { pod, mail });
    if (pod === undefined || replaced === undefined) return;
    const after = sent.get(pod)?.after ?? 0;
    // mutant: claims-never-watched if -> $1 && mail.subject.topic !== 'claim' && $2
    if (replaced.pod !== pod && replaced.mail.sequence > after)
      this.#deps.onViolation('P9', `${pod} replaces what ${replaced.pod} has said since: ${key}`);
    if (mail.subject.topic === 'claim' && isOlder(mail.payload, replaced.mail.payload))
      this.#deps.onViolation('P4', `the claim of an older incarnation replaces that of a newer one: ${key}`);
  }

  onRemoved({ subject, sequence }: MailboxMessage): void {
    const key = mailboxSubject(subject, 1);
    if (this.#said.get(key)?.mail.sequence === sequence) this.#said.delete(key);
  }

  /** The stream is another one, or what it was. */
  forget(): void {
    this.#said.clear();
    this.#sent.clear();
    this.#sequence = 0;
  }
}

/** Of several that have said something on the subject, whoever said this, and last. */
function authorOf({ payload }: MailboxMessage, sent: ReadonlyMap<string, Sent>): string | undefined {
  if (sent.size < 2) return [...sent.keys()][0];
  const text = JSON.stringify(payload);
  return [...sent].reverse().find(([, said]) => JSON.stringify(said.payload) === text)?.[0];
}

function isOlder(one: JsonObject, other: JsonObject): boolean {
  return one['uid'] !== other['uid'] && compareVersions(versionOf(one), versionOf(other)) < 0;
}

function versionOf({ resourceVersion }: JsonObject): string {
  return String(resourceVersion);
}
