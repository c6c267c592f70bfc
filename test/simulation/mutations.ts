// The rules of the protocol switched off one by one (architecture, section 4.1): the text of the source that keeps each,
// and what stands there without it. A text must be there exactly once, or the list is out of date.

import type { Edit } from '../mutation/edits.ts';
import { HOST_MUTATIONS } from './host-mutations.ts';
import type { Matter } from './plans.ts';
import { WINDOWS_MUTATIONS } from './windows-mutations.ts';

export interface Mutation {
  readonly name: string;
  /** What is left out, in words. */
  readonly without: string;
  readonly edits: readonly Edit[];
  /** Only histories of that may notice. */
  readonly matter?: Matter;
}

export const MUTATIONS: readonly Mutation[] = [
  {
    name: 'P1',
    without: 'a dependant never lets a deleted dependency go',
    edits: [
      {
        file: 'machines/external-resource/context.ts',
        from: 'if (object.deleting) return [];',
        to: 'if (object.uid !== undefined) return [];',
      },
    ],
  },
  {
    name: 'P2',
    without: 'an answer to another incarnation counts',
    edits: [
      {
        file: 'actors/object/answers.ts',
        from: 'answer.to !== uid || answer.generation < since',
        to: 'answer.generation < since',
      },
      {
        file: 'actors/object/object-actor.ts',
        from: 'else if (isOurs) this.#charts.tellDependencies({ isReplaced, isNews });',
        to: 'else this.#charts.tellDependencies({ isReplaced, isNews });',
      },
      { file: 'actors/object/object-actor.ts', from: '    this.#answers.forget();\n', to: '' },
      {
        file: 'actors/hosting/hand-over.ts',
        from: 'actor?.incarnation()?.uid === mail.to;',
        to: 'actor !== undefined;',
      },
      // What a life that ended had heard would be there for the next one.
      { file: 'actors/object/outgoing-claims.ts', from: '    this.#answers.drop(key);\n', to: '' },
    ],
  },
  {
    name: 'P3',
    without: 'a guard is taken off a living object when its last claim ends',
    edits: [{ file: 'machines/guard.ts', from: 'if (!object.deleting) return [];', to: '' }],
  },
  {
    name: 'P4',
    without: 'claims and tombstones of older incarnations replace newer ones',
    edits: [
      {
        file: 'actors/object/claims-table.ts',
        from: 'compareVersions(claim.resourceVersion, known.resourceVersion) < 0',
        to: "compareVersions(claim.resourceVersion, '0') < 0",
      },
      {
        file: 'actors/object/outgoing-claims.ts',
        from: 'return compareVersions(theirs.resourceVersion, ours.resourceVersion) < 0;',
        to: 'return true;',
      },
      // A claim has one author at a time, so comparing keeps the order as well (P9).
      {
        file: 'actors/mail/outbox.ts',
        from: 'mailbox.publish(saying.subject, payload, sequence, ',
        to: "mailbox.publish(saying.subject, payload, saying.subject.topic === 'claim' ? undefined : sequence, ",
      },
      // That they are not compared is not to be noticed here.
      {
        file: 'test/simulation/mail-order.ts',
        from: 'replaced.mail.sequence > after',
        to: "mail.subject.topic !== 'claim' && replaced.mail.sequence > after",
      },
    ],
  },
  {
    name: 'P5',
    without: 'live claims go with the object that they are on',
    edits: [
      {
        file: 'actors/object/object-actor.ts',
        from: '    this.#answers.forget();\n',
        to: '    this.#answers.forget();\n    for (const key of [...this.claims.entries()].map(([claimant]) => claimant)) this.dropClaim(key);\n',
      },
    ],
  },
  {
    name: 'P6',
    without: 'an older view of an object replaces a newer one',
    edits: [
      {
        file: 'actors/object/object-actor.ts',
        from: 'uid === this.#goneUid || compareVersions(resourceVersion, this.#knownVersion) <= 0;',
        to: 'false;',
      },
    ],
  },
  {
    name: 'P7',
    without: 'a deleted object that waits never asks whether its claimants are still there',
    edits: [
      {
        file: 'machines/guard.ts',
        from: "after: { auditPause: { target: 'auditing', actions: 'countGuardAttempt' } },",
        to: '',
      },
    ],
  },
  {
    name: 'P8',
    without: 'an incomplete table of claims releases',
    edits: [
      {
        file: 'machines/guard.ts',
        from: '(finalizer) => confirmed.revision === claims.revision && confirmed.free.includes(finalizer),',
        to: '() => claims !== undefined || confirmed !== undefined,',
      },
      {
        file: 'machines/guard.ts',
        from: 'return context.claims.complete ? unheldGuards(context) : [];',
        to: 'return unheldGuards(context);',
      },
    ],
  },
  {
    name: 'P9',
    without: 'mail is published whatever is there by now',
    edits: [
      {
        file: 'actors/mail/outbox.ts',
        from: 'mailbox.publish(saying.subject, payload, sequence, ',
        to: 'mailbox.publish(saying.subject, payload, undefined, ',
      },
      {
        file: 'actors/mail/outbox.ts',
        from: '    void this.say(subject, stored.payload, stored.mayReplace, stored.traceparent);\n',
        to: '',
      },
      // What comes after the end of the lease is late, too.
      { file: 'actors/mail/outbox.ts', from: 'if (clock.now() >= endsAt())', to: 'if (clock.now() >= Infinity)' },
    ],
  },
  {
    name: 'P10',
    without: 'calls to the cloud begin whenever the lease ends',
    edits: [
      {
        file: 'actors/effects/effects.ts',
        from: 'Math.min(now + deps.callMs, deps.leaseEndsAt(key) - LEASE_MARGIN_MS, latestAt)',
        to: 'Math.min(now + deps.callMs, latestAt)',
      },
      { file: 'actors/hosting/host.ts', from: '    await this.#closing.get(number);\n', to: '' },
      {
        file: 'actors/hosting/host.ts',
        from: 'shard === undefined || this.#isOver(number, shard)',
        to: 'shard === undefined',
      },
    ],
  },
  {
    name: 'P11',
    without: 'a stream that was lost or rolled back is used like the one before',
    edits: [
      {
        file: 'actors/hosting/shards.ts',
        from: 'if (id === epoch) return host.reconsider();',
        to: 'if (id !== undefined) return host.reconsider();',
      },
    ],
  },
  {
    name: 'P13',
    without: 'nobody waits for what an earlier host or life has under way',
    edits: [
      {
        file: 'actors/effects/underway.ts',
        from: 'return this.#entry(key).landsBy;',
        to: 'return 0 * this.#listed.size;',
      },
    ],
  },
  {
    name: 'claim',
    without: 'a claim is answered before its finalizer is stored',
    edits: [
      {
        file: 'actors/object/answer.ts',
        from: 'claim.finalizers.every((finalizer) => finalizers.includes(finalizer));',
        to: 'claim.finalizers.every((finalizer) => finalizer !== undefined || finalizers.length >= 0);',
      },
    ],
  },
  {
    name: 'adoption',
    without: 'nobody looks for what an interrupted create left behind',
    edits: [
      {
        file: 'machines/external-resource/claiming.ts',
        from: "{ guard: 'isReadyToAct', target: '#adopting' }",
        to: "{ guard: 'isReadyToAct', target: '#creating' }",
      },
    ],
  },
  {
    name: 'intent',
    without: 'what was asked for is looked for as the object is by then',
    edits: [
      {
        file: 'actors/effects/effects.ts',
        from: 'return underway.run(key, landsBy, send, what && { uid, what });',
        to: 'return underway.run(key, landsBy, send);',
      },
    ],
  },
  {
    name: 'sharing',
    without: 'nobody asks whose a resource is that was found',
    edits: [
      {
        file: 'actors/effects/rivals.ts',
        from: 'if (rival === undefined) return undefined;',
        to: 'if (first.length >= 0) return undefined;',
      },
    ],
  },
  {
    name: 'turn',
    without: 'whoever looks for the same makes it, too',
    edits: [
      {
        file: 'actors/effects/turns.ts',
        from: 'mailbox.publish(subject, { holder, uid, until }, sequence)',
        to: 'mailbox.publish(subject, { holder, uid, until }, sequence === 0 ? undefined : sequence)',
      },
    ],
  },
  {
    name: 'lapse',
    without: 'a shard lives on whose mail was dropped at the end of a lease that turned out to be renewed',
    edits: [{ file: 'actors/hosting/host.ts', from: '    shard.onLapse(number);\n', to: '' }],
  },
  ...HOST_MUTATIONS,
  ...WINDOWS_MUTATIONS,
];
