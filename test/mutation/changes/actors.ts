// The runtime: mail, hosting, effects, objects, the watch.
import { type Change, noticedBy } from '../change.ts';

export const ACTORS: readonly Change[] = [
  ...noticedBy(['windows mount'], {
    'charts-miss-last-user': 'OBJECT-MACHINES-5: a deleted object that rests never hears that its last user has gone',
  }),
  ...noticedBy(['subscriptions'], {
    'subscriptions-read-on': 'SUBSCRIPTIONS-1: what a takeover holds no more is read on',
    'subscriptions-hand-over-twice': 'SUBSCRIPTIONS-3: mail is handed over once more, and older after newer',
  }),
  ...noticedBy(['legacyController'], {
    'lease-judged-unseen': 'LEGACY-CONTROLLER-3: a lease ends by a watch that may be broken',
  }),
  ...noticedBy(['clock'], {
    'clock-lags-for-ever': 'CLOCK-2: who was suspended once lags behind all others',
    'clock-reads-apart': 'CLOCK-2: who stood still between two clocks is ahead of all others',
    'clock-begins-apart': 'CLOCK-2: a process that stands still as its clock begins is ahead of all others',
    'steady-time-slowed': 'CLOCK-3, BUS-5: steady time is slowed with the time',
    'lease-outlasts-suspension': 'CLOCK-3, BUS-5: steady time does not count a suspension',
    'clock-leads-for-ever': 'CLOCK-2: whose clock was set back leads all others',
  }),
  ...noticedBy(['createJournal'], {
    'unwitnessed-list-trusted':
      'P13, I4: a create that a stream has lost while no process was there counts as never sent',
    'successor-overwritten':
      'CREATE-JOURNAL-4, P13: who has lost its lease unheard of replaces the list of its successor',
    'late-predecessor-ignored': 'CREATE-JOURNAL-4, I4: what a predecessor listed late is sent once more',
    'underway-forgets-answered': 'CREATE-JOURNAL-6, I4: what was answered and is not recorded is forgotten',
    'underway-listed-later': 'CREATE-JOURNAL-1, P13: a create is sent before the bus has it on the list',
    'underway-drops-unanswered': 'CREATE-JOURNAL-2: a create that nobody answered is taken off the list',
    'underway-forgets-predecessor': 'CREATE-JOURNAL-3: what a predecessor had under way is forgotten',
    'underway-long-landing-cut':
      'CREATE-JOURNAL-3, P13: what takes longer to land than a call is waited for no longer than that',
    'underway-held-unlisted-unwaited': 'CREATE-JOURNAL-3, P13: without a list nobody waits for what is held',
    'unknown-lists-pile-up': 'each publication of a list that fails takes memory for ever',
    'underway-after-lease': 'CREATE-JOURNAL-4, P9: a list is published after the end of the lease',
    'underway-of-another-epoch': 'P11: a list of one epoch goes into the next',
    'clock-skew-ignored': 'a host whose clock is behind begins too early',
  }),
  ...noticedBy(['admission'], {
    'witness-of-intent-removes': 'REQUEST-AUTHORIZER-1: whoever tells of an intent removes what is found by it',
    'admission-trusts-credentials': 'REQUEST-AUTHORIZER-1: the credentials are those that the request names',
    'admission-trusts-ids': 'REQUEST-AUTHORIZER-3: any id is believed that is asked for with a removal',
    'admission-removes-living': 'REQUEST-AUTHORIZER-4: what an object stands for is removed while it lives on',
    'recent-objects-for-ever': 'RECENT-OBJECTS-1: what was read once is believed for ever',
    'witness-takes-several': 'ISSUED-RESULTS-1: one of several matches counts as its own',
  }),
  ...noticedBy(['webhooks: bodies'], {
    'webhook-any-client': 'HOOK-SERVER-6: a review is answered to whoever asks',
    'webhook-answer-not-taken': 'HOOK-SERVER-4: who takes no answer is waited for without an end',
    'webhook-bodies-unbounded': 'HOOK-SERVER-3: all bodies together take what they like',
    'webhook-body-stops': 'HOOK-SERVER-4: a body that stops is waited for without an end',
    'webhook-turns': 'HOOK-SERVER-5: large questions of one address come before those of others',
  }),
  ...noticedBy(['outbox'], {
    'outbox-drops-newer-word': 'OUTBOX-1: what is said while an older word is refused is dropped with that',
    'outbox-drops-word-after-forgotten':
      'OUTBOX-1: what is said after a word was forgotten is dropped when that is refused',
    'refused-without-pause': 'OUTBOX-7: what the bus refuses as it is too large is sent again four times a second',
    'outbox-leaves-overwritten': 'OUTBOX-4, P9: what somebody overwrote stays overwritten',
    'outbox-after-lease': 'OUTBOX-2: mail is published after the end of the lease',
    'outbox-all-at-once': 'OUTBOX-5: everything that is said is under way at once',
    'outbox-revives-gone': 'OUTBOX-6: what is over comes back when it is heard of once more',
    'outbox-never-compares': 'P9, OUTBOX-3: mail is published whatever is there by now',
    'outbox-overwrites-newer': 'OUTBOX-3: what is newer is overwritten',
    'outbox-speaks-when-closed': 'OUTBOX-2: who waited for a turn says something after the outbox was closed',
  }),
  ...noticedBy(['status turns'], {
    'turns-for-everybody': 'STATUS-WRITER-3: everybody has a turn at once',
    'statuses-never-wait': 'STATUS-WRITER-2: statuses that can wait are written between others',
    'statuses-wait-for-ever': 'STATUS-WRITER-1, I6: what lasts is never seen while others write',
    'statuses-written-at-once': 'STATUS-WRITER-1, I8: what is over at once is written',
    'turn-for-who-gave-up': 'a turn goes to somebody who has given up, and never ends',
  }),
  ...noticedBy(['effects'], {
    'older-answer-ignored': 'P11: an answer that is older than what is known is dropped, and the same written again',
    'guard-off-by-apply':
      'MACHINES-1, I3: an apply of a table that lacks claims takes their guards off a living object',
    'guard-taken-at-once': 'a guard that somebody takes away at once counts as stored',
    'deadline-by-even-clock': 'PORTS-1, P10: a call may end after the lease if the wall clock is set back',
    'call-after-lease': 'PORTS-1, P10: a call may end after the lease',
    'held-after-lease': 'PORTS-1, P10: what is held begins after the lease, when listing it took that long',
    'lost-race-with-old-object': 'PORTS-2: a lost race is run again with the object as it was',
    'held-sent-too-late': 'P13: what is held is sent later than the list of what is under way says',
    'held-landing-not-listed': 'P13: what is held is not listed for as long as it may take to land',
    'guard-off-changed-object': 'a guard is taken off an object that has changed since it was judged',
    'held-landing-counts-early': 'P13: the landing of what is held counts from before it begins',
    'held-outlives-lease': 'PORTS-1: what is held goes on when the lease has ended',
  }),
  ...noticedBy(['audit'], {
    'audit-drops-unguarded': 'AUDIT-5: a claim without finalizers goes though its claimant is there',
    'audit-frees-living': 'AUDIT-6, I3: a living claimant without its own finalizer holds nothing',
    'audit-frees-owned': 'AUDIT-6, I3: a deleted claimant that has to clean up holds nothing',
    'readings-join-earlier': 'a question is answered by a list that began before it',
    'audit-forgets-claimants': 'AUDIT-3: a claimant whose references cannot be told holds nothing',
    'audit-keeps-claim-of-predecessor': 'P7: the claim of a replaced object that was edited more often is never ended',
    'audit-drops-newer-claim': 'a claim that is newer than the list is dropped by it',
  }),
  ...noticedBy(['audit', 'protocol'], {
    'audit-end-frees-later-claim': 'AUDIT-4, P8: the end of a claim frees what its claimant refers to again',
  }),
  ...noticedBy(['environment'], {
    'cluster-of-variable-used': 'the demo manages whatever cluster the shell of its user is set to',
  }),
  ...noticedBy(['watcher of namespaces'], {
    'forgotten-seeding-stays':
      'a mailbox whose seeding was forgotten is never marked again, and each deletion needs an audit',
  }),
  ...noticedBy(['shards'], {
    'unwitnessed-mailbox-trusted':
      'P8, P11: claims that a stream has lost while no process was there count as never made',
    'shards-quiet-never': 'P11: after a loss of the mail nobody waits for the end of earlier leases',
    'shards-keep-actors': 'P11, SHARD-HOST-3: actors go on with what they learned of another epoch',
    'lease-given-back-early': 'P10: a lease is given back while calls are under way',
    'takeover-without-backoff': 'SHARD-MANAGER-3: whatever cannot be listed is listed again without a pause',
    'reopened-while-calls-run': 'SHARD-MANAGER-3, P10: a shard is taken over again while its calls are under way',
    'shards-to-first-new-pod': 'SHARD-MANAGER-1: the first new pod of a roll-out gets the shards of all others',
    'shards-to-any-pod': 'SERVED-KINDS-1: shards go to pods that do not serve all kinds',
  }),
  ...noticedBy(['host'], {
    'host-closes-before-calls-end': 'P10: a shard is closed while its calls are under way',
    'host-mail-after-lease': 'SHARD-HOST-2: mail is taken after the end of the lease',
    'host-never-lapses': 'SHARD-HOST-6: what was dropped at the end of a lease is never learned',
    'host-begins-all-at-once': 'SHARD-HOST-4: ten thousand actors begin in one turn of the event loop',
  }),
  ...noticedBy(['host', 'churn'], {
    'host-replay-never-over': 'OUTBOX-6: an outbox never hears that its replay is over, and keeps what is gone',
  }),
  ...noticedBy(['calls'], {
    'calls-forget-landing': 'SHARD-2, I4: what a call left undecided counts as over',
    'calls-not-waited-for': 'SHARD-1, P10: calls under way are not waited for',
    'quarantine-ends-before-landing': 'QUARANTINE-3, I4: a held actor begins again while a create of its may land',
  }),
  ...noticedBy(['quarantine'], {
    'quarantine-each-second': 'QUARANTINE-3: code that fails is run again each second',
    'quarantine-logs-each-time': 'QUARANTINE-4: the same trouble is logged each time',
    'quarantine-ignores-edits': 'QUARANTINE-3: an edit does not free who is held',
  }),
  ...noticedBy(['answers to claims'], {
    'answer-before-finalizer': 'I1: a claim is answered before its finalizer is stored',
    'answer-serves-while-deleted': 'I3: what is being deleted still serves those who would build on it',
    'guard-is-new-content': 'a guard of ours counts as new content of a Secret',
  }),
  ...noticedBy(['answers'], {
    'answers-of-another-incarnation': 'P2: an answer to another incarnation counts',
  }),
  ...noticedBy(['claims table'], {
    'newer-claims-not-missed': 'CLAIMS-TABLE-3, P8: a table without a claim that cannot be read counts as complete',
    'claims-table-older-replaces': 'P4: a claim of an older incarnation replaces a newer one',
    'freed-holder-named': 'who has let go of a deleted object is said to hold it',
  }),
  ...noticedBy(['protocol'], {
    'gone-stays-gone': 'OBJECT-ACTOR-1: what was wrongly not found stays gone',
    'gone-revives-unasked': 'OBJECT-ACTOR-1: a late state of what is gone revives it',
    'claim-of-future-kept': 'P11: a claim of what a restored backup does not have keeps the claims of its object out',
    'restored-object-ignored': 'P11: an object that is back after a restored backup is ignored for ever',
    'later-end-ignored': 'P6, P12: an object whose end was replaced by that of a later one is kept for ever',
    'void-state-acted-on': 'I8: without the bus it is written on the state of a restored backup',
    'older-read-believed': 'P11: a read that is older than what was known is dropped for ever',
    'older-view-replaces': 'OBJECT-ACTOR-1, P6: an older view of an object replaces a newer one',
    'gone-incarnation-answered-on': 'P12: a claim of an incarnation that is gone is answered for ever',
    'replaced-before-takeover-answered-on': 'P12: so is one of an incarnation that was replaced before a takeover',
    'replaced-answered-on': 'P12: so is one that is answered after that takeover',
    'answers-gone-before-claims':
      'P12: claims of a deleted object stay for ever if a host ends before it has ended them',
    'replaced-answer-kept': 'P12: the answer to it stays, and costs a read at each takeover',
  }),
  ...noticedBy(['children'], {
    'detached-child-removed': 'what a detached object has made removes its resource from the cloud',
    'child-of-others-removed': 'CHILDREN-2: an object of others with the name of a child is deleted',
    'shared-child-deleted': 'CHILDREN-2: a child that others own too is deleted with one of them',
    'child-keeps-unwanted': 'CHILDREN-1: what was applied and is not wanted any more stays on a child',
    'made-child-fails-pass': 'a child that another host made meanwhile fails the pass',
    'unreported-child-forgotten': 'UNREPORTED-CHILDREN-1: the deletion of a child that no watch saw is never noticed',
  }),
  ...noticedBy(['unreported children'], {
    'unreported-child-read-twice': 'UNREPORTED-CHILDREN-2: each pass of an owner begins another series of reads',
    'reported-child-read-on': 'UNREPORTED-CHILDREN-1: a child is read for ever, also when it was reported',
  }),
  ...noticedBy(['watcher'], {
    'watcher-waits-for-refused': 'I11, OUTBOX-7: an object that is too large keeps the epoch from being seeded',
  }),
  ...noticedBy(['watcher of namespaces'], {
    'older-list-believed': 'WATCHER-5: the list of a restored API server is dropped as old',
    'watcher-ends-elsewhere': 'WATCHER-2: the list of one namespace ends what is in another',
    'watcher-misses-vanished': 'WATCHER-2: what vanished while nobody watched lives on in the mail',
    'watcher-says-older': 'WATCHER-1: an older state of an object is said after a newer one',
    'watcher-seeds-too-early': 'WATCHER-3: the mail counts as seeded before all namespaces were listed',
    'watcher-seeds-unpublished': 'WATCHER-3: the mail counts as seeded before it was published',
    'watcher-ignores-mail': 'WATCHER-2: what the mail had before this watcher is not compared',
  }),
  ...noticedBy(['rest'], {
    'late-birth-unverified': 'an object that has gone before anybody told of it lives on',
    'lost-child-unheard': 'UNREPORTED-CHILDREN-1: a resting lifecycle stays available without its child',
    'each-birth-verified': 'each object costs a call when it is made',
    'resting-life-sleeps-on': 'OBJECT-MACHINES-5, I9: a life that rests is not woken by what it would see',
    'refused-sleeps-on':
      'OBJECT-MACHINES-5, P1: what was refused rests, and does not hear that a dependency is being deleted',
    'denied-use-unheard': 'a use that a dependency denies is shown for ever',
    'life-rests-with-timer': 'OBJECT-MACHINES-5: a life rests while a timer of its runs',
    'free-finalizers-hold': 'finalizers that are free hold a deleted object from its cleanup',
  }),
  ...noticedBy(['guard chart'], {
    'guard-chart-stays': 'a guard with nothing left to do stays',
  }),
  ...noticedBy(['host', 'takeover'], {
    'list-ends-newer': 'P6: an object that is newer than a list is ended by it',
  }),
  ...noticedBy(['host', 'takeover', 'protocol'], {
    'old-mail-revives': 'P6: old mail brings back what the API server did not have',
  }),
  ...noticedBy(['order of claims', 'protocol'], {
    'credentials-claim-ends-early': 'P12: the claim on the credentials ends while a cleanup may begin again',
    'dropped-claim-answered': 'P7: an answer to a claim that may have been dropped since counts',
  }),
  ...noticedBy(['outgoing claims'], {
    'claims-miss-second-edit': 'P7: who waits through two edits never hears an answer that counts',
    'finalizer-off-before-edited-end':
      'P12: the own finalizer goes while the end of a claim that was edited away is on its way',
  }),
  ...noticedBy(['guards'], {
    'unknown-claim-ended': 'P12: the claim of what is there, and not known here, is ended',
  }),
  ...noticedBy(['operations over the bus'], {
    'held-elsewhere-unbound': 'PORTS-1: what is held in another process is not bounded by the lease',
  }),
  ...noticedBy(['hostile publisher of requests'], {
    'admission-skipped': 'REQUEST-AUTHORIZER-1: whatever is asked for on the bus is done',
  }),
  ...noticedBy(['runtime'], {
    'kinds-alone-overtake':
      'LEGACY-CONTROLLER-1: kinds that are named are touched while the controller leads that cares for them',
    'host-serves-operations': 'who hosts actors answers whoever asks for its operations',
  }),
  ...noticedBy(['later'], {
    'later-never-published': 'COALESCER-1: what is replaced again and again is never published',
    'later-drops-nothing': 'COALESCER-2: what was dropped is published all the same',
  }),
  ...noticedBy(['watcher'], {
    'watch-led-by-who-knows-less': 'WATCHER-6: who watches less than others leads',
  }),
  ...noticedBy(['hand-over'], {
    'watcher-late-beside-newer': 'WATCHER-4: what waits is published beside what is newer',
    'watcher-never-flushes': 'WATCHER-4: what waits is never published at the end of a term',
    'watcher-hands-over-only': 'WATCHER-4: what is handed over is never published',
    'hand-over-after-lease': 'LOCAL-DELIVERY-1, SHARD-HOST-2: states are handed over after the end of the lease',
  }),
  ...noticedBy(['hand-over to who lives here'], {
    'hand-over-untold': 'LOCAL-DELIVERY-2: an incarnation is handed over that no mail tells of',
    'hand-over-end-early': 'LOCAL-DELIVERY-3: an end is handed over while a state of the object is on its way',
    'hand-over-retraction-waits': 'LOCAL-DELIVERY-4: what takes a promise back waits',
    'hand-over-earlier-promise': 'LOCAL-DELIVERY-4: what an earlier host has promised is taken back later',
    'hand-over-stale-answer': 'LOCAL-DELIVERY-4: what waits is published after the promise that replaced it',
    'hand-over-another-incarnation': 'P2: an answer is handed to another incarnation',
    'hand-over-given-up-shard': 'OBJECT-ACTOR-2: a shard that was given up answers',
    'hand-over-ended-claim': 'an ended claim is answered',
  }),
  ...noticedBy(['waiting in memory'], {
    'taken-status-not-said': 'I6: a status that somebody took away is not said again',
  }),
  ...noticedBy(['sharing in memory'], {
    'rivals-take-recorded': 'OWNERSHIP-3: what another object has recorded is taken',
    'rivals-block-owner': 'OWNERSHIP-4: what is in the way of others keeps whoever has a resource from it',
  }),
  ...noticedBy(['turns'], {
    'turns-trust-early-look': 'RESERVATIONS-3: who comes after another relies on a look from before',
  }),
  ...noticedBy(['first start'], {
    'first-start-after-wipe': 'FIRST-START-1: a wiped NATS server is taken for a new one',
    'first-start-if-unknown': 'FIRST-START-2: what cannot be told is a first start',
  }),
  ...noticedBy(['failures in memory'], {
    'each-failure-warns': 'each attempt that fails is a warning in the log',
  }),
  ...noticedBy(['troupe why, in memory'], {
    'shards-of-asker': 'hosted objects are reported as not hosted if the user has another number of shards configured',
  }),
  ...noticedBy(['troupe why'], {
    'referrers-sought-each-time':
      'each deleted object reads all objects of its namespace, which blocks the process if there are thousands',
    'survey-holds-process': 'probes are not answered before all objects of a namespace are explained',
    'unreadable-secret-ends-answer': 'users without permission to read Secrets get no answer',
    'asker-waits-for-himself': 'who asks is among those whom he waits for',
    'glance-refused-at-rest': 'what is at rest is refused, where the status has words of its own for that',
    'root-cause-each': 'each object that has wrong credentials has a root cause of its own',
  }),
  ...noticedBy(['tones'], {
    'tones-unavailable': 'what others may use looks unavailable, where its life has no state for that',
    'waiting-shown-refused': 'an object that waits is shown as refused',
  }),
  ...noticedBy(['tones', 'samples of a Windows node'], {
    'condition-unseen': 'an object that says all in one condition is shown as one that nobody has looked at',
  }),
  ...noticedBy(['rivals'], {
    'shared-id-is-enough': 'OWNERSHIP-6: of two subnets on one port only one is connected',
    'rivals-youngest-first': 'OWNERSHIP-3: of those that have recorded the same the youngest has it',
    'rivals-by-two-urls-share': 'OWNERSHIP-6: a resource of a cloud with two URLs is recorded by two objects',
    'rivals-by-id-take-recorded':
      'OWNERSHIP-4, OWNERSHIP-6: who has recorded a resource loses it to who writes down its id',
    'rivals-by-id-take-foreign':
      'OWNERSHIP-6: an id that another writer set makes its object wait for any object with that id',
    'rivals-by-id-take-made': 'OWNERSHIP-6: who has made a resource waits for who writes down its id',
    'rivals-older-gives-way': 'OWNERSHIP-3: who was first gives way to whoever recorded the same later',
  }),
  ...noticedBy(['probes'], {
    'refused-is-unready': 'a refused request makes a process unready',
    'idle-stays-unready': 'an idle process stays unready after an outage',
  }),
  ...noticedBy(['metrics'], {
    'no-bus-disconnected': 'a process without a bus reports that its bus is disconnected',
    'deleted-object-unsettled': 'an object that was deleted counts as unsettled for ever',
  }),
];
