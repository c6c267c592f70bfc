// The statecharts: guards and the lives of external resources.
import { type Change, noticedBy } from '../change.ts';

export const MACHINES: readonly Change[] = [
  ...noticedBy(['external resource machine'], {
    'verdict-of-earlier-id': 'EXTERNAL-RESOURCE-8: a verdict on one id is taken for one on the id that came meanwhile',
    'removal-with-foreign-id':
      'EXTERNAL-RESOURCE-8: a removal goes on with an id that somebody wrote into the status meanwhile',
    'sought-counts-as-stored': 'what was found is believed to be there though who had it may have removed it',
    'create-without-dependency':
      'EXTERNAL-RESOURCE-1, I1: a create begins though a dependency went while it was looked for leftovers',
    'creates-unguarded': 'EXTERNAL-RESOURCE-2: a create is sent without the own finalizer',
    'recorded-resource-unguarded': 'EXTERNAL-RESOURCE-2: what has a resource is cared for without the own finalizer',
    'unguarded-taken-for-built': 'EXTERNAL-RESOURCE-2: an object that was never guarded is looked for in vain',
    'finalizer-off-before-claims-end': 'EXTERNAL-RESOURCE-2, P12: the own finalizer goes before the claims have ended',
    'deletion-overtakes-create': 'EXTERNAL-RESOURCE-3, I4: a deletion does not wait for a create that was sent',
    'cleanup-while-held': 'EXTERNAL-RESOURCE-4, I2: the cleanup starts while others hold the object',
    'yields-what-was-built-on': 'EXTERNAL-RESOURCE-5, P1: a dependency is yielded though something may be built on it',
    'yields-what-is-in-use': 'EXTERNAL-RESOURCE-5, P1: what is in use is yielded, or what is not is held for ever',
    'yields-what-came-into-use': 'EXTERNAL-RESOURCE-5, P1: what was put to use after the last look is yielded',
    'refused-never-lets-go': 'EXTERNAL-RESOURCE-5, P1: what was refused holds a deleted dependency for ever',
    'refused-looks-for-ever':
      'EXTERNAL-RESOURCE-5: what several match is looked for again and again while a dependency goes',
    'news-during-pass-missed': 'I9: what a dependency or dependent says during a pass is not looked at',
    'life-forgets-its-create': 'EXTERNAL-RESOURCE-5, I4: a life forgets that it has sent a create',
    'waiting-costs-calls': 'EXTERNAL-RESOURCE-6, I6: waiting for what is not there costs a call',
    'terminal-tried-again': 'EXTERNAL-RESOURCE-7: what was refused for good is tried again',
    'spec-looked-at-again': 'EXTERNAL-RESOURCE-7: what is refused for its spec is looked at again and again',
    'broken-is-final': 'EXTERNAL-RESOURCE-7: what the foreign system says to be broken is never looked at again',
    'own-create-contended': 'OWNERSHIP-6: what a create of the object made is taken for what it only found',
    'overdue-looks-at-once': 'what is overdue when a life begins is looked at by all at once',
    'late-resync-tells': 'a look that was not made for want of a turn makes what rests unavailable',
    'unusable-is-final': 'EXTERNAL-RESOURCE-7: what cannot be used, and is not worked on, is never looked at again',
    'use-ends-unseen': 'what was used by another object is not looked at when that gives it up',
    'clear-for-ever': 'a look-up of long ago says that nothing is there',
    'nothing-found-too-early': 'I4, P13: that nothing is found counts while a create may still land',
    'unstored-id-forgotten': 'I4: an id that is not stored yet is forgotten for that of another host',
    'found-resource-discarded':
      'EXTERNAL-RESOURCE-9: what was only found, or imported, is removed when somebody else recorded an id first',
    'recorded-resource-discarded':
      'EXTERNAL-RESOURCE-9: what was recorded is removed when its id is taken away and another one written',
    'replacement-discarded': 'EXTERNAL-RESOURCE-9: what is found in the place of what was recorded is taken for that',
    'vanished-resource-intended':
      'EXTERNAL-RESOURCE-9: what is found after a loss is taken for what the create has made',
    'uncleared-id-forgotten': 'I4: an id that could not be cleared is forgotten, and another resource made',
    'edit-during-update-unclaimed':
      'I9: an update waits for a dependency that an edit during the last read added, and that is not claimed',
    'edit-during-lookup-unclaimed':
      'I9: a create waits for a dependency that an edit during the lookup added, and that is not claimed',
    'edit-while-compared': 'I9: an edit while the resource is compared is not compared',
    'edit-while-contended': 'I9: an edit while it is asked whose the resource is waits for the owner of another one',
    'blank-deletion-waits': 'P1: what goes before it was built waits for what cannot tell without it what it built',
    'absent-reference-proves-of-edited':
      'I4: that a reference is absent proves of an edited object that nothing was built',
    'absent-use-proves-unbuilt': 'I4: that what is used only after the create is absent proves that nothing was built',
    'gone-before-children': 'an object goes before its children',
    'removal-asked-once': 'a deletion that the cloud took and lost is never asked for again',
    'watched-with-old-credentials': 'what is waited for is watched with credentials that are no more',
    'watch-begun-ten-a-second': 'a watch that fails each time is begun ten times a second',
    'life-ignores-earlier-creates': 'P13: a life does not wait for what an earlier one has under way',
    'built-with-going-credentials': 'I3: something new is built with credentials that are being deleted',
    'intent-removed-unrecorded':
      'what only an intent tells of is removed without being recorded, which an adapter in another process refuses',
    'unanswered-create-forgotten': 'I4: that an unanswered create may still land is forgotten',
    'cleanup-without-claims': 'a deleted object claims nothing, and its cleanup finds no credentials',
    'foreign-resource-recorded': 'EXTERNAL-RESOURCE-8: what was found is recorded, whosever it is',
    'unsendable-create-guarded':
      'EXTERNAL-RESOURCE-9: an object whose create was never sent removes what another client made',
    'removal-repeated-unasked':
      "EXTERNAL-RESOURCE-8, I2: what is removed again after long may be another object's by then",
    'discard-repeated-unasked':
      'EXTERNAL-RESOURCE-8, I2: what lost the race is removed when another object has found it',
    'unrecorded-id-removed':
      'EXTERNAL-RESOURCE-8, I2: what another object recorded is removed by an id that was taken out',
    'foreign-resource-removed': 'EXTERNAL-RESOURCE-8: a deleted object removes what another one has',
    'reported-drift-hides-edit': 'where drift is only reported an edit is not brought to the resource',
  }),
  ...noticedBy(['guard machine'], {
    'guard-on-deleting': 'DELETION-GUARD-1: a guard is added to an object that is being deleted',
    'guard-off-living': 'DELETION-GUARD-2, P3: a guard is taken off a living object',
    'guard-off-claimed': 'DELETION-GUARD-2, I3: a guard is taken off while a claim holds it',
    'guard-confirmed-by-older-table': 'DELETION-GUARD-3: a confirmation counts for a table that has changed since',
    'guard-never-audits':
      'DELETION-GUARD-4, P7: a deleted object that waits never asks whether its claimants are there',
    'guard-races-for-ever': 'a write of a guard that is refused as a lost race each time is repeated at once for ever',
    'free-guards-cost-a-write': 'free guards that the life takes off with its own finalizer cost a write of their own',
  }),
  ...noticedBy(['guard machine', 'guards'], {
    'guard-audits-as-often': 'a deleted object that waits asks the API server as often after an hour as at first',
    'guard-refused-ten-a-second': 'what the API server refuses is asked for ten times a second',
  }),
  ...noticedBy(['effects of external resources', 'poller'], {
    'nothing-new-is-told': 'a look that found nothing new is told',
    'looks-as-often-as-at-first': 'what has not come for long is looked for as often as at first',
  }),
  ...noticedBy(['effects of external resources'], {
    'late-watch-counts': 'what a watch tells late is taken for what is seen now',
    'ended-watch-waited-for': 'a watch that ended by itself leaves its object waiting for ever',
    'stored-id-overwritten': 'I4: an id that is stored is overwritten by another',
  }),
  ...noticedBy(['news of external resources'], {
    'lost-id-is-news': 'USER-EVENTS-1: users are told of an id that lost a race',
    'drift-is-an-edit': 'USER-EVENTS-3: drift is told as an edit',
    'each-relook-is-news': 'USER-EVENTS-2: what is found broken again is told each time',
    'one-failure-is-news': 'USER-EVENTS-2: one failure that passes at once is news',
    'unheeded-told-each-pass': 'fields without effect are told of at each pass',
  }),
  ...noticedBy(['back-off of external resources'], {
    'refused-spec-backs-off-like-any': 'a spec that is refused as it is backs off no longer than anything else',
  }),
  ...noticedBy(['transitions of a host'], {
    'image-edited-during-pass-deployed':
      'IRONIC-PROVISIONING-3: an image that is wanted since the last pass began is recorded as deployed',
  }),
  ...noticedBy(['a host at a glance'], {
    'glance-at-older-spec': 'what is told of another spec of a host is believed',
  }),
];
