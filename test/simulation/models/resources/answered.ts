// Remembers who has ever said to which incarnation that it is ready: every such answer is a message (P2).
import type { MailboxMessage } from '../../../../bus/mod.ts';
import { Readiness } from '../../../../machines/lifecycle.ts';
import type { KubeObject } from '../../../../machines/object.ts';

export class Answered {
  /** By who answered, with the incarnation. */
  readonly #ready = new Set<string>();

  onStored({ subject, payload }: MailboxMessage): void {
    if (subject.topic !== 'ready' || payload['readiness'] !== Readiness.Ready) return;
    const { plural, namespace, name } = subject.from;
    this.#ready.add(keyOf(plural, namespace, name, String(payload['to'])));
  }

  /** Whether what has been called so, in any of its lives, said to the incarnation `uid` that it is ready. */
  isReadyFor(
    uid: string,
    plural: string,
    { metadata: { namespace = '', name } }: Pick<KubeObject, 'metadata'>,
  ): boolean {
    return this.#ready.has(keyOf(plural, namespace, name, uid));
  }
}

function keyOf(plural: string, namespace: string, name: string, uid: string): string {
  return `${plural} ${namespace}/${name} ${uid}`;
}
