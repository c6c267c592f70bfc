// The rules of the protocol switched off one by one (actors/README.md, "Rules"), each by mutants that are marked in the
// sources: `test/mutation/marks.ts`.

import { HOST_MUTATIONS } from './host-mutations.ts';
import type { Matter } from './plans.ts';
import { WINDOWS_MUTATIONS } from './windows-mutations.ts';

export interface Mutation {
  readonly name: string;
  /** What is left out, in words. */
  readonly without: string;
  /** The ids of the marks, all of which are applied. */
  readonly mutants: readonly [string, ...string[]];
  /** Only histories of that may notice. */
  readonly matter?: Matter;
}

export const MUTATIONS: readonly Mutation[] = [
  {
    name: 'P1',
    without: 'a dependent never lets a deleted dependency go',
    mutants: ['dependent-never-lets-go'],
  },
  {
    name: 'P2',
    without: 'an answer to another incarnation counts',
    mutants: [
      'answers-of-another-incarnation',
      'answers-told-to-another',
      'answers-outlive-object',
      'hand-over-another-incarnation',
      'answers-outlive-claims',
    ],
  },
  {
    name: 'P3',
    without: 'a guard is taken off a living object when its last claim ends',
    mutants: ['guard-off-living'],
  },
  {
    name: 'P4',
    without: 'claims and tombstones of older incarnations replace newer ones',
    mutants: ['claims-table-older-replaces', 'ended-claim-of-older', 'claims-never-compared', 'claims-never-watched'],
  },
  {
    name: 'P5',
    without: 'live claims go with the object that they are on',
    mutants: ['claims-go-with-object'],
  },
  {
    name: 'P6',
    without: 'an older view of an object replaces a newer one',
    mutants: ['older-view-replaces'],
  },
  {
    name: 'P7',
    without: 'a deleted object that waits never asks whether its claimants are still there',
    mutants: ['guard-never-audits'],
  },
  {
    name: 'P8',
    without: 'an incomplete table of claims releases',
    mutants: ['guard-needs-no-confirmation', 'guard-off-incomplete'],
  },
  {
    name: 'P9',
    without: 'mail is published whatever is there by now',
    mutants: ['outbox-never-compares', 'outbox-leaves-overwritten', 'outbox-after-lease'],
  },
  {
    name: 'P10',
    without: 'calls to the cloud begin whenever the lease ends',
    mutants: ['call-after-lease', 'host-closes-before-calls-end', 'host-acts-after-lease'],
  },
  {
    name: 'P11',
    without: 'a stream that was lost or rolled back is used like the one before',
    mutants: ['epoch-never-changes'],
  },
  {
    name: 'P13',
    without: 'nobody waits for what an earlier host or life has under way',
    mutants: ['underway-never-waits'],
  },
  {
    name: 'claim',
    without: 'a claim is answered before its finalizer is stored',
    mutants: ['answer-before-finalizer'],
  },
  {
    name: 'adoption',
    without: 'nobody looks for what an interrupted create left behind',
    mutants: ['creates-without-look'],
  },
  {
    name: 'intent',
    without: 'what was asked for is looked for as the object is by then',
    mutants: ['intents-never-recorded'],
  },
  {
    name: 'sharing',
    without: 'nobody asks whose a resource is that was found',
    mutants: ['rivals-take-recorded'],
  },
  {
    name: 'turn',
    without: 'whoever looks for the same makes it, too',
    mutants: ['turns-for-two'],
  },
  {
    name: 'lapse',
    without: 'a shard lives on whose mail was dropped at the end of a lease that turned out to be renewed',
    mutants: ['host-never-lapses'],
  },
  {
    name: 'restored',
    without: 'an API server that was restored from a backup is taken for the one before',
    mutants: ['older-list-believed', 'watch-from-future', 'older-read-believed'],
  },
  {
    name: 'absence',
    without: 'any answer of 404 proves that what was asked for is gone, for ever',
    mutants: ['any-404-is-absence', 'gone-stays-gone'],
  },
  {
    name: 'foreign',
    without: 'what was only found is removed when somebody else recorded an id first',
    mutants: ['found-resource-discarded'],
  },
  {
    name: 'differing',
    without: 'a deletion removes what has the name of its object, whatever that is',
    mutants: ['deletion-takes-what-differs'],
  },
  {
    name: 'suspended',
    without:
      'who was paused believes in the lease that it had, and lists what it has under way over the list of its successor',
    mutants: ['clock-lags-for-ever', 'successor-overwritten', 'late-predecessor-ignored'],
  },
  ...HOST_MUTATIONS,
  ...WINDOWS_MUTATIONS,
];
